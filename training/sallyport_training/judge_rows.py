"""Training windows of the judge: the gate's rows and further ones, cut as the product cuts them.

A window is positive only if the attack begins in it and at least SEEN tokens of it are there (or all
of it); other windows of a text with an attack are left out. Of the harmless windows, the judge will
read those that the gate does not clear, so those that the gate finds most suspicious are taken first,
and a random part of the rest, since a judge is also used alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from . import attacks, coaxing, coaxing_languages, compose, corpus, harmless, insistent, neighbours, scoring, vocabulary

SIZES = (40, 64, 96, 96, 112)  # tokens of a window in training, control tokens included
SEEN = 24
FURTHER_FILE = "further.jsonl"
# Rows of the mixed source that the gate's label policy leaves out for having no wording of control,
# although they try to replace what the model was told: entries of an injection contest, and kinds that
# name personas, poisoned documents and requests for the prompt.
CONTEST = re.compile(r"pwn|secret.?key|end of (sentence|text|input)|do n.t translate|instead of|first line|exactly the|the above|my real|repeat after", re.I)
FURTHER_KINDS = {"PERSONA_REPLACEMENT", "PROMPT_EXTRACTION", "RAG_POISONING", "CONTROL_OVERRIDE"}


@dataclass
class Windows:
    ids: list            # of int32 arrays without control tokens
    labels: np.ndarray   # int64
    sets: list           # of source names
    held: np.ndarray     # bool: kept out of training, to choose the checkpoint


def further_real(data: Path, held_out: neighbours.Index, report: dict) -> list[str]:
    """Real attacks that the gate's label policy leaves out; report counts those dropped for resembling others."""
    own, out = neighbours.Index(shared_bands=10), []
    report.update({"contest: near an evaluation or calibration row": 0, "contest: near another row": 0})
    for row in corpus.find(data, "train", "neuralchemy"):
        text, kind = row["text"], row.get("kind", "")
        if row["label"] != 1 or corpus.keep(row) or len(text) < 25:
            continue
        fits = kind in FURTHER_KINDS or kind in ("DIRECT_INJECTION", "TOKEN_INJECTION", "MANY_SHOT") and CONTEST.search(text.translate(corpus.LEET_BACK))
        if not fits:
            continue
        if held_out.resembles(text):
            report["contest: near an evaluation or calibration row"] += 1
        elif own.resembles(text):
            report["contest: near another row"] += 1
        else:
            own.add(text)
            out.append(text)
    return out


