"""Tensors and gradients against differences, closed forms and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf, expit

from learnable import DataError, ParameterError
from learnable.tape import (
    Graph,
    Tensor,
    check_gradient,
    concatenate,
    count_operations,
    grad,
    hessian_vector_product,
    tensor,
    value_and_gradient,
)

draws = np.random.default_rng(0)
A, B = draws.normal(size=(3, 4)), draws.normal(size=(3, 4))
POSITIVE = np.abs(A) + 0.5
OPERATIONS = {
    "add": (lambda x: x + B, A), "add a row": (lambda x: x + B[0], A), "row added": (lambda x: A + x, B[:1]),
    "subtract": (lambda x: B - x, A), "column subtracted": (lambda x: A - x, B[:, :1]),
    "multiply": (lambda x: x * B * x, A), "number": (lambda x: x * A, np.array(2.0)),
    "divide": (lambda x: B / x, POSITIVE), "divided": (lambda x: x / POSITIVE, A),
    "power": (lambda x: x**3, A), "power of a tensor": (lambda x: x**x, POSITIVE), "negative": (lambda x: -x, A),
    "absolute": (abs, A), "exp": (np.exp, A), "log": (np.log, POSITIVE), "sqrt": (np.sqrt, POSITIVE),
    "sin": (np.sin, A), "cos": (np.cos, A), "tanh": (np.tanh, A), "logistic": (lambda x: x.logistic(), A),
    "softplus": (lambda x: x.softplus(), A), "erf": (lambda x: x.erf(), A), "relu": (lambda x: x.relu(), A),
    "maximum": (lambda x: np.maximum(x, B), A), "minimum": (lambda x: x.minimum(B), A),
    "where": (lambda x: x.where(B > 0, 2 * x), A), "matmul": (lambda x: x @ B.T, A),
    "matmul right": (lambda x: B.T @ x, A),
    "matmul of vectors": (lambda x: x @ x, A[0]), "matrix times vector": (lambda x: B @ x, A[0]),
    "matmul of stacks": (lambda x: draws3 @ x, A), "sum": (lambda x: x.sum(0), A), "mean": (lambda x: x.mean(1), A),
    "mean kept": (lambda x: x - x.mean(1, keepdims=True), A), "max": (lambda x: x.max(1), A),
    "softmax": (lambda x: x.softmax(), A), "log_softmax": (lambda x: x.log_softmax(0), A),
    "reshape": (lambda x: x.reshape(2, 6), A), "transpose": (lambda x: x.T @ x, A),
    "index": (lambda x: x[[0, 2, 2], 1:], A), "scatter": (lambda x: x[0].scatter(np.array([1, 1, 0, 2]), (5,)), A),
    "pad": (lambda x: x.pad([(1, 0), (0, 2)]) ** 2, A), "concatenate": (lambda x: concatenate([x, B, x], 1) ** 2, A),
    "broadcast": (lambda x: x.broadcast_to((5, 3, 4)), A), "astype": (lambda x: x.astype(np.float64), A),
}  # fmt: skip
draws3 = draws.normal(size=(2, 5, 3))


@pytest.mark.parametrize("name", OPERATIONS)
def test_first_and_second_derivatives_agree_with_differences(name):
    operation, at = OPERATIONS[name]
    weights = np.random.default_rng(1).normal(size=np.shape(operation(Tensor(at)).value))

    def total(x):
        return (operation(x if isinstance(x, Tensor) else Tensor(x)) * weights).sum()

    assert check_gradient(total, at).largest_error < 1e-7
    direction = np.random.default_rng(2).normal(size=at.shape)
    along = (grad(total)(at + 1e-5 * direction) - grad(total)(at - 1e-5 * direction)) / 2e-5
    np.testing.assert_allclose(hessian_vector_product(total, at, direction), along, rtol=1e-6, atol=1e-7)


def test_values_are_those_of_numpy():
    x = Tensor(A)
    np.testing.assert_allclose(x.logistic().value, expit(A), rtol=1e-14)
    np.testing.assert_array_equal(x.erf().value, erf(A))
    np.testing.assert_allclose(Tensor([-800.0, 800.0]).softplus().value, [0, 800])
    np.testing.assert_allclose(Tensor([-1e3, 1e3]).log_softmax().value, [-2e3, 0])
    np.testing.assert_array_equal((x @ B.T).value, A @ B.T)


def test_a_wrong_gradient_is_found():
    check = check_gradient(lambda w: (w**2).sum(), A, gradient=2 * A + 1e-3)
    assert not check.holds and check.largest_error > 1e-4 and "WRONG" in str(check)
    assert check_gradient(lambda w: (w**2).sum(), A, gradient=2 * A).holds


def test_the_verdict_does_not_depend_on_the_rounding_of_large_weights():
    check = check_gradient(lambda w: (1e-6 * w).sum(), np.array([1e6]))
    assert check.holds and "right" in str(check)
    assert not check_gradient(lambda w: (1e-6 * w).sum(), np.array([1e6]), gradient=np.array([1.01e-6])).holds


def test_checks_name_the_entries_of_several_arrays():
    check = check_gradient(lambda w: w["a"].sum() * w["b"], {"a": A[0], "b": np.array(2.0)})
    assert check.names == [f"array 0 [{k}]" for k in range(4)] + ["array 1 value"]
    assert check.holds
    np.testing.assert_allclose(check.weight_difference, [2, 2, 2, 2, A[0].sum()])


def test_third_derivatives():
    derivative = grad(grad(grad(lambda x: (2 * x).sin())))
    np.testing.assert_allclose(derivative(0.3), -8 * np.cos(0.6))


def test_deep_graphs_need_no_recursion():
    x = Tensor(1.0)
    y = x
    for _ in range(20_000):
        y = y + x * 0.001
    assert y.backward()[x].value == pytest.approx(21.0)
    assert hessian_vector_product(lambda x: long_product(x, 3000), 1.0, 1.0) == pytest.approx(3000 * 2999)


def long_product(x, depth):
    y = x
    for _ in range(depth - 1):
        y = y * x
    return y


def test_nothing_accumulates():
    x = Tensor(3.0)
    y = x * x
    assert [float(y.backward()[x]) for _ in range(3)] == [6.0, 6.0, 6.0]
    assert float((y + x).backward()[x]) == 7.0
    assert float(y.backward()[Tensor(1.0)]) == 0.0
    assert x in y.backward() and Tensor(1.0) not in y.backward()


def test_a_node_that_is_used_twice_gets_both_parts():
    x = Tensor(2.0)
    v = x.exp()
    assert float((v * v + v).backward()[v]) == pytest.approx(2 * np.exp(2) + 1)


def test_values_and_gradients_of_structures():
    weights = {"W": [A, B], "b": (np.array(1.0),)}
    value, gradient = value_and_gradient(lambda w: (w["W"][0] * w["W"][1]).sum() + w["b"][0] ** 2)(weights)
    assert value == pytest.approx((A * B).sum() + 1)
    np.testing.assert_array_equal(gradient["W"][0], B)
    np.testing.assert_array_equal(gradient["W"][1], A)
    assert gradient["b"][0] == 2
    second = value_and_gradient(lambda x, y: (x * y).sum(), argument=1)(A, B)[1]
    np.testing.assert_array_equal(second, A)


def test_the_backpropagation_of_a_layer_in_matrix_form():
    """Z = X W + b: dX = dZ W', dW = X' dZ, db = 1' dZ."""
    X, W, b, dZ = (draws.normal(size=shape) for shape in ((5, 3), (3, 2), (2,), (5, 2)))
    tensors = [Tensor(part) for part in (X, W, b)]
    gradients = (tensors[0] @ tensors[1] + tensors[2]).backward(dZ)
    for node, by_hand in zip(tensors, (dZ @ W.T, X.T @ dZ, dZ.sum(0)), strict=True):
        np.testing.assert_allclose(gradients[node].value, by_hand, rtol=1e-13)


