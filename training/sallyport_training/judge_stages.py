"""The stages of the judge, in order: windows, training, model directory, table, card."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from . import calibrate, card, cascade, compare, compose, corpus, evaluate, golden, harmless, judge, judge_card, judge_export, judge_fit, judge_rows, judge_vocabulary, mistakes, pretrained, scoring, vocabulary

NAME, VERSION = "sallyport-judge", "4"
FIRST, SECOND = "judge", "judge-further"  # checkpoints of the two trainings
SHARE = 0.6            # of the way from the first to the second that the shipped weights are
WINDOW = 96            # tokens of the judge's windows, control tokens included
CALIBRATION = "behind the gate: benign-mcp (calibration part, 25 servers) and harmless documents set aside from training for the surface result"


def rows(data: Path, packages: Path, gate: Path, work: Path, scale: float = 1.0, log=print) -> None:
    """Vocabulary and windows, from the gate's rows and the judge's further ones."""
    base = corpus.load(work / "rows.jsonl")
    encoder = pretrained.load(packages)
    kept = judge_vocabulary.choose(encoder, [x["text"][:3000] for x in base] + [t for texts in harmless.translations(packages).values() for t in texts])
    (work / "judge-kept.json").write_text(json.dumps([int(k) for k in kept]))
    judge_vocabulary.write(encoder, kept, work / "judge-tokenizer.json")
    more = judge_rows.further_once(base, data, packages, work, scale)
    windows = judge_rows.build(base + more, vocabulary.load(work / "judge-tokenizer.json"), scoring.Scorer(gate, 1), hard=int(16000 * scale), easy=int(14000 * scale), log=log)
    judge_rows.save(windows, work / "judge-windows.npz")
    log(f"judge: {len(windows.ids)} windows, {int(windows.labels.sum())} with attacks, {sum(map(len, windows.ids))} tokens")


def fit(packages: Path, work: Path, recipe: judge_fit.Recipe, log=print) -> None:
    kept = json.loads((work / "judge-kept.json").read_text())
    judge_fit.train(judge_rows.restore(work / "judge-windows.npz"), pretrained.load(packages), kept, recipe, work, log)


def further(data: Path, packages: Path, mined: Path, gate: Path, work: Path, recipe: judge_fit.Recipe, scale: float = 1.0, log=print) -> None:
    """The second training, with the mistakes that gate and judge make after the first."""
    encoder, kept = pretrained.load(packages), json.loads((work / "judge-kept.json").read_text())
    path = work / mistakes.FILE
    if not path.exists():
        before = work / "judge-before"
        model(packages, before, work, log, share=0)
        reader = scoring.Scorer(before, 1, window=WINDOW, batch_tokens=512, memory=work)
        rows = [x["text"] for x in harmless_results(data, packages)]
        threshold = cascade.clearing(scoring.Scorer(gate, 1), reader, rows, card.JUDGE_SHARE)
        mistakes.save(mistakes.mine(mined, scoring.Scorer(gate, 1), reader, threshold, data, budget=int(mistakes.BUDGET * scale), log=log), path)
    windows = mistakes.windows(corpus.load(path), judge_rows.restore(work / "judge-windows.npz"), vocabulary.load(work / "judge-tokenizer.json"))
    log(f"judge: second training with {len(windows.ids)} windows, {sum(s.startswith('mistakes') for s in windows.sets)} of them mistakes")
    judge_fit.train(windows, encoder, kept, recipe, work, log, judge_fit.restore(work, encoder, kept, FIRST), SECOND)


def model(packages: Path, out: Path, work: Path, log=print, share: float = SHARE) -> None:
    """The judge's directory, but for its thresholds; of the first training alone where share is 0."""
    encoder, kept = pretrained.load(packages), json.loads((work / "judge-kept.json").read_text())
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_bytes((work / "judge-tokenizer.json").read_bytes())
    net = judge_fit.restore(work, encoder, kept, FIRST)
    if share:
        net = judge_fit.between(net, judge_fit.restore(work, encoder, kept, SECOND), share)
    log(f"exported, largest difference to torch {judge_export.onnx_file(net, encoder, kept, out / 'model.onnx'):.2g}")
    config(out / "config.json", len(kept), encoder)


def readers(gate: Path, out: Path) -> tuple[scoring.Scorer, scoring.Scorer]:
    """Gate and judge, without memory: for texts that are read once."""
    return scoring.Scorer(gate, 1), scoring.Scorer(out, 1, window=WINDOW, batch_tokens=512)


def harmless_results(data: Path, packages: Path) -> list[dict]:
    """The harmless results of MCP tools that the clearing threshold is set on."""
    rows = [*compose.calibration_rows(data, packages), *compose.held_out_servers(data)]
    return [x for x in rows if x["set"] == "benign-mcp" and calibrate.surface(x["kind"]) != "description"]


