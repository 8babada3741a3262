"""The judge's vocabulary: the pieces of the pretrained one that text needs, in the gate's normalisation.

The pretrained vocabulary has 250 thousand pieces, most for text that is never seen here. Kept are
those that are likeliest, half by how often training text and translations use them, half by the
probability that the pretrained vocabulary itself gives them, so that languages of which we have
little text keep their common words. Text is normalised as for the gate, which makes pieces with
capital letters unreachable; they are dropped first.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from . import pretrained, vocabulary

SIZE = 49152
SPECIALS = len(vocabulary.SPECIAL)


def choose(encoder: pretrained.Encoder, texts: list[str], size: int = SIZE) -> list[int]:
    """The numbers of the kept pieces in the encoder's vocabulary: special tokens first, then by probability."""
    from tokenizers import Tokenizer

    normaliser = vocabulary.normaliser()
    candidates = []
    for i, piece in enumerate(encoder.pieces):
        plain = piece.replace("\u2581", " ")
        if i not in (encoder.begin, encoder.end, encoder.pad, encoder.unknown) and piece not in ("", "<mask>") and normaliser.normalize_str("a" + plain + "a") == "a" + plain + "a":
            candidates.append(i)
    full = Tokenizer.from_str(json.dumps(vocabulary.document([(encoder.pieces[i], float(encoder.scores[i])) for i in candidates])))
    full.encode_special_tokens = True
    counts = np.zeros(len(candidates) + SPECIALS)
    for i in range(0, len(texts), 2000):
        for e in full.encode_batch(texts[i:i + 2000], add_special_tokens=False):
            np.add.at(counts, np.array(e.ids, np.int64), 1)
    own = counts[SPECIALS:] / counts.sum()
    prior = np.exp(encoder.scores[candidates].astype(np.float64))
    order = np.argsort(-(own + prior / prior.sum()), kind="stable")[:size - SPECIALS]
    return [encoder.pad, encoder.unknown, encoder.begin, encoder.end, *(candidates[k] for k in order)]


def write(encoder: pretrained.Encoder, kept: list[int], out: Path) -> None:
    """tokenizer.json of the kept pieces, on few lines since it is read by machines alone."""
    document = vocabulary.document([(encoder.pieces[i], round(float(encoder.scores[i]), 4)) for i in kept[SPECIALS:]])
    out.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
