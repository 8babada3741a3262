"""Builds the training rows: cleaned sources, look-alikes, and attacks inside harmless carriers.

Every composed attack has matched negatives: the same carrier with a harmless insertion in the same
wrapper at the same place, and the carrier alone. In no language are there more than a tenth as many
attacks as harmless texts.
"""

from __future__ import annotations

import collections
import hashlib
import json
import re
import zlib
from pathlib import Path
from random import Random

from . import attacks, corpus, harmless, neighbours, scoring

TRAIN_CAPS = {"shire-templated-benign": 900, "t0-benign": 4500, "gpteacher": 3500, "gsm8k": 500, "cse-instruct-benign": 1000}
CUT = re.compile(r"[\n.,}\]>]\s*")
# Wrappers are put around harmless insertions too, so that the wrapper says nothing about the label.
WRAP = ["{}", "{}", "{}", "\n{}\n", "<IMPORTANT>\n{}\n</IMPORTANT>", "Note: {}", "<!-- {} -->", "[SYSTEM] {}", '"{}"', "\n\n{}\n\n", "<INFORMATION>{}</INFORMATION>", "({})", " {} ", "\\n{}\\n", "**{}**", "/* {} */"]


def held_out_server(row: corpus.Row) -> bool:
    """Whether a harmless MCP row belongs to a server kept for evaluation: about one server in six."""
    return row["set"] == "benign-mcp" and row["origin"] != "tau" and int(hashlib.md5(row["origin"].encode()).hexdigest(), 16) % 6 == 0


def held_out_servers(data: Path) -> list[corpus.Row]:
    return [x for x in corpus.find(data, "train", "benign-mcp") if held_out_server(x)]


def for_calibration(row: corpus.Row) -> bool:
    """Whether a harmless row of train/ is set aside to calibrate the surface `result`.

    The calibration set has few results, so a part of the documents that stand for what tools return
    (pages, mails, tables, code answers, JSON of agents' tools) is kept out of training for it.
    """
    share = {"bipia-context-train": 3, "t0-benign": 6}.get(row["set"], 4 if row["set"] == "benign-mcp" and row["kind"].startswith("tool_results") else 0)
    return share > 0 and zlib.crc32(row["text"].encode()) % share == 0


def calibration_rows(data: Path, packages: Path) -> list[corpus.Row]:
    """The calibration set and the results set aside, with the kind that names their surface."""
    rows = corpus.find(data, "calibration", "benign-mcp")
    index = neighbours.Index(shared_bands=9)
    for name in corpus.names(data, "train"):
        for row in corpus.find(data, "train", name):
            if for_calibration(row) and corpus.keep(row) and len(row["text"]) > 60 and not index.resembles(row["text"]):
                index.add(row["text"])
                rows.append(row | {"kind": "tool_results:" + name, "origin": f"{name}:{zlib.crc32(row['text'].encode()) % 7}"})
    for i, text in enumerate(harmless.command_examples(packages, held_out=True)):
        rows.append({"text": text[:6000], "label": 0, "set": "awscli", "kind": "tool_results:awscli", "origin": f"awscli:{i % 7}"})
    return rows


def string_values(text: str) -> list[str]:
    """The longer string values of a JSON text: the product reads them on their own as well."""
    return scoring.segments(text)[1:]


def sources(data: Path, report: dict) -> list[corpus.Row]:
    """The training sources after label policy and near-duplicate removal."""
    held_out = neighbours.Index()
    for part in ("dev", "calibration"):
        for name in corpus.names(data, part):
            for row in corpus.find(data, part, name):
                held_out.add(row["text"])
    for row in held_out_servers(data):
        held_out.add(row["text"])
    aside = neighbours.Index(shared_bands=9)
    for name in corpus.names(data, "train"):
        for row in corpus.find(data, "train", name):
            if for_calibration(row):
                aside.add(row["text"])
    rows, r = [], Random(11)
    dropped = collections.Counter()
    for name in corpus.names(data, "train"):
        part = corpus.find(data, "train", name)
        r.shuffle(part)
        own, kept = neighbours.Index(shared_bands=9), 0
        for row in part:
            if kept >= TRAIN_CAPS.get(name, 10**9):
                break
            if held_out_server(row):
                dropped[f"{name}: server kept for evaluation"] += 1
            elif for_calibration(row):
                dropped[f"{name}: set aside for calibration"] += 1
            elif not corpus.keep(row):
                dropped[f"{name}: label policy"] += 1
            elif row["label"] == 0 and aside.resembles(row["text"]):
                dropped[f"{name}: near a row set aside for calibration"] += 1
            elif held_out.resembles(row["text"]):
                dropped[f"{name}: near an evaluation or calibration row"] += 1
            elif own.resembles(row["text"]):
                dropped[f"{name}: near another row of the set"] += 1
            else:
                own.add(row["text"])
                rows.append(row)
                kept += 1
    report["dropped"] = dict(dropped)
    report["held_out_index"] = held_out
    return rows


