"""A tokenizer.json of the real kind and size: Unigram, the nmt_nfkc table, Metaspace, [CLS] $A [SEP].

The pieces that English text needs come from the default model's vocabulary, with capitalised forms
beside the lower-case ones; joined pairs of them fill it up to the wanted size. Token counts per byte
are then those of ordinary text, and so are the cost of tokenizing and of the embedding.
"""

import gzip
import itertools
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTROLS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
MARK = "\u2581"


def pieces(size):
    own = json.loads((ROOT / "models/default/tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    scores = {}
    for piece, score in own:
        if piece.startswith("[") and piece.endswith("]") and len(piece) > 2:
            continue
        body = piece.lstrip(MARK)
        for cost, form in ((0, body), (1, body[:1].upper() + body[1:]), (3, body.upper())):
            scores.setdefault(piece[:len(piece) - len(body)] + form, score - cost)
    ranked = sorted(scores.items(), key=lambda p: -p[1])
    words = [p for p, _ in ranked if p.startswith(MARK) and len(p) > 2]
    ends = [p for p, _ in ranked if not p.startswith(MARK) and len(p) > 1]
    rare = min(scores.values()) - 1
    for total in itertools.count():
        if len(scores) >= size - len(CONTROLS) or total >= len(words) + len(ends):
            break
        for i in range(max(0, total - len(ends) + 1), min(total + 1, len(words))):
            if len(scores) >= size - len(CONTROLS):
                break
            scores.setdefault(words[i] + ends[total - i], rare)
    ranked = sorted(scores.items(), key=lambda p: (-p[1], p[0]))[:size - len(CONTROLS)]
    return [[c, 0.0] for c in CONTROLS] + [[p, s] for p, s in ranked]


def tokenizer(size):
    vocab = pieces(size - 1)  # one id is [MASK]'s
    reference = json.loads(gzip.decompress((ROOT / "inference/tokenizer/testdata/golden/deberta.json.gz").read_bytes()))
    ids = {c: i for i, c in enumerate(CONTROLS)} | {"[MASK]": len(vocab)}
    reference["added_tokens"] = [
        dict(id=i, content=c, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True) for c, i in ids.items()]
    for name, special in reference["post_processor"]["special_tokens"].items():
        special["ids"] = [ids[name]]
    reference["model"] = dict(type="Unigram", unk_id=ids["[UNK]"], vocab=vocab, byte_fallback=False)
    return reference