def thresholds(data: Path, packages: Path, gate: Path, out: Path, work: Path, log=print) -> None:
    """The gate's clearing threshold, the judge's thresholds behind it, golden scores."""
    scorer = scoring.Scorer(out, 1, window=WINDOW, batch_tokens=512, memory=work)
    cal = compose.calibration_rows(data, packages)
    meta = clear(data, packages, gate, cal, scorer, log)
    # Thresholds are for what the product does unless told otherwise: the judge behind the gate.
    below = [calibrate.clear_of(meta, calibrate.surface(x["kind"])) for x in cal]
    readings = cascade.read(scoring.Scorer(gate, 1), scorer, [x["text"] for x in cal], below, alone=False)
    scorer.save()
    meta = calibrate.write(out, cal, NAME, VERSION, CALIBRATION, scorer, judge.POSITIONS, np.array([r.cascade for r in readings]))
    log("judge: thresholds " + json.dumps(meta["thresholds"]))
    golden.write(out)
    hard = gate / "testdata" / "regression.jsonl"
    if hard.exists():  # a directory beside the product's own has no such texts
        log("hand-written texts " + json.dumps(golden.floors(gate, out, hard)))


def clear(data: Path, packages: Path, gate: Path, cal: list[dict], scorer: scoring.Scorer, log=print) -> dict:
    """Sets the gate's clearing thresholds on harmless MCP texts and returns its sallyport.json.

    It is the lowest at which the judge reads card.JUDGE_SHARE of the tokens: of tools' results for all surfaces but
    descriptions, which have their own. That is higher where the judge's block threshold for them would be above
    the lowest there may be: some tools order the model about as attacks do, and what the gate can tell there the
    judge may not.
    """
    reader = scoring.Scorer(gate, 1)
    commanding = [x for x in cal if calibrate.surface(x["kind"]) == "description"]
    of_descriptions = apart(reader, scorer, [x["text"] for x in commanding])
    threshold = cascade.clearing(reader, scorer, [x["text"] for x in harmless_results(data, packages)], card.JUDGE_SHARE)
    path = gate / "sallyport.json"
    before = {k: v for k, v in json.loads(path.read_text()).items() if k != "clear"}
    meta = {}
    for name, value in before.items():
        meta[name] = value
        if name == "thresholds":
            value["description"]["clear"] = max(of_descriptions, threshold, cascade.clearing(reader, scorer, [x["text"] for x in commanding], card.JUDGE_SHARE))
            meta["clear"] = threshold
    path.write_text(json.dumps(meta, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    log(f"gate: clears below {threshold}, descriptions below {meta['thresholds']['description']['clear']}")
    return meta


def apart(gate: scoring.Scorer, judge: scoring.Scorer, texts: list[str], low: float = 0.01, high: float = 0.3) -> float:
    """The lowest clearing threshold, two digits, from low to high at which harmless texts ask for the lowest block threshold that there may be; high if there is none."""
    for step in [round(float(x), 2) for x in np.arange(low, high, 0.01)]:  # the judge's scores are kept from step to step
        scores = np.array([r.cascade for r in cascade.read(gate, judge, texts, step, alone=False)])
        limits, _ = calibrate.thresholds(scores, ["description"] * len(texts))
        if limits["description"]["block"] == calibrate.BLOCK_FLOOR:
            return step
    return high


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


def table(data: Path, packages: Path, mined: Path, gate: Path, out: Path, work: Path, threads: int = 1, scale: float = 1.0, log=print) -> dict:
    result = compare.run(gate, out, data, compose.calibration_rows(data, packages), compose.held_out_servers(data), work, threads, scale, log)
    result["software"] = software(mined, gate, out, work, scale)
    (work / "comparison.json").write_text(json.dumps(result, indent=1))
    (work / "comparison.md").write_text(compare.markdown(result), encoding="utf-8")
    compare.picture(result, work / "comparison.png")
    log(f"written: {work}/comparison.md, .json, .png")
    return result


def software(mined: Path, gate: Path, out: Path, work: Path, scale: float) -> dict:
    """How much of the packages kept aside is put before a person and blocked, after the second training and after the first alone."""
    limits = json.loads((out / "sallyport.json").read_text())["thresholds"]["result"]
    clear = json.loads((gate / "sallyport.json").read_text())["clear"]
    rows = {}
    for name, directory in (("after", out), ("before", work / "judge-before")):
        reader = scoring.Scorer(directory, 1, window=WINDOW, batch_tokens=512, memory=work)
        rows[name] = mistakes.rates(mined, scoring.Scorer(gate, 1), reader, clear, (limits["review"], limits["block"]), budget=int(mistakes.BUDGET * scale / 2))
        reader.save()
    return rows


def describe(out: Path, work: Path) -> None:
    result = json.loads((work / "comparison.json").read_text())
    windows = judge_rows.restore(work / "judge-windows.npz")
    facts = {"windows": len(windows.ids), "positives": int(windows.labels.sum()), "tokens": int(sum(map(len, windows.ids))), "kept_aside": int(np.sum(windows.held)), "mistakes": len(corpus.load(work / mistakes.FILE))}
    compare.publish(result, out)
    judge_card.write(out, result, facts)
