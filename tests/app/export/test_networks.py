"""Networks as ONNX and C: the same predictions as ours, layer by layer and through the command's checks."""

from __future__ import annotations

import numpy as np
import pytest

import learnable as L
from learnable import DataError
from learnable.app.export.c_file import run as run_c
from learnable.app.export.convert import convert_model, convert_to_sql
from learnable.app.export.network_c import network_in_c
from learnable.app.export.network_steps import network_steps
from learnable.app.export.onnx_file import run as run_onnx
from learnable.parts.layers.layer import ACTIVATIONS

from .test_sql import deployed, table, targets

FAST = {"max_iter": 3, "random_state": 0, "schedule": "cosine"}
IMAGE = [
    L.Conv(3, 3, "relu", padding="same"), L.BatchNorm(), L.MaxPool(3, 2, padding=1, crop=True),
    L.Residual([L.Conv(3, 1, "tanh")]), L.AveragePool(2, 1), L.Dropout(0.2), L.Flatten(), L.Dense(5, "mish"),
]  # fmt: skip
MODELS = {
    "MLPClassifier": (lambda: L.MLPClassifier((8, 4), max_iter=3, random_state=0), "multi-class"),
    "MLPClassifier tanh": (lambda: L.MLPClassifier((8,), activation="tanh", max_iter=3, random_state=0), "binary"),
    "MLPRegressor": (lambda: L.MLPRegressor(hidden_layer_sizes=(8,), max_iter=3, random_state=0), "regression"),
    "Poisson": (lambda: L.NetworkRegressor([L.Dense(6, "elu")], loss="poisson", **FAST), "regression"),
    "NetworkClassifier": (lambda: L.NetworkClassifier([L.Dense(8, "selu")], precision="float64", **FAST), "binary"),
}


@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
@pytest.mark.parametrize("form", ["onnx", "c"])
@pytest.mark.parametrize("name", MODELS)
def test_converted_networks_agree_with_ours(name, form):
    make, task = MODELS[name]
    columns, model = table(), make()
    y = targets(columns, task)
    predictor, frame = deployed(model, task, np.exp(y / 4) if name == "Poisson" else y, columns)
    made = convert_model(predictor, form, frame)
    assert made.rows == 200 and ("same bits" in made.agreement or "within" in made.agreement)


def images(layers, outputs, **settings):
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(60, 6 * 7 * 2)), np.arange(60) % outputs
    return L.NetworkClassifier(layers, (6, 7, 2), precision="float64", **FAST, **settings).fit(X, y), X


def in_c(model, X):
    network = network_steps(model)
    arrays, lines = network_in_c(network)
    code = f"#include <math.h>\n{arrays}\nvoid predict(const double *z, double *out) {{\n{lines}\n}}"
    return run_c(code, X, network.outputs)


def in_onnx(model, X):
    import onnx

    from learnable.app.export.network_onnx import OnnxNetwork
    from learnable.app.export.onnx_file import OUTPUT, OnnxGraph

    graph, network = OnnxGraph(), network_steps(model)
    graph.add("Identity", [OnnxNetwork(graph).write(network, "X")], OUTPUT)
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, [None, None]) for name in ("X", OUTPUT)]
    made = onnx.helper.make_graph(graph.nodes, "network", ends[:1], ends[1:], graph.constants)
    versions = [onnx.helper.make_opsetid("", 21)]
    return run_onnx(onnx.helper.make_model(made, opset_imports=versions, ir_version=10).SerializeToString(), X)


@pytest.mark.parametrize("run", [in_c, in_onnx])
@pytest.mark.parametrize("outputs", [2, 3])
def test_convolutions_pools_and_residuals_agree(run, outputs):
    model, X = images(IMAGE, outputs)
    np.testing.assert_allclose(run(model, X), model.predict_proba(X), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("run", [in_c, in_onnx])
def test_every_activation_agrees(run):
    for name in ACTIVATIONS:
        layers = [L.Flatten(), L.Dense(4, name), L.GaussianNoise(0.1), L.Dense(3)]
        model, X = images(layers, 3)
        tolerance = 1e-6 if name == "gelu" and run is in_onnx else 1e-11
        np.testing.assert_allclose(run(model, X), model.predict_proba(X), rtol=tolerance, err_msg=name)


def test_what_cannot_be_converted_is_refused():
    columns = table()
    predictor, _ = deployed(L.NetworkClassifier([L.LayerNorm()], **FAST), "binary", targets(columns, "binary"), columns)
    with pytest.raises(DataError, match="layer LayerNorm"):
        convert_model(predictor, "c")
    predictor, _ = deployed(L.NetworkClassifier([], **FAST), "binary", targets(columns, "binary"), columns)
    with pytest.raises(DataError, match="cannot be converted to SQL"):
        convert_to_sql(predictor)
