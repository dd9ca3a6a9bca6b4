"""Linear classification by gradient descent."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, learned, param
from ..core.sklearn_api.conditional_methods import available_if
from ..engines.iterate import State
from ..engines.linear_decision import LinearDecision
from ..engines.minimise.gradient_descent.batch_gradient import LinearProblem
from ..engines.minimise.row_losses import counted_rows, normalised_weights
from ..parts import losses
from ._class_coding import data_with_class_weights
from ._gradient_descent_model import GradientDescentModel

MARGIN_LOSSES: dict[str, Any] = {
    "hinge": losses.Hinge(),
    "squared_hinge": losses.SquaredHinge(),
    "modified_huber": losses.ModifiedHuber(),
    "perceptron": losses.PerceptronLoss(),
    "exponential": losses.Exponential(),
    "binomial_deviance": losses.BinomialDeviance(),
    "squared_error": losses.Squared(),
}
PROTOTYPE_LOSSES: dict[str, Any] = {
    "prototype_hinge": losses.PrototypeHinge,
    "prototype_logistic": losses.PrototypeLogistic,
}
WITH_PROBABILITIES = ("log_loss", "modified_huber", "exponential", "binomial_deviance")
LOSSES = ("log_loss", *MARGIN_LOSSES, *PROTOTYPE_LOSSES)


def _has_probabilities(model: GradientDescentClassifier) -> bool:
    if model.loss not in WITH_PROBABILITIES:
        raise AttributeError(f"loss={model.loss!r} gives no probabilities; use one of {', '.join(WITH_PROBABILITIES)}")
    return True


@estimator
class GradientDescentClassifier(GradientDescentModel, LinearDecision):
    """Linear classification by gradient descent: logistic and softmax regression, hinge, perceptron and other losses.

    minimise over w, b    sum_i s_i loss(y_i, x_i w + b)  +  alpha penalty(w)        s_i sum to 1
    repeat                w <- w - rate * gradient

    On all rows per step (`batch_size=None`, batch), on one (1, stochastic) or on a few (mini-batch). With log_loss two
    classes have one vector w, more have one each (softmax), and all are updated together; losses of the margin take
    more classes one versus rest. With the prototype losses each class is a point, a row of `prototypes`, the scores are
    a vector, and the prediction is the nearest point; `class_weight` holds the costs of the classes. `trace_` has the
    objective and the error rate of every epoch. For exact optima use LogisticRegression or LinearSVC. [Cauchy, 1847]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> GradientDescentClassifier(penalty=None).fit(X, y).predict_proba([[3.0]]).round(3)
    array([[0.204, 0.796]])
    """

    loss: str = param("log_loss", "loss function", accepts=LOSSES.__contains__, says=f"one of {', '.join(LOSSES)}")
    penalty: Literal["l2", "l1", "elasticnet"] | None = param(
        "l2", "penalty of the coefficients; without one separable classes have no optimum"
    )
    prototypes: Array | None = param(
        None, "a point for each class, for the prototype losses; None: the unit vectors, one for each class"
    )
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class; "balanced": inversely proportional to class frequencies; None: one'
    )
    classes_: Array = learned("class labels, sorted", shape="classes")
    coef_: Array = learned("coefficients, a row per class, or one for two classes", shape="rows features")
    intercept_: Array = learned("intercept of each class or target", shape="rows")
    prototypes_: Array = learned("the point of each class", shape="classes scores", optional=True)
    coef_path_: Array = learned(
        "coefficients before and after every epoch", shape="points scores features", optional=True
    )
    intercept_path_: Array = learned("intercepts along that path", shape="points scores", optional=True)

    title = "linear classification by gradient descent"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = counted_rows(data_with_class_weights(self, data))
        loss, target, decide, outputs = self._loss_and_target(y)
        row_weight = normalised_weights(weight, len(y))
        problem = LinearProblem(X, target, row_weight, loss, self._penalty(), bool(self.fit_intercept), decide)
        flat = loss.gradient(target, np.zeros((len(y), *outputs)))
        size = float(np.sqrt(row_weight @ (flat.reshape(len(y), -1) ** 2).sum(axis=1))) or 1.0
        self._keep(self._descend(problem, (*outputs, data.p), size, trace), data)

    def _loss_and_target(self, code: Array) -> tuple[Any, Array, Any, tuple[int, ...]]:
        """The loss, targets as it takes them, how scores decide between those, and the shape of the score of a row."""
        several = len(self.classes_) > 2
        if self.loss in PROTOTYPE_LOSSES:
            self.prototypes_ = self._points()
            of_points = PROTOTYPE_LOSSES[self.loss](self.prototypes_)
            return of_points, code, of_points.predict, self.prototypes_.shape[1:]
        if several:
            loss = losses.Multinomial() if self.loss == "log_loss" else losses.OneVersusRest(MARGIN_LOSSES[self.loss])
            return loss, code, _largest, (len(self.classes_),)
        if self.loss == "log_loss":
            return losses.Logistic(), code, _above_zero, ()
        return MARGIN_LOSSES[self.loss], 2 * code - 1, _sign, ()

    def _points(self) -> Array:
        """The prototypes: those given, checked, or the unit vectors."""
        count = len(self.classes_)
        if self.prototypes is None:
            return np.eye(count)
        points = np.array(self.prototypes, dtype=np.float64)
        if points.ndim != 2 or len(points) != count or not np.isfinite(points).all():
            raise ParameterError(
                f"GradientDescentClassifier: prototypes must be a table of finite numbers with a row for each of "
                f"{count} classes; got the shape {points.shape}"
            )
        if len(np.unique(points, axis=0)) < count:
            raise ParameterError("GradientDescentClassifier: prototypes must differ; two classes have the same point")
        return points

    def _keep(self, state: State, data: Data) -> None:
        """Store coefficients, with a row per class or one for two classes."""
        coef, intercept = np.atleast_2d(state["coef"]), np.atleast_1d(state["intercept"])
        if self.keep_path:
            path = np.array(state["path"])
            self.coef_path_ = path[:, : coef.size].reshape(len(path), *coef.shape)
            self.intercept_path_ = path[:, coef.size :]
        if self.loss in PROTOTYPE_LOSSES:
            points = self.prototypes_
            coef, intercept = points @ coef, points @ intercept - (points**2).sum(axis=1) / 2
            if len(points) == 2:
                coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef.astype(data.X.dtype), intercept.astype(data.X.dtype)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, a column per entry of `classes_`, for the rows of `X`."""
        scores = self._scores(self._read(X))
        if self.loss == "log_loss" and scores.ndim == 2:
            return losses.Multinomial().predict(scores)
        loss = losses.Logistic() if self.loss == "log_loss" else MARGIN_LOSSES[self.loss]
        positive = loss.predict(scores)
        if positive.ndim == 1:
            return np.column_stack([1 - positive, positive])
        total = positive.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, positive / np.where(total > 0, total, 1.0), 1 / positive.shape[1]))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


def _largest(z: Array) -> Array:
    return np.asarray(z.argmax(axis=1))


def _above_zero(z: Array) -> Array:
    return z > 0


def _sign(z: Matrix) -> Array:
    return np.where(z > 0, 1.0, -1.0)
