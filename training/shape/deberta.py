"""DeBERTa-v2 for sequence classification as ONNX, operator by operator as the libraries export it.

The network is that of He et al. 2021 ("DeBERTaV3"): disentangled attention with shared keys,
log-bucketed relative positions, a context pooler and a linear head. Weights are random.
"""

import dataclasses

import numpy
from onnx import TensorProto, helper

from graph import Graph, quantise

OPSET = 14


@dataclasses.dataclass(frozen=True)
class Shape:
    hidden: int
    heads: int
    intermediate: int
    layers: int
    vocabulary: int
    positions: int = 512
    buckets: int = 256
    labels: int = 2

    @property
    def head(self):
        return self.hidden // self.heads


PRESETS = {
    # The sizes of Llama Prompt Guard 2: 22M is DeBERTa-v3-xsmall, 86M is mDeBERTa-v3-base.
    "22m": Shape(hidden=384, heads=6, intermediate=1536, layers=12, vocabulary=128_100),
    "86m": Shape(hidden=768, heads=12, intermediate=3072, layers=12, vocabulary=251_000),
    "tiny": Shape(hidden=16, heads=2, intermediate=32, layers=2, vocabulary=0, positions=128, buckets=32),
}


class Network:
    def __init__(self, shape, seed, int8=False):
        self.s, self.int8 = shape, int8
        self.g = Graph(seed)

    def norm(self, x):
        g, h = self.g, self.s.hidden
        gain, bias = g.store(1 + g.random(h, deviation=0.05)), g.store(g.random(h, deviation=0.05))
        centred = g.op("Sub", x, g.op("ReduceMean", x, axes=[-1], keepdims=1))
        variance = g.op("ReduceMean", g.op("Pow", centred, g.real(2.0)), axes=[-1], keepdims=1)
        deviation = g.op("Sqrt", g.op("Add", variance, g.real(1e-7)))
        return g.op("Add", g.op("Mul", g.op("Div", centred, deviation), gain), bias)

    def matrix(self, name, rows, columns):
        """A weight matrix and its bias; asked for twice, it is the same one."""
        g = self.g
        return g.once(name, lambda: (name, g.random(rows, columns), g.store(g.random(columns, deviation=0.02))))

    def linear(self, x, matrix):
        g = self.g
        name, weight, bias = matrix
        if not self.int8:
            return g.op("Add", bias, g.op("MatMul", x, g.once(name + ".stored", lambda: g.store(weight, name))))
        # The form of dynamic quantisation: activations take one scale per tensor at run time.
        def stored():
            values, scale = quantise(weight)
            return g.store(values, name), g.real(scale), g.constant(0, numpy.int8)
        values, scale, zero = g.once(name + ".stored", stored)
        activations = g.once("quantised " + x, lambda: g.op("DynamicQuantizeLinear", x, outputs=3))
        product = g.op("Cast", g.op("MatMulInteger", activations[0], values, activations[2], zero), to=TensorProto.FLOAT)
        return g.op("Add", bias, g.op("Mul", product, g.op("Mul", activations[1], scale)))

    def gelu(self, x):
        g = self.g
        erf = g.op("Erf", g.op("Div", x, g.real(numpy.sqrt(2))))
        return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.real(1.0))), g.real(0.5))

    def embedding(self, ids):
        g = self.g
        table = g.random(self.s.vocabulary, self.s.hidden, deviation=0.5)
        if not self.int8:
            return g.op("Gather", g.store(table, "word_embeddings"), ids)
        values, scale = quantise(table)
        return g.op("DequantizeLinear", g.op("Gather", g.store(values, "word_embeddings"), ids), g.store(scale), g.store(numpy.int8(0)))

    def relative_buckets(self, length):
        """Differences of positions, exact when near, by their logarithm when far: [1, length, length]."""
        g, middle = self.g, self.s.buckets // 2
        at = g.op("Range", g.constant(0), length, g.constant(1))
        difference = g.op("Sub", g.op("Unsqueeze", at, g.constant([1])), g.op("Unsqueeze", at, g.constant([0])))
        near = g.op("And", g.op("Less", difference, g.constant(middle)), g.op("Greater", difference, g.constant(-middle)))
        distance = g.op("Cast", g.op("Where", near, g.constant(middle - 1), g.op("Abs", difference)), to=TensorProto.FLOAT)
        base = float(numpy.log((self.s.positions - 1) / middle))
        logarithm = g.op("Div", g.op("Log", g.op("Div", distance, g.real(middle))), g.real(base))
        far = g.op("Add", g.op("Ceil", g.op("Mul", logarithm, g.real(middle - 1))), g.real(middle))
        signed = g.op("Mul", far, g.op("Cast", g.op("Sign", difference), to=TensorProto.FLOAT))
        bucket = g.op("Where", g.op("LessOrEqual", distance, g.real(middle)), g.op("Cast", difference, to=TensorProto.FLOAT), signed)
        return g.op("Unsqueeze", g.op("Cast", bucket, to=TensorProto.INT64), g.constant([0]))

    def heads(self, x, batch, length):
        """[batch, length, hidden] to [batch * heads, length, head]."""
        g, s = self.g, self.s
        split = g.op("Reshape", x, g.op("Concat", batch, length, g.constant([s.heads]), g.constant([-1]), axis=0))
        turned = g.op("Transpose", split, perm=[0, 2, 1, 3])
        return g.op("Reshape", turned, g.op("Concat", g.constant([-1]), length, g.constant([s.head]), axis=0))

    def attention(self, x, layer, run):
        g, s = self.g, self.s
        scale = g.real(numpy.sqrt(s.head * 3))
        query, key, value = (self.matrix(f"layer{layer}.{n}", s.hidden, s.hidden) for n in ("query", "key", "value"))
        q, k, v = (self.heads(self.linear(x, m), run.batch, run.length) for m in (query, key, value))
        score = g.op("MatMul", q, g.op("Div", g.op("Transpose", k, perm=[0, 2, 1]), scale))
        one, span, copies = g.constant([1]), g.constant([s.buckets * 2]), g.op("Concat", run.batch, g.constant([1, 1]), axis=0)
        for own, matrix, positions, turn in ((q, key, run.content_to_position, False), (k, query, run.position_to_content, True)):
            relative = g.op("Tile", self.heads(self.linear(run.relative, matrix), one, span), copies)
            every = g.op("MatMul", own, g.op("Transpose", relative, perm=[0, 2, 1]))
            picked = g.op("GatherElements", every, g.op("Expand", positions, run.expanded), axis=-1)
            if turn:
                picked = g.op("Transpose", picked, perm=[0, 2, 1])
            score = g.op("Add", score, g.op("Div", picked, scale))
        score = g.op("Reshape", score, g.op("Concat", g.constant([-1]), g.constant([s.heads]), run.length, run.length, axis=0))
        score = g.op("Where", run.hidden_pairs, g.real(numpy.finfo(numpy.float32).min), score)
        share = g.op("Reshape", g.op("Softmax", score, axis=-1), g.op("Concat", g.constant([-1]), run.length, run.length, axis=0))
        mixed = g.op("Reshape", g.op("MatMul", share, v), g.op("Concat", g.constant([-1]), g.constant([s.heads]), run.length, g.constant([s.head]), axis=0))
        mixed = g.op("Reshape", g.op("Transpose", mixed, perm=[0, 2, 1, 3]), g.op("Concat", run.batch, run.length, g.constant([s.hidden]), axis=0))
        return self.norm(g.op("Add", self.linear(mixed, self.matrix(f"layer{layer}.output", s.hidden, s.hidden)), x))

    def feed_forward(self, x, layer):
        g, s = self.g, self.s
        inner = self.gelu(self.linear(x, self.matrix(f"layer{layer}.intermediate", s.hidden, s.intermediate)))
        return self.norm(g.op("Add", self.linear(inner, self.matrix(f"layer{layer}.down", s.intermediate, s.hidden)), x))

    def build(self):
        """The whole model: input_ids and attention_mask [batch, length] to logits [batch, labels]."""
        g, s = self.g, self.s
        ids, mask = "input_ids", "attention_mask"
        run = Run(self, ids, mask)
        x = g.op("Mul", self.norm(self.embedding(ids)), g.op("Unsqueeze", g.op("Cast", mask, to=TensorProto.FLOAT), g.constant([2])))
        for layer in range(s.layers):
            x = self.feed_forward(self.attention(x, layer, run), layer)
        first = g.op("Gather", x, g.constant(0), axis=1)
        dense = lambda v, columns: g.op("Gemm", v, g.store(g.random(columns, s.hidden, deviation=1 / numpy.sqrt(s.hidden))),
                                        g.store(g.random(columns, deviation=0.02)), transB=1)
        logits = dense(self.gelu(dense(first, s.hidden)), s.labels)
        g.nodes.append(helper.make_node("Identity", [logits], ["logits"]))
        value = lambda name, kind, *dims: helper.make_tensor_value_info(name, kind, list(dims))
        graph = helper.make_graph(
            g.nodes, "deberta-v2-classifier", [value(n, TensorProto.INT64, "batch_size", "sequence_length") for n in (ids, mask)],
            [value("logits", TensorProto.FLOAT, "batch_size", s.labels)], g.weights)
        return helper.make_model(graph, producer_name="sallyport-shape", ir_version=8, opset_imports=[helper.make_opsetid("", OPSET)])


