"""Writing the judge as model.onnx: 8-bit layers, the 4-bit embeddings as they came, one small graph.

A matrix is stored as signed bytes with one scale for each output; the runtime multiplies the two when
it loads the file, so that scores are computed in float32 and do not depend on the machine. The
embeddings stay packed in memory: what a window needs of them is unpacked inside the graph.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from . import export, judge, pretrained, vocabulary

OPSET = 17


class Graph:
    """Nodes and weights of a graph; values are passed around by name."""

    def __init__(self) -> None:
        self.nodes, self.weights, self.count = [], [], 0
        self.constants: dict[tuple, str] = {}

    def op(self, kind: str, *inputs: str, **attributes) -> str:
        self.count += 1
        name = f"{kind.lower()}{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def weight(self, values: np.ndarray, name: str) -> str:
        self.weights.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def constant(self, value, kind=np.int64) -> str:
        array = np.array(value, kind)
        key = (array.tobytes(), array.dtype.str, array.shape)
        if key not in self.constants:
            self.constants[key] = self.weight(array, f"constant{len(self.constants)}")
        return self.constants[key]

    def real(self, value) -> str:
        return self.constant(value, np.float32)


def quantised(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[out, in] float32 -> [in, out] int8 and [out] float32 scales."""
    scale = np.maximum(np.abs(matrix).max(1), 1e-8) / 127
    return np.clip(np.rint(matrix / scale[:, None]), -127, 127).astype(np.int8).T, scale.astype(np.float32)


def rounded(net: judge.Judge) -> judge.Judge:
    """Puts every layer's matrices of net on the values that the file will hold."""
    with torch.no_grad():
        for layer in net.layers:
            for part in (layer.qkv, layer.mix, layer.wide, layer.back):
                values, scale = quantised(part.weight.numpy())
                part.weight.copy_(torch.from_numpy(values.T.astype(np.float32) * scale[:, None]))
    return net


def dense(g: Graph, x: str, part: torch.nn.Linear, name: str, scale_by: np.ndarray | None = None) -> str:
    matrix, bias = part.weight.detach().numpy(), part.bias.detach().numpy()
    if scale_by is not None:
        bias = bias * scale_by
    values, scale = quantised(matrix)
    if scale_by is not None:
        scale = scale * scale_by
    matrix_name = g.op("Mul", g.op("Cast", g.weight(values, name + ".values"), to=TensorProto.FLOAT), g.weight(scale.astype(np.float32), name + ".scale"))
    return g.op("Add", g.op("MatMul", x, matrix_name), g.weight(bias.astype(np.float32), name + ".bias"))


def norm(g: Graph, x: str, part: torch.nn.LayerNorm, name: str) -> str:
    return g.op("LayerNormalization", x, g.weight(part.weight.detach().numpy(), name + ".weight"), g.weight(part.bias.detach().numpy(), name + ".bias"), axis=-1, epsilon=float(part.eps))


def gelu(g: Graph, x: str) -> str:
    inner = g.op("Add", g.op("Erf", g.op("Div", x, g.real(np.sqrt(2.0)))), g.real(1.0))
    return g.op("Mul", g.op("Mul", x, inner), g.real(0.5))


def embeddings(g: Graph, nibbles: np.ndarray, scales: np.ndarray) -> str:
    """Gathers and unpacks the rows of input_ids: [batch, sequence, width]."""
    blocks, half = nibbles.shape[1:]
    rows = g.op("Gather", g.weight(nibbles.reshape(len(nibbles), -1), "words.packed"), "input_ids", axis=0)
    four = g.constant(4, np.uint8)
    low = g.op("BitShift", g.op("BitShift", rows, four, direction="LEFT"), four, direction="RIGHT")
    high = g.op("BitShift", rows, four, direction="RIGHT")
    shape = g.constant([0, 0, blocks, half])
    halves = [g.op("Reshape", g.op("Cast", v, to=TensorProto.FLOAT), shape) for v in (low, high)]
    values = g.op("Sub", g.op("Concat", *halves, axis=3), g.real(8.0))
    scale = g.op("Unsqueeze", g.op("Cast", g.op("Gather", g.weight(scales, "words.scale"), "input_ids", axis=0), to=TensorProto.FLOAT), g.constant([3]))
    return g.op("Reshape", g.op("Mul", values, scale), g.constant([0, 0, blocks * half * 2]))


