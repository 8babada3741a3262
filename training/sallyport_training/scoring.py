"""A document's score as the product computes it: the highest score of its windows and string values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from . import export, vocabulary

WINDOW, OVERLAP = 256, 0.25  # tokens with [CLS] and [SEP]; the share that the next window reads again


SPACE = " \t\n\v\f\r"
CLOSING = "\"')]}»”’"


def boundary(text: str, offsets: list[tuple[int, int]], k: int) -> bool:
    """Whether a sentence or a line ends before token k."""
    low, high = offsets[k - 1][1], offsets[k][0]
    while low > 0 and text[low - 1] in SPACE:
        low -= 1
    while high < len(text) and text[high] in SPACE:
        high += 1
    gap = text[low:high]
    if "\n" in gap or "\r" in gap:
        return True
    for _ in range(4):
        c = text[low - 1:low]
        if c and c in ".!?;\u2026":
            return any(g in SPACE for g in gap)
        if c and c in "\u3002\uff01\uff1f\uff1b\u0964\u061f\u06d4":
            return True
        if not c or c not in CLOSING:
            return False
        low -= 1
    return False


def windows(text: str, ids: list[int], offsets: list[tuple[int, int]], window: int = WINDOW, overlap: float = OVERLAP) -> list[list[int]]:
    """Token ids without special tokens -> windows with [CLS] and [SEP]; an empty text has none.

    The plan is the product's: a window ends at the last sentence or line boundary in its second half,
    if there is one, and the next begins at the first boundary within the overlap.
    """
    room, out, start, n = window - 2, [], 0, len(ids)
    back = int(room * overlap)
    while start < n:
        end = min(start + room, n)
        if start + room < n:
            end = next((k for k in range(end, start + room // 2, -1) if boundary(text, offsets, k)), end)
        out.append([vocabulary.CLS, *ids[start:end], vocabulary.SEP])
        if end == n:
            break
        after = max(start + 1, end - back)
        start = next((k for k in range(after, end) if boundary(text, offsets, k)), after)
    return out


def segments(text: str) -> list[str]:
    """The text, and when it is JSON also its longer string values, since the product reads those alone."""
    out = [text]
    if text[:1] in "{[":
        try:
            stack = [json.loads(text)]
        except ValueError:
            return out
        while stack:
            v = stack.pop()
            if isinstance(v, dict):
                stack += v.values()
            elif isinstance(v, list):
                stack += v
            elif isinstance(v, str) and len(v) >= 16 and " " in v:
                out.append(v)
    return out


class Scorer:
    """Scores texts with the files of a model directory."""

    def __init__(self, directory: Path, threads: int = 2):
        self.tokenizer = vocabulary.load(directory / "tokenizer.json")
        self.session = export.Session(directory / "model.onnx", threads)

    def encode(self, texts: list[str]) -> list:
        out = []
        for i in range(0, len(texts), 2000):
            out += self.tokenizer.encode_batch(texts[i:i + 2000], add_special_tokens=False)
        return out

    def probabilities(self, rows: list[list[int]]) -> np.ndarray:
        """P(malicious) of each window of token ids."""
        order, out = np.argsort([len(a) for a in rows], kind="stable"), np.zeros(len(rows))
        i = 0
        while i < len(order):
            size = max(1, 32768 // len(rows[order[min(i + 127, len(order) - 1)]]))
            part = order[i:i + min(size, 128)]
            width = max(len(rows[k]) for k in part)
            x = np.zeros((len(part), width), np.int64)
            m = np.zeros_like(x)
            for j, k in enumerate(part):
                x[j, :len(rows[k])] = rows[k]
                m[j, :len(rows[k])] = 1
            z = self.session.logits(x, m).astype(np.float64)
            out[part] = 1.0 / (1.0 + np.exp(z[:, 0] - z[:, 1]))
            i += len(part)
        return out

    def documents(self, texts: list[str], leaves: bool = True) -> np.ndarray:
        """The highest window score of each text; 0 for an empty one."""
        flat, owner = [], []
        for i, t in enumerate(texts):
            for s in (segments(t) if leaves else [t]):
                flat.append(s)
                owner.append(i)
        rows, own = [], []
        for i, s, e in zip(owner, flat, self.encode(flat)):
            for w in windows(s, e.ids, e.offsets):
                rows.append(w)
                own.append(i)
        out = np.zeros(len(texts))
        if rows:
            np.maximum.at(out, np.array(own), self.probabilities(rows))
        return out
