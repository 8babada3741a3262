"""Near-duplicate search by MinHash over word shingles.

Used twice: rows that resemble an evaluation or calibration row leave the training data, and rows that
resemble each other inside the training data are thinned. 48 permutations in 12 bands of 4; two rows
that share two bands are called near-duplicates (an estimated Jaccard similarity of roughly 0.6 up).
"""

from __future__ import annotations

import re
import zlib

import numpy as np

PERMUTATIONS, ROWS_PER_BAND, PRIME = 48, 4, np.uint64(2147483647)
_rng = np.random.RandomState(0)
_A = _rng.randint(1, 2**31 - 1, size=PERMUTATIONS).astype(np.uint64)
_B = _rng.randint(0, 2**31 - 1, size=PERMUTATIONS).astype(np.uint64)


def bands(text: str) -> list[tuple[int, bytes]]:
    """The banded signature of a text: its first 400 words, shingles of four words (two if short)."""
    words = re.findall(r"\w+", text.lower())[:400]
    size = 4 if len(words) >= 8 else 2
    shingles = {zlib.crc32(" ".join(words[i:i + size]).encode()) for i in range(max(1, len(words) - size + 1))}
    values = np.fromiter(shingles, dtype=np.uint64) % PRIME
    signature = ((values[:, None] * _A + _B) % PRIME).min(0)
    return [(i, signature[i * ROWS_PER_BAND:(i + 1) * ROWS_PER_BAND].tobytes()) for i in range(PERMUTATIONS // ROWS_PER_BAND)]


class Index:
    """A set of texts that can be asked whether it holds something like a given text."""

    def __init__(self, shared_bands: int = 2):
        self._seen: set[tuple[int, bytes]] = set()
        self._need = shared_bands

    def add(self, text: str) -> None:
        self._seen.update(bands(text))

    def resembles(self, text: str) -> bool:
        return sum(b in self._seen for b in bands(text)) >= self._need
