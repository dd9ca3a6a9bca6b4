"""The steps of a network as C: plain loops, and an array for each of its weights."""

from __future__ import annotations

from ...core import Array
from ...tree._export_c import c_number
from .network_onnx import SELU_ALPHA, SELU_SCALE
from .network_steps import NetworkStep, NetworkSteps

ACTIVATIONS = {
    "identity": "v", "logistic": "1 / (1 + exp(-v))", "tanh": "tanh(v)", "relu": "v > 0 ? v : 0",
    "leaky_relu": "v > 0 ? v : {alpha} * v", "elu": "v > 0 ? v : {alpha} * (exp(v) - 1)",
    "selu": f"{c_number(SELU_SCALE)} * (v > 0 ? v : {c_number(SELU_ALPHA)} * (exp(v) - 1))",
    "gelu": "v * 0.5 * erfc(-v * 0.70710678118654752440)", "silu": "v / (1 + exp(-v))",
    "mish": "v * tanh((v > 0 ? v : 0) + log1p(exp(-fabs(v))))", "softplus": "(v > 0 ? v : 0) + log1p(exp(-fabs(v)))",
}  # fmt: skip
LINKS = {
    "none": "",
    "exp": "  for (int j = 0; j < {n}; ++j) out[j] = exp(out[j]);",
    "logistic": "  for (int j = 0; j < {n}; ++j) out[j] = 1 / (1 + exp(-out[j]));",
    "pair": "  out[1] = 1 / (1 + exp(-out[0]));\n  out[0] = 1 - out[1];",
    "softmax": """  double most = out[0], sum = 0;
  for (int j = 1; j < {n}; ++j) if (out[j] > most) most = out[j];
  for (int j = 0; j < {n}; ++j) sum += out[j] = exp(out[j] - most);
  for (int j = 0; j < {n}; ++j) out[j] /= sum;""",
}


def network_in_c(network: NetworkSteps) -> tuple[str, str]:
    """The arrays of the network with the space for its values, and the statements from `z` to `out`."""
    arrays, lines = [], []
    for number, step in enumerate(network.steps):
        arrays += _arrays(number, step)
        arrays.append(f"static double value_{number}[{step.outputs}];")
        lines.append(_loop(number, step))
    last, count = len(network.steps) - 1, network.steps[-1].outputs
    lines.append(f"  for (int j = 0; j < {count}; ++j) out[j] = value_{last}[j];")
    pair = network.link == "logistic" and network.outputs != count
    lines.append(LINKS["pair" if pair else network.link].format(n=count))
    return "\n".join(arrays), "\n".join(lines)


def _arrays(number: int, step: NetworkStep) -> list[str]:
    found = []
    for name, values in (("weight", step.weights), ("shift", step.intercept)):
        if values is not None:
            found.append(
                f"static const double {name}_{number}[] = {{{', '.join(map(c_number, values.ravel().tolist()))}}};"
            )
    if step.index is not None:
        found.append(f"static const int index_{number}[] = {{{', '.join(map(str, step.index.ravel().tolist()))}}};")
    return found


def _loop(number: int, step: NetworkStep) -> str:
    x = f"value_{number - 1}" if number else "z"
    to, size = f"value_{number}", step.outputs
    if step.kind == "add":
        other = f"value_{step.source - 1}" if step.source else "z"
        return f"  for (int j = 0; j < {size}; ++j) {to}[j] = {x}[j] + {other}[j];"
    if step.kind == "affine":
        return f"  for (int j = 0; j < {size}; ++j) {to}[j] = {x}[j] * weight_{number}[j] + shift_{number}[j];"
    if step.kind == "dense":
        return f"""  for (int j = 0; j < {size}; ++j) {{
    {to}[j] = shift_{number}[j];
    for (int k = 0; k < {step.inputs}; ++k) {to}[j] += {x}[k] * weight_{number}[k * {size} + j];
  }}"""
    if step.index is None:
        made = ACTIVATIONS[step.kind].format(alpha=c_number(step.alpha))
        return f"  for (int j = 0; j < {size}; ++j) {{\n    const double v = {x}[j];\n    {to}[j] = {made};\n  }}"
    return _window_loop(number, step, step.index, x, to)


def _window_loop(number: int, step: NetworkStep, index: Array, x: str, to: str) -> str:
    windows, values = index.shape
    at = f"index_{number}[p * {values} + k]"
    if step.weights is not None:
        units = step.weights.shape[1]
        return f"""  for (int p = 0; p < {windows}; ++p)
    for (int j = 0; j < {units}; ++j) {{
      double sum = shift_{number}[j];
      for (int k = 0; k < {values}; ++k)
        if ({at} >= 0) sum += {x}[{at}] * weight_{number}[k * {units} + j];
      {to}[p * {units} + j] = sum;
    }}"""
    start, use = ("-HUGE_VAL", "if (v > sum) sum = v") if step.kind == "largest" else ("0", "sum += v")
    end = "sum" if step.kind == "largest" else f"sum / {values}"
    return f"""  for (int p = 0; p < {windows}; ++p) {{
    double sum = {start};
    for (int k = 0; k < {values}; ++k)
      if ({at} >= 0) {{
        const double v = {x}[{at}];
        {use};
      }}
    {to}[p] = {end};
  }}"""
