"""Thresholds per surface from the scores of harmless documents, and sallyport.json.

Block sits at the 99.5th percentile of harmless documents and review at the 98th, both as 95 % upper
confidence bounds. A surface with too few documents for its own bound takes the largest of its highest
score and the bounds of the other surfaces. No threshold goes below a floor: a score that low is no evidence, whatever
the calibration set says.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from . import export, intervals, scoring

BLOCK_QUANTILE, REVIEW_QUANTILE = 0.995, 0.98
BLOCK_FLOOR, REVIEW_FLOOR = 0.5, 0.2
SURFACES = ("description", "params", "result", "other")
FILES = ("model.onnx", "tokenizer.json", "config.json")


def surface(kind: str) -> str:
    """The surface of a row of the benign MCP sets, by its kind."""
    head = kind.split(":")[0]
    return {"tool_descriptions": "description", "tool_schemas": "description", "tool_params": "params", "tool_results": "result"}.get(head, "other")


def above(value: float) -> float:
    """A threshold that the given score does not reach, rounded up to four digits."""
    return min(0.9999, float(np.ceil(value * 1e4 + 1e-6)) / 1e4)


def thresholds(scores: np.ndarray, surfaces: list[str]) -> tuple[dict, list[str]]:
    out, notes = {}, []
    names = np.array(surfaces)
    pooled = {q: intervals.quantile_bound(scores, q)[0] for q in (BLOCK_QUANTILE, REVIEW_QUANTILE)}
    for s in ("description", "result", "other", "params"):  # params last: it leans on the others when it has too few
        own = scores[names == s] if s != "other" else scores
        values = {}
        for key, q, floor in (("block", BLOCK_QUANTILE, BLOCK_FLOOR), ("review", REVIEW_QUANTILE, REVIEW_FLOOR)):
            value, enough = intervals.quantile_bound(own, q) if len(own) else (0.0, False)
            if not enough:
                value = max([value, pooled[q], *(v[key] - 1e-4 for v in out.values())])
                notes.append(f"{s}, {key}: {len(own)} documents are too few for the {100 * q:g}th percentile with 95 % confidence; the largest of their highest score and the bounds of the other surfaces is used")
            values[key] = max(floor, above(value))
        values["block"] = max(values["block"], values["review"])
        out[s] = {"block": values["block"], "review": values["review"], "documents": int(len(own))}
    return out, notes


def clear_of(meta: dict, surface: str) -> float:
    """The clearing threshold of a gate with this sallyport.json on a surface."""
    return meta["thresholds"].get(surface, {}).get("clear", meta["clear"])


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write(directory: Path, rows: list[dict], name: str, version: str, calibration_id: str, scorer: scoring.Scorer | None = None, wide: int = export.MAX_POSITIONS, scores: np.ndarray | None = None) -> dict:
    """Calibrates the model of directory on the given harmless rows and writes sallyport.json; wide is the most that it reads at once.

    scores are those of the rows where the model does not read them by itself."""
    scorer = scorer or scoring.Scorer(directory, window=scoring.WINDOW)
    if scores is None:
        scores = scorer.documents([x["text"] for x in rows])
    limits, notes = thresholds(scores, [surface(x["kind"]) for x in rows])
    meta = {
        "format": 1,
        "name": name,
        "version": version,
        "normalizer": "nfkc-lower-1",
        "windows": {"tokens": scorer.window, "overlap": scoring.OVERLAP, "wide": wide},
        "thresholds": {("default" if s == "other" else s): {"block": limits[s]["block"], "review": limits[s]["review"]} for s in ("other", *SURFACES[:-1])} | {"other": {"block": limits["other"]["block"], "review": limits["other"]["review"]}},
        "files": {f: sha256(directory / f) for f in FILES},
        "calibration": {
            "set": calibration_id,
            "documents": len(rows),
            "per_surface": {s: limits[s]["documents"] for s in SURFACES},
            "block_quantile": BLOCK_QUANTILE,
            "review_quantile": REVIEW_QUANTILE,
            "confidence": 0.95,
            "notes": notes,
        },
    }
    (directory / "sallyport.json").write_text(json.dumps(meta, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return meta
