"""Logistic regression that chooses its own penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ..core import Array, Data, Matrix, RandomState, Trace, estimator, learned, param
from ..core.classifier import ProbabilisticClassifier
from .fold_scores import ClassJudge
from .linear_scores import SparseCoefficients, chances, decision, places
from .logistic import PenaltyName, Solver
from .logistic_choice import choose, scoring_of
from .logistic_summary import LogisticStatistics, logistic_summary
from .summary import Summary


@estimator
class LogisticRegressionCV(SparseCoefficients, ProbabilisticClassifier):
    """Logistic regression with the penalty that predicts best the rows it has not seen.

    minimise over w, b    C sum_i s_i loss(y_i, x_i w + b) + l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2,    C by folds

    Every fold goes along the path of penalties from strong to weak, each fit starting from the one before, and the best
    mean score decides; with rule="one_se" the strongest penalty within one standard error of it. [Cox, 1958]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]] * 5, [0, 0, 1, 0, 1, 1] * 5
    >>> model = LogisticRegressionCV(Cs=[0.01, 1.0], scoring="neg_log_loss", use_legacy_attributes=False)
    >>> model.fit(X, y).C_
    1.0
    """

    Cs: int | Array = param(10, "inverse strengths to try, or how many between 1e-4 and 1e4", above=0)
    l1_ratios: Array | Literal["warn"] | None = param("warn", "shares of the absolute part to try; warn and None: (0,)")
    fit_intercept: bool = param(True, "whether to learn a constant term")
    cv: Any = param(None, "folds: a number (None: 5), a splitter, or pairs of index arrays")
    dual: bool = param(False, "accepted for compatibility; the optimum is the same")
    penalty: PenaltyName = param("deprecated", "scikit-learn's former way to say l1_ratios")
    scoring: str | Callable[..., float] | None = param("warn", "what to compare by; warn and None: accuracy")
    solver: Solver = param("lbfgs", "as in LogisticRegression")
    tol: float = param(1e-4, "largest relative gradient; fits go on to its square if rounding allows", at_least=0)
    max_iter: int = param(100, "most steps of a fit", at_least=0)
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class, "balanced" to let all count alike, None for one'
    )
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads()")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    refit: bool = param(True, "whether to fit all rows at the end, instead of the mean of the folds' best coefficients")
    intercept_scaling: float = param(1.0, "size of the constant column that liblinear penalises", above=0)
    random_state: RandomState = param(None, "seed of the order of the rows, with sag and saga")
    use_legacy_attributes: bool | Literal["warn"] = param(
        "warn", "whether scores_ and coefs_paths_ are dictionaries by class, as in scikit-learn before 1.10; warn: yes"
    )
    rule: Literal["min", "one_se"] = param("min", "the best score, or the strongest penalty within its standard error")
    strategy: Literal["multinomial", "ovr"] = param(
        "multinomial", "several classes: one model of all, or one of each class against the rest"
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    coef_: Array = learned("weights, a row per class, or one for two classes", shape="rows features")
    intercept_: Array = learned("constant terms", shape="rows")
    Cs_: Array = learned("the inverse strengths tried", shape="strengths")
    l1_ratios_: Array = learned("the shares tried", shape="shares")
    C_: float | Array = learned("the inverse strength chosen")
    l1_ratio_: float | Array = learned("the share chosen")
    scores_: Any = learned("scores by fold, share and strength, or such tables by class")
    coefs_paths_: Any = learned("coefficients by fold, share, strength and class, or such tables by class")
    n_iter_: Array = learned("steps by fold, share and strength")
    solver_: str = learned("how the optimum of the last fit was found")
    statistics_: LogisticStatistics = learned("what the coefficient table is made of")

    sparse = True
    storage = "csr"
    reference = "Cox, The regression analysis of binary sequences, JRSS B 20, 1958"

    def _fit(self, data: Data, trace: Trace) -> None:
        choose(self, data, trace)

    def decision_function(self, X: Any) -> Array:
        """Log-odds of the second of two classes, or the scores of all classes, for the rows of `X`."""
        return decision(self, self._read(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of the predictions for `X` by `scoring`."""
        matrix = self._read(X)
        truth = self._door.any_target(y, matrix.shape[0])
        weight = self._door.weights(sample_weight, len(truth))
        judge = ClassJudge.of(scoring_of(self), self.classes_, self.strategy == "ovr")
        return judge.of_labels(truth, decision(self, matrix), weight)

    def _classify(self, X: Matrix) -> Array:
        return places(decision(self, X))

    def _probabilities(self, X: Matrix) -> Array:
        return chances(decision(self, X), self.strategy == "ovr")

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with odds ratios, as `LogisticRegression` has it; without p values, as it is shrunk."""
        return logistic_summary(self, level)
