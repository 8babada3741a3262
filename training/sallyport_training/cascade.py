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
    cascade_windows: int
    dropped: int  # windows that the gate did not clear and the judge did not read


def read(gate: scoring.Scorer, judge: scoring.Scorer, texts: list[str], clear, leaves: bool = True, limit: int = LIMIT, alone: bool = True) -> list[Reading]:
    """Reads each text in the three ways, with one clearing threshold or one for each text; without alone the judge reads nothing by itself, and scores 0 there."""
    seen = gate.read(texts, leaves)
    by_itself = judge.read(texts, leaves) if alone else [[] for _ in texts]
    pieces, owner = [], []
    below = np.broadcast_to(clear, len(texts))
    for i, (text, found) in enumerate(zip(texts, seen)):
        parts = scoring.segments(text) if leaves else [text]
        for w in sorted((w for w in found if w.score >= below[i]), key=lambda w: -w.score):
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
        out.append(Reading(max((w.score for w in seen[i]), default=0.0), max((w.score for w in by_itself[i]), default=0.0), behind,
                           sum(w.tokens for w in seen[i]), sum(w.tokens for w in by_itself[i]), sum(map(len, rows[i])), len(rows[i]), dropped[i]))
    return out


def share_read(readings: list[Reading]) -> float:
    """The judge's tokens behind the gate, as a part of those it reads alone."""
    return sum(r.cascade_tokens for r in readings) / max(1, sum(r.judge_tokens for r in readings))


def clearing(gate: scoring.Scorer, judge: scoring.Scorer, texts: list[str], share: float) -> float:
    """The lowest clearing threshold, four digits, at which the judge reads at most share of the tokens of harmless texts.

    Of a text it reads at most LIMIT windows, as in read."""
    everything = sum(len(row) for t in texts for planned in judge.plan(scoring.segments(t)) for _, _, row in planned)
    found = [(i, w.score, scoring.segments(t)[w.part][w.start:w.end]) for i, (t, ws) in enumerate(zip(texts, gate.read(texts))) for w in sorted(ws, key=lambda w: -w.score)]
    rows = [(i, score, len(row)) for (i, score, _), planned in zip(found, judge.plan([p for _, _, p in found])) for _, _, row in planned]
    left = dict.fromkeys(range(len(texts)), LIMIT)
    kept = []
    for i, score, size in rows:  # of each text the most suspicious first
        if left[i] > 0:
            left[i] -= 1
            kept.append((score, size))
    scores, tokens = np.array([s for s, _ in kept]), np.array([n for _, n in kept])
    order = np.argsort(-scores, kind="stable")
    over = np.flatnonzero(np.cumsum(tokens[order]) > share * everything)
    return 0.0001 if not len(over) else float(np.ceil(scores[order][over[0]] * 1e4 + 1e-6) / 1e4)
