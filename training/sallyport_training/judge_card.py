"""The judge's model card: README.md of its directory, with the table of the comparison inside."""

from __future__ import annotations

import json
from pathlib import Path

from . import card, compare, judge, judge_fit, judge_vocabulary, mistakes

FAILURES = [
    "A plain instruction without wording that cancels, hides or claims authority is not recognised well (row composed-plain-goal): that is a matter of tool policy and data-flow rules.",
    "What the gate clears, the judge never sees: the difference between the columns `judge alone` and `judge behind the gate` is what the gate costs in recall. `MODEL_GATE=off` reads everything, at the price in the section on cost.",
    "False positives grow with length: the longer a document, the more windows can be mistaken. The table by length has what that means for clean documents, and for pages about attacks on models. A threshold that rises with the number of windows read was measured and costs more recall than it is worth (docs/decisions/0008).",
    "Requests for harmful content, persuasion over many turns, and encoded attacks (base64, ciphers) are not what it was trained for.",
    "Outside English and the languages with many speakers it has seen few attacks; what it knows there it carries over from the pretrained encoder. The table by script has the figures, on few texts in most scripts.",
    "Texts that quote attacks, prompts written for models, and tool descriptions that order the model about are the likeliest false positives.",
    "The grammars and the composed evaluation sets come from the same people: rows marked with a star are optimistic. The evaluation sets were looked at while the gate was made, and the judge's further training texts use devices that published benchmarks use as well, in other words.",
    "The encoder's weights came as 4-bit values and its layers are stored with 8 bits; nothing was done to make up for either.",
    "Anyone who has the weights can search for wording that passes.",
]


def write(directory: Path, result: dict, facts: dict) -> None:
    meta = json.loads((directory / "sallyport.json").read_text())
    size = sum((directory / f).stat().st_size for f in ("model.onnx", "tokenizer.json", "config.json", "sallyport.json")) / 1e6
    lines = [
        f"# {meta['name']}, version {meta['version']}", "",
        "The second reader of the classifier that Sallyport carries inside. The gate (`models/default`) reads all text; the judge reads what the gate does not clear, in narrow windows, and its score decides there.",
        "It gives a window the probability that the text tries to override, replace or hide instructions, or addresses the model from inside data. It is not a security boundary.", "",
        "## What it is", "",
        f"The first {judge.LAYERS} of the twelve layers of multilingual-e5-small (384 wide, 12 heads), and a head over the maximum and the mean of the tokens. {size:.1f} MB: layers with 8 bits and a scale for each output, embeddings with 4 bits as the pretrained file has them; scores are computed in float32.",
        f"The vocabulary is the {judge_vocabulary.SIZE:,} pieces that training texts, translations and the pretrained vocabulary's own probabilities ask for, out of 250 thousand. Text is normalised as for the gate: NFKC, lower case, no invisible characters, long numbers and rules shortened.",
        f"The embeddings and the first {judge_fit.Recipe.frozen} layers are as pretrained; the others and the head were fine-tuned. Windows have {meta['windows']['tokens']} tokens, cut at sentences and lines, a quarter of which the next window reads again. Neither padding nor other rows of a batch change a score.", "",
        "## Thresholds", "", "| surface | block | review | calibration documents |", "|---|--:|--:|--:|",
        *[f"| {s} | {v['block']} | {v['review']} | {meta['calibration']['per_surface'][s]} |" for s, v in meta["thresholds"].items() if s != "default"], "",
        "Set on the gate's calibration documents, harmless and not trained on, as the product reads them by default: behind the gate. Block at the 99.5th and review at the 98th percentile of documents, as 95 % upper confidence bounds. "
        "By itself (`MODEL_GATE=off`) the judge blocks more at these thresholds, harmless texts included: see the column `judge alone`. With thresholds set for it by itself it blocks less: see `judge alone, own thresholds`.",
        *[f"- {n}." for n in meta["calibration"]["notes"]], "", "Recalibrate on your own traffic with `sallyport model calibrate`.", "",
        "## Training", "",
        f"{facts['windows']:,} windows ({facts['positives']:,} with an attack, {facts['tokens']:,} tokens), {facts['kept_aside']:,} of them kept aside to choose the checkpoint. The sources are those of the gate, plus entries of an injection contest in neuralchemy, and sentences written for this model: "
        "requests that get at what a model keeps by way of stories, modes, encodings, split words or authority, and remarks in documents that give their reader, a model, something to do, in sixteen languages and with harmless twins. Harmless windows are those that the gate finds most suspicious, and a random part of the rest; every language has ten harmless windows for an attack where there is so much text.",
        "A window counts as an attack only if the attack begins in it and a good part is there. Rows of `dev/` and `calibration/` were not trained on; real rows that resemble one of them (MinHash) were left out.", "",
        f"A second, short training from there had {facts['mistakes']:,} passages more: text of {', '.join(mistakes.TRAINED)} that gate and judge together took for attacks, each as it was read and once cut otherwise, beside a sample of the windows of the first training. All of it counts as harmless: it is software and its documentation, much of it about language models, with prompts in it.", "",
        "| source | used for | licence |", "|---|---|---|", *[f"| {a} | {b} | {c} |" for a, b, c in card.SOURCES], "| the packages of corpora-mistakes.txt | harmless passages that were taken for attacks | MIT, Apache-2.0, BSD |", "| multilingual-e5-small | the pretrained encoder | MIT, copyright Microsoft Corporation |", "",
        "## Figures", "", "![Recall against false positives, and recall by set](evaluation.png)", "", compare.markdown(result).strip(), "",
        "### Software and documentation about language models", "", software(result["software"]), "", "## Known failures", "", *[f"- {f}" for f in FAILURES], "",
    ]
    (directory / "README.md").write_text("\n".join(lines), encoding="utf-8")


def software(rates: dict) -> str:
    """Excerpts of the packages kept aside that the judge behind the gate puts before a person or blocks, in percent."""
    lines = [f"Excerpts of {mistakes.EXCERPT:,} characters from packages that nothing was trained on, in percent; *before* is the first training alone at the same thresholds.", "",
             "| package | excerpts | blocked before | blocked | seen before | seen |", "|---|--:|--:|--:|--:|--:|"]
    for name, (count, seen, blocked) in rates["after"].items():
        _, seen_before, blocked_before = rates["before"][name]
        lines.append(f"| {name} | {count} | {100 * blocked_before:.1f} | {100 * blocked:.1f} | {100 * seen_before:.1f} | {100 * seen:.1f} |")
    return "\n".join(lines)