def excerpt(text: str, r: Random, room: int) -> str:
    if len(text) <= room:
        return text
    start = r.randrange(len(text) - room)
    return text[start:start + room]


def place(carrier: str, inserted: str, at: int, room: int, r: Random) -> str:
    """The insertion with up to room characters of the carrier around position at."""
    before = r.randint(0, room)
    return carrier[max(0, at - before):at] + inserted + carrier[at:at + room - before]


def build(data: Path, packages: Path, out: Path, seed: int = 5, scale: float = 1.0, progress=lambda it, **_: it) -> dict:
    """Writes one JSON row a line to out and returns a report of what went in and what was dropped."""
    report: dict = {}
    r = Random(seed)
    base = sources(data, report)
    held_out = report.pop("held_out_index")
    rows: list[tuple[str, int, str]] = [(x["text"], x["label"], x["set"]) for x in base]
    # Long jailbreak texts are read in windows, so parts of them that speak of control are positives too.
    for x in base:
        if x["label"] == 1 and len(x["text"]) > 1300:
            for at in range(700, len(x["text"]) - 300, 700):
                part = x["text"][at:at + r.choice([500, 800, 1100])]
                if len(corpus.SPEAKS_OF_CONTROL.findall(part)) >= 2:
                    rows.append((part, 1, x["set"]))

    values = {v for x in base if x["set"] == "benign-mcp" for v in string_values(x["text"])}
    rows += [(v, 0, "benign-mcp:value") for v in sorted(values) if not held_out.resembles(v)]

    by_language = harmless.translations(packages)
    docs = [t for t in harmless.api_documentation(packages, Random(seed), int(14000 * scale)) if not held_out.resembles(t)]
    talk = [t for t in harmless.dialogues(packages) if not held_out.resembles(t)]
    rows += [(t, 0, "botocore") for t in docs] + [(t, 0, "chatterbot-corpus") for t in r.sample(talk, min(int(4500 * scale), len(talk)))]
    code = [t for t in harmless.code_and_examples(packages, Random(seed), int(16000 * scale)) if not held_out.resembles(t)]
    rows += [(t, 0, "code and examples") for t in code]
    foreign_docs = collections.defaultdict(list)
    for lang, texts in by_language.items():
        # Languages in which attacks are written get more harmless text than the others.
        for t in r.sample(texts, min(len(texts), int((2000 if lang in attacks.LANGUAGES else 350) * scale))):
            rows.append((t, 0, "translations:" + lang))
        for _ in range(min(int(120 * scale), len(texts) // 3)):
            d = r.choice([" ", "\n", "\n\n"]).join(r.sample(texts, r.randint(2, 9) if len(texts) >= 9 else 1))
            foreign_docs[lang].append(d)
            rows.append((d, 0, "translations:" + lang))

    # Short harmless pieces for insertions, and carriers with some text of every kind.
    pieces = [x["text"] for x in base if x["label"] == 0 and 15 < len(x["text"]) < 320] + docs[:3000] + talk[:2000]
    natural = [x["text"] for x in base if x["label"] == 0 and x["set"] in ("benign-mcp", "bipia-context-train", "t0-benign", "cse-instruct-benign", "gpteacher") and len(x["text"]) > 80]
    mcp = [t for t in natural if t[:1] in "{["]
    real = [x["text"] for x in base if x["label"] == 1 and 20 < len(x["text"]) < 800]

    def piece() -> str:
        k = r.random()
        return harmless.lookalike(r) if k < 0.4 else r.choice(pieces)

    tasks = [t for t in (x["text"].strip() for x in base if x["label"] == 0 and x["set"] in ("self-instruct", "neuralchemy", "gpteacher", "gsm8k", "shire-templated-benign", "pi-benign-500")) if 8 < len(t) < 220 and "\n" not in t]

    def hostile_text() -> str:
        return attacks.redirect(r, r.choice(tasks)) if r.random() < 0.3 else attacks.english(r)

    def attack() -> str:
        k = r.random()
        if k < 0.2:
            return r.choice(real)
        s = hostile_text()
        return attacks.distort(s, r) if k > 0.95 else s

    def carrier() -> str:
        k = r.random()
        if k < 0.06:
            return r.choice(talk) if r.random() < 0.5 else r.choice(pieces)
        if k < 0.16:
            return r.choice(code)
        if k < 0.44:
            return harmless.structured(r, [piece() for _ in range(r.randint(1, 5))])
        if k < 0.60:
            return r.choice(mcp)
        if k < 0.68:
            return "\n".join(r.sample(docs, 2))
        return r.choice(natural)

    for _ in progress(range(int(12000 * scale)), desc="attacks alone"):
        s = hostile_text()
        rows.append((attacks.distort(s, r) if r.random() < 0.08 else s, 1, "grammar"))
    for _ in progress(range(int(14000 * scale)), desc="look-alikes alone"):
        s = harmless.lookalike(r) if r.random() < 0.75 else r.choice(pieces)
        rows.append((attacks.distort(s, r) if r.random() < 0.10 else s, 0, "lookalike"))
    focus: dict[str, int] = {}  # composed attack -> offset of the attack in the text, so that a crop can keep it

    def remember(text: str, inserted: str) -> str:
        for needle in (inserted, json.dumps(inserted, ensure_ascii=False)[1:-1], inserted.strip()[:24], json.dumps(inserted)[1:25]):
            at = text.find(needle)
            if at >= 0:
                focus[text] = at
                break
        return text

    for _ in progress(range(int(18000 * scale)), desc="composed"):
        room, wrap = r.choice([120, 300, 500, 700, 900]), r.choice(WRAP)
        if r.random() < 0.45:  # into a text field of a structured result
            sentences = [piece() for _ in range(r.randint(1, 4))]
            i, seed_ = r.randrange(len(sentences)), r.random()
            plain = harmless.structured(Random(seed_), sentences)
            lead = r.choice(["", "", sentences[i] + " ", sentences[i] + "\n"])
            hostile = attack()
            bad = remember(harmless.structured(Random(seed_), sentences[:i] + [lead + wrap.format(hostile)] + sentences[i + 1:]), hostile)
            good = harmless.structured(Random(seed_), sentences[:i] + [lead + wrap.format(piece())] + sentences[i + 1:])
            rows += [(bad, 1, "composed:structured"), (good, 0, "composed:structured")]
            if r.random() < 0.3:
                rows.append((plain, 0, "composed:carrier"))
            continue
        c = carrier()
        cuts = [m.end() for m in CUT.finditer(c)] or [len(c)]
        at = r.choice(cuts + [0, len(c)])
        hostile = attack()
        rows.append((remember(place(c, wrap.format(hostile), at, room, r), hostile), 1, "composed"))
        rows.append((place(c, wrap.format(piece()), at, room, r), 0, "composed"))
        if r.random() < 0.5:
            rows.append((excerpt(c, r, max(room, 200)), 0, "composed:carrier"))

    negatives = collections.Counter(s.split(":")[1] for _, label, s in rows if label == 0 and s.startswith("translations:"))
    for lang in attacks.LANGUAGES:
        look = {harmless.foreign(r, lang) for _ in range(60)}
        budget = min(400, (negatives[lang] + len(look)) // 14)
        texts = {attacks.foreign(r, lang) for _ in range(budget * 3)}
        texts = sorted(texts)
        r.shuffle(texts)
        for i, t in enumerate(texts[:budget]):
            pool = foreign_docs[lang] or [harmless.lookalike(r)]
            alone = t
            if i % 3 == 0:
                d = r.choice(pool)
                t = d[: r.randint(0, min(len(d), 300))] + " " + t + " " + r.choice(pool)[: r.randint(0, 300)]
            elif i % 3 == 1 and r.random() < 0.4:
                t = harmless.structured(r, [r.choice(pool)[:200], t])
            elif r.random() < 0.3:  # a harmless task behind the override, in the language or in English
                t += " " + (r.choice(by_language[lang]) if r.random() < 0.6 else r.choice(tasks))
            rows.append((remember(t, alone), 1, "grammar:" + lang))
        for t in sorted(look):
            rows.append((t, 0, "lookalike:" + lang))
            if r.random() < 0.3:
                rows.append((harmless.structured(r, [r.choice(foreign_docs[lang] or [t])[:200], t]), 0, "lookalike:" + lang))

    for lang in attacks.LANGUAGES:  # English attacks in documents of other languages, with the document as negative
        for _ in range(min(120, len(foreign_docs[lang]), negatives[lang] // 35)):
            d = r.choice(foreign_docs[lang])[:600]
            at = r.choice([m.end() for m in CUT.finditer(d)] + [len(d)])
            hostile = hostile_text()
            rows.append((remember(d[:at] + " " + hostile + " " + d[at:], hostile), 1, "composed:foreign"))
            rows.append((d[:at] + " " + piece() + " " + d[at:], 0, "composed:foreign"))

    seen, unique = set(), []
    for row in rows:
        if row[0] not in seen and row[0].strip():
            seen.add(row[0])
            unique.append(row)
    r.shuffle(unique)
    with out.open("w", encoding="utf-8") as f:
        for text, label, name in unique:
            f.write(json.dumps({"text": text, "label": label, "set": name, "focus": focus.get(text, 0)}, ensure_ascii=False) + "\n")
    report["rows"] = len(unique)
    report["positives"] = sum(label for _, label, _ in unique)
    report["by_set"] = {f"{name} {label}": n for (name, label), n in sorted(collections.Counter((s.split(":")[0], label) for _, label, s in unique).items())}
    report["by_language"] = {lang: {"harmless": sum(1 for _, label, s in unique if label == 0 and s.endswith(":" + lang)), "attacks": sum(1 for _, label, s in unique if label == 1 and s.endswith(":" + lang))} for lang in attacks.LANGUAGES}
    return report
