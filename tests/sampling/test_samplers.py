"""Samplers against distributions whose moments are known, and against the density itself."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import DataError, ModelFileError, ParameterError, budget, checkpoint, watch
from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads
from learnable.sampling import NUTS, Draws, HamiltonianMonteCarlo, Metropolis, monte_carlo_error, sample

COVARIANCE = np.array([[1.0, 0.8], [0.8, 2.0]])
PRECISION = np.linalg.inv(COVARIANCE)
CENTRE = np.array([1.0, -2.0])


def log_normal_density(x):
    shift = x - CENTRE
    return -0.5 * (shift @ PRECISION @ shift)


def gradient(x):
    return -PRECISION @ (x - CENTRE)


SAMPLERS = {
    "nuts": NUTS(), "dense": NUTS(metric="dense"), "hmc": HamiltonianMonteCarlo(), "metropolis": Metropolis(),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLERS)
def test_moments_of_a_correlated_normal_distribution(name):
    kept = 6000 if name == "metropolis" else 1500
    draws = SAMPLERS[name].sample(log_normal_density, [0.0, 0.0], gradient=gradient, draws=kept, random_state=1)
    assert draws.certificate_.holds, draws.certificate_
    x = draws["x"]
    quantities = np.concatenate([x - CENTRE, (x - CENTRE) ** 2 - COVARIANCE.diagonal()], axis=2)
    quantities = np.concatenate([quantities, ((x - CENTRE).prod(axis=2) - 0.8)[:, :, None]], axis=2)
    assert (np.abs(quantities.mean(axis=(0, 1))) < 4 * monte_carlo_error(quantities)).all()


@pytest.mark.parametrize("name", ["nuts", "hmc", "metropolis"])
def test_bounded_parameters(name):
    """gamma(3), beta(2, 5) and -gamma(2): means and variances are known."""

    def log_density(up, inside, down):
        return 2 * np.log(up) - up + np.log(inside) + 4 * np.log(1 - inside) + np.log(-down) + down

    bounds = {"up": (0, None), "inside": (0, 1), "down": (None, 0)}
    start = {"up": 1.0, "inside": 0.5, "down": -1.0}
    draws = sample(log_density, start, bounds=bounds, method=name, draws=4000, random_state=0)
    for quantity, mean, variance in (("up", 3, 3), ("inside", 2 / 7, 10 / 49 / 8), ("down", -2, 2)):
        x = draws[quantity]
        assert abs(x.mean() - mean) < 4 * monte_carlo_error(x)
        assert abs(((x - mean) ** 2).mean() - variance) < 4 * monte_carlo_error((x - mean) ** 2)
    assert (draws["up"] > 0).all() and (draws["down"] < 0).all() and (np.abs(draws["inside"] - 0.5) < 0.5).all()


def test_gradients_by_function_pair_tape_and_differences_agree():
    runs = [
        sample(log_normal_density, [0.0, 0.0], gradient=gradient, draws=50, tune=50, random_state=2),
        sample(
            lambda x: (log_normal_density(x), gradient(x)), [0.0, 0.0], gradient=True, draws=50, tune=50, random_state=2
        ),
        sample(log_normal_density, [0.0, 0.0], gradient="tape", draws=50, tune=50, random_state=2),
    ]
    np.testing.assert_array_equal(runs[0]["x"], runs[1]["x"])
    np.testing.assert_allclose(runs[0]["x"][:, :5], runs[2]["x"][:, :5], atol=1.0)
    with pytest.warns(UserWarning, match="found by differences"):
        apart = sample(lambda x: float(-0.5 * np.sum(np.asarray(x) ** 2)), [0.5], draws=500, random_state=0)
    assert abs(apart["x"].std() - 1) < 0.1


def test_a_matrix_of_parameters_and_named_gradients():
    target = np.arange(6.0).reshape(2, 3)

    def log_density(location, level):
        return -0.5 * ((location - target) ** 2).sum() - 0.5 * level**2

    def gradients(location, level):
        return {"location": target - location, "level": -level}

    start = {"location": np.zeros((2, 3)), "level": 0.0}
    for given in (None, gradients):
        draws = sample(log_density, start, gradient=given, random_state=3)
        assert draws["location"].shape == (4, 1000, 2, 3) and draws["level"].shape == (4, 1000)
        np.testing.assert_allclose(draws["location"].mean(axis=(0, 1)), target, atol=0.1)


def every_operation(x):
    a, b = x[:2], x[2:4].reshape((2, 1))
    table = np.arange(6.0).reshape(3, 2) / 5
    many = (table @ b).sum() + (a * b).exp().sum() / 10 - (b / (a * a + 1)).tanh().sum() + (a - b).maximum(0.1).sum()
    more = a.logistic().log().sum() + (-a).softplus().sum() + (a**2).sqrt().sum() - abs(b).sum() + b.T.sin().sum()
    last = a.cos().sum() + a.erf().sum() + a.relu().sum() + (a**3.0).mean() + x[[0, 0, 3]].sum() + a.minimum(b).sum()
    return many + more + last - (table + b.reshape((2,))).sum(axis=0, keepdims=True).sum()


def test_a_compiled_density_is_the_recorded_one():
    from learnable.sampling._program import compiled_density
    from learnable.tape import value_and_gradient

    density = compiled_density(every_operation, np.array([0.3, -0.7, 1.2, 0.4]))
    assert isinstance(density, kernels.LogDensity)
    for seed in range(5):
        x = np.random.default_rng(seed).standard_normal(4)
        gradient_ = np.empty(4)
        value, expected = value_and_gradient(every_operation)(x)
        assert density.evaluate(x, gradient_) == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(gradient_, expected, rtol=1e-11, atol=1e-12)


def test_a_density_that_branches_is_not_compiled_or_is_refused():
    from learnable.sampling._program import compiled_density

    def branching(x):
        return -0.5 * (x * x).sum() if x.value[0] > 0 else -2.0 * (x * x).sum()

    assert compiled_density(branching, np.array([0.5])) is None

    def rare(x):
        value = x.value if hasattr(x, "value") else x
        return -0.0005 * (x * x).sum() * (1.0 if value[0] < 20 else 3.0)

    assert compiled_density(rare, np.array([0.5])) is not None
    with pytest.raises(DataError, match="chooses operations by the values"):
        sample(rare, [0.5], random_state=0)


def test_bits_do_not_depend_on_threads_or_on_the_number_of_chains():
    def run(chains, count):
        with threads(count):
            return sample(log_normal_density, [0.0, 0.0], chains=chains, draws=60, tune=60, random_state=5)

    first = run(4, 1)
    for count in (2, 3, 8):
        np.testing.assert_array_equal(first["x"], run(4, count)["x"])
    np.testing.assert_array_equal(first["x"][:2], run(2, 2)["x"])


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_run_that_was_stopped_resumes_with_the_same_bits(name, tmp_path):
    def run():
        return SAMPLERS[name].sample(
            log_normal_density, [0.0, 0.0], gradient=gradient, draws=100, tune=100, random_state=7
        )

    whole = run()
    with checkpoint(tmp_path / "run", every=0), pytest.raises(KeyboardInterrupt), watch(interrupting(5)):
        run()
    seen = []
    with checkpoint(tmp_path / "run", every=0), watch(lambda event: seen.append(event.iteration)):
        resumed = run()
    assert len(seen) < len(whole.trace_.rows)
    np.testing.assert_array_equal(whole["x"], resumed["x"])


def interrupting(iteration):
    def interrupt(event):
        if event.iteration == iteration:
            raise KeyboardInterrupt

    return interrupt


def test_a_watcher_stops_a_run_and_the_draws_so_far_are_kept():
    with watch(lambda event: event.row["draws"] >= 150):
        draws = sample(log_normal_density, [0.0, 0.0], draws=1000, tune=100, random_state=0)
    assert draws.n_draws == 50 and draws.trace_.stopped == "interrupted" and draws.certificate_.kind != "exact"
    from learnable import BudgetError

    with pytest.raises(BudgetError), budget(seconds=1e-9):
        sample(log_normal_density, [0.0, 0.0])


def test_the_certificate_names_what_has_not_converged():
    def two_modes(easy, hard):
        return -0.5 * easy * easy + np.logaddexp(-0.5 * (hard - 20) ** 2, -0.5 * (hard + 20) ** 2)

    def gradients(easy, hard):
        return {"easy": -easy, "hard": -(hard - 20 * np.tanh(20 * hard))}

    starts = {"easy": 0.0, "hard": 0.0}
    draws = NUTS().sample(two_modes, starts, gradient=gradients, random_state=1)
    assert not draws.certificate_.holds and "hard is the quantity" in draws.certificate_.sentence
    assert draws.trace_.stopped == "limit"


def test_divergences_of_a_funnel_are_counted():
    def funnel(scale, x):
        return -0.5 * (scale / 3) ** 2 - 0.5 * (x * x).sum() * np.exp(-scale) - 4.5 * scale

    draws = sample(funnel, {"scale": 0.0, "x": np.zeros(9)}, random_state=0)
    assert draws.n_diverging > 0 and not draws.certificate_.holds and (draws.e_bfmi < 0.3).all()


def test_statistics_have_the_names_of_arviz():
    draws = sample(log_normal_density, [0.0, 0.0], draws=100, tune=100, random_state=0)
    expected = {"lp", "acceptance_rate", "step_size", "tree_depth", "n_steps", "diverging", "energy"}
    assert set(draws.sample_stats) == expected and draws.sample_stats["diverging"].dtype == bool
    last = log_normal_density(draws["x"][2, 50])
    assert draws.sample_stats["lp"][2, 50] == pytest.approx(last)
    assert (
        draws.e_bfmi.shape == (4,)
        and (draws.sample_stats["n_steps"] < 2.0 ** (draws.sample_stats["tree_depth"] + 1)).all()
    )


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"initial": 1.0}, DataError, "vector of parameters or a dict"),
        ({"initial": [np.nan]}, DataError, "must be finite"),
        ({"initial": ["a"]}, DataError, "must be numbers"),
        ({"initial": [[0.0], [1.0]]}, DataError, "2 rows for 4 chains"),
        ({"initial": [0.0], "draws": 0}, ParameterError, "draws must be a whole number"),
        ({"initial": [0.0], "method": "gibs"}, ParameterError, "method must be one of"),
        ({"initial": [0.0], "method": "metropolis", "target_accept": 2.0}, ParameterError, "target_accept"),
        ({"initial": [0.0], "gradient": 3}, ParameterError, "gradient must be"),
        ({"initial": [0.0], "bounds": (1, 2)}, DataError, "between its bounds 1 and 2; got 0"),
        ({"initial": {"a": 0.0}, "bounds": {"b": (0, 1)}}, ParameterError, "not in initial"),
        ({"initial": {"a": 0.0}, "bounds": {"a": (1, 0)}}, ParameterError, "low < high"),
        ({"initial": [0.0], "log_density": lambda x: x * np.ones(2)}, DataError, "must return one number"),
        ({"initial": [0.0], "log_density": lambda x: -np.inf}, DataError, "start of chain 0"),
        ({"initial": [0.0], "gradient": lambda x: np.zeros(2)}, DataError, "one per parameter; got 2"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, match):
    with pytest.raises(error, match=match):
        sample(**{"log_density": lambda x: -(x[0] ** 2), "draws": 10, "tune": 10, **arguments})


def test_errors_of_the_density_reach_the_caller():
    def broken(x):
        if abs(x[0]) > 0.1:
            raise RuntimeError("the density broke")
        return -(x[0] ** 2), -2 * x

    with pytest.raises(RuntimeError, match="the density broke"):
        sample(broken, np.zeros((4, 1)), gradient=True)


def test_draws_are_a_table_a_file_and_arviz(tmp_path):
    draws = sample(log_normal_density, [0.0, 0.0], draws=100, tune=100, random_state=0)
    table = draws.to_pandas()
    assert list(table) == ["chain", "draw", "x[0]", "x[1]"] and len(table) == 400
    draws.save(tmp_path / "draws.npz")
    read = Draws.load(tmp_path / "draws.npz")
    np.testing.assert_array_equal(read["x"], draws["x"])
    np.testing.assert_array_equal(read.sample_stats["energy"], draws.sample_stats["energy"])
    summary = draws.summary(0.9)
    assert summary["x[1]"]["mean"] == pytest.approx(draws["x"][:, :, 1].mean()) and "5%" in str(summary)
    assert draws.thin(2).n_draws == 50 and draws.discard(30).n_draws == 70
    with pytest.raises(KeyError, match="no draws of 'y'"):
        draws["y"]
    with pytest.raises(DataError, match="same first axes"):
        Draws({"a": np.zeros((2, 3)), "b": np.zeros((2, 4))})


def test_damaged_files_of_draws_are_refused(tmp_path):
    path = tmp_path / "draws.npz"
    Draws({"mu": np.random.default_rng(0).standard_normal((2, 20))}, {"lp": np.zeros((2, 20))}).save(path)
    whole, random = path.read_bytes(), np.random.default_rng(1)
    for _ in range(300):
        data = bytearray(whole[: random.integers(1, len(whole) + 1)])
        for at in random.integers(0, len(data), 3):
            data[at] = random.integers(0, 256)
        path.write_bytes(bytes(data))
        try:
            assert Draws.load(path).n_chains
        except (ModelFileError, DataError) as error:
            assert "Draws" in str(error)
    np.savez(path, posterior=np.array([object()]))
    with pytest.raises(ModelFileError, match="not a file of draws"):
        Draws.load(path)
    with pytest.raises(FileNotFoundError):
        Draws.load(tmp_path / "none.npz")


def test_a_proposal_with_its_ratio_is_corrected():
    """Multiplication by a log-normal factor is not symmetric; the target is gamma(3)."""

    def proposal(x, random):
        factor = np.exp(random.standard_normal())
        return x * factor, np.log(factor)

    sampler = Metropolis(proposal=proposal)
    draws = sampler.sample(lambda x: 2 * np.log(x[0]) - x[0] if x[0] > 0 else -np.inf, np.ones((4, 1)), draws=4000,
                           tune=100, random_state=0)  # fmt: skip
    assert abs(draws["x"].mean() - 3) < 4 * monte_carlo_error(draws["x"][:, :, 0])


@pytest.mark.parametrize("method", ["nuts", "metropolis", "slice", "tempering"])
def test_densities_that_write_into_their_argument_do_no_harm(method):
    def writes(x):
        value = -0.5 * float((x * x).sum())
        x[...] = 7.0
        return value

    settings = {"method": method, "draws": 20, "tune": 20, "chains": 1, "random_state": 0}
    plain = sample(lambda x: -0.5 * float((x * x).sum()), [0.0, 0.0], gradient=lambda x: -x, **settings)
    assert (sample(writes, [0.0, 0.0], gradient=lambda x: -x, **settings)["x"] == plain["x"]).all()


@pytest.mark.parametrize(("log_density", "gradient"), [
    (lambda x: -0.5 * float((x * x).sum()), True),  # it returns no gradient
    (lambda x: -0.5 * float((x * x).sum()), lambda x: "text"),
    (lambda x: -0.5 * float((x * x).sum()), lambda x: x * np.nan),
])  # fmt: skip
def test_gradients_are_checked(log_density, gradient):
    with pytest.raises(learnable.DataError, match="gradient"):
        sample(log_density, [0.5, 0.6], gradient=gradient, draws=5, tune=5, chains=1, random_state=0)


@pytest.mark.parametrize("seed", ["text", 1.5, [1]])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(learnable.ParameterError, match="random_state"):
        sample(lambda x: -x @ x, [0.0], draws=5, tune=5, random_state=seed)
