"""The one loop: why it stops, and how it goes on from a checkpoint."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import learnable
from learnable.core import BudgetError, ModelFileError, Trace
from learnable.core.runtime import checkpoints, context
from learnable.engines.iterate import Progress, iterate
from tests.toys import ToyDescent, ToyOuter, ToyRidge

X = np.random.default_rng(0).standard_normal((40, 8))
Y = X @ np.arange(8.0)


@dataclass
class Halving:
    """Halves a number until it is at most `tolerance`; fails at the step numbered `trouble`."""

    tolerance: float = 0.1
    trouble: int = 0
    error: type[BaseException] = RuntimeError
    stall: int = 0

    def start(self) -> dict[str, Any]:
        return {"value": 1.0, "steps": 0}

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        if state["steps"] + 1 == self.trouble:
            raise self.error("in the middle")
        return {"value": state["value"] / 2, "steps": state["steps"] + 1}

    def progress(self, state: dict[str, Any]) -> Progress:
        stalled = bool(self.stall) and state["steps"] >= self.stall
        return Progress(state["value"], state["value"], self.tolerance, {"steps": state["steps"]}, stalled)


def test_it_ends_converged():
    trace = Trace()
    state = iterate(Halving(), 100, trace)
    assert trace.stopped == "converged" and state == {"value": 0.0625, "steps": 4}
    assert trace["objective"].tolist() == [0.5, 0.25, 0.125, 0.0625]
    assert trace["criterion"].tolist() == trace["objective"].tolist() and trace["steps"].tolist() == [1, 2, 3, 4]


def test_it_ends_at_the_limit_and_convergence_at_the_limit_counts():
    trace = Trace()
    assert iterate(Halving(), 3, trace)["steps"] == 3 and trace.stopped == "limit"
    trace = Trace()
    assert iterate(Halving(), 4, trace)["steps"] == 4 and trace.stopped == "converged"


def test_it_ends_where_rounding_allows_no_more():
    trace = Trace()
    assert iterate(Halving(stall=2), 100, trace)["steps"] == 2 and trace.stopped == "stalled"


def test_it_ends_with_the_budget_and_keeps_what_it_has():
    trace = Trace()
    assert iterate(Halving(trouble=3, error=BudgetError), 100, trace)["steps"] == 2
    assert trace.stopped == "budget"


def test_a_budget_without_any_step_is_an_error():
    with pytest.raises(BudgetError):
        iterate(Halving(trouble=1, error=BudgetError), 100, Trace())


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_errors_pass_through(error):
    with pytest.raises(error):
        iterate(Halving(trouble=2, error=error), 100, Trace())


def test_two_loops_share_a_trace():
    trace = Trace()
    iterate(Halving(), 100, trace)
    second = iterate(Halving(tolerance=0.3), 100, trace)
    assert second["steps"] == 2 and trace.iterations == 6 and trace.stopped == "converged"


def interrupted_at(iteration: int, error: type[BaseException] = KeyboardInterrupt):
    def stop(event):
        if event.iteration == iteration:
            raise error

    return learnable.watch(stop)


def counted(model):
    """The model fitted, and how many iterations that took now."""
    events = []
    with learnable.watch(events.append):
        model.fit(X, Y)
    return model, len(events)


def test_a_checkpoint_is_taken_up_and_ends_with_the_same_bits(tmp_path):
    path = tmp_path / "fit"
    whole = ToyDescent().fit(X, Y)
    with learnable.checkpoint(path, every=0), interrupted_at(5), pytest.raises(KeyboardInterrupt):
        ToyDescent().fit(X, Y)
    with learnable.checkpoint(path, every=0):
        again, steps = counted(ToyDescent())
        assert steps == whole.n_iter_ - 4
        assert again.coef_.tobytes() == whole.coef_.tobytes()
        assert again.trace_["objective"].tolist() == whole.trace_["objective"].tolist()
        _, steps = counted(ToyDescent())
        assert steps == 0, "a finished fit is not done again"


def warm_fits() -> list[float]:
    """A coefficient after each of three fits that go on from one another."""
    model, found = learnable.PoissonRegressor(alpha=0.0, max_iter=1, warm_start=True), []
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", learnable.ConvergenceWarning)
            found.append(float(model.fit(X, np.exp(X[:, 0])).coef_[0]))
    return found


def parts_of_several() -> list[float]:
    """The same for models inside another, which learn from the same rows again."""
    model = learnable.MultiOutputRegressor(learnable.SGDRegressor(random_state=0))
    return [float(model.partial_fit(X, np.column_stack([Y, -Y])).estimators_[0].coef_[0]) for _ in range(3)]


@pytest.mark.parametrize("fits", [warm_fits, parts_of_several])
def test_a_fit_that_goes_on_from_another_is_not_taken_for_it(fits, tmp_path):
    plain = fits()
    with learnable.checkpoint(tmp_path / "fit", every=0):
        assert fits() == plain
    assert len(set(plain)) == 3


def test_ctrl_c_inside_a_step_writes_the_last_state(tmp_path, monkeypatch):
    path = tmp_path / "fit"
    kept = checkpoints.Checkpoint(path, 1000.0, "key")
    token = context._kept.set(kept)
    try:
        with pytest.raises(KeyboardInterrupt):
            iterate(Halving(trouble=4, error=KeyboardInterrupt), 100, Trace())
    finally:
        context._kept.reset(token)
    stored = checkpoints.Checkpoint(path, 1000.0, "key").next_loop()
    assert stored["state"] == {"value": 0.125, "steps": 3} and stored["trace"].iterations == 3


def test_ctrl_c_between_steps_writes_the_last_state_too(tmp_path):
    path = tmp_path / "fit"
    with learnable.checkpoint(path, every=1000), interrupted_at(5), pytest.raises(KeyboardInterrupt):
        ToyDescent().fit(X, Y)
    whole = ToyDescent().fit(X, Y)
    with learnable.checkpoint(path, every=1000):
        again, steps = counted(ToyDescent())
    assert steps == whole.n_iter_ - 4
    assert again.coef_.tobytes() == whole.coef_.tobytes()
    assert again.trace_["objective"].tolist() == whole.trace_["objective"].tolist()


def test_between_writes_nothing_is_written(tmp_path):
    with learnable.checkpoint(tmp_path / "fit", every=1000), interrupted_at(5, SystemError), pytest.raises(SystemError):
        ToyDescent().fit(X, Y)
    assert not (tmp_path / "fit").exists()


@pytest.mark.parametrize(
    "other",
    [
        lambda: (ToyDescent(alpha=0.5), X, Y),
        lambda: (ToyDescent(), X + 1, Y),
        lambda: (ToyDescent(), X, -Y),
        lambda: (ToyDescent(), X.astype(np.float32), Y),
        lambda: (ToyOuter(), X, Y),
    ],
)
def test_another_fit_does_not_take_it_up(tmp_path, other):
    path = tmp_path / "fit"
    with learnable.checkpoint(path, every=0), interrupted_at(5), pytest.raises(KeyboardInterrupt):
        ToyDescent().fit(X, Y)
    model, data, target = other()
    plain = model.clone().fit(data, target)
    with learnable.checkpoint(path, every=0):
        model.fit(data, target)
    assert model.predict(data).tobytes() == plain.predict(data).tobytes()
    inner = getattr(model, "inner_", model)
    assert inner.trace_.iterations == getattr(plain, "inner_", plain).trace_.iterations


def test_loops_of_inner_fits_belong_to_the_outer_fit(tmp_path):
    path = tmp_path / "fit"

    def stop(event):
        if isinstance(event.estimator, ToyDescent) and event.iteration == 5:
            raise KeyboardInterrupt

    whole = ToyOuter().fit(X, Y)
    with learnable.checkpoint(path, every=0), learnable.watch(stop), pytest.raises(KeyboardInterrupt):
        ToyOuter().fit(X, Y)
    with learnable.checkpoint(path, every=0):
        again, steps = counted(ToyOuter())
    assert steps == whole.inner_.n_iter_ - 4 + 1
    assert again.inner_.coef_.tobytes() == whole.inner_.coef_.tobytes()


@dataclass
class Nested:
    """A fit with a loop of its own in every step."""

    def start(self) -> dict[str, Any]:
        return {"steps": 0, "total": 0.0}

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        inner = ToyDescent(alpha=0.1 * (state["steps"] + 1)).fit(X, Y)
        return {"steps": state["steps"] + 1, "total": state["total"] + float(inner.coef_.sum())}

    def progress(self, state: dict[str, Any]) -> Progress:
        return Progress(state["total"], 5 - state["steps"], 0)


def test_loops_inside_a_step_are_part_of_the_step(tmp_path):
    whole, fits = iterate(Nested(), 100, Trace()), []

    def stop(event):
        fits.append(event.estimator)
        if getattr(event.estimator, "alpha", 0) > 0.25 and event.iteration == 2:
            raise KeyboardInterrupt

    def run():
        token = context._kept.set(checkpoints.Checkpoint(tmp_path / "fit", 0, "key"))
        try:
            return iterate(Nested(), 100, Trace())
        finally:
            context._kept.reset(token)

    with learnable.watch(stop), pytest.raises(KeyboardInterrupt):
        run()
    fits.clear()
    with learnable.watch(lambda event: fits.append(event.estimator)):
        assert run() == whole
    assert {model.alpha for model in fits if model is not None} == {0.1 * 3, 0.1 * 4, 0.1 * 5}
    assert len(checkpoints.Checkpoint(tmp_path / "fit", 0, "key").loops) == 1


def test_a_fit_without_a_loop_needs_no_checkpoint(tmp_path):
    with learnable.checkpoint(tmp_path / "fit", every=0):
        ToyRidge().fit(X, Y)
    assert not (tmp_path / "fit").exists()


def test_a_broken_checkpoint_is_said_to_be_broken(tmp_path):
    path = tmp_path / "fit"
    path.write_bytes(b"not a checkpoint")
    with learnable.checkpoint(path), pytest.raises(ModelFileError, match="fit"):
        ToyDescent().fit(X, Y)
    learnable.save(ToyRidge().fit(X, Y), path)
    with learnable.checkpoint(path), pytest.raises(ModelFileError, match="holds no checkpoint"):
        ToyDescent().fit(X, Y)
    assert learnable.load(path).n_features_in_ == 8, "a model is not written over"


def test_a_stopped_fit_goes_on_later(tmp_path):
    path = tmp_path / "fit"
    whole = ToyDescent().fit(X, Y)
    with learnable.checkpoint(path), warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        with learnable.watch(lambda event: event.iteration == 3):
            assert ToyDescent().fit(X, Y).trace_.stopped == "interrupted"
        again = ToyDescent().fit(X, Y)
    assert again.trace_.stopped == "converged" and again.coef_.tobytes() == whole.coef_.tobytes()


@pytest.mark.parametrize(
    "content",
    [3, ("key",), ("key", 3, []), ("key", [3], []), ("key", [{"state": 1, "trace": 2}], []), [1, 2], ("key", [], [-1])],
)
def test_a_checkpoint_with_other_content_is_malformed(tmp_path, content):
    from learnable.core.files import model_file as files
    from learnable.core.files.encoding import Encoder

    encoder = Encoder()
    files.write(tmp_path / "fit", {"checkpoint": encoder.encode(content, "content")}, encoder.tensors)
    with pytest.raises(ModelFileError, match="malformed; delete it to start again"):
        checkpoints.Checkpoint(tmp_path / "fit", 1.0, "key")


def test_a_checkpoint_of_another_version_is_not_taken_up(tmp_path, monkeypatch):
    with learnable.checkpoint(tmp_path / "fit", every=0):
        whole = ToyDescent().fit(X, Y)
        monkeypatch.setattr(checkpoints, "__version__", "another")
        assert counted(ToyDescent())[1] == whole.n_iter_
