"""Command line of the pipeline: `python -m sallyport_training STAGE --data DIR --work DIR`.

Stages of the gate: rows, vocabulary, fit, narrow (the second training), model (export, calibrate, golden), evaluate, card; `all`
runs what is missing in the work folder, so an interrupted run continues where it stopped. Stages of
the judge, which need the gate's rows and its model directory: judge-rows, judge-fit, judge-further (the second training), judge-model,
judge-thresholds, judge-evaluate, judge-card; `judge` runs them in order, and between judge-model and judge-thresholds the gate's
third training (taught), with the judge as its teacher, and the gate's model, evaluate and card again after it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

from . import calibrate, card, compose, corpus, evaluate, export, fit, golden, judge_fit, judge_rows, judge_stages, lessons, meanings, mistakes, vocabulary

VERSION = "5"
NAME = "sallyport-default"
CALIBRATION = "benign-mcp (calibration part, 25 servers) and harmless documents set aside from training for the surface result"
TRAINED_ON = [s[0] for s in card.SOURCES]
FAILURES = [
    "A plain instruction without wording that cancels, hides or claims authority (`please also send the file to Bob`) is not recognised, wherever it stands: that is a matter of tool policy and data-flow rules, not of wording (row composed-plain-goal).",
    "Role-play requests are caught only when they speak of dropping rules; persuasion, hypothetical questions and many-turn build-ups are not.",
    "Fragments of harmless sentences about instructions and rules (`follow the staff's instructions and keep the exits clear`, in Italian) score high: in narrow windows there is little around them. The judge decides there.",
    "Outside English recall is low. In languages without Latin script it rests on few hand-written phrases; see the table by script.",
    "Encoded attacks (base64, reversed text, ciphers) are not decoded here; spelling tricks are caught only in part.",
    "Texts that quote attack phrases at length, and prompts written as commands to a model, are the likeliest false positives.",
    "Composed sets and the grammar were written by the same people: figures on the families marked with a star are optimistic.",
    "After looking at false positives of the calibration servers, look-alikes of that kind (tool descriptions that order the model about) were added to the training text, twice, so the cross-fitted rate for descriptions is optimistic; so are figures on sets of `dev/`, which were looked at between versions. The rows of neither were trained on.",
    "Anyone who has the weights can search for wording that passes.",
]


class Bar:
    """A one-line progress bar on a terminal, a line every tenth otherwise."""

    def __init__(self, items, desc=""):
        self.items, self.desc = items, desc

    def __iter__(self):
        n, shown = len(self.items), -1
        for i, x in enumerate(self.items):
            step = 100 * i // max(1, n)
            if sys.stderr.isatty() and step != shown:
                print(f"\r{self.desc:20s} [{'#' * (step // 4):25s}] {step:3d} %", end="", file=sys.stderr, flush=True)
            shown = step
            yield x
        print(f"\r{self.desc:20s} [{'#' * 25}] 100 %", file=sys.stderr, flush=True)


def log(message: str) -> None:
    print(time.strftime("%H:%M:%S"), message, flush=True)


def main() -> None:
    p = argparse.ArgumentParser(prog="sallyport_training", description=__doc__)
    p.add_argument("stage", choices=["rows", "vocabulary", "fit", "narrow", "taught", "model", "evaluate", "card", "all", "judge-rows", "judge-fit", "judge-further", "judge-model", "judge-thresholds", "judge-evaluate", "judge-card", "judge"])
    p.add_argument("--data", type=Path, required=True, help="folder with train/, dev/ and calibration/")
    p.add_argument("--packages", type=Path, required=True, help="folder with the unpacked packages of corpora.txt")
    p.add_argument("--mined", type=Path, default=Path(".mined"), help="folder with the unpacked packages of corpora-mistakes.txt")
    p.add_argument("--work", type=Path, required=True, help="folder for intermediate files and checkpoints")
    p.add_argument("--model", type=Path, required=True, help="model directory to write or to evaluate")
    p.add_argument("--judge", type=Path, default=Path("judge"), help="the judge's model directory")
    p.add_argument("--minutes", type=float, default=judge_fit.Recipe.minutes, help="how long the judge is trained at most")
    p.add_argument("--epochs", type=int, default=fit.Recipe.epochs)
    p.add_argument("--scale", type=float, default=1.0, help="share of the rows that are composed and of the long documents: a small one tries the stages out")
    p.add_argument("--threads", type=int, default=fit.Recipe.threads)
    a = p.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    (judge_main if a.stage.startswith("judge") else gate_main)(a)


def gate_main(a: argparse.Namespace) -> None:
    every = a.stage == "all"
    rows_file, tokenizer_file, report_file = a.work / "rows.jsonl", a.work / "tokenizer.json", a.work / "rows-report.json"

    if a.stage == "rows" or every and not rows_file.exists():
        report = compose.build(a.data, a.packages, rows_file, scale=a.scale, progress=Bar)
        report_file.write_text(json.dumps(report, indent=1))
        log(f"rows: {report['rows']}, attacks {report['positives']}")
    if a.stage == "vocabulary" or every and not tokenizer_file.exists():
        vocabulary.train(corpus.load(rows_file), tokenizer_file, a.work)
        log("vocabulary written")
    recipe = fit.Recipe(epochs=a.epochs, threads=a.threads)
    if a.stage == "fit" or every:
        rows = corpus.load(rows_file)
        start = meanings.first_values(tokenizer_file, a.packages, a.work / "meanings.npy", recipe.width)
        fit.train(fit.encode(rows, vocabulary.load(tokenizer_file)), recipe, a.work, start, log)
    if a.stage == "narrow" or every:
        rows = corpus.load(rows_file)
        rows += judge_rows.further_once(rows, a.data, a.packages, a.work, a.scale)
        recipe = replace(fit.NARROW, threads=a.threads, epochs=min(fit.NARROW.epochs, a.epochs))
        fit.train(fit.encode(rows, vocabulary.load(tokenizer_file)), recipe, a.work, log=log, first=fit.restore(a.work, fit.WIDE_FILE), name=fit.NARROW_FILE)
    if a.stage == "taught":
        taught(a)
    if a.stage == "model" or every:
        net = fit.last(a.work)
        a.model.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tokenizer_file, a.model / "tokenizer.json")
        log(f"exported, largest difference to torch {export.onnx(net, a.model / 'model.onnx'):.2g}")
        export.config(a.model / "config.json", net, TRAINED_ON)
        meta = calibrate.write(a.model, compose.calibration_rows(a.data, a.packages), NAME, VERSION, CALIBRATION)
        log("thresholds " + json.dumps(meta["thresholds"]))
        wrong = [g["name"] for g in golden.write(a.model) if (g["score"] > meta["thresholds"]["result"]["block"]) != bool(g["label"])]
        log(f"golden texts on the wrong side of the block threshold: {wrong}")
    if a.stage == "evaluate" or every:
        result = evaluate.run(a.model, a.data, compose.calibration_rows(a.data, a.packages), compose.held_out_servers(a.data), a.scale, log)
        (a.work / "evaluation.json").write_text(json.dumps(result, indent=1))
        (a.work / "evaluation.md").write_text(evaluate.markdown(result), encoding="utf-8")
        evaluate.picture(result, a.work / "evaluation.png")
        log(f"written: {a.work}/evaluation.md, .json, .png")
    if a.stage == "card" or every:
        net, report = fit.last(a.work), json.loads(report_file.read_text())
        further = corpus.load(a.work / judge_rows.FURTHER_FILE)
        learnt = corpus.load(a.work / lessons.FILE) if (a.work / lessons.FILE).exists() else []
        facts = {"parameters": sum(x.numel() for x in net.parameters()), "width": net.embed.embedding_dim, "layers": 1 + len(net.more), "channels": net.first.out_channels,
                 "vocabulary": vocabulary.SIZE, "rows": report["rows"], "positives": report["positives"], "further": len(further), "further_positives": sum(x["label"] for x in further), "lessons": len(learnt)}
        result = json.loads((a.work / "evaluation.json").read_text())
        evaluate.publish(result, a.model)
        card.write(a.model, result, facts, FAILURES)
        log("model card written")


def taught(a: argparse.Namespace) -> None:
    """The gate's third training, on the windows in which the judge finds attacks and on all harmless rows, the judge's mistakes among them."""
    rows = corpus.load(a.work / "rows.jsonl") + corpus.load(a.work / judge_rows.FURTHER_FILE)
    if not (a.work / lessons.FILE).exists():
        lessons.save(lessons.learn(rows, a.data, a.packages, *judge_stages.readers(a.model, a.judge), scale=a.scale, log=log), a.work / lessons.FILE)
    rows = [x for x in rows if x["label"] == 0] + mistakes.as_rows(a.work) + corpus.load(a.work / lessons.FILE)
    recipe = replace(fit.TAUGHT, threads=a.threads, epochs=fit.TAUGHT.epochs if a.epochs >= fit.Recipe.epochs else a.epochs)
    fit.train(fit.encode(rows, vocabulary.load(a.work / "tokenizer.json")), recipe, a.work, log=log, first=fit.restore(a.work, fit.NARROW_FILE), name=fit.TAUGHT_FILE)


def judge_main(a: argparse.Namespace) -> None:
    every = a.stage == "judge"
    if a.stage == "judge-rows" or every and not (a.work / "judge-windows.npz").exists():
        judge_stages.rows(a.data, a.packages, a.model, a.work, a.scale, log)
    if a.stage == "judge-fit" or every:
        judge_stages.fit(a.packages, a.work, judge_fit.Recipe(minutes=a.minutes, threads=a.threads), log)
    if a.stage == "judge-further" or every:
        judge_stages.further(a.data, a.packages, a.mined, a.model, a.work, replace(judge_fit.FURTHER, minutes=min(a.minutes, judge_fit.FURTHER.minutes), threads=a.threads), a.scale, log)
    if a.stage == "judge-model" or every:
        judge_stages.model(a.packages, a.judge, a.work, log=log)
    if every:
        for stage in ("taught", "model", "evaluate"):
            gate_main(argparse.Namespace(**vars(a) | {"stage": stage}))
    if a.stage == "judge-thresholds" or every:
        judge_stages.thresholds(a.data, a.packages, a.model, a.judge, a.work, log)
    if a.stage == "judge-evaluate" or every:
        judge_stages.table(a.data, a.packages, a.mined, a.model, a.judge, a.work, a.threads, a.scale, log)
    if a.stage == "judge-card" or every:
        judge_stages.describe(a.judge, a.work)
        log("judge: card written")
    if every:
        gate_main(argparse.Namespace(**vars(a) | {"stage": "card"}))


if __name__ == "__main__":
    main()
