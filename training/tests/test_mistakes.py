"""Tests of the judge's second training: `make -C training test`."""

import sys
import tempfile
import unittest
from pathlib import Path
from random import Random
from types import SimpleNamespace

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sallyport_training import judge_rows, mistakes, scoring  # noqa: E402


class Words:
    """A tokenizer of words; a word's id is the number in it."""

    def encode_batch(self, texts, add_special_tokens=False):
        out = []
        for text in texts:
            at, ids, offsets = 0, [], []
            for word in text.split(" "):
                ids.append(int(word[1:]))
                offsets.append((at, at + len(word)))
                at += len(word) + 1
            out.append(SimpleNamespace(ids=ids, offsets=offsets))
        return out


def numbered(n: int, start: int = 0) -> str:
    return " ".join(f"w{start + i:04d}" for i in range(n))


class Packages(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = Path(place.name)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_what_is_kept_aside_is_not_trained_on(self):
        for name in ("archives", mistakes.ASIDE[0] + "__1.0", mistakes.TRAINED[0] + "__2.0", "else__1.0"):
            (self.root / name).mkdir()
        self.assertEqual([mistakes.TRAINED[0]], [mistakes.package(p) for p in mistakes.folders(self.root, aside=False)])
        self.assertEqual([mistakes.ASIDE[0]], [mistakes.package(p) for p in mistakes.folders(self.root, aside=True)])
        self.assertFalse(set(mistakes.ASIDE) & set(mistakes.TRAINED))

    def test_the_list_of_packages_names_exactly_those_that_are_read(self):
        listed = (Path(__file__).resolve().parent.parent / "corpora-mistakes.txt").read_text(encoding="utf-8")
        names = [line.split("==")[0] for line in listed.splitlines() if "==" in line and not line.startswith("#")]
        self.assertEqual(sorted(mistakes.ASIDE + mistakes.TRAINED), sorted(names))

    def test_excerpts_are_of_text_that_people_wrote(self):
        self.write("a.py", "written by hand\n" * 20)
        self.write("b.js", "x" * 9000)             # one line: generated
        self.write("c.png", "picture\n" * 50)
        self.write("long.md", "a line of a long page\n" * 2000)
        found = mistakes.excerpts(self.root, 10**6, Random(1))
        self.assertEqual(1 + 8, len(found))
        self.assertTrue(all("written" in t or "long page" in t for t in found))
        self.assertTrue(all(len(t) <= mistakes.EXCERPT for t in found))


class Second(unittest.TestCase):
    def test_mistakes_are_harmless_and_cut_around_what_was_read(self):
        found = [{"text": numbered(300), "at": [6 * 100, 6 * 150 - 1], "set": "mistakes:x", "score": 0.9} for _ in range(40)]
        none = judge_rows.Windows([], np.array([], np.int64), [], np.array([], bool))
        made = mistakes.windows(found, none, Words())
        self.assertEqual(80, len(made.ids))
        self.assertEqual(0, made.labels.sum())
        for whole, other in zip(made.ids[::2], made.ids[1::2]):
            self.assertEqual(list(range(100, 150)), whole.tolist())
            self.assertTrue(set(other) & set(whole), "nothing of the mistake is in the other window")
            self.assertLessEqual(len(other), max(judge_rows.SIZES))
        self.assertTrue(0 < made.held.sum() < 40)

    def test_the_sample_keeps_what_was_aside_aside_and_every_real_attack(self):
        sets = ["grammar:en"] * 50 + ["neuralchemy"] * 20 + ["translations:de"] * 50 + ["botocore"] * 50
        labels = np.array([1] * 70 + [0] * 100)
        held = np.zeros(170, bool)
        held[[0, 60, 100, 160]] = True
        before = judge_rows.Windows([np.array([i], np.int32) for i in range(170)], labels, sets, held)
        made = mistakes.windows([], before, Words(), attacks=10, harmless=20)
        aside = {int(a[0]) for a, h in zip(made.ids, made.held) if h}
        self.assertEqual({0, 60, 100, 160}, aside)
        kept = [s for s, h in zip(made.sets, made.held) if not h]
        self.assertEqual({"grammar:en": 10, "neuralchemy": 19, "translations:de": 10, "botocore": 10}, {s: kept.count(s) for s in set(kept)})
        for a, label in zip(made.ids, made.labels):
            self.assertEqual(labels[int(a[0])], label)


class Reading(unittest.TestCase):
    def test_only_what_the_gate_does_not_clear_is_judged(self):
        text = numbered(60)
        gate = SimpleNamespace(read=lambda texts, leaves: [[scoring.Read(0, 0, 119, 22, 0.5), scoring.Read(0, 120, 359, 42, 0.001)] for _ in texts])
        judge = SimpleNamespace(plan=lambda pieces: [[(6, len(p), [1, 2])] for p in pieces], probabilities=lambda rows: np.full(len(rows), 0.7))
        self.assertEqual([(0.7, 0, 6, 119), (0.7, 1, 6, 119)], mistakes.read(gate, judge, 0.01, [text, text]))


if __name__ == "__main__":
    unittest.main()
