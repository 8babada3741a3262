"""Gate and judge together: which windows the judge reads, what a document scores, what it costs.

The gate reads a text in its own windows. What it scores below its clearing threshold is cleared; the
text of every other window is cut into the judge's narrow ones, most suspicious first and at most
LIMIT of them for a document, and the judge's highest score decides. That is the product's way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import scoring

COST_SHARE = 15  # behind the gate, harmless traffic may cost one part in so many of the judge reading everything
LIMIT = 8        # windows that the judge reads of one document


@dataclass
class Reading:
    """One text as the gate, the judge alone, and the judge behind the gate score it; 0 where nothing is read."""

    gate: float
    judge: float
    cascade: float
    gate_tokens: int
    judge_tokens: int
    cascade_tokens: int
    dropped: int  # windows that the gate did not clear and the judge did not read


def read(gate: scoring.Scorer, judge: scoring.Scorer, texts: list[str], clear: float, leaves: bool = True, limit: int = LIMIT) -> list[Reading]:
    seen, alone = gate.read(texts, leaves), judge.read(texts, leaves)
    pieces, owner = [], []
    for i, (text, found) in enumerate(zip(texts, seen)):
        parts = scoring.segments(text) if leaves else [text]
        for w in sorted((w for w in found if w.score >= clear), key=lambda w: -w.score):
            pieces.append(parts[w.part][w.start:w.end])
            owner.append(i)
    rows: list[list[list[int]]] = [[] for _ in texts]
    dropped = [0] * len(texts)
    for i, planned in zip(owner, judge.plan(pieces)):
        room = limit - len(rows[i])
        rows[i] += [row for _, _, row in planned[:room]]
        dropped[i] += len(planned[room:])
    scores = iter(judge.probabilities([row for mine in rows for row in mine]))
    out = []
    for i in range(len(texts)):
        behind = max((float(next(scores)) for _ in rows[i]), default=0.0)
        out.append(Reading(max((w.score for w in seen[i]), default=0.0), max((w.score for w in alone[i]), default=0.0), behind,
                           sum(w.tokens for w in seen[i]), sum(w.tokens for w in alone[i]), sum(map(len, rows[i])), dropped[i]))
    return out


def share_read(readings: list[Reading]) -> float:
    """The judge's tokens behind the gate, as a part of those it reads alone."""
    return sum(r.cascade_tokens for r in readings) / max(1, sum(r.judge_tokens for r in readings))


def clearing(gate: scoring.Scorer, judge: scoring.Scorer, texts: list[str], share: float) -> float:
    """The lowest clearing threshold, four digits, at which the judge reads at most share of the tokens of harmless texts."""
    everything = sum(len(row) for t in texts for planned in judge.plan(scoring.segments(t)) for _, _, row in planned)
    found = [(w.score, scoring.segments(t)[w.part][w.start:w.end]) for t, ws in zip(texts, gate.read(texts)) for w in ws]
    scores = np.array([s for s, _ in found])
    tokens = np.array([sum(len(row) for _, _, row in planned) for planned in judge.plan([p for _, p in found])])
    order = np.argsort(-scores, kind="stable")
    over = np.flatnonzero(np.cumsum(tokens[order]) > share * everything)
    return 0.0001 if not len(over) else float(np.ceil(scores[order][over[0]] * 1e4 + 1e-6) / 1e4)