def test_softmax_with_cross_entropy_has_the_residual_as_gradient():
    scores, codes = Tensor(draws.normal(size=(6, 3))), np.array([0, 2, 1, 1, 0, 2])
    loss = -scores.log_softmax()[np.arange(6), codes].mean()
    expected = np.exp(scores.value) / np.exp(scores.value).sum(1, keepdims=True) - np.eye(3)[codes]
    np.testing.assert_allclose(loss.backward()[scores].value, expected / 6, rtol=1e-13, atol=1e-16)


def test_tensors_from_lists_arrays_and_shapes():
    """The worked tensors of the course."""
    x = tensor([[1, 2], [True, False], [0.5, 3.2]])
    assert x.dtype == np.float32 and x.shape == (3, 2) and x.device == "cpu" and x.ndim == 2 and x.size == 6
    np.testing.assert_allclose(x.value, [[1, 2], [1, 0], [0.5, 3.2]], rtol=1e-7)
    array = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float64)
    shared = tensor(array)
    assert shared.dtype == np.float64 and np.shares_memory(shared.numpy(), array)
    like = x.ones_like(np.int32)
    assert like.dtype == np.int32 and like.shape == (3, 2) and (like.value == 1).all()
    assert (x.zeros_like().value == 0).all() and x.zeros_like().dtype == np.float32
    drawn = Tensor.random((2, 3, 4), random_state=0)
    assert drawn.shape == (2, 3, 4) and drawn.dtype == np.float32 and drawn.device == "cpu"
    assert 0 <= drawn.value.min() < drawn.value.max() < 1
    np.testing.assert_array_equal(drawn.value, Tensor.random((2, 3, 4), random_state=0).value)
    assert x.random_like(0).shape == x.shape and abs(Tensor.normal(9999, 0).value.std() - 1) < 0.05
    assert Tensor.zeros(3).shape == (3,) and Tensor.ones((2, 2)).value.sum() == 4
    assert tensor(x).value is x.value and x.to("cpu") is x and len(x) == 3
    assert tensor([1, 2]).dtype == np.int64 and tensor([1, 2], dtype=np.float64).dtype == np.float64


