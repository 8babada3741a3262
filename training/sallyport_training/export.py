"""Writing the network as model.onnx and config.json, and proving that the file says the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch

from . import network, vocabulary

OPSET = 13
MAX_POSITIONS = 512


def onnx(net: network.Gate, out: Path) -> float:
    """Exports net and returns the largest difference of a logit between torch and ONNX Runtime."""
    net.eval()
    ids = torch.randint(4, vocabulary.SIZE, (2, 24))
    mask = torch.ones_like(ids)
    mask[1, 17:] = 0
    torch.onnx.export(net, (ids, mask), str(out), opset_version=OPSET, input_names=["input_ids", "attention_mask"], output_names=["logits"],
                      dynamic_axes={"input_ids": {0: "batch", 1: "sequence"}, "attention_mask": {0: "batch", 1: "sequence"}, "logits": {0: "batch"}}, do_constant_folding=True)
    session = Session(out)
    worst, rng = 0.0, np.random.RandomState(1)
    for batch, length in ((1, 3), (2, 24), (5, 96), (3, 512), (16, 33)):
        x = rng.randint(4, vocabulary.SIZE, (batch, length)).astype(np.int64)
        m = np.ones_like(x)
        for row in range(1, batch):
            cut = rng.randint(2, length + 1)
            m[row, cut:] = 0
            x[row, cut:] = vocabulary.PAD
        with torch.no_grad():
            want = net(torch.from_numpy(x), torch.from_numpy(m)).numpy()
        got = session.logits(x, m)
        worst = max(worst, float(np.abs(got - want).max()))
        for row in range(batch):  # alone and unpadded must equal batched and padded
            n = int(m[row].sum())
            alone = session.logits(x[row:row + 1, :n], m[row:row + 1, :n])
            if np.abs(alone[0] - got[row]).max() > 1e-4:
                raise ValueError(f'export "{out}": row {row} of a batch of {batch} differs from the same row alone by {np.abs(alone[0] - got[row]).max():.2g}')
    if worst > 1e-3:
        raise ValueError(f'export "{out}": logits differ from torch by {worst:.2g}')
    return worst


def config(out: Path, net: network.Gate, trained_on: list[str]) -> None:
    """config.json in the layout that classifiers of this family use."""
    out.write_text(json.dumps({
        "model_type": "sallyport-gate",
        "architectures": ["SallyportGateForSequenceClassification"],
        "id2label": {"0": "BENIGN", "1": "MALICIOUS"},
        "label2id": {"BENIGN": 0, "MALICIOUS": 1},
        "max_position_embeddings": MAX_POSITIONS,
        "vocab_size": vocabulary.SIZE,
        "pad_token_id": vocabulary.PAD,
        "unk_token_id": vocabulary.UNK,
        "cls_token_id": vocabulary.CLS,
        "sep_token_id": vocabulary.SEP,
        "hidden_size": net.embed.embedding_dim,
        "channels": net.first.out_channels,
        "dilations": [1] + [c.dilation[0] for c in net.more],
        "pooling": "masked max and mean",
        "batch_invariant": True,
        "trained_on": trained_on,
    }, indent=2, ensure_ascii=False) + "\n")


class Session:
    """model.onnx under ONNX Runtime, one thread, as the product runs it."""

    def __init__(self, path: Path, threads: int = 1):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def logits(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return self._session.run(["logits"], {"input_ids": ids, "attention_mask": mask})[0]
