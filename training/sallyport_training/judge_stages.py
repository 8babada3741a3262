"""The stages of the judge, in order: windows, training, model directory, table, card."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from . import calibrate, card, cascade, compare, compose, corpus, evaluate, golden, harmless, judge, judge_card, judge_export, judge_fit, judge_rows, judge_vocabulary, pretrained, scoring, vocabulary

NAME, VERSION = "sallyport-judge", "1"
WINDOW = 96            # tokens of the judge's windows, control tokens included
CALIBRATION = "behind the gate: benign-mcp (calibration part, 25 servers) and harmless documents set aside from training for the surface result"
JUDGE_SHARE = 0.057    # of the tokens of harmless MCP texts that the gate may leave to the judge: with the gate one part in cascade.COST_SHARE


def rows(data: Path, packages: Path, gate: Path, work: Path, log=print) -> None:
    """Vocabulary and windows, from the gate's rows and the judge's further ones."""
    base = corpus.load(work / "rows.jsonl")
    encoder = pretrained.load(packages)
    kept = judge_vocabulary.choose(encoder, [x["text"][:3000] for x in base] + [t for texts in harmless.translations(packages).values() for t in texts])
    (work / "judge-kept.json").write_text(json.dumps([int(k) for k in kept]))
    judge_vocabulary.write(encoder, kept, work / "judge-tokenizer.json")
    report: dict = {}
    more = judge_rows.further(base, data, packages, report)
    (work / "judge-rows-report.json").write_text(json.dumps(report | {"rows": len(more), "attacks": sum(x["label"] for x in more)}, indent=1))
    windows = judge_rows.build(base + more, vocabulary.load(work / "judge-tokenizer.json"), scoring.Scorer(gate, 1), log=log)
    judge_rows.save(windows, work / "judge-windows.npz")
    log(f"judge: {len(windows.ids)} windows, {int(windows.labels.sum())} with attacks, {sum(map(len, windows.ids))} tokens")


def fit(packages: Path, work: Path, recipe: judge_fit.Recipe, log=print) -> None:
    kept = json.loads((work / "judge-kept.json").read_text())
    judge_fit.train(judge_rows.restore(work / "judge-windows.npz"), pretrained.load(packages), kept, recipe, work, log)


def model(data: Path, packages: Path, gate: Path, out: Path, work: Path, log=print) -> None:
    """The judge's directory, and the gate's clearing threshold in its sallyport.json."""
    encoder, kept = pretrained.load(packages), json.loads((work / "judge-kept.json").read_text())
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_bytes((work / "judge-tokenizer.json").read_bytes())
    net = judge_fit.restore(work, encoder, kept)
    log(f"exported, largest difference to torch {judge_export.onnx_file(net, encoder, kept, out / 'model.onnx'):.2g}")
    config(out / "config.json", len(kept), encoder)
    scorer = scoring.Scorer(out, 1, window=WINDOW, batch_tokens=512, memory=work)
    cal = compose.calibration_rows(data, packages)
    below = clear(data, gate, cal, scorer, log)
    # Thresholds are for what the product does unless told otherwise: the judge behind the gate.
    readings = cascade.read(scoring.Scorer(gate, 1), scorer, [x["text"] for x in cal], below)
    scorer.save()
    meta = calibrate.write(out, cal, NAME, VERSION, CALIBRATION, scorer, judge.POSITIONS, np.array([r.cascade for r in readings]))
    log("judge: thresholds " + json.dumps(meta["thresholds"]))
    golden.write(out)
    log("judge: hand-written texts " + json.dumps(golden.floors(out, gate / "testdata" / "regression.jsonl")))


def clear(data: Path, gate: Path, cal: list[dict], scorer: scoring.Scorer, log=print) -> float:
    """Sets the gate's clearing threshold on harmless MCP texts and returns it."""
    texts = [x["text"] for x in [*cal, *compose.held_out_servers(data)] if x["set"] == "benign-mcp"]
    threshold = cascade.clearing(scoring.Scorer(gate, 1), scorer, texts, JUDGE_SHARE)
    path = gate / "sallyport.json"
    before = {k: v for k, v in json.loads(path.read_text()).items() if k != "clear"}
    meta = {}
    for name, value in before.items():
        meta[name] = value
        if name == "thresholds":
            meta["clear"] = threshold
    path.write_text(json.dumps(meta, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    log(f"gate: clears below {threshold}")
    return threshold


def config(out: Path, size: int, encoder: pretrained.Encoder) -> None:
    out.write_text(json.dumps({
        "model_type": "sallyport-judge",
        "architectures": ["SallyportJudgeForSequenceClassification"],
        "id2label": {"0": "BENIGN", "1": "MALICIOUS"},
        "label2id": {"BENIGN": 0, "MALICIOUS": 1},
        "max_position_embeddings": judge.POSITIONS,
        "vocab_size": size,
        "pad_token_id": vocabulary.PAD,
        "unk_token_id": vocabulary.UNK,
        "cls_token_id": vocabulary.CLS,
        "sep_token_id": vocabulary.SEP,
        "hidden_size": encoder.width,
        "num_hidden_layers": judge.LAYERS,
        "num_attention_heads": encoder.heads,
        "intermediate_size": encoder.inner,
        "pooling": "masked max and mean",
        "weights": "8-bit layers, 4-bit embeddings, computed in float32",
        "batch_invariant": True,
        "started_from": "multilingual-e5-small (MIT)",
        "trained_on": [s[0] for s in card.SOURCES],
    }, indent=2, ensure_ascii=False) + "\n")


def table(data: Path, packages: Path, gate: Path, out: Path, work: Path, threads: int = 1, log=print) -> dict:
    result = compare.run(gate, out, data, compose.calibration_rows(data, packages), compose.held_out_servers(data), work, threads, log)
    (work / "comparison.json").write_text(json.dumps(result, indent=1))
    (work / "comparison.md").write_text(compare.markdown(result), encoding="utf-8")
    compare.picture(result, work / "comparison.png")
    log(f"written: {work}/comparison.md, .json, .png")
    return result


def describe(out: Path, work: Path) -> None:
    result = json.loads((work / "comparison.json").read_text())
    windows = judge_rows.restore(work / "judge-windows.npz")
    facts = {"windows": len(windows.ids), "positives": int(windows.labels.sum()), "tokens": int(sum(map(len, windows.ids))), "kept_aside": int(np.sum(windows.held))}
    compare.publish(result, out)
    judge_card.write(out, result, facts)