class Run:
    """What all layers share: sizes, masks and relative positions."""

    def __init__(self, net, ids, mask):
        g, s = net.g, net.s
        shape = g.op("Shape", ids)
        size = lambda axis: g.op("Gather", shape, g.constant(axis), axis=0)
        length = size(1)
        self.batch, self.length = g.op("Unsqueeze", size(0), g.constant([0])), g.op("Unsqueeze", length, g.constant([0]))
        row = g.op("Unsqueeze", mask, g.constant([1, 2]))
        column = g.op("Unsqueeze", g.op("Squeeze", row, g.constant([2])), g.constant([3]))
        self.hidden_pairs = g.op("Not", g.op("Cast", g.op("Mul", row, column), to=TensorProto.BOOL))
        bucket = net.relative_buckets(length)
        limit = lambda b: g.op("Clip", g.op("Add", b, g.constant(s.buckets)), g.constant(0), g.constant(2 * s.buckets - 1))
        self.content_to_position, self.position_to_content = limit(bucket), limit(g.op("Neg", bucket))
        table = net.norm(g.store(g.random(2 * s.buckets, s.hidden, deviation=0.5), "relative_embeddings"))
        self.relative = g.op("Unsqueeze", table, g.constant([0]))
        self.expanded = g.op("Concat", g.op("Mul", self.batch, g.constant([s.heads])), self.length, self.length, axis=0)
