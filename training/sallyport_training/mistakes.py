"""Harmless text that gate and judge together take for attacks, and the judge's second training with it.

Text of packages that no other stage reads is read as the product reads it. Windows that the gate does
not clear and that the judge scores MISTAKEN or more are mistakes, since the packages are software and
its documentation: much of it about language models, which is where the judge errs most. The judge is
then trained on for a few minutes from where it stands, on the mistakes and a sample of what it was
trained on before, so that it forgets nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np

from . import corpus, judge_rows, neighbours, scoring

MISTAKEN = 0.1       # half of the review threshold: what scores less does no harm
EXCERPT = 3000       # characters
BUDGET = 3_000_000   # characters read of one package
MOST = 300           # mistakes of one package, so that no house style dominates
AROUND = 600         # characters before and behind a mistake, to cut it differently
ASIDE = ("checkov", "haystack-ai", "llama-index-core", "scrapy")  # packages that are measured and never trained on
TRAINED = ("agno", "aider-chat", "browser-use", "celery", "crewai", "dspy", "fastmcp", "langchain-classic", "mem0ai", "nemoguardrails", "openai-agents", "prowler-cloud", "pydantic-ai-slim", "semantic-kernel", "smolagents", "sphinx", "sqlalchemy", "twisted")
TEXT = {".py", ".md", ".mdx", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".js", ".ts", ".tsx", ".html", ".css", ".c", ".h", ".sh", ".sql", ".colang", ".co", ".jinja", ".j2", ".cfg"}
FILE = "mistakes.jsonl"
MADE = ("translations", "coaxing", "grammar", "composed", "lookalike")  # sources with rows without end; of others every attack is used again


def package(folder: Path) -> str:
    return folder.name.split("__")[0]


def folders(root: Path, aside: bool) -> list[Path]:
    """The unpacked packages under root that are trained on, or those kept aside."""
    return [p for p in sorted(root.iterdir()) if p.is_dir() and package(p) in (ASIDE if aside else TRAINED)]


def excerpts(folder: Path, budget: int, r: Random) -> list[str]:
    """About budget characters of the text files of a package, at most eight pieces of a file."""
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix.lower() in TEXT and "/locale" not in str(p) and 80 < p.stat().st_size < 600_000]
    r.shuffle(files)
    out, size = [], 0
    for f in files:
        if size > budget:
            break
        try:
            text = f.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if max(map(len, text[:20000].split("\n"))) > 3000:  # generated
            continue
        for _ in range(min(8, 1 + len(text) // EXCERPT)):
            start = r.randrange(max(1, len(text) - EXCERPT))
            out.append(text[start:start + EXCERPT].strip())
            size += len(out[-1])
    return out


def read(gate: scoring.Scorer, judge: scoring.Scorer, clear: float, texts: list[str]) -> list[tuple[float, int, int, int]]:
    """The judge's windows of what the gate does not clear: score, number of the text, range of characters."""
    pieces, where = [], []
    for i, found in enumerate(gate.read(texts, leaves=False)):
        for w in found:
            if w.score >= clear:
                pieces.append(texts[i][w.start:w.end])
                where.append((i, w.start))
    planned = judge.plan(pieces)
    scores = iter(judge.probabilities([row for windows in planned for _, _, row in windows]))
    return [(float(next(scores)), i, start + a, start + b) for (i, start), windows in zip(where, planned) for a, b, _ in windows]