def attend(g: Graph, x: str, layer: judge.Layer, bias: str, name: str) -> str:
    heads, size = layer.heads, layer.size
    width = heads * size
    # The division by the root of the head's size is part of the query's weights.
    scale_by = np.concatenate([np.full(width, 1 / np.sqrt(size)), np.ones(2 * width)]).astype(np.float32)
    joined = g.op("Reshape", dense(g, x, layer.qkv, name + ".qkv", scale_by), g.constant([0, 0, 3, heads, size]))
    q, k, v = (g.op("Gather", joined, g.constant(i), axis=2) for i in range(3))
    q, v = (g.op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
    weights = g.op("Softmax", g.op("Add", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 3, 1])), bias), axis=-1)
    mixed = g.op("Reshape", g.op("Transpose", g.op("MatMul", weights, v), perm=[0, 2, 1, 3]), g.constant([0, 0, width]))
    return dense(g, mixed, layer.mix, name + ".mix")


def graph(net: judge.Judge, nibbles: np.ndarray, scales: np.ndarray) -> onnx.ModelProto:
    g = Graph()
    mask = g.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = g.op("Mul", g.op("Sub", g.real(1.0), g.op("Unsqueeze", mask, g.constant([1, 2]))), g.real(-1e4))
    length = g.op("Slice", g.op("Shape", "input_ids"), g.constant([1]), g.constant([2]))
    places = g.op("Slice", g.weight(net.positions.numpy(), "positions"), g.constant([0]), length, g.constant([0]))
    x = norm(g, g.op("Add", embeddings(g, nibbles, scales), places), net.norm, "words.norm")
    for i, layer in enumerate(net.layers):
        name = f"layer{i}"
        x = norm(g, g.op("Add", x, attend(g, x, layer, bias, name)), layer.norm1, name + ".norm1")
        x = norm(g, g.op("Add", x, dense(g, gelu(g, dense(g, x, layer.wide, name + ".wide")), layer.back, name + ".back")), layer.norm2, name + ".norm2")
    kept = g.op("Unsqueeze", mask, g.constant([2]))
    top = g.op("ReduceMax", g.op("Sub", x, g.op("Mul", g.op("Sub", g.real(1.0), kept), g.real(1e4))), axes=[1], keepdims=0)
    mean = g.op("Div", g.op("ReduceSum", g.op("Mul", x, kept), g.constant([1]), keepdims=0), g.op("ReduceSum", kept, g.constant([1]), keepdims=0))

    def plain(v: str, part: torch.nn.Linear, name: str) -> str:
        return g.op("Add", g.op("MatMul", v, g.weight(part.weight.detach().numpy().T, name + ".weight")), g.weight(part.bias.detach().numpy(), name + ".bias"))

    plain(gelu(g, plain(g.op("Concat", top, mean, axis=1), net.hidden, "hidden")), net.out, "out")
    g.nodes[-1].output[0] = "logits"
    ids = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "sequence"]) for n in ("input_ids", "attention_mask")]
    whole = helper.make_graph(g.nodes, "judge", ids, [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 2])], g.weights)
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="sallyport_training")
    model.ir_version = 8
    return model


def onnx_file(net: judge.Judge, encoder: pretrained.Encoder, kept: list[int], out: Path) -> float:
    """Writes the file and returns the largest difference of a logit between torch, on rounded weights, and ONNX Runtime."""
    net = rounded(net.eval())
    model = graph(net, encoder.nibbles[kept], encoder.scales[kept])
    onnx.checker.check_model(model)
    out.write_bytes(model.SerializeToString())
    session, worst, rng = export.Session(out), 0.0, np.random.RandomState(1)
    for batch, length in ((1, 3), (2, 24), (5, 96), (3, judge.POSITIONS), (16, 33)):
        x = rng.randint(len(vocabulary.SPECIAL), len(kept), (batch, length)).astype(np.int64)
        m = np.ones_like(x)
        for row in range(1, batch):
            cut = rng.randint(2, length + 1)
            m[row, cut:], x[row, cut:] = 0, vocabulary.PAD
        with torch.no_grad():
            want = net(torch.from_numpy(x), torch.from_numpy(m)).numpy()
        got = session.logits(x, m)
        worst = max(worst, float(np.abs(got - want).max()))
        for row in range(batch):
            n = int(m[row].sum())
            alone = session.logits(x[row:row + 1, :n], m[row:row + 1, :n])
            if np.abs(alone[0] - got[row]).max() > 1e-4:
                raise ValueError(f'export "{out}": row {row} of a batch of {batch} differs from the same row alone by {np.abs(alone[0] - got[row]).max():.2g}')
    if worst > 1e-3:
        raise ValueError(f'export "{out}": logits differ from torch by {worst:.2g}')
    return worst