def further(rows: list[dict], data: Path, packages: Path, report: dict, seed: int = 29, scale: float = 1.0) -> list[dict]:
    """Further rows, for the judge and for the gate's second training: text, label, set, focus. report says what was dropped."""
    r, c = Random(seed), Random(seed + 1).choice
    held_out = neighbours.Index()
    for part in ("dev", "calibration"):
        for name in corpus.names(data, part):
            for row in corpus.find(data, part, name):
                held_out.add(row["text"])
    out: list[dict] = []

    def add(text: str, label: int, name: str, inserted: str = "") -> None:
        focus = text.find(inserted) if inserted else 0
        if focus < 0:
            focus = max(0, text.find(json.dumps(inserted, ensure_ascii=False)[1:-1][:24]))
        out.append({"text": text, "label": label, "set": name, "focus": focus})

    for text in further_real(data, held_out, report):
        add(text, 1, "neuralchemy:contest")
    short = [x["text"] for x in rows if x["label"] == 0 and x["set"] in ("botocore", "chatterbot-corpus", "self-instruct", "neuralchemy", "lookalike") and 15 < len(x["text"]) < 300]
    tasks = [x["text"] for x in rows if x["label"] == 0 and x["set"] in ("self-instruct", "neuralchemy", "gpteacher", "gsm8k") and 8 < len(x["text"]) < 200 and "\n" not in x["text"]]
    carriers = [x["text"] for x in rows if x["label"] == 0 and x["set"] in ("benign-mcp", "bipia-context-train", "t0-benign", "composed:carrier", "code and examples") and len(x["text"]) > 150]

    def noisy(text: str) -> str:
        return attacks.distort(text, r) if r.random() < 0.08 else text

    for _ in range(int(3500 * scale)):
        add(noisy(coaxing.sideways(r)), 1, "coaxing")
        add(noisy(coaxing.twin(r)), 0, "coaxing:twin")

    def hostile() -> str:
        k = r.random()
        if k < 0.45:
            return coaxing.addressed(r, attacks.action(r) if r.random() < 0.7 else c(tasks).rstrip(".").lower())
        if k < 0.6:
            return coaxing.sideways(r)
        if k < 0.8:
            return attacks.redirect(r, c(tasks))
        return attacks.english(r)

    def friendly() -> str:
        k = r.random()
        return coaxing.plain_addressed(r) if k < 0.45 else coaxing.twin(r) if k < 0.6 else harmless.lookalike(r) if k < 0.85 else c(short)

    for _ in range(int(9000 * scale)):
        bad, good, wrap, room = hostile(), friendly(), c(compose.WRAP), c([80, 160, 300, 450])
        if r.random() < 0.5:
            sentences = [friendly() if r.random() < 0.3 else c(short) for _ in range(r.randint(1, 4))]
            i, same = r.randrange(len(sentences)), r.random()
            for text, label in ((bad, 1), (good, 0)):
                add(harmless.structured(Random(same), sentences[:i] + [wrap.format(text)] + sentences[i + 1:]), label, "coaxing:structured", text if label else "")
        else:
            carrier = c(carriers)
            at = c([m.end() for m in compose.CUT.finditer(carrier)] + [0, len(carrier)])
            before = r.randint(0, room)
            for text, label in ((bad, 1), (good, 0)):
                add(carrier[max(0, at - before):at] + wrap.format(text) + carrier[at:at + room - before], label, "coaxing:composed", text if label else "")

    by_language = harmless.translations(packages)
    for lang in attacks.LANGUAGES:
        pool = by_language[lang]
        known = {x["text"] for x in rows if x["set"] == "translations:" + lang}
        fresh = [t for t in pool if t not in known]
        for t in r.sample(fresh, min(len(fresh), int(900 * scale))):
            add(t, 0, "translations:" + lang)
        hostile_here = {attacks.foreign(r, lang) for _ in range(120)}
        if lang in coaxing_languages.SENTENCES:
            hostile_here |= {coaxing_languages.coax(r, lang) for _ in range(120)}
            for t in sorted({coaxing_languages.plain(r, lang) for _ in range(120)}):
                add(t, 0, "coaxing:" + lang)
                add(harmless.structured(r, [c(pool)[:200], t]) if r.random() < 0.5 else c(pool) + " " + t + " " + c(pool), 0, "coaxing:" + lang)
        budget = min(len(hostile_here), (2000 + len(fresh)) // 10)
        for t in r.sample(sorted(hostile_here), budget):
            k = r.random()
            if k < 0.45:
                add(t, 1, "coaxing:" + lang)
            elif k < 0.7:
                add(harmless.structured(r, [c(pool)[:200], t, c(pool)[:100]]), 1, "coaxing:" + lang, t)
            elif k < 0.85:
                add(c(pool)[:200] + " " + t + " " + c(pool)[:200], 1, "coaxing:" + lang, t)
            else:  # inside English text
                add(c(short) + "\n" + t + "\n" + c(short), 1, "coaxing:" + lang, t)
    own = Random(seed + 2)
    for _ in range(int(2500 * scale)):
        add(insistent.tool(own), 0, "insistent:tool")
        add(insistent.document(own), 0, "insistent:document")
    return out


def further_once(rows: list[dict], data: Path, packages: Path, work: Path, scale: float = 1.0) -> list[dict]:
    """The further rows, made and kept in work the first time they are asked for."""
    path = work / FURTHER_FILE
    if not path.exists():
        report: dict = {}
        made = further(rows, data, packages, report, scale=scale)
        (work / "further-report.json").write_text(json.dumps(report | {"rows": len(made), "attacks": sum(x["label"] for x in made)}, indent=1))
        path.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in made), encoding="utf-8")
    return corpus.load(path)


