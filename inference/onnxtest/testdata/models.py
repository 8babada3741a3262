#!/usr/bin/python3
"""Write the small models of the tests, next to this file. Needs Debian's python3-onnx.

The base model adds up one weight per token and compares the sum with a constant: words that
injections use weigh much, everything else nothing. That is enough to pass the canary test and to
make every property of a run visible. The others are the base model with one thing wrong.
"""
import hashlib
import json
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
LOUD = {
    "ignore": 3.0, "disregard": 3.0, "previous": 1.5, "prior": 1.5, "instructions": 2.5, "override": 3.0, "forget": 2.5,
    "reveal": 2.0, "system": 1.0, "prompt": 1.0, "obey": 2.0, "restrictions": 1.5, "guidelines": 1.0, "secret": 1.0,
}
QUIET = "the a of and to in is for with on by from this that your you all not it be as at or an are was file tool returns user name".split()
NAN, SLOW = "qnan", "qslow"  # a token whose score is NaN, and one that keeps the slow model busy
CONTROLS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]


def vocabulary():
    chars = "abcdefghijklmnopqrstuvwxyz0123456789.,:;!?-_/()<>@'\"*=#%~+[]{}&$"
    pieces = [(c, 0.0) for c in CONTROLS] + [("\u2581", -4.0)] + [(c, -8.0) for c in chars]
    pieces += [("\u2581" + w, -6.0) for w in list(LOUD) + [NAN, SLOW] + QUIET]
    return pieces


def tokenizer(pieces):
    special = {c: {"id": c, "ids": [CONTROLS.index(c)], "tokens": [c]} for c in ("[CLS]", "[SEP]")}
    control = lambda c: {"SpecialToken": {"id": c, "type_id": 0}}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": i, "content": c, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
                         for i, c in enumerate(CONTROLS)],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "NFKC"}, {"type": "Lowercase"}, {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "},
            {"type": "Strip", "strip_left": True, "strip_right": True}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
        "post_processor": {"type": "TemplateProcessing", "single": [control("[CLS]"), {"Sequence": {"id": "A", "type_id": 0}}, control("[SEP]")],
                           "pair": [], "special_tokens": special},
        "decoder": None, "model": {"type": "Unigram", "unk_id": 3, "vocab": pieces, "byte_fallback": False},
    }


def weights(pieces):
    w = numpy.zeros(len(pieces), numpy.float32)
    for i, (piece, _) in enumerate(pieces):
        w[i] = LOUD.get(piece[1:], 0.0) if piece.startswith("\u2581") else 0.0
        if piece[1:] == NAN:
            w[i] = numpy.nan
    return w


def value(name, kind, *dims):
    return helper.make_tensor_value_info(name, kind, list(dims))


def base(w, scale=1.0, mask=True, kinds=False, extra=None, opset=14, rank3=False, ids_type=TensorProto.INT64, output_type=TensorProto.FLOAT, before=(), quantised=False):
    """Logits [-x, x] with x = scale * (sum of the token weights - 2.5)."""
    inits = [numpy_helper.from_array(w.reshape(-1, 1), "weights"), numpy_helper.from_array(numpy.float32([2.5]), "limit"),
             numpy_helper.from_array(numpy.float32([[-scale, scale]]), "head"), numpy_helper.from_array(numpy.int64([1]), "axis"),
             numpy_helper.from_array(numpy.int64([2]), "last")]
    inputs = [value("input_ids", ids_type, "batch", "length")]
    nodes = list(before) + [helper.make_node("Gather", ["weights", "input_ids"], ["each"])]
    summed = "each"
    if mask:
        inputs.append(value("attention_mask", TensorProto.INT64, "batch", "length"))
        nodes += [helper.make_node("Cast", ["attention_mask"], ["maskf"], to=TensorProto.FLOAT),
                  helper.make_node("Unsqueeze", ["maskf", "last"], ["mask3"]), helper.make_node("Mul", ["each", "mask3"], ["masked"])]
        summed = "masked"
    if kinds:
        inputs.append(value("token_type_ids", TensorProto.INT64, "batch", "length"))
        nodes += [helper.make_node("Cast", ["token_type_ids"], ["kindsf"], to=TensorProto.FLOAT),
                  helper.make_node("Unsqueeze", ["kindsf", "last"], ["kinds3"]), helper.make_node("Add", [summed, "kinds3"], ["kinded"])]
        summed = "kinded"
    if extra:
        inputs.append(value(extra, TensorProto.FLOAT, "batch", 4))
    nodes += [helper.make_node("ReduceSum", [summed, "axis"], ["sum"], keepdims=0), helper.make_node("Sub", ["sum", "limit"], ["over"])]
    if quantised:  # one scale for the whole batch: a row's score depends on its mates
        nodes += [helper.make_node("DynamicQuantizeLinear", ["over"], ["q", "qs", "qz"]), helper.make_node("DequantizeLinear", ["q", "qs", "qz"], ["round"])]
        nodes += [helper.make_node("MatMul", ["round", "head"], ["logits"])]
    elif rank3:
        nodes += [helper.make_node("MatMul", ["over", "head"], ["flat"]), helper.make_node("Unsqueeze", ["flat", "axis"], ["logits"])]
    else:
        nodes += [helper.make_node("MatMul", ["over", "head"], ["logits"])]
    dims = ["batch", 1, 2] if rank3 else ["batch", 2]
    graph = helper.make_graph(nodes, "sum-of-weights", inputs, [value("logits", output_type, *dims)], inits)
    return helper.make_model(graph, producer_name="sallyport-tests", ir_version=8, opset_imports=[helper.make_opsetid("", opset)])


