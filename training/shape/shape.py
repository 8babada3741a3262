#!/usr/bin/python3
"""Write a model directory of the shape of Llama Prompt Guard 2, with random weights from a seed.

It costs what the real one costs, in time and memory, and its scores mean nothing: benchmarks and
load tests open it without the self-test, the sidecar refuses it.

usage: shape.py DIRECTORY --preset 22m|86m|tiny [--int8] [--external] [--seed N]
"""

import argparse
import json
import pathlib

import onnx

import deberta
import vocabulary


def config(shape):
    return {
        "architectures": ["DebertaV2ForSequenceClassification"], "model_type": "deberta-v2", "hidden_act": "gelu", "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate, "layer_norm_eps": 1e-07, "max_position_embeddings": shape.positions, "max_relative_positions": -1,
        "norm_rel_ebd": "layer_norm", "num_attention_heads": shape.heads, "num_hidden_layers": shape.layers, "pad_token_id": 0,
        "pos_att_type": ["p2c", "c2p"], "position_biased_input": False, "position_buckets": shape.buckets, "relative_attention": True,
        "share_att_key": True, "type_vocab_size": 0, "vocab_size": shape.vocabulary, "id2label": {"0": "LABEL_0", "1": "LABEL_1"},
        "label2id": {"LABEL_0": 0, "LABEL_1": 1},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--preset", choices=sorted(deberta.PRESETS), default="22m")
    parser.add_argument("--int8", action="store_true", help="dynamic 8-bit quantisation: smaller, faster, not batch-invariant")
    parser.add_argument("--external", action="store_true", help="weights in a file beside model.onnx")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--vocabulary", type=int, default=0, help="number of ids, for the preset tiny, which brings no tokenizer.json")
    a = parser.parse_args()

    shape = deberta.PRESETS[a.preset]
    if a.vocabulary:
        shape = deberta.dataclasses.replace(shape, vocabulary=a.vocabulary)
    if not shape.vocabulary:
        parser.error("the preset tiny needs --vocabulary")
    a.directory.mkdir(parents=True, exist_ok=True)
    model = deberta.Network(shape, a.seed, a.int8).build()
    target = a.directory / "model.onnx"
    if a.external:
        (a.directory / "model.onnx.data").unlink(missing_ok=True)
        onnx.save(model, str(target), save_as_external_data=True, all_tensors_to_one_file=True, location="model.onnx.data", size_threshold=1024)
    else:
        target.write_bytes(model.SerializeToString())
    if a.preset != "tiny":
        (a.directory / "config.json").write_text(json.dumps(config(shape), indent=2) + "\n")
        tokenizer = vocabulary.tokenizer(shape.vocabulary)
        (a.directory / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")
    print(f"{a.directory}: {len(model.graph.node)} nodes, {target.stat().st_size / 1e6:.1f} MB, {shape.vocabulary} ids")


main()
