"""A small builder of ONNX graphs: nodes are made in order and named by their operator."""

import numpy
from onnx import helper, numpy_helper


class Graph:
    """Collects nodes and weights. Values are passed around by name."""

    def __init__(self, seed):
        self.nodes, self.weights = [], []
        self._random = numpy.random.default_rng(seed)
        self._constants, self._shared, self._count = {}, {}, 0

    def _name(self, prefix):
        self._count += 1
        return f"{prefix}_{self._count}"

    def op(self, kind, *inputs, outputs=1, **attributes):
        """Adds a node and returns the name of its output, or the names of several."""
        names = [self._name(kind) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, value, kind=numpy.int64):
        """The name of a constant; equal constants are one."""
        array = numpy.array(value, dtype=kind)
        key = (array.tobytes(), array.dtype.str, array.shape)
        if key not in self._constants:
            self._constants[key] = self.store(array)
        return self._constants[key]

    def real(self, value):
        return self.constant(value, numpy.float32)

    def store(self, array, name=None):
        name = name or self._name("weight")
        self.weights.append(numpy_helper.from_array(numpy.asarray(array, order="C"), name))
        return name

    def random(self, *shape, deviation=None):
        """Normal weights; the default deviation keeps a matrix product at unit variance."""
        deviation = deviation if deviation is not None else 1 / numpy.sqrt(shape[0])
        return self._random.standard_normal(shape, dtype=numpy.float32) * numpy.float32(deviation)

    def once(self, key, make):
        """The value made for key the first time it was asked for."""
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]


def quantise(array):
    """Symmetric signed 8-bit values of a whole tensor, and their scale."""
    scale = numpy.float32(max(float(numpy.abs(array).max()), 1e-8) / 127)
    return numpy.clip(numpy.rint(array / scale), -127, 127).astype(numpy.int8), scale