def slow(w, slow_id):
    """The base model behind a loop that turns 2^40 times when the slow token is there."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Add", ["x", "one"], ["y"])], "turn",
        [value("turn", TensorProto.INT64), value("go", TensorProto.BOOL), value("x", TensorProto.FLOAT, 1)],
        [value("go_on", TensorProto.BOOL), value("y", TensorProto.FLOAT, 1)])
    m = base(w)
    g = m.graph
    g.initializer.extend([numpy_helper.from_array(numpy.float32([1]), "one"), numpy_helper.from_array(numpy.int64(slow_id), "slow_id"),
                          numpy_helper.from_array(numpy.int64(1 << 40), "many"), numpy_helper.from_array(numpy.float32([0]), "start"),
                          numpy_helper.from_array(numpy.float32([0]), "nothing")])
    nodes = [helper.make_node("Equal", ["input_ids", "slow_id"], ["hits"]), helper.make_node("Cast", ["hits"], ["hit_numbers"], to=TensorProto.INT64),
             helper.make_node("ReduceMax", ["hit_numbers"], ["hit"], keepdims=0), helper.make_node("Mul", ["hit", "many"], ["turns"]),
             helper.make_node("Loop", ["turns", "", "start"], ["turned"], body=body), helper.make_node("Mul", ["turned", "nothing"], ["zero"]),
             helper.make_node("Add", ["logits_", "zero"], ["logits"])]
    g.node[-1].output[0] = "logits_"
    g.node.extend(nodes)
    return m


def main():
    pieces = vocabulary()
    w = weights(pieces)
    models = {
        "model": base(w), "flat": base(w, scale=0.01), "reversed": base(w, scale=-1.0), "no-mask": base(w, mask=False), "token-types": base(w, kinds=True),
        "extra-input": base(w, extra="pixel_values"), "opset-99": base(w, opset=99), "rank-3": base(w, rank3=True),
        "int32-ids": base(w, ids_type=TensorProto.INT32), "small-embedding": base(w[:-20]), "batch-bound": base(w, quantised=True),
        "slow": slow(w, [p for p, _ in pieces].index("\u2581" + SLOW)),
    }
    for name, m in models.items():
        (HERE / f"{name}.onnx").write_bytes(m.SerializeToString())
    external = base(w)
    onnx.save(external, str(HERE / "external.onnx"), save_as_external_data=True, all_tensors_to_one_file=True, location="external.onnx.data", size_threshold=64)
    (HERE / "tokenizer.json").write_text(json.dumps(tokenizer(pieces), ensure_ascii=False), "utf-8")
    (HERE / "config.json").write_text(json.dumps({
        "model_type": "sum-of-weights", "architectures": ["SumOfWeights"], "vocab_size": len(pieces), "max_position_embeddings": 128,
        "pad_token_id": 0, "id2label": {"0": "BENIGN", "1": "MALICIOUS"}, "label2id": {"BENIGN": 0, "MALICIOUS": 1}}, indent=1) + "\n")
    digest = lambda f: hashlib.sha256((HERE / f).read_bytes()).hexdigest()
    (HERE / "sallyport.json").write_text(json.dumps({
        "format": 1, "name": "test-weights", "version": "1", "normalizer": "nfkc-lower-1", "windows": {"tokens": 48, "overlap": 0.25, "wide": 128},
        "thresholds": {"default": {"block": 0.9, "review": 0.6}, "result": {"block": 0.95, "review": 0.8}},
        "files": {f: digest(f) for f in ("model.onnx", "tokenizer.json", "config.json")},
        "calibration": {"set": "none", "documents": 0, "notes": ["weights by hand"]}}, indent=1) + "\n")


main()