def cut_positive(row: dict, text: str, encoded, r: Random) -> list[tuple[int, int]]:
    """The token ranges of the positive windows of a text with an attack."""
    n, room = len(encoded.ids), r.choice(SIZES) - 2
    if n <= room:
        return [(0, n)] if n else []
    if row.get("focus", 0) > 0:
        k = next((i for i, (_, end) in enumerate(encoded.offsets) if end > row["focus"]), 0)
        low, high = max(0, k - room + min(SEEN, n - k)), min(k, n - room)
        start = r.randint(min(low, high), max(low, high))
        return [(start, start + room)]
    if row["set"].startswith(("composed", "coaxing:structured", "coaxing:composed")):
        return [(0, room)] if row.get("focus") == 0 and text[:1] not in "{[" and n < 2 * room else []
    spans = scoring.spans(text, encoded.offsets, room + 2, scoring.OVERLAP)
    speaking = [(a, b) for a, b in spans if corpus.SPEAKS_OF_CONTROL.search(text[encoded.offsets[a][0]:encoded.offsets[b - 1][1]])]
    return speaking[:6] or spans[:1]


def build(rows: list[dict], tokenizer, gate: scoring.Scorer, seed: int = 31, hard: int = 16000, easy: int = 14000, log=print) -> Windows:
    r = Random(seed)
    ids, labels, sets, held = [], [], [], []
    pool: list[tuple] = []  # harmless candidates: ids, text, set, held
    positives = {"grammar": 0.45, "composed": 0.45, "composed:structured": 0.45}  # the share taken of rows that are many and alike
    negatives = {"botocore": 0.6, "code and examples": 0.7, "composed": 0.5, "composed:structured": 0.5, "composed:carrier": 0.4}
    for i in range(0, len(rows), 4000):
        part = []
        for row in rows[i:i + 4000]:
            head = row["set"].split(":")[0]
            share = (positives if row["label"] else negatives).get(row["set"], 0.3 if head == "translations" and row["set"].split(":")[1] not in attacks.LANGUAGES else 1.0)
            if r.random() < share:
                part.append((row, row["text"][:6000]))
        for (row, text), e in zip(part, tokenizer.encode_batch([t for _, t in part], add_special_tokens=False)):
            aside = r.random() < 0.03
            if row["label"] == 1:
                for a, b in cut_positive(row, text, e, r):
                    ids.append(np.array(e.ids[a:b], np.int32)), labels.append(1), sets.append(row["set"]), held.append(aside)
                continue
            spans = scoring.spans(text, e.offsets, r.choice(SIZES), scoring.OVERLAP)
            keep_all = row["set"].startswith("benign-mcp")
            for a, b in (spans if keep_all or len(spans) < 4 else r.sample(spans, 3)):
                pool.append((np.array(e.ids[a:b], np.int32), text[e.offsets[a][0]:e.offsets[b - 1][1]], row["set"], aside))
    log(f"windows: {len(ids)} positive, {len(pool)} harmless candidates")
    suspicion = gate.documents([x[1] for x in pool], leaves=False)
    order = np.argsort(-suspicion, kind="stable")
    chosen = set(order[:hard].tolist())
    always = [i for i, x in enumerate(pool) if x[2].startswith(("coaxing", "lookalike", "benign-mcp", "neuralchemy", "shire"))]
    chosen.update(i for i in always if i not in chosen and r.random() < 0.75)
    rest = [i for i in range(len(pool)) if i not in chosen]
    chosen.update(r.sample(rest, min(easy, len(rest))))
    # No language gets away with fewer than ten harmless windows for an attack, where there are so many.
    language = [x[2].split(":")[-1] for x in pool]
    for lang in attacks.LANGUAGES:
        missing = 10 * sum(s.endswith(":" + lang) for s in sets) - sum(language[i] == lang for i in chosen)
        spare = [i for i, l in enumerate(language) if l == lang and i not in chosen]
        chosen.update(r.sample(spare, max(0, min(missing, len(spare)))))
    for i in sorted(chosen):
        ids.append(pool[i][0]), labels.append(0), sets.append(pool[i][2]), held.append(pool[i][3])
    return Windows(ids, np.array(labels, np.int64), sets, np.array(held))


def save(w: Windows, out: Path) -> None:
    np.savez(out, ids=np.concatenate(w.ids), lengths=np.array([len(x) for x in w.ids], np.int32), labels=w.labels, sets=np.array(w.sets), held=w.held)


def restore(path: Path) -> Windows:
    z = np.load(path)
    cuts = np.cumsum(z["lengths"])[:-1]
    return Windows(np.split(z["ids"], cuts), z["labels"], list(z["sets"]), z["held"])
