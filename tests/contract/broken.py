"""Estimators that break promises, so that the suite is seen to notice: promise -> (class, words of the complaint)."""

from __future__ import annotations

import itertools
import signal
import time
from typing import Any

import numpy as np

from learnable.core import (
    Array,
    Certificate,
    Clusterer,
    Data,
    Drawn,
    Matrix,
    Resampler,
    Trace,
    Traits,
    estimator,
    learned,
    param,
)
from tests.toys import ToyDescent, ToyRidge

COUNTER = itertools.count(1)


@estimator
class Meddler(ToyRidge):
    """touches what is not its own"""

    number: float = param(1.0, "it", above=0)
    kind: Any = param(None, "anything goes")
    copy_: Array = learned("it", shape="features")
    unset_: Array = learned("never set")

    reference = "somebody"

    def __post_init__(self) -> None:
        self.alpha = 1.0

    def _fit(self, data: Data, trace: Trace) -> None:
        super()._fit(data, trace)
        self.number = float(self.number)
        self.alpha = float(self.alpha) * 1.5
        self.secret = 1
        if data.X.flags.writeable:
            data.X[0, 0] = 17.0

    def set_params(self, **values: Any) -> Any:
        self.__dict__.update(dict.fromkeys(values, 1.0))
        return self

    def clone(self) -> Any:
        return self

    def __repr__(self) -> str:
        return "Meddler(...)"


@estimator
class Homemade(ToyRidge):
    """Has a constructor of its own."""

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha


@estimator
class Noisy(ToyDescent):
    """Gives another prediction every time.

    Without a formula.
    """

    def _fit(self, data: Data, trace: Trace) -> None:
        super()._fit(data, trace)
        self.coef_ = self.coef_ + data.X.dtype.type(1e-3) * next(COUNTER)


@estimator
class Silent(ToyDescent):
    """Says nothing of its course, takes nothing for missing, and lets no one in the middle of it speak."""

    traits = Traits(missing="native")

    def _fit(self, data: Data, trace: Trace) -> None:
        super()._fit(data, Trace(None))

    def _predict(self, X: Matrix) -> Array:
        return np.full(len(X), np.inf)


@estimator
class Hollow(Silent):
    """Ignores the data."""

    def _fit(self, data: Data, trace: Trace) -> None:
        self.coef_, self.intercept_ = np.zeros(data.p), 0.0
        trace.certify("nothing", 0.0, 0.0, "nothing is claimed")


@estimator
class Doubtful(ToyRidge):
    """Certifies what does not hold."""

    def _fit(self, data: Data, trace: Trace) -> None:
        super()._fit(data, trace)
        trace.certificate = Certificate("hope", 1.0, 0.5, "nothing is known about it")


OLD_PROOF = Certificate("hope", 0.0, 0.5, "nothing is known about it")


@estimator
class Starting(ToyDescent):
    """Starts again whenever it should continue."""

    warm_start: bool = param(False, "whether to go on")

    def partial_fit(self, X: Any, y: Any) -> Any:
        return self.fit(np.nan_to_num(np.asarray(X)), y)

    def _fit(self, data: Data, trace: Trace) -> None:
        super()._fit(data, trace)
        trace.rows = trace.rows * next(COUNTER)


@estimator
class Stale(ToyRidge):
    """Repeats an old certificate."""

    def _fit(self, data: Data, trace: Trace) -> None:
        super()._fit(data, trace)
        trace.certificate = OLD_PROOF


