"""Forces of layouts against naive sums over all pairs."""

import numpy as np
import pytest

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.layout.repulsion import GridRepulsion


def positions(rows=150, columns=2, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, columns)) * 5


def naive_repulsion(Y, dof):
    away = Y[:, None] - Y[None]
    s = (away**2).sum(axis=2)
    q = (1 + s / dof) ** (-(dof + 1) / 2)
    force = (q / (1 + s / dof))[:, :, None] * away
    return q.sum() - len(Y), force.sum(axis=1)


@pytest.mark.parametrize("dof", [1.0, 2.5])
@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_exact_repulsion(columns, dof):
    Y = positions(columns=columns)
    force = np.empty_like(Y)
    total, expected = naive_repulsion(Y, dof)
    assert kernels.student_repulsion(Y, dof, 0.0, force) == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(force, expected, atol=1e-10)


@pytest.mark.parametrize("dof", [1.0, 2.5])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_repulsion_by_a_tree_converges_to_the_exact_one(columns, dof):
    Y = positions(400, columns)
    Y[10:20] = Y[9]  # equal points share a leaf at the last level
    total, expected = naive_repulsion(Y, dof)
    force, errors = np.empty_like(Y), []
    for angle in (0.8, 0.4, 1e-9):
        found = kernels.student_repulsion(Y, dof, angle, force)
        errors.append(np.abs(force - expected).max() / np.abs(expected).max() + abs(found / total - 1))
    assert errors[0] < 0.15 and errors[1] < 0.02 and errors[2] < 1e-12
    assert errors[0] > errors[2], "a wide angle must approximate"


@pytest.mark.parametrize("dof", [1.0, 2.0])
def test_repulsion_on_a_grid_is_near_the_exact_one(dof):
    Y = positions(500) * 3
    force = np.empty_like(Y)
    total, expected = naive_repulsion(Y, dof)
    for boxes, allowed in ((1.0, 0.15), (4.0, 5e-3)):
        assert GridRepulsion(dof, boxes)(Y, force) == pytest.approx(total, rel=allowed)
        assert np.abs(force - expected).max() < allowed * np.abs(expected).max()


def test_attraction_and_its_sum():
    Y, rng = positions(80), np.random.default_rng(1)
    P = rng.random((80, 80)) * (rng.random((80, 80)) < 0.1)
    start, index = np.concatenate([[0], np.cumsum((P > 0).sum(axis=1))]), np.ascontiguousarray(np.nonzero(P)[1])
    force = np.empty_like(Y)
    for dof in (1.0, 3.0):
        total = kernels.student_attraction(start, index, P[P > 0], Y, dof, True, force)
        away = Y[:, None] - Y[None]
        s = (away**2).sum(axis=2)
        np.testing.assert_allclose(force, ((P / (1 + s / dof))[:, :, None] * away).sum(axis=1), atol=1e-12)
        assert total == pytest.approx((P * -(dof + 1) / 2 * np.log(1 + s / dof)).sum(), rel=1e-12)


def test_new_points_end_where_their_divergence_is_least():
    fixed, rng = positions(60), np.random.default_rng(2)
    near = np.array([[3, 7, 11]])
    p = np.array([[0.5, 0.3, 0.2]])
    Y = fixed[near[0]].mean(axis=0, keepdims=True)
    kernels.student_place(fixed, near, p, 1.0, 0.0, 2000, 0.0, Y)

    def divergence(y):
        q = 1 / (1 + ((y - fixed) ** 2).sum(axis=1))
        return -(p[0] * np.log(q[near[0]] / q.sum())).sum()

    here = divergence(Y[0])
    assert all(divergence(Y[0] + 0.05 * rng.standard_normal(2)) > here - 1e-9 for _ in range(100))


def sampled(epoch=0, **changes):
    loss = {"a": 1.5, "b": 0.9, "repulsion": 1.0, "negatives": 0, "factor": 2.0, "seed": 1, "epoch": epoch,
            "by_head": True, "with_loss": True}  # fmt: skip
    return {**loss, **changes}


def test_sampled_attraction_is_the_gradient_of_the_edges_that_are_due():
    Y = positions(4) * 0.2
    start, index = np.array([0, 1, 2, 2, 2]), np.array([1, 0])
    gradient = np.empty_like(Y)
    for epoch, due in ((0, False), (1, True), (2, False), (3, True)):
        kernels.sampled_gradient(start, index, np.array([0.5, 0.5]), Y, Y, sampled(epoch), gradient)
        s = ((Y[0] - Y[1]) ** 2).sum()
        inner = 2 * 1.5 * 0.9 * s ** (0.9 - 1) / (1 + 1.5 * s**0.9)
        expected = 2 * np.clip(inner * (Y[0] - Y[1]), -4, 4) if due else np.zeros(2)
        np.testing.assert_allclose(gradient[0], expected, rtol=1e-12)
        np.testing.assert_allclose(gradient[1], -expected, rtol=1e-12)
        assert not gradient[2:].any()


def test_the_sampled_loss():
    Y = positions(2) * 0.2
    start, index, gradient = np.array([0, 1, 1]), np.array([1]), np.empty_like(Y)
    s = ((Y[0] - Y[1]) ** 2).sum()
    found = kernels.sampled_gradient(start, index, np.ones(1), Y, Y, sampled(), gradient)
    assert found == pytest.approx(np.log1p(1.5 * s**0.9), rel=1e-12)
    before = gradient.copy()
    assert kernels.sampled_gradient(start, index, np.ones(1), Y, Y, sampled(with_loss=False), gradient) == 0
    np.testing.assert_array_equal(gradient, before)


def test_random_points_push_on_average_as_all_points_do():
    Y = positions(50) * 0.3
    start, index = np.array([0] + [1] * 50), np.array([1])
    total, gradient = np.zeros(2), np.empty_like(Y)
    for epoch in range(4000):
        kernels.sampled_gradient(start, index, np.ones(1), Y, Y, sampled(epoch, factor=0.0, negatives=1), gradient)
        total += gradient[0]
    away = Y[0] - Y[1:]
    s = (away**2).sum(axis=1)
    push = np.clip((2 * 0.9 / ((0.001 + s) * (1 + 1.5 * s**0.9)))[:, None] * away, -4, 4)
    np.testing.assert_allclose(total / 4000, -push.sum(axis=0) / 50, atol=0.05)


def test_bits_do_not_depend_on_threads():
    Y = positions(3000)
    start, index = np.arange(3001), np.roll(np.arange(3000), 1)
    seen, force = set(), np.empty_like(Y)
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            bits = []
            for run in (
                lambda: kernels.student_repulsion(Y, 1.0, 0.5, force),
                lambda: GridRepulsion(1.0)(Y, force),
                lambda: kernels.student_attraction(start, index, np.ones(3000), Y, 1.0, True, force),
                lambda: kernels.sampled_gradient(start, index, np.ones(3000), Y, Y, sampled(negatives=5), force),
            ):
                bits += [run(), force.tobytes()]
            seen.add(tuple(bits))
    assert len(seen) == 1