def mine(root: Path, gate: scoring.Scorer, judge: scoring.Scorer, clear: float, data: Path, seed: int = 41, budget: int = BUDGET, log=print) -> list[dict]:
    """The mistakes in the packages under root that are trained on: text, at (range of the mistake in it), set, score."""
    r, held_out, own, out = Random(seed), neighbours.Index(), neighbours.Index(), []
    for part in ("dev", "calibration"):
        for name in corpus.names(data, part):
            for row in corpus.find(data, part, name):
                held_out.add(row["text"])
    for folder in folders(root, aside=False):
        texts, found = excerpts(folder, budget, r), []
        for i in range(0, len(texts), 500):
            part = texts[i:i + 500]
            found += [(score, part[k], a, b) for score, k, a, b in read(gate, judge, clear, part) if score >= MISTAKEN]
            gate.memory.clear()  # the texts are read once
        kept = 0
        for score, text, a, b in sorted(found, key=lambda x: -x[0]):
            if kept == MOST or not corpus.keep({"label": 0, "text": text[a:b]}) or held_out.resembles(text[a:b]) or own.resembles(text[a:b]):
                continue
            own.add(text[a:b])
            kept += 1
            start = max(0, a - AROUND)
            out.append({"text": text[start:b + AROUND], "at": [a - start, b - start], "set": "mistakes:" + package(folder), "score": round(score, 4)})
        log(f"{package(folder)}: {len(texts)} excerpts, {len(found)} mistakes, {kept} kept")
    return out


def rates(root: Path, gate: scoring.Scorer, judge: scoring.Scorer, clear: float, limits: tuple[float, float], seed: int = 43, budget: int = BUDGET // 2) -> dict[str, list[float]]:
    """Of each package kept aside: excerpts, and the shares of them that score at least each limit."""
    r, out = Random(seed), {}
    for folder in folders(root, aside=True):
        texts = excerpts(folder, budget, r)
        highest = np.zeros(len(texts))
        for score, i, _, _ in read(gate, judge, clear, texts):
            highest[i] = max(highest[i], score)
        out[package(folder)] = [len(texts), *(float((highest >= limit).mean()) for limit in limits)]
    return out


def windows(found: list[dict], before: judge_rows.Windows, tokenizer, attacks: int = 4500, harmless: int = 6000, seed: int = 47) -> judge_rows.Windows:
    """Every mistake as it was read and cut once more at random, with a sample of the windows of the first training.

    What was kept aside then is kept aside again, and one mistake in ten."""
    r, rng = Random(seed), np.random.RandomState(seed)
    ids, labels, sets, held = [], [], [], []
    for x, e in zip(found, tokenizer.encode_batch([x["text"] for x in found], add_special_tokens=False)):
        aside = r.random() < 0.1
        a = next((k for k, (_, end) in enumerate(e.offsets) if end > x["at"][0]), 0)
        b = next((k for k, (start, _) in enumerate(e.offsets) if start >= x["at"][1]), len(e.ids))
        room = r.choice(judge_rows.SIZES) - 2
        at = r.randint(max(0, a - room // 2), max(0, min(b, len(e.ids)) - 20))
        for low, high in ((a, min(b, a + judge_rows.SIZES[-1])), (at, at + room)):
            if high > low:
                ids.append(np.array(e.ids[low:high], np.int32)), labels.append(0), sets.append(x["set"]), held.append(aside)
    free = np.flatnonzero(~before.held)
    heads = np.array([s.split(":")[0] for s in before.sets])
    made = np.isin(heads, MADE)
    chosen = [np.flatnonzero(before.held), free[(before.labels[free] == 1) & ~made[free]]]
    for label, from_made, most in ((1, True, attacks), (0, True, harmless // 2), (0, False, harmless // 2)):
        of = free[(before.labels[free] == label) & (made[free] == from_made)]
        chosen.append(rng.choice(of, min(most, len(of)), replace=False))
    for i in np.sort(np.concatenate(chosen)):
        ids.append(before.ids[i]), labels.append(int(before.labels[i])), sets.append(before.sets[i]), held.append(bool(before.held[i]))
    return judge_rows.Windows(ids, np.array(labels, np.int64), sets, np.array(held))


def as_rows(work: Path) -> list[dict]:
    """The mistakes found, as harmless rows of the gate's third training."""
    return [{"text": x["text"], "label": 0, "set": x["set"]} for x in corpus.load(work / FILE)]


def save(found: list[dict], path: Path) -> None:
    path.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in found), encoding="utf-8")
