"""A document's score as the product computes it: the highest score of its windows and string values."""

from __future__ import annotations

import hashlib
import json
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import export, vocabulary

WINDOW, OVERLAP = 96, 0.25  # of the gate: tokens with [CLS] and [SEP]; the share that the next window reads again


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


def spans(text: str, offsets: list[tuple[int, int]], window: int, overlap: float) -> list[tuple[int, int]]:
    """The token ranges of the windows of a text; an empty text has none.

    The plan is the product's: a window ends at the last sentence or line boundary in its second half,
    if there is one, and the next begins at the first boundary within the overlap.
    """
    room, out, start, n = window - 2, [], 0, len(offsets)
    back = int(room * overlap)
    while start < n:
        end = min(start + room, n)
        if start + room < n:
            end = next((k for k in range(end, start + room // 2, -1) if boundary(text, offsets, k)), end)
        out.append((start, end))
        if end == n:
            break
        after = max(start + 1, end - back)
        start = next((k for k in range(after, end) if boundary(text, offsets, k)), after)
    return out


def windows(text: str, ids: list[int], offsets: list[tuple[int, int]], window: int = WINDOW, overlap: float = OVERLAP) -> list[list[int]]:
    """Token ids without special tokens -> windows with [CLS] and [SEP]."""
    return [[vocabulary.CLS, *ids[start:end], vocabulary.SEP] for start, end in spans(text, offsets, window, overlap)]


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


@dataclass(frozen=True)
class Read:
    """One window: segment of the text, range of characters in it, tokens with control tokens, score."""

    part: int
    start: int
    end: int
    tokens: int
    score: float


class Scorer:
    """Scores texts with the files of a model directory, in windows of the size that its sallyport.json names."""

    def __init__(self, directory: Path, threads: int = 2, window: int | None = None, batch_tokens: int = 32768, memory: Path | None = None):
        self.tokenizer = vocabulary.load(directory / "tokenizer.json")
        self.session = export.Session(directory / "model.onnx", threads)
        manifest = directory / "sallyport.json"
        self.window = window or (json.loads(manifest.read_text())["windows"]["tokens"] if manifest.exists() else WINDOW)
        self.batch_tokens = batch_tokens
        self.memory: dict[bytes, float] = {}  # window -> score, kept in a file of its own for each network
        self.memory_file = memory and memory / f"scores-{hashlib.sha256((directory / 'model.onnx').read_bytes()).hexdigest()[:16]}.pickle"
        if self.memory_file and self.memory_file.exists():
            self.memory = pickle.loads(self.memory_file.read_bytes())

    def encode(self, texts: list[str]) -> list:
        out = []
        for i in range(0, len(texts), 2000):
            out += self.tokenizer.encode_batch(texts[i:i + 2000], add_special_tokens=False)
        return out

    def probabilities(self, rows: list[list[int]]) -> np.ndarray:
        """P(malicious) of each window of token ids; a window seen before is not computed again."""
        keys = [hashlib.blake2b(np.array(a, np.int32).tobytes(), digest_size=16).digest() for a in rows]
        fresh = {k: i for i, k in enumerate(keys) if k not in self.memory}
        order = np.array(sorted(fresh.values(), key=lambda i: len(rows[i])), np.int64)
        i = 0
        while i < len(order):
            size = max(1, self.batch_tokens // len(rows[order[min(i + 127, len(order) - 1)]]))
            part = order[i:i + min(size, 128)]
            width = max(len(rows[k]) for k in part)
            x = np.zeros((len(part), width), np.int64)
            m = np.zeros_like(x)
            for j, k in enumerate(part):
                x[j, :len(rows[k])] = rows[k]
                m[j, :len(rows[k])] = 1
            z = self.session.logits(x, m).astype(np.float64)
            for k, score in zip(part, 1.0 / (1.0 + np.exp(z[:, 0] - z[:, 1]))):
                self.memory[keys[k]] = float(score)
            i += len(part)
        return np.array([self.memory[k] for k in keys])

    def save(self) -> None:
        """Keeps the scores for the next run with this network."""
        if self.memory_file:
            self.memory_file.write_bytes(pickle.dumps(self.memory))

    def plan(self, texts: list[str]) -> list[list[tuple[int, int, list[int]]]]:
        """The windows of each text: range of characters and token ids."""
        return [[(e.offsets[a][0], e.offsets[b - 1][1], [vocabulary.CLS, *e.ids[a:b], vocabulary.SEP]) for a, b in spans(t, e.offsets, self.window, OVERLAP)]
                for t, e in zip(texts, self.encode(texts))]

    def read(self, texts: list[str], leaves: bool = True) -> list[list[Read]]:
        """What is read of each text: windows of the text and, with leaves, of its longer string values."""
        flat = [(i, part, s) for i, t in enumerate(texts) for part, s in enumerate(segments(t) if leaves else [t])]
        found = [(i, part, start, end, row) for (i, part, _), planned in zip(flat, self.plan([s for _, _, s in flat])) for start, end, row in planned]
        out: list[list[Read]] = [[] for _ in texts]
        for (i, part, start, end, row), score in zip(found, self.probabilities([f[-1] for f in found])):
            out[i].append(Read(part, start, end, len(row), float(score)))
        return out

    def documents(self, texts: list[str], leaves: bool = True) -> np.ndarray:
        """The highest window score of each text; 0 for an empty one."""
        return np.array([max((w.score for w in found), default=0.0) for found in self.read(texts, leaves)])
