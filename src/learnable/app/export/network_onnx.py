"""The steps of a network as nodes of an ONNX graph, in double precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .network_steps import NetworkStep, NetworkSteps

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
PADDING_OF_MAXIMUM = -1e300  # beyond the border of a window, for the largest value


class OnnxNetwork:
    """Writes the nodes of a network into a graph."""

    def __init__(self, graph: Any) -> None:
        self.graph, self.count = graph, 0

    def add(self, operator: str, *inputs: str, **more: Any) -> str:
        """A node with a new name."""
        self.count += 1
        name: str = self.graph.add(operator, list(inputs), f"network_{self.count}", **more)
        return name

    def number(self, value: Any, dtype: Any = np.float64) -> str:
        """A constant with a new name."""
        self.count += 1
        name: str = self.graph.constant(f"network_{self.count}", np.asarray(value, dtype=dtype))
        return name

    def write(self, network: NetworkSteps, entry: str) -> str:
        """All steps and the link; the name of the output."""
        values = [entry]
        for step in network.steps:
            values.append(self._step(step, values))
        last = values[-1]
        if network.link == "softmax":
            return self.add("Softmax", last, axis=1)
        if network.link == "exp":
            return self.add("Exp", last)
        if network.link == "logistic":
            share = self.add("Sigmoid", last)
            if network.outputs == network.steps[-1].outputs:
                return share
            return self.add("Concat", self.add("Sub", self.number([1.0]), share), share, axis=1)
        return last

    def _step(self, step: NetworkStep, values: list[str]) -> str:
        x = values[-1]
        if step.kind == "add":
            return self.add("Add", x, values[step.source])
        if step.kind == "dense":
            return self.add("Gemm", x, self.number(step.weights), self.number(step.intercept))
        if step.kind == "affine":
            return self.add("Add", self.add("Mul", x, self.number(step.weights)), self.number(step.intercept))
        if step.index is None:
            return self._activation(step.kind, x, step.alpha)
        windows = self._windows(step, x)
        if step.kind == "largest":
            return self.add("ReduceMax", windows, self.number([2], np.int64), keepdims=0)
        if step.kind == "mean":
            return self.add("ReduceMean", windows, self.number([2], np.int64), keepdims=0)
        made = self.add("Add", self.add("MatMul", windows, self.number(step.weights)), self.number(step.intercept))
        return self.add("Reshape", made, self.number([-1, step.outputs], np.int64))

    def _windows(self, step: NetworkStep, x: str) -> str:
        """The values of windows: (rows, windows, values)."""
        assert step.index is not None
        outside = self.number(PADDING_OF_MAXIMUM if step.kind == "largest" else 0.0)
        padded = self.add("Pad", x, self.number([0, 0, 0, 1], np.int64), outside)
        index = np.where(step.index < 0, step.inputs, step.index)
        picked = self.add("Gather", padded, self.number(index.ravel(), np.int64), axis=1)
        return self.add("Reshape", picked, self.number([-1, *index.shape], np.int64))

    def _activation(self, kind: str, x: str, alpha: float) -> str:
        plain = {"identity": "Identity", "logistic": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}
        if kind in plain:
            return self.add(plain[kind], x)
        if kind == "leaky_relu":
            return self._where_positive(x, x, self._times(x, alpha))
        if kind in ("elu", "selu"):
            below = self.add("Min", x, self.number([0.0]))
            away = self.add("Sub", self.add("Exp", below), self.number([1.0]))
            found = self._where_positive(x, x, self._times(away, SELU_ALPHA if kind == "selu" else alpha))
            return self._times(found, SELU_SCALE) if kind == "selu" else found
        if kind == "silu":
            return self.add("Mul", x, self.add("Sigmoid", x))
        if kind == "gelu":  # onnxruntime has the error function in single precision alone
            from onnx import TensorProto

            single = self.add("Cast", self._times(x, math.sqrt(0.5)), to=TensorProto.FLOAT)
            erf = self.add("Cast", self.add("Erf", single), to=TensorProto.DOUBLE)
            return self._times(self.add("Mul", x, self.add("Add", erf, self.number([1.0]))), 0.5)
        soft = self._softplus(x)
        return soft if kind == "softplus" else self.add("Mul", x, self.add("Tanh", soft))

    def _softplus(self, x: str) -> str:
        small = self.add("Exp", self.add("Neg", self.add("Abs", x)))
        return self.add("Add", self.add("Relu", x), self.add("Log", self.add("Add", small, self.number([1.0]))))

    def _where_positive(self, x: str, yes: str, no: str) -> str:
        return self.add("Where", self.add("Greater", x, self.number([0.0])), yes, no)

    def _times(self, x: str, factor: float) -> str:
        return self.add("Mul", x, self.number([factor]))
