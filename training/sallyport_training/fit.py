"""Training of the network: batches of like length, one-cycle learning rate, a checkpoint every epoch."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from . import network, vocabulary


@dataclass
class Recipe:
    width: int = 64
    channels: int = 96
    dilations: tuple[int, ...] = (1, 2, 4)
    hidden: int = 64
    dropout: float = 0.25
    epochs: int = 4
    rate: float = 2e-3
    decay: float = 0.02
    smoothing: float = 0.0    # scores must keep their order near 1, where thresholds lie
    token_dropout: float = 0.08
    window: int = 256          # tokens, [CLS] and [SEP] included
    batch_tokens: int = 16384
    seed: int = 7
    attack_weight: float = 1.0  # of an attack's loss
    threads: int = 1           # more pays only where nothing else runs


# The second training, from the first one's weights: windows as short as the gate's own, and the judge's
# further rows besides.
NARROW = Recipe(epochs=2, rate=1e-3, window=128, batch_tokens=8192)
# The third, with the judge as the teacher (module lessons). What a gate keeps from the judge is lost, what it
# passes is only read once more.
TAUGHT = Recipe(epochs=5, rate=1e-3, window=96, batch_tokens=8192, attack_weight=4.0)
TRAININGS = WIDE_FILE, NARROW_FILE, TAUGHT_FILE = "checkpoint.pt", "checkpoint-narrow.pt", "checkpoint-taught.pt"


@dataclass
class Encoded:
    ids: list            # of int32 arrays, without special tokens
    focus: np.ndarray    # token index of an inserted attack
    labels: np.ndarray
    whole: np.ndarray    # bool: a window that is read as it is


def encode(rows: list[dict], tokenizer, limit_chars: int = 12000) -> Encoded:
    ids, focus = [], np.zeros(len(rows), np.int64)
    for i in range(0, len(rows), 2000):
        part = rows[i:i + 2000]
        for j, (row, e) in enumerate(zip(part, tokenizer.encode_batch([x["text"][:limit_chars] for x in part], add_special_tokens=False))):
            ids.append(np.array(e.ids, np.int32))
            at = row.get("focus", 0)
            if at:
                focus[i + j] = next((k for k, (_, end) in enumerate(e.offsets) if end > at), 0)
    return Encoded(ids, focus, np.array([x["label"] for x in rows], np.int64), np.array([x["set"] == "lessons" for x in rows]))


class Batches:
    """One epoch of padded batches; random crops that keep the attack of a positive row."""

    def __init__(self, data: Encoded, recipe: Recipe, rng: np.random.RandomState):
        self.data, self.recipe, self.rng = data, recipe, rng

    def crop(self, i: int, room: int) -> np.ndarray:
        a = self.data.ids[i]
        if len(a) > room:
            if self.data.labels[i] == 0:
                start = self.rng.randint(0, len(a) - room + 1)
            else:
                f = int(self.data.focus[i])
                before = self.rng.randint(0, max(1, room - min(70, room // 2)))  # of the attack itself enough must stay
                start = min(max(0, f - before), len(a) - room) if f else self.rng.randint(0, min(40, len(a) - room) + 1)
            a = a[start:start + room]
        a = a.copy()
        a[self.rng.rand(len(a)) < self.recipe.token_dropout] = vocabulary.UNK
        return np.concatenate(([vocabulary.CLS], a, [vocabulary.SEP]))

    def groups(self) -> tuple[list, np.ndarray]:
        """The row numbers of every batch of an epoch, and how many tokens of each row are read."""
        n = len(self.data.ids)
        # Long rows are read in windows of several lengths: short texts are windows too, and it is cheaper.
        most = self.recipe.window - 2
        rooms = np.where(self.data.labels == 1, self.rng.choice([most // 2, most // 2, most], n), self.rng.choice([most // 4, most // 2, most], n))
        rooms = np.where(self.data.whole, most, rooms)
        lengths = np.minimum([len(a) for a in self.data.ids], rooms) + 2
        order, groups = self.rng.permutation(n), []
        for i in range(0, n, 6000):
            part = sorted(order[i:i + 6000], key=lambda k: lengths[k])
            k = 0
            while k < len(part):
                size = max(1, min(256, self.recipe.batch_tokens // int(lengths[part[min(k + 200, len(part) - 1)]])))
                groups.append(part[k:k + size])
                k += size
        self.rng.shuffle(groups)
        return groups, rooms

    def __iter__(self):
        groups, rooms = self.groups()
        for g in groups:
            rows = [self.crop(i, int(rooms[i])) for i in g]
            x = np.zeros((len(rows), max(len(a) for a in rows)), np.int64)
            m = np.zeros_like(x)
            for j, a in enumerate(rows):
                x[j, :len(a)] = a
                m[j, :len(a)] = 1
            yield torch.from_numpy(x), torch.from_numpy(m), torch.from_numpy(self.data.labels[list(g)])


def train(data: Encoded, recipe: Recipe, work: Path, init: np.ndarray | None = None, log=print, first: network.Gate | None = None, name: str = WIDE_FILE) -> network.Gate:
    """Trains from the checkpoint of that name in work, if there is one of the same recipe; else from first, if given."""
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    net = network.Gate(vocabulary.SIZE, recipe.width, recipe.channels, recipe.dilations, recipe.hidden, recipe.dropout)
    if init is not None:
        with torch.no_grad():
            net.embed.weight.copy_(torch.from_numpy(init))
    if first is not None:
        net.load_state_dict(first.state_dict())
    optimiser = torch.optim.AdamW(net.parameters(), recipe.rate, weight_decay=recipe.decay)
    steps = sum(1 for _ in Batches(data, recipe, np.random.RandomState(0)).groups()[0])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=recipe.epochs * (steps + 2), pct_start=0.15)
    checkpoint, start = work / name, 0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        if state["recipe"] == asdict(recipe):
            net.load_state_dict(state["net"])
            optimiser.load_state_dict(state["optimiser"])
            schedule.load_state_dict(state["schedule"])
            start = state["epoch"]
            log(f"resumed after epoch {start}")
    if start == 0:  # what was trained on from other weights is no longer the next training
        for later in TRAININGS[TRAININGS.index(name) + 1:]:
            (work / later).unlink(missing_ok=True)
    weight = torch.tensor([1.0, recipe.attack_weight])
    for epoch in range(start, recipe.epochs):
        net.train()
        began, total, count = time.time(), 0.0, 0
        for ids, mask, labels in Batches(data, recipe, np.random.RandomState(recipe.seed * 1000 + epoch)):
            loss = torch.nn.functional.cross_entropy(net(ids, mask), labels, weight, label_smoothing=recipe.smoothing)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            if schedule.last_epoch < schedule.total_steps - 1:  # the number of batches of an epoch varies a little
                schedule.step()
            total, count = total + loss.item(), count + 1
            if count % 100 == 0:
                log(f"epoch {epoch + 1}/{recipe.epochs} step {count}/{steps} loss {total / count:.4f} {time.time() - began:.0f} s")
        log(f"epoch {epoch + 1}/{recipe.epochs} loss {total / count:.4f} {time.time() - began:.0f} s")
        torch.save({"recipe": asdict(recipe), "net": net.state_dict(), "optimiser": optimiser.state_dict(), "schedule": schedule.state_dict(), "epoch": epoch + 1}, checkpoint)
    net.eval()
    return net


def last(work: Path) -> network.Gate:
    """The network of the third training, or of the second where the judge has not taught yet."""
    return restore(work, TAUGHT_FILE if (work / TAUGHT_FILE).exists() else NARROW_FILE)


def restore(work: Path, name: str = NARROW_FILE) -> network.Gate:
    """The network of a checkpoint in work, ready to score."""
    state = torch.load(work / name)
    r = state["recipe"]
    net = network.Gate(vocabulary.SIZE, r["width"], r["channels"], tuple(r["dilations"]), r["hidden"], r["dropout"])
    net.load_state_dict(state["net"])
    net.eval()
    return net
