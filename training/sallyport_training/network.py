"""The network: embeddings, dilated convolutions, masked max and mean over the window, two logits.

Every layer is masked, so padding changes nothing, and nothing depends on other rows of the batch.
"""

from __future__ import annotations

import torch
from torch import nn


class Gate(nn.Module):
    """input_ids and attention_mask, int64 [batch, sequence] -> logits, float32 [batch, 2]."""

    def __init__(self, vocabulary: int, width: int = 64, channels: int = 96, dilations: tuple[int, ...] = (1, 2, 4), hidden: int = 64, dropout: float = 0.2):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width, padding_idx=0)
        self.first = nn.Conv1d(width, channels, 5, padding=2)
        self.more = nn.ModuleList(nn.Conv1d(channels, channels, 3, padding=d, dilation=d) for d in dilations[1:])
        self.hidden = nn.Linear(2 * channels, hidden)
        self.out = nn.Linear(hidden, 2)
        self.drop = nn.Dropout(dropout)

    def features(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        mask = attention_mask.unsqueeze(1).to(self.embed.weight.dtype)
        x = self.drop(self.embed(input_ids)).transpose(1, 2) * mask
        x = torch.relu(self.first(x)) * mask
        for conv in self.more:
            x = (x + torch.relu(conv(x))) * mask
        # Activations are not negative, so zeros at padded places never win the maximum.
        top = x.max(2)[0]
        mean = x.sum(2) / mask.sum(2).clamp(min=1.0)
        return torch.cat([top, mean], 1)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.hidden(self.drop(self.features(input_ids, attention_mask))))
        return self.out(self.drop(h))
