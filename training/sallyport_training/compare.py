"""The table of gate, judge and both: quality at the shipped thresholds, and what each costs.

Five ways to read the same texts: the gate alone, the judge alone with the thresholds that it ships
with and with those that it would need by itself for as few false positives, the judge behind the gate
(the default), and that with a gate that may also block by itself. Sets that are large are sampled,
with a fixed seed, and their size is printed. Nothing is tuned here.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

import numpy as np
from sklearn.metrics import roc_auc_score

from . import calibrate, cascade, corpus, evaluate, heldout, scoring

WAYS = ("gate", "judge", "own", "cascade", "either")
LONG_WAYS = ("gate", "cascade", "either")
NAMES = {"gate": "gate alone", "judge": "judge alone", "own": "judge alone, own thresholds", "cascade": "judge behind the gate", "either": "either blocks"}
LARGEST = {"safeguard-jonas": 1200, "cse-code-benign": 500, "injecagent-benign": 600, "security-docs": 1200}
COMPOSED = 200     # rows of a composed set, half of them attacks
LENGTHS = {500: 240, 1000: 240, 2000: 240, 4000: 200, 16000: 160}  # characters -> documents


def sampled(rows: list[dict], n: int) -> list[dict]:
    return rows if len(rows) <= n else Random(3).sample(rows, n)


def scores(readings: list[cascade.Reading]) -> dict[str, np.ndarray]:
    return {way: np.array([getattr(r, way) for r in readings]) for way in ("gate", "judge", "cascade")}


class Limits:
    """The shipped thresholds: of the surface `result` unless another is asked for; own are those the judge needs by itself."""

    own: dict | None = None

    def __init__(self, gate: Path, judge: Path):
        self.gate_meta, self.judge_meta = (json.loads((d / "sallyport.json").read_text()) for d in (gate, judge))
        self.clear = self.gate_meta["clear"]

    def below(self, rows: list[dict]) -> list[float]:
        """The clearing threshold of each row by its surface."""
        return [calibrate.clear_of(self.gate_meta, calibrate.surface(x["kind"])) for x in rows]

    def hits(self, got: dict[str, np.ndarray], level: str = "block", surface: str = "result") -> dict[str, np.ndarray]:
        of_gate, of_judge = (m["thresholds"][surface][level] for m in (self.gate_meta, self.judge_meta))
        block = self.gate_meta["thresholds"][surface]["block"]
        behind = got["cascade"] >= of_judge
        own = self.own[surface][level] if self.own else of_judge
        return {"gate": got["gate"] >= of_gate, "judge": got["judge"] >= of_judge, "own": got["judge"] >= own, "cascade": behind, "either": behind | (got["gate"] >= block)}


def rates(limits: Limits, got: dict[str, np.ndarray], mask: np.ndarray, surface: str = "result") -> dict:
    return {level: {way: evaluate.rate(hit[mask]) for way, hit in limits.hits(got, level, surface).items()} for level in ("block", "review")}


def one_set(limits: Limits, rows: list[dict], readings: list[cascade.Reading]) -> dict:
    got, labels = scores(readings), np.array([x["label"] for x in rows])
    good = [r for r, y in zip(readings, labels) if y == 0]
    out = {"positives": int(labels.sum()), "negatives": int((labels == 0).sum()), "recall": rates(limits, got, labels == 1), "false_positives": rates(limits, got, labels == 0),
           "judge_reads_of_harmless_tokens": cascade.share_read(good) if good else None, "dropped_windows": sum(r.dropped for r in readings)}
    if 0 < labels.sum() < len(labels) - 50:
        out["auc"] = {way: float(roc_auc_score(labels, got[way])) for way in ("gate", "judge")}
    return out


def lengths(limits: Limits, read, data: Path, attacks: list[str], scale: float = 1.0, log=print) -> list[dict]:
    """Documents by length as they are read by default, without a judge alone: it would take hours."""
    out = []
    for n, count in LENGTHS.items():
        count = min(len(attacks), max(1, int(count * scale)))
        clean, security = heldout.long_documents(data, n, count), heldout.long_documents(data, n, count, ("security-docs",))
        r, carried = Random(n), []
        for a, d in zip(attacks[:count], clean, strict=True):
            at = r.choice([k for k, ch in enumerate(d) if ch in "\n.,"] or [0]) + 1
            carried.append(d[:at] + " " + a + " " + d[at:])
        row = {"characters": n}
        for name, texts in (("clean", clean), ("security documentation", security), ("attack inside", carried), ("attack alone", attacks[:count])):
            readings = read(texts, leaves=False, alone=False)
            hits = limits.hits(scores(readings))
            row[name] = {way: evaluate.rate(hits[way]) for way in LONG_WAYS} | {"judged_windows": float(np.mean([x.cascade_windows for x in readings]))}
        log(f"{n} characters: " + ", ".join(f"{what} {row[what]['cascade']['rate']:.3f}" for what in ("clean", "security documentation", "attack inside", "attack alone")))
        out.append(row)
    return out


def seconds_per_token(scorer: scoring.Scorer, texts: list[str]) -> float:
    """Processor seconds of one window after another, as a worker runs them."""
    rows = [row for planned in scorer.plan(texts) for _, _, row in planned][:60]
    best = np.inf
    for _ in range(3):
        began = time.process_time()
        for row in rows:
            x = np.array([row], np.int64)
            scorer.session.logits(x, np.ones_like(x))
        best = min(best, time.process_time() - began)
    return best / sum(map(len, rows))


def run(gate_directory: Path, judge_directory: Path, data: Path, cal: list[dict], own: list[dict], work: Path, threads: int = 1, scale: float = 1.0, log=print) -> dict:
    gate = scoring.Scorer(gate_directory, threads, memory=work)
    judge = scoring.Scorer(judge_directory, threads, batch_tokens=512, memory=work)

    limits = Limits(gate_directory, judge_directory)

    def read(texts: list[str], leaves: bool = True, alone: bool = True, below=limits.clear) -> list[cascade.Reading]:
        return cascade.read(gate, judge, texts, below, leaves, alone=alone)

    calibration = read([x["text"] for x in cal], below=limits.below(cal))
    surfaces = np.array([calibrate.surface(x["kind"]) for x in cal])
    needed, _ = calibrate.thresholds(scores(calibration)["judge"], list(surfaces))
    limits.own = needed
    judge.save()

    sets = heldout.load(data)
    sets["mcp-heldout-servers"] = own
    result = {"gate": limits.gate_meta["name"] + " " + limits.gate_meta["version"], "judge": limits.judge_meta["name"] + " " + limits.judge_meta["version"], "clear": limits.clear, "clear_descriptions": calibrate.clear_of(limits.gate_meta, "description"),
              "thresholds": {"gate": limits.gate_meta["thresholds"]["result"], "judge": limits.judge_meta["thresholds"]["result"]}, "sets": {}, "scripts": {}, "scores": {}}
    everything: list[tuple[str, int, cascade.Reading]] = []
    harmless: list[cascade.Reading] = []
    for name, rows in sets.items():
        rows = sampled(rows, LARGEST.get(name, COMPOSED if name.startswith("composed") else 10**9))
        readings = read([x["text"] for x in rows], below=limits.below(rows) if name == "mcp-heldout-servers" else limits.clear)
        result["sets"][name] = one_set(limits, rows, readings)
        result["scores"][name] = {label: {way: [round(getattr(r, way), 4) for r, x in zip(readings, rows) if x["label"] == (label == "positive")] for way in ("gate", "judge", "cascade")} for label in ("positive", "negative")}
        everything += [(evaluate.script(x["text"]), x["label"], r) for x, r in zip(rows, readings)]
        s = result["sets"][name]
        log(f"{name}: {s['positives']} + {s['negatives']}, recall " + " ".join(f"{w} {v['rate']}" for w, v in s["recall"]["block"].items()) + "; false positives " + " ".join(f"{w} {v['rate']}" for w, v in s["false_positives"]["block"].items()))
        judge.save()
    for name in sorted({x[0] for x in everything}):
        mine = [x for x in everything if x[0] == name]
        got, labels = scores([x[2] for x in mine]), np.array([x[1] for x in mine])
        result["scripts"][name] = {"recall": rates(limits, got, labels == 1)["block"], "false_positives": rates(limits, got, labels == 0)["block"]}
    result["calibration"] = {s: rates(limits, scores([r for r, m in zip(calibration, surfaces == s) if m]), np.ones(int((surfaces == s).sum()), bool), s) for s in sorted(set(surfaces))}
    result["crossfit"] = {way: evaluate.cross_fitted(cal, scores(calibration)[way]) for way in ("gate", "cascade")}
    result["judge_alone_needs"] = needed["result"]["block"]
    traffic = [r for r, x in zip(calibration, cal) if x["set"] == "benign-mcp"] + read([x["text"] for x in own], below=limits.below(own))
    unit = {"gate": seconds_per_token(gate, [x["text"] for x in cal[:200]]), "judge": seconds_per_token(judge, [x["text"] for x in cal[:200]])}
    result["cost"] = costs(traffic, unit)
    for surface in sorted(set(surfaces)):
        result["cost"]["judge_reads, " + surface] = cascade.share_read([r for r, s, x in zip(calibration, surfaces, cal) if s == surface and x["set"] == "benign-mcp"])
    attacks = [x["text"] for x in corpus.find(data, "dev", "cse-prompt-injection") if x["kind"].startswith("ignore_previous")]
    attacks += [x["text"] for x in corpus.find(data, "dev", "deepset") if x["label"] == 1 and len(x["text"]) < 300]
    attacks += [heldout.PREFIXES[i % 3].format(x["text"]) for i, x in enumerate(corpus.find(data, "dev", "bipia-attacks-train")) if x["kind"].startswith("text:")]
    Random(5).shuffle(attacks)
    result["lengths"] = lengths(limits, read, data, attacks, scale, log)
    judge.save()
    return result


def costs(traffic: list[cascade.Reading], unit: dict[str, float]) -> dict:
    """Processor time over harmless MCP traffic, relative to the judge reading everything."""
    gate = sum(r.gate_tokens for r in traffic) * unit["gate"]
    alone = sum(r.judge_tokens for r in traffic) * unit["judge"]
    behind = sum(r.cascade_tokens for r in traffic) * unit["judge"]
    return {"documents": len(traffic), "microseconds_per_token": {k: round(1e6 * v, 2) for k, v in unit.items()}, "judge_reads_of_tokens": cascade.share_read(traffic),
            "cascade_to_judge_alone": (gate + behind) / alone, "gate_to_judge_alone": gate / alone}


def publish(result: dict, directory: Path) -> None:
    short = {k: v for k, v in result.items() if k != "scores"}
    (directory / "evaluation.json").write_text(json.dumps(short, indent=1) + "\n")
    picture(result, directory / "evaluation.png")


def cell(of: dict, digits: int = 1, ways: tuple[str, ...] = WAYS) -> str:
    return " | ".join(f"{100 * of[w]['rate']:.{digits}f}" if of[w]["n"] else "" for w in ways)


def markdown(result: dict) -> str:
    """The tables for the card: rates in percent at the block thresholds of surface `result`."""
    t = result["thresholds"]
    titles = " | ".join(NAMES[w] for w in WAYS)
    rule = "--:|" * len(WAYS)
    lines = [f"Rates in percent at the shipped block thresholds of surface `result`: gate {t['gate']['block']:.4f}, judge {t['judge']['block']:.4f}; the gate clears below {result['clear']:.4f}, descriptions below {result['clear_descriptions']:.2f}. "
             "Large sets are sampled. 95 % Wilson intervals and the rates at the review thresholds are in `evaluation.json`.", "",
             f"| recall | + | {titles} |", "|---|--:|" + rule]
    for name, s in result["sets"].items():
        if s["positives"]:
            lines.append(f"| {name}{' *' if evaluate.FAMILY.get(name) == 'in' else ''} | {s['positives']} | {cell(s['recall']['block'])} |")
    lines += ["", f"| false positives | − | {titles} | judge reads, % of tokens |", "|---|--:|" + rule + "--:|"]
    for name, s in result["sets"].items():
        if s["negatives"]:
            lines.append(f"| {name} | {s['negatives']} | {cell(s['false_positives']['block'], 2)} | {100 * s['judge_reads_of_harmless_tokens']:.1f} |")
    lines += ["", f"The judge alone would need a block threshold of {result['judge_alone_needs']:.4f} for results to be as strict as it is behind the gate: the column `judge alone, own thresholds`."]
    lines += ["", "\\* The training grammar knows this style of attack.", "", "| AUC | gate | judge |", "|---|--:|--:|"]
    lines += [f"| {name} | {s['auc']['gate']:.3f} | {s['auc']['judge']:.3f} |" for name, s in result["sets"].items() if "auc" in s]
    lines += ["", "### By surface", "", "Harmless documents judged by thresholds set on other calibration servers (five folds).", "", "| surface | documents | gate alone, block | judge behind the gate, block | gate alone, review | judge behind the gate, review |", "|---|--:|--:|--:|--:|--:|"]
    for s, v in result["crossfit"]["cascade"].items():
        g = result["crossfit"]["gate"][s]
        lines.append(f"| {s} | {v['block']['n']} | {evaluate.percent(g['block'], 2)} | {evaluate.percent(v['block'], 2)} | {evaluate.percent(g['review'], 2)} | {evaluate.percent(v['review'], 2)} |")
    lines += ["", "### By script", "", f"| script, recall | + | {titles} |", "|---|--:|" + rule]
    lines += [f"| {name} | {s['recall']['gate']['n']} | {cell(s['recall'])} |" for name, s in result["scripts"].items() if s["recall"]["gate"]["n"]]
    lines += ["", f"| script, false positives | − | {titles} |", "|---|--:|" + rule]
    lines += [f"| {name} | {s['false_positives']['gate']['n']} | {cell(s['false_positives'], 2)} |" for name, s in result["scripts"].items() if s["false_positives"]["gate"]["n"]]
    lines += ["", "### By length", "", "Clean documents made of evaluation rows, and one attack at a random place in them.", "", f"| characters | what | documents | {' | '.join(NAMES[w] for w in LONG_WAYS)} | windows that the judge reads of one |", "|--:|---|--:|" + "--:|" * (len(LONG_WAYS) + 1)]
    for row in result["lengths"]:
        for what in ("clean", "security documentation", "attack inside", "attack alone"):
            lines.append(f"| {row['characters']} | {what}, {'recall' if 'attack' in what else 'false positives'} | {row[what]['gate']['n']} | {cell(row[what], ways=LONG_WAYS)} | {row[what]['judged_windows']:.1f} |")
    c = result["cost"]
    lines += ["", "### Cost", "", f"Processor time for a token, window after window: gate {c['microseconds_per_token']['gate']:.1f} µs, judge {c['microseconds_per_token']['judge']:.0f} µs (ratios matter; the machine was busy). "
              f"On {c['documents']} harmless MCP texts the judge behind the gate reads {100 * c['judge_reads_of_tokens']:.1f} % of the tokens, and both together cost {100 * c['cascade_to_judge_alone']:.1f} % of the judge alone (the gate's own share is {100 * c['gate_to_judge_alone']:.1f} %).", "",
              "| surface | tokens of harmless MCP texts that the judge reads, % |", "|---|--:|", *[f"| {k.split(', ')[1]} | {100 * v:.1f} |" for k, v in c.items() if k.startswith("judge_reads, ")]]
    return "\n".join(lines) + "\n"


def picture(result: dict, out: Path) -> None:
    """Recall against false positives for gate and judge on all sets, and recall by set for the four ways."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, (left, right) = plt.subplots(1, 2, figsize=(15, 7.5))
    names = [n for n, s in result["sets"].items() if s["positives"] >= 40]
    for colour, name in zip(plt.cm.tab10.colors * 2, names):
        for way, style in (("gate", ":"), ("judge", "-")):
            good = np.sort(np.concatenate([np.array(v["negative"][way]) for v in result["scores"].values() if v["negative"][way]]))
            bad = np.sort(np.array(result["scores"][name]["positive"][way]))
            cuts = np.unique(np.concatenate([np.quantile(good, np.linspace(0, 1, 2000)), bad]))
            left.plot(np.maximum(1 - np.searchsorted(good, cuts, side="right") / len(good), 1e-4), 1 - np.searchsorted(bad, cuts, side="right") / len(bad), style, color=colour, lw=1.5, label=name if way == "judge" else None)
    left.set(xscale="log", xlim=(1e-4, 1), ylim=(0, 1.01), xlabel="false positive rate on all harmless evaluation texts", ylabel="recall", title="Judge (solid) and gate (dotted)")
    left.grid(alpha=0.3, which="both")
    left.legend(fontsize=8)
    at = np.arange(len(names))
    for i, way in enumerate(WAYS):
        right.barh(at + (2 - i) * 0.16, [100 * result["sets"][n]["recall"]["block"][way]["rate"] for n in names], 0.15, label=NAMES[way])
    right.set_yticks(at, [f"{n} ({result['sets'][n]['positives']})" for n in names], fontsize=8)
    right.set(xlabel="recall at the shipped block thresholds, %", xlim=(0, 100), title="Recall by set")
    right.invert_yaxis()
    right.legend(fontsize=8, loc="lower right")
    right.grid(alpha=0.3, axis="x")
    fig.tight_layout()
    fig.savefig(out, dpi=100)
    plt.close(fig)
