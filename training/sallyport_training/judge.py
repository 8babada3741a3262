"""The judge: the lower layers of a pretrained encoder with a head that reads all of a window.

The head sees the maximum and the mean over the tokens, so that one sentence in a window is neither
diluted nor does the score hang on it alone. Padding is masked everywhere; nothing depends on other
rows of a batch.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import nn

from . import pretrained

LAYERS = 6
HIDDEN = 192
POSITIONS = 128  # a window has at most that many tokens


class Layer(nn.Module):
    """Attention and two dense layers, each followed by a sum and a normalisation, as in BERT."""

    def __init__(self, width: int, heads: int, inner: int, epsilon: float):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.qkv = nn.Linear(width, 3 * width)
        self.mix = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, epsilon)
        self.wide = nn.Linear(width, inner)
        self.back = nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, epsilon)

    def forward(self, x: torch.Tensor, bias: torch.Tensor, drop: float = 0.0) -> torch.Tensor:
        b, s, w = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(self.size) + bias, -1)
        mixed = self.mix((weights.to(v.dtype) @ v).transpose(1, 2).reshape(b, s, w))
        x = self.norm1(x + nn.functional.dropout(mixed, drop, self.training))
        return self.norm2(x + nn.functional.dropout(self.back(nn.functional.gelu(self.wide(x))), drop, self.training))

    def fill(self, values: dict[str, np.ndarray]) -> None:
        """Takes the values of one pretrained layer."""
        def join(suffix: str) -> torch.Tensor:
            return torch.from_numpy(np.concatenate([values[f"{n}.{suffix}"] for n in "qkv"]))
        with torch.no_grad():
            self.qkv.weight.copy_(join("w"))
            self.qkv.bias.copy_(join("b"))
            for part, name in ((self.mix, "ao"), (self.norm1, "aln"), (self.wide, "fi"), (self.back, "fo"), (self.norm2, "oln")):
                part.weight.copy_(torch.from_numpy(values[name + ".w"]))
                part.bias.copy_(torch.from_numpy(values[name + ".b"]))


class Judge(nn.Module):
    """input_ids and attention_mask, int64 [batch, sequence] -> logits, float32 [batch, 2]."""

    def __init__(self, words: np.ndarray, width: int = 384, heads: int = 12, inner: int = 1536, layers: int = LAYERS, epsilon: float = 1e-12):
        super().__init__()
        self.register_buffer("words", torch.from_numpy(words))  # float32 [vocabulary, width], never trained
        self.register_buffer("positions", torch.zeros(POSITIONS, width))
        self.norm = nn.LayerNorm(width, epsilon)
        self.layers = nn.ModuleList(Layer(width, heads, inner, epsilon) for _ in range(layers))
        self.hidden = nn.Linear(2 * width, HIDDEN)
        self.out = nn.Linear(HIDDEN, 2)

    def embed(self, ids: torch.Tensor) -> torch.Tensor:
        return self.norm(self.words[ids] + self.positions[:ids.shape[1]])

    @staticmethod
    def bias(mask: torch.Tensor) -> torch.Tensor:
        return (1.0 - mask[:, None, None, :].float()) * -1e4

    def lower(self, ids: torch.Tensor, mask: torch.Tensor, upto: int) -> torch.Tensor:
        """The activations after the first upto layers, which training keeps as they are."""
        x, bias = self.embed(ids), self.bias(mask)
        for layer in self.layers[:upto]:
            x = layer(x, bias)
        return x

    def upper(self, x: torch.Tensor, mask: torch.Tensor, after: int, drop: float = 0.0) -> torch.Tensor:
        bias = self.bias(mask)
        for layer in self.layers[after:]:
            x = layer(x, bias, drop)
        kept = mask[:, :, None].to(x.dtype)
        top = (x - (1.0 - kept) * 1e4).max(1)[0]
        mean = (x * kept).sum(1) / kept.sum(1).clamp(min=1.0)
        h = nn.functional.gelu(self.hidden(nn.functional.dropout(torch.cat([top, mean], 1), drop, self.training)))
        return self.out(nn.functional.dropout(h, drop, self.training)).float()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.upper(self.lower(input_ids, attention_mask, 0), attention_mask, 0)


def start(encoder: pretrained.Encoder, words: np.ndarray, layers: int = LAYERS) -> Judge:
    """An untrained head over the first layers of the encoder."""
    net = Judge(words, encoder.width, encoder.heads, encoder.inner, layers, encoder.epsilon)
    with torch.no_grad():
        positions = encoder.tensors["emb.pos"].reshape(encoder.positions, encoder.width)[:POSITIONS]
        net.positions.copy_(torch.from_numpy(positions + encoder.tensors["emb.type"][:encoder.width]))
        net.norm.weight.copy_(torch.from_numpy(encoder.tensors["emb.ln.w"]))
        net.norm.bias.copy_(torch.from_numpy(encoder.tensors["emb.ln.b"]))
    for layer, values in zip(net.layers, encoder.layers):
        layer.fill(values)
    return net