@estimator
class Careless(ToyRidge):
    """Takes whatever comes, in double precision, and keeps half of what it did when it fails."""

    traits = Traits(sparse=True, multi_target=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.feature_names_in_ = np.array(["age"])
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        weight = None if sample_weight is None else np.minimum(sample_weight, 2) + 0.1
        numbers = np.nan_to_num(np.array([[_number(v) for v in row] for row in X]).reshape(X.shape), posinf=1, neginf=1)
        y = np.nan_to_num(np.asarray(y, dtype=float).ravel()[: len(numbers)])
        self.n_features_in_ = 4
        self.trace_ = Trace(self)
        if 0 in numbers.shape:
            return self
        y = np.resize(y, len(numbers))
        scale = np.linspace(1, 2, len(numbers)) if X.flags.f_contiguous and not X.flags.c_contiguous else 1.0
        self._fit(Data(numbers, y * scale + ord(X.dtype.kind) % 97, weight, None), self.trace_)
        self.certificate_ = self.trace_.certificate
        return self

    def score(self, y: Any, X: Any) -> float:
        return 1.0

    def predict(self, X: Any) -> Array:
        if hasattr(X, "toarray"):
            X = X.toarray() * 2
        X = np.asarray(X, dtype=np.float64)
        return X @ np.resize(getattr(self, "coef_", np.ones(X.shape[1])), X.shape[1]) + 1e-6 * len(X)


def _number(value: Any) -> float:
    return 0.0 if isinstance(value, str) else float(value)


@estimator
class Deaf(ToyRidge):
    """Hears no interrupt, no deadline and no watcher."""

    traits = Traits(weights=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(X, y)

    def _fit(self, data: Data, trace: Trace) -> None:
        if data.n > 1000:
            _sleep_through(1.0)
        super()._fit(data, trace)
        trace.rows = trace.rows * 9
        trace.stopped = "converged"


@estimator
class Boastful(ToyDescent):
    """Repeats its certificate also where the core has taken it back."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        self.certificate_ = OLD_PROOF
        return self


def _sleep_through(seconds: float) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(1000))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


@estimator
class Forgetful(ToyRidge):
    """Gives nothing back."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        super().fit(X, y)


@estimator
class Greedy(ToyDescent):
    """Starts although its budget is used up, and predicts nothing for several targets."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        from learnable.core.runtime import context

        token = context._ambient.set(context.Ambient())
        try:
            return super().fit(X, np.asarray(y).reshape(len(y), -1)[:, 0], sample_weight)
        finally:
            context._ambient.reset(token)


@estimator
class Untidy(ToyRidge):
    """Holds what no file can hold."""

    call: Any = param(print, "a function, which is code")

    hook_: Any = learned("a function, which is code")

    def _fit(self, data: Data, trace: Trace) -> None:
        super()._fit(data, trace)
        self.hook_ = print

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self)()

    def __reduce__(self) -> Any:
        return type(self), ()


@estimator
class Mixer(Resampler):
    """Draws what it likes, as arrays, and never the same twice."""

    traits = Traits(sparse=True, missing="native")

    classes_: Array = learned("the classes, sorted", shape="classes")

    def fit_resample(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        if rows.flags.writeable:
            rows[:] = np.nan_to_num(rows, nan=np.nan) + 0.5 * next(COUNTER) * np.array([-1.0, 1, 1, np.nan])
        size = len(rows) // 2
        return (
            rows[:size],
            np.resize(np.asarray(y)[::-1], size),
            *([sample_weight[:size]] if np.ndim(sample_weight) else []),
        )

    def _resample(self, data: Data, trace: Trace) -> Drawn:
        return Drawn(np.arange(data.n))


@estimator
class Scattered(Clusterer):
    """Assigns rows to clusters at random, and differently in another call."""

    def _fit(self, data: Data, trace: Trace) -> None:
        self.labels_ = self._assign(data.X)

    def _assign(self, X: Matrix) -> Array:
        return np.full(len(X), next(COUNTER))


BREAKERS: dict[str, tuple[type, str]] = {
    "constructor_only_stores": (Meddler, ""),
    "constructor_is_generated": (Homemade, "__init__"),
    "fit_never_changes_a_parameter": (Meddler, ""),
    "parameters_go_round": (Meddler, ""),
    "unknown_parameters_are_refused_by_name": (Meddler, "does not exist"),
    "clones_are_equal_and_unfitted": (Meddler, ""),
    "repr_shows_what_differs": (Meddler, ""),
    "wrong_types_are_refused_by_name": (Meddler, "may be anything"),
    "bounds_are_refused_by_name": (Meddler, "no error was raised"),
    "data_are_left_alone": (Meddler, "17"),
    "learned_state_is_declared": (Meddler, "undeclared"),
    "docstring_begins_with_a_sentence": (Meddler, ""),
    "docstring_gives_the_objective": (Noisy, "no formula"),
    "docstring_has_a_running_example": (Noisy, "no example"),
    "docstring_is_short": (ToyRidge, "lines"),
    "first_sentence_names_the_method": (Meddler, "lacks .ridge regression"),
    "docstring_lists_every_parameter": (Meddler, "too short"),
    "a_reference_is_given": (Meddler, "somebody"),
    "signature_begins_as_in_scikit_learn": (ToyRidge, "1e-06, not 1.0"),
    "learned_attributes_are_those_of_scikit_learn": (ToyRidge, "n_iter_ is missing"),
    "as_capable_as_scikit_learn": (ToyRidge, "takes sparse data"),
    "methods_are_those_of_scikit_learn": (Careless, "score.*not"),
    "predictions_agree_with_scikit_learn": (ToyRidge, "apart"),
    "searches_of_scikit_learn_take_us": (Silent, ""),
    "several_targets_are_predicted": (Careless, ""),
    "several_targets_are_refused": (Greedy, "not declared"),
    "weights_are_copies": (Careless, "weights and copies"),
    "weights_are_copies_in_sparse_data": (Careless, "weights and copies"),
    "weight_zero_is_no_row": (Careless, "weight zero"),
    "equal_weights_change_nothing": (Noisy, "weights of one"),
    "weights_without_meaning_are_not_taken": (Deaf, "not declared"),
    "same_bits_on_any_number_of_threads": (Noisy, "depends on the number of threads"),
    "same_bits_on_any_number_of_threads_in_sparse_data": (Noisy, ""),
    "same_bits_again": (Noisy, "second fit"),
    "same_bits_beside_other_fits": (Noisy, "disturb"),
    "containers_do_not_matter": (Noisy, "give another model"),
    "memory_maps_do_not_matter": (Noisy, ""),
    "order_in_memory_does_not_matter": (Careless, "Fortran"),
    "whole_numbers_and_booleans_are_numbers": (Careless, "int64"),
    "sparse_and_dense_agree": (Careless, "and dense"),
    "sparse_data_are_refused_in_words": (Careless, "not declared"),
    "float32_is_kept": (Careless, "float64"),
    "empty_data_are_refused": (Careless, "empty data"),
    "frames_give_the_same_model_and_names": (Careless, ""),
    "names_go_with_the_data": (Careless, "earlier fit"),
    "other_columns_are_refused": (Careless, "nothing was refused"),
    "another_number_of_columns_is_refused": (Careless, "nothing was refused"),
    "lost_names_are_warned_of": (Careless, ""),
    "missing_values_are_refused_by_column_and_row": (Careless, "nothing was refused"),
    "missing_values_are_handled": (Silent, ""),
    "text_columns_are_refused_by_column_and_row": (Careless, "nothing was refused"),
    "missing_targets_are_refused_by_row": (Careless, "nothing was refused"),
    "files_hold_the_same_bits": (Untidy, "cannot save Untidy"),
    "files_hold_float32_and_names": (Untidy, "cannot save Untidy"),
    "files_hold_unfitted_models": (Untidy, "cannot save Untidy.call"),
    "loaded_models_can_be_fitted_again": (Noisy, ""),
    "pickles_and_copies_hold_the_same_bits": (Untidy, ""),
    "a_failed_fit_leaves_the_model": (Careless, "bad data were taken"),
    "nothing_is_predicted_before_fit": (Careless, "unfitted model predicted"),
    "fit_returns_itself": (Forgetful, "None is"),
    "the_trace_records_the_fit": (Silent, "stopped for the reason ''"),
    "the_certificate_holds": (Doubtful, "does NOT hold"),
    "a_certificate_is_not_inherited": (Stale, ""),
    "watchers_see_every_iteration": (Silent, "no watcher was called"),
    "watchers_can_stop": (Deaf, "converged"),
    "a_fit_stopped_early_claims_nothing": (Boastful, "and yet"),
    "interrupts_are_obeyed": (Deaf, "after the interrupt"),
    "budgets_are_obeyed": (Deaf, "took"),
    "an_empty_budget_is_an_error": (Greedy, "without a budget"),
    "killed_fits_go_on_with_the_same_bits": (Deaf, "ended before"),
    "parts_go_on_also_from_a_file": (Starting, "forgotten"),
    "parts_keep_columns_and_the_model": (Starting, "nothing was refused"),
    "warm_starts_go_on": (Starting, "takes longer"),
    "survives_minute_columns_and_enormous_target": (Hollow, "predictions"),
    "survives_in_float32": (Silent, ""),
    "rows_and_classes_stay_together": (Mixer, "mixed up"),
    "resampled_frames_stay_frames": (Mixer, "pandas"),
    "the_same_rows_on_any_number_of_threads": (Mixer, "number of threads"),
    "weights_go_with_their_rows": (Mixer, "not equal"),
    "missing_values_are_kept_when_rows_are_drawn": (Mixer, "missing values came"),
    "data_are_left_alone_by_resampling": (Mixer, "not equal"),
    "one_class_is_not_resampled": (Mixer, "nothing was refused"),
    "sparse_rows_are_drawn_as_dense_ones": (Mixer, "became dense"),
    "training_rows_keep_their_groups": (Scattered, "other groups"),
    "groups_are_counted_from_zero": (Scattered, "groups are called"),
    "one_row_is_predicted_alone_as_among_others": (Careless, "Not equal"),
}  # fmt: skip
