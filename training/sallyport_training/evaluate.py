"""The table that says how good a model directory is: Markdown, JSON and a picture.

Rates are at the thresholds that the directory ships (surface "result" unless a set says otherwise).
Intervals are 95 % Wilson. Nothing is tuned here; a set that goes badly is printed like any other.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from random import Random

import numpy as np
from sklearn.metrics import roc_auc_score

from . import calibrate, corpus, heldout, intervals, scoring

# What published figures exist for, and whether the training grammar knows the style of the set.
FAMILY = {"composed-override-prefix": "in", "composed-message-to-model": "in", "composed-direct-override": "out"}
LENGTHS = (500, 1000, 2000, 4000, 16000)


def script(text: str) -> str:
    """The most frequent script among the letters of a text, by Unicode name; 'none' without letters."""
    counts: dict[str, int] = {}
    for ch in text[:2000]:
        if ch.isalpha():
            name = unicodedata.name(ch, "?").split()[0].capitalize()
            name = {"Cjk": "Han", "Hiragana": "Kana", "Katakana": "Kana", "Fullwidth": "Latin"}.get(name, name)
            counts[name] = counts.get(name, 0) + 1
    if counts.get("Kana", 0) > 3:
        return "Kana"
    return max(counts, key=counts.get) if counts else "none"


def rate(hits: np.ndarray) -> dict:
    n, k = int(len(hits)), int(hits.sum())
    low, high = intervals.wilson(k, n)
    return {"n": n, "hits": k, "rate": k / n if n else None, "low": low, "high": high}


def measure(rows: list[dict], scores: np.ndarray, block: float, review: float) -> dict:
    labels = np.array([x["label"] for x in rows])
    bad, good = scores[labels == 1], scores[labels == 0]
    out = {"positives": int(len(bad)), "negatives": int(len(good)), "auc": None, "recall_at_1pct_fpr": None,
           "recall_block": rate(bad >= block), "recall_review": rate(bad >= review), "fpr_block": rate(good >= block), "fpr_review": rate(good >= review)}
    if len(bad) and len(good) >= 50:
        out["auc"] = float(roc_auc_score(labels, scores))
        out["recall_at_1pct_fpr"] = float((bad > np.quantile(good, 0.99)).mean())
    return out


def cross_fitted(rows: list[dict], scores: np.ndarray, folds: int = 5) -> dict:
    """False positives on servers that did not take part in setting the thresholds.

    The calibration servers are split into folds; each fold is judged by thresholds set on the others.
    """
    origins = sorted({x["origin"] for x in rows})
    Random(4).shuffle(origins)
    fold = {o: i % folds for i, o in enumerate(origins)}
    mine = np.array([fold[x["origin"]] for x in rows])
    surfaces = np.array([calibrate.surface(x["kind"]) for x in rows])
    hits = {"block": np.zeros(len(rows), bool), "review": np.zeros(len(rows), bool)}
    for k in range(folds):
        rest = mine != k
        limits, _ = calibrate.thresholds(scores[rest], list(surfaces[rest]))
        for i in np.flatnonzero(mine == k):
            for level in hits:
                hits[level][i] = scores[i] >= limits[surfaces[i]][level]
    out = {}
    for s in [*dict.fromkeys(surfaces), "all"]:
        m = np.ones(len(rows), bool) if s == "all" else surfaces == s
        out[s] = {level: rate(hits[level][m]) for level in hits}
    return out


def lengths(scorer: scoring.Scorer, data: Path, block: float, attacks: list[str], scale: float = 1.0) -> list[dict]:
    """False positives of clean documents by length, and recall of one attack at a random place."""
    alone = scorer.documents(attacks, leaves=False) >= block
    out = []
    for n in LENGTHS:
        clean = heldout.long_documents(data, n, max(1, int(200 * scale)))
        security = heldout.long_documents(data, n, max(1, int(100 * scale)), ("security-docs",))
        r, carried = Random(n), []
        for i, a in enumerate(attacks):
            d = clean[i % len(clean)]
            spots = [k for k, ch in enumerate(d) if ch in "\n.,"] or [0]
            at = r.choice(spots) + 1
            carried.append(d[:at] + " " + a + " " + d[at:])
        out.append({"characters": n, "fpr": rate(scorer.documents(clean, leaves=False) >= block), "fpr_security_docs": rate(scorer.documents(security, leaves=False) >= block),
                    "recall_inside": rate(scorer.documents(carried, leaves=False) >= block), "recall_alone": rate(alone)})
    return out


def run(directory: Path, data: Path, cal: list[dict], own: list[dict] | None = None, scale: float = 1.0, log=print) -> dict:
    """Scores every evaluation set; cal are the calibration rows, own further
    held-out rows (label, text, set) of the training run."""
    meta = json.loads((directory / "sallyport.json").read_text())
    limit = meta["thresholds"]
    scorer = scoring.Scorer(directory)
    sets = heldout.load(data)
    if own:
        sets["mcp-heldout-servers"] = own
    result = {"model": meta["name"], "version": meta["version"], "thresholds": limit, "sets": {}, "scores": {}}
    everything: list[tuple[str, int, float]] = []
    for name, rows in sets.items():
        scores = scorer.documents([x["text"] for x in rows])
        if name == "mcp-heldout-servers":
            result["heldout_by_surface"] = {}
            surfaces = np.array([calibrate.surface(x["kind"]) for x in rows])
            for s in sorted(set(surfaces)):
                v = scores[surfaces == s]
                result["heldout_by_surface"][s] = {"block": rate(v >= limit[s]["block"]), "review": rate(v >= limit[s]["review"])}
        m = measure(rows, scores, limit["result"]["block"], limit["result"]["review"])
        m["family"] = FAMILY.get(name, "out")
        result["sets"][name] = m
        result["scores"][name] = {"positive": [round(float(s), 4) for s, x in zip(scores, rows) if x["label"] == 1], "negative": [round(float(s), 4) for s, x in zip(scores, rows) if x["label"] == 0]}
        everything += [(script(x["text"]), x["label"], float(s)) for x, s in zip(rows, scores)]
        log(f"{name}: {m['positives']} + {m['negatives']}, auc {m['auc']}, recall {m['recall_block']['rate']}, fpr {m['fpr_block']['rate']}")
    result["scripts"] = {}
    for s in sorted({x[0] for x in everything}):
        bad = np.array([x[2] for x in everything if x[0] == s and x[1] == 1])
        good = np.array([x[2] for x in everything if x[0] == s and x[1] == 0])
        result["scripts"][s] = {"recall_block": rate(bad >= limit["result"]["block"]), "fpr_block": rate(good >= limit["result"]["block"])}
    result["calibration_crossfit"] = cross_fitted(cal, scorer.documents([x["text"] for x in cal]))
    attacks = [x["text"] for x in corpus.find(data, "dev", "cse-prompt-injection") if x["kind"].startswith("ignore_previous")]
    attacks += [x["text"] for x in corpus.find(data, "dev", "deepset") if x["label"] == 1 and len(x["text"]) < 300][:120]
    attacks += [heldout.PREFIXES[i % 3].format(x["text"]) for i, x in enumerate(corpus.find(data, "dev", "bipia-attacks-train")) if x["kind"].startswith("text:")]
    result["lengths"] = lengths(scorer, data, limit["result"]["block"], attacks, scale)
    return result


def publish(result: dict, directory: Path) -> None:
    """The figures beside the model: evaluation.json without single scores, and evaluation.png."""
    short = {k: v for k, v in result.items() if k != "scores"}
    (directory / "evaluation.json").write_text(json.dumps(short, indent=1) + "\n")
    picture(result, directory / "evaluation.png")


def percent(r: dict, digits: int = 1) -> str:
    if r["n"] == 0:
        return ""
    return f"{100 * r['rate']:.{digits}f} ({100 * r['low']:.{digits}f}–{100 * r['high']:.{digits}f})"


def markdown(result: dict) -> str:
    """The tables of a result, ready for the model card."""
    limit = result["thresholds"]
    lines = ["Rates in percent with 95 % Wilson intervals, at the shipped thresholds of surface `result` (block {:.4f}, review {:.4f}).".format(limit["result"]["block"], limit["result"]["review"]), "",
             "| set | + | − | AUC | recall at 1 % own FPR | recall, block | recall, review | false positives, block | false positives, review |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for name, m in result["sets"].items():
        lines.append("| {}{} | {} | {} | {} | {} | {} | {} | {} | {} |".format(
            name, " *" if m["family"] == "in" else "", m["positives"], m["negatives"], "" if m["auc"] is None else f"{m['auc']:.3f}", "" if m["recall_at_1pct_fpr"] is None else f"{100 * m['recall_at_1pct_fpr']:.1f}",
            percent(m["recall_block"]), percent(m["recall_review"]), percent(m["fpr_block"], 2), percent(m["fpr_review"], 2)))
    lines += ["", "\\* The training grammar knows this style of attack: a figure on a known family.", "", "### By surface", "",
              "Harmless MCP texts of servers that took no part in training or in setting the thresholds they are judged by.", "", "| surface | documents | false positives, block | false positives, review |", "|---|--:|--:|--:|"]
    for s, v in result["calibration_crossfit"].items():
        lines.append(f"| {s} (calibration servers, cross-fitted) | {v['block']['n']} | {percent(v['block'], 2)} | {percent(v['review'], 2)} |")
    for s, v in result.get("heldout_by_surface", {}).items():
        lines.append(f"| {s} (held-out servers) | {v['block']['n']} | {percent(v['block'], 2)} | {percent(v['review'], 2)} |")
    lines += ["", "### By script", "", "| script | + | recall, block | − | false positives, block |", "|---|--:|--:|--:|--:|"]
    for s, v in result["scripts"].items():
        lines.append(f"| {s} | {v['recall_block']['n']} | {percent(v['recall_block'])} | {v['fpr_block']['n']} | {percent(v['fpr_block'], 2)} |")
    lines += ["", "### By length", "", "Clean documents made of evaluation rows, and one attack at a random place in them.", "", "| characters | false positives | false positives, security documentation | recall alone | recall inside |", "|--:|--:|--:|--:|--:|"]
    for v in result["lengths"]:
        lines.append(f"| {v['characters']} | {percent(v['fpr'])} | {percent(v['fpr_security_docs'])} | {percent(v['recall_alone'])} | {percent(v['recall_inside'])} |")
    return "\n".join(lines) + "\n"


def picture(result: dict, out: Path) -> None:
    """ROC curves on a logarithmic false-positive axis, and score distributions with the thresholds."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    limit = result["thresholds"]["result"]
    good = np.concatenate([np.array(v["negative"]) for v in result["scores"].values() if v["negative"]])
    fig, (left, right) = plt.subplots(1, 2, figsize=(15, 7.5))
    for name, v in result["scores"].items():
        if len(v["positive"]) < 40:
            continue
        bad = np.sort(np.array(v["positive"]))
        cuts = np.unique(np.concatenate([np.quantile(good, np.linspace(0, 1, 2000)), bad]))
        g = np.sort(good)
        fpr = 1 - np.searchsorted(g, cuts, side="right") / len(g)
        tpr = 1 - np.searchsorted(bad, cuts, side="right") / len(bad)
        left.plot(np.maximum(fpr, 1e-4), tpr, label=f"{name} ({len(bad)})", lw=1.6, ls="--" if result["sets"][name]["family"] == "in" else "-")
    left.set_xscale("log")
    left.set_xlim(1e-4, 1)
    left.set_ylim(0, 1.01)
    left.set_xlabel(f"false positive rate on all {len(good)} harmless evaluation texts")
    left.set_ylabel("recall")
    left.set_title("ROC (dashed: style known to the training grammar)")
    left.grid(alpha=0.3, which="both")
    left.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncol=3)
    names = [n for n, v in result["scores"].items()]
    for i, name in enumerate(reversed(names)):
        v = result["scores"][name]
        for values, colour, shift in ((v["negative"], "tab:blue", -0.14), (v["positive"], "tab:red", 0.14)):
            if not values:
                continue
            z = np.clip(np.log10(np.clip(values, 1e-4, 1 - 1e-4) / (1 - np.clip(values, 1e-4, 1 - 1e-4))), -4, 4)
            jitter = np.random.RandomState(i).uniform(-0.12, 0.12, len(z))
            right.plot(z, i + shift + jitter, ".", ms=2, alpha=0.35, color=colour)
    marks = [0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999]
    right.set_xticks([np.log10(m / (1 - m)) for m in marks], [f"{m:g}" for m in marks])
    right.set_yticks(range(len(names)), list(reversed(names)), fontsize=8)
    for key, style in (("block", "-"), ("review", ":")):
        t = limit[key]
        right.axvline(np.log10(t / (1 - t)), color="k", ls=style, lw=1, label=f"{key} {t:.4f}")
    right.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.09), ncol=2)
    right.set_xlabel("score (logit scale); blue harmless, red hostile")
    right.set_title("Score distributions")
    fig.tight_layout()
    fig.savefig(out, dpi=110)
    plt.close(fig)
