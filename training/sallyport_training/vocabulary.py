"""The tokenizer: a SentencePiece Unigram vocabulary written as a Hugging Face tokenizer.json.

Training, calibration and evaluation tokenise through the `tokenizers` library reading that very file,
so that what the product reads is what the network saw. The normaliser uses only NFKC, Lowercase,
Replace and Strip; every pattern is one that RE2 and Oniguruma read alike (no classes whose meaning
differs between them).
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
PAD, UNK, CLS, SEP = range(4)
SIZE = 8192

INVISIBLE = "[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
SPACES = "[\u0001-\u0020\u007f-\u00a0\u1680\u2028\u2029]+"
NORMALIZERS = [
    {"type": "NFKC"},
    {"type": "Replace", "pattern": {"Regex": INVISIBLE}, "content": ""},
    {"type": "Lowercase"},
    {"type": "Replace", "pattern": {"Regex": SPACES}, "content": " "},
    {"type": "Replace", "pattern": {"Regex": "[0-9a-f]{16,}"}, "content": "0000"},
    {"type": "Replace", "pattern": {"Regex": "[0-9]{4,}"}, "content": "0000"},
    {"type": "Replace", "pattern": {"Regex": "[-=_*.~+]{4,}"}, "content": "---"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
]


def document(pieces: list[tuple[str, float]]) -> dict:
    """The tokenizer.json for a vocabulary of (piece, score), special tokens first."""
    vocab = [[t, 0.0] for t in SPECIAL] + [[p, s] for p, s in pieces]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True} for i, t in enumerate(SPECIAL)],
        "normalizer": {"type": "Sequence", "normalizers": NORMALIZERS},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": True, "prepend_scheme": "always"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
                     {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "special_tokens": {t: {"id": t, "ids": [i], "tokens": [t]} for i, t in ((CLS, "[CLS]"), (SEP, "[SEP]"))},
        },
        "decoder": {"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": True, "prepend_scheme": "always"},
        "model": {"type": "Unigram", "unk_id": UNK, "vocab": vocab, "byte_fallback": False},
    }


def load(path: Path):
    """The tokenizer of a model directory; text that looks like a special token stays text."""
    from tokenizers import Tokenizer

    tok = Tokenizer.from_file(str(path))
    tok.encode_special_tokens = True
    return tok


def normaliser():
    """The normaliser alone, for the text that the vocabulary is trained on."""
    from tokenizers import Tokenizer

    return Tokenizer.from_str(json.dumps(document([("\u2581", -1.0)]))).normalizer


def train(rows: list[dict], out: Path, work: Path, seed: int = 3) -> None:
    """Trains the vocabulary on the rows (short pieces, capped per row) and writes tokenizer.json."""
    import sentencepiece

    norm, r = normaliser(), Random(seed)
    text_file = work / "vocabulary.txt"
    with text_file.open("w", encoding="utf-8") as f:
        for row in rows:
            t = row["text"][:1200]
            # Translations are many and short; half of them leave room for the language most payloads use.
            if row["set"].startswith("translations") and r.random() < 0.5:
                continue
            n = norm.normalize_str(t)
            for i in range(0, len(n), 400):
                f.write(n[i:i + 400] + "\n")
    prefix = work / "vocabulary"
    sentencepiece.SentencePieceTrainer.train(
        input=str(text_file), model_prefix=str(prefix), vocab_size=SIZE - 3, model_type="unigram", character_coverage=0.9995, byte_fallback=False, input_sentence_size=160000,
        shuffle_input_sentence=True, num_threads=2, normalization_rule_name="identity", pad_id=-1, unk_id=0, bos_id=-1, eos_id=-1, max_sentence_length=4000, split_digits=True)
    pieces = []
    for line in (work / "vocabulary.vocab").read_text(encoding="utf-8").splitlines():
        piece, score = line.split("\t")
        if piece != "<unk>":
            pieces.append((piece, float(score)))
    out.write_text(json.dumps(document(pieces), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