def test_tensor_operations_of_the_course():
    values = np.ones((4, 4))
    values[:, 1] = 0
    x = tensor(values)
    assert ((x @ x.T).value == 3).all() and ((x * x).value == values).all()
    assert concatenate([x, x, x], 1).shape == (4, 12) and concatenate([x, x]).shape == (8, 4)
    np.testing.assert_array_equal(x[0].value, [1, 0, 1, 1])
    np.testing.assert_array_equal(x[:, 1].value, np.zeros(4))
    assert float(x[..., -1][0]) == 1 and float(x.sum()) == 12


def test_types_are_promoted_as_numpy_does():
    single = tensor([1.0, 2.0])
    assert (single * 2.5).dtype == np.float32 and (1 / single).dtype == np.float32
    assert (single + np.ones(2)).dtype == np.float64
    assert (tensor([1, 2]) * 0.5).dtype == np.float64 and (tensor([1, 2]) + 1).dtype == np.int64
    assert (single * single).sum().backward()[single].dtype == np.float32


def test_operations_are_counted():
    """A layer of m inputs and d units takes in the order of m d + m operations forward, and as many back."""
    for inputs, units in ((10, 5), (40, 20)):
        counts = count_operations(
            lambda w, inputs=inputs: ((np.ones((1, inputs)) @ w[0] + w[1]).tanh()).sum(),
            [np.ones((inputs, units)), np.ones(units)],
        )
        assert counts.forward == {"matmul": 2 * inputs * units, "add": units, "tanh": units, "sum": units}
        assert counts.backward["matmul"] == 2 * inputs * units
        assert counts.total_backward < 2 * counts.total_forward
    assert count_operations(lambda w: (w @ np.ones(3)) ** 2, np.ones(3)).backward["matmul"] == 6


def test_the_graph_by_hand():
    """f = (x + y) z at x = -2, y = 5, z = -4: the gradient is (z, z, x + y)."""
    x, y, z = Tensor(-2.0), Tensor(5.0), Tensor(-4.0)
    graph = Graph((x + y) * z, {"x": x, "y": y, "z": z})
    assert [(node.name, float(node.value), float(node.gradient)) for node in graph.nodes] == [
        ("x", -2, -4), ("y", 5, -4), ("z", -4, 3), ("v1", 3, -4), ("v2", -12, 1),
    ]  # fmt: skip
    lines = str(graph).splitlines()
    assert lines[4].split() == ["v1", "add(x,", "y)", "3", "-4"] and len(lines) == 6
    assert "array (30, 2)" in str(Graph(Tensor(np.ones((30, 2))).sum()))
    assert "multiply(x1, 3)" in str(Graph(Tensor(2.0) * 3))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tensor([[1.0], [1.0, 2.0]]), "rows must be equally long"),
        (lambda: tensor(["a"]), "values must be numbers"),
        (lambda: Tensor(A) + "a", "operands must be numbers"),
        (lambda: Tensor(A).backward(), "starts at a single number"),
        (lambda: grad(lambda x: x)(A), "must return a single number"),
        (lambda: grad(lambda x: x, 1)(A), "argument is 1"),
        (lambda: grad(lambda x: x)("text"), "must be numbers"),
        (lambda: hessian_vector_product(lambda x: x.sum(), A, A[0]), "must have the shape of x"),
        (lambda: check_gradient(lambda x: x.sum(), A, gradient=A[0]), "gradient must have the shapes"),
        (lambda: check_gradient(lambda x: x.sum(), A, argument=2), "argument is 2"),
        (lambda: Graph(A), "output must be a tensor"),
    ],
)
def test_errors_name_the_function_and_the_remedy(call, words):
    with pytest.raises(DataError, match=words):
        call()


def test_there_is_one_device():
    with pytest.raises(ParameterError, match='device must be "cpu"'):
        Tensor(A).to("cuda")
