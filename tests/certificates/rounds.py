"""What iterations and ensembles state of their rounds: losses, bounds, labels and changes, computed again."""

from __future__ import annotations

import warnings
from math import lgamma, pi
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

import learnable
from tests.certificates.latent import _normal
from tests.certificates.precise import EPS, EXTENDED, Finding, classes, columns, extended, fitted, regression


def _log_loss(model: Any, proba: Any, y: Any) -> float:
    own = np.searchsorted(model.classes_, y)
    return float(-np.log(np.maximum(extended(proba)[0][np.arange(len(y)), own], EXTENDED(1e-300))).mean())


def boosting(name: str, seed: int) -> Finding:
    """The mean loss after every stage: how far it rose at most."""
    regressor = name.endswith("Regressor") or name == "AdditiveModel"
    X, y = regression(seed) if regressor else classes(seed)
    given: dict[str, Any] = {} if name == "AdditiveModel" else {"random_state": 0}
    model = fitted(getattr(learnable, name)(**given), X, y)
    if name == "AdditiveModel":
        losses = [row["objective"] for row in model.trace_.rows]
    elif regressor:
        losses = [float((extended(y - stage)[0] ** 2).mean() / 2) for stage in model.staged_predict(X)]
    else:
        losses = [_log_loss(model, stage, y) for stage in model.staged_predict_proba(X)]
    return Finding(max(float(np.diff(losses).max(initial=0.0)), 0.0), model.certificate_, 1e-9 * max(losses))


def ada_boost(name: str, seed: int) -> Finding:
    """Two classes: the training error; regression: the largest mean loss of a round but the last."""
    if name == "AdaBoostRegressor":
        X, y = regression(seed)
        model = fitted(learnable.AdaBoostRegressor(random_state=0), X, y)
        return Finding(float(np.max(model.estimator_errors_[:-1], initial=0.0)), model.certificate_, 1e-12)
    X, y = classes(seed)
    model = fitted(learnable.AdaBoostClassifier(n_estimators=10, random_state=0), X, y)
    e = extended(model.estimator_errors_)[0]
    product = float(np.prod(2 * np.sqrt(e * (1 - e))))
    error = float((model.predict(X) != y).mean())
    assert error <= product * (1 + 1e-9), "the bound itself, from the errors of the rounds"
    return Finding(error, model.certificate_, 1e-12)


def mistakes(name: str, seed: int) -> Finding:
    """Rows on the wrong side after the last pass: a pass without mistakes leaves the coefficients as they are."""
    X, y = classes(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.KernelPerceptron(kernel="rbf", gamma=5.0, max_iter=1000), X, y)
    wrong = float((model.predict(X) != y).sum())
    return Finding(wrong if model.certificate_.value == 0 else 0.0, model.certificate_)


def pocket(name: str, seed: int) -> Finding:
    """The fraction of rows that the hyperplane misclassifies."""
    X, y = classes(seed)
    model = fitted(learnable.Pocket(random_state=0), X, y)
    z = extended(X)[0] @ extended(model.coef_[0])[0] + EXTENDED(float(model.intercept_[0]))
    return Finding(float(((z > 0) != (y == model.classes_[1])).mean()), model.certificate_, 1 / len(y) / 2)


def clean_sample(name: str, seed: int) -> Finding:
    """(1 - inliers^size)^trials."""
    X, y = regression(seed)
    y = y.copy()
    y[:12] += 50 * np.abs(y).max()
    model = fitted(learnable.RANSACRegressor(min_samples=5, random_state=0), X, y)
    if not model.certificate_.kind.startswith("chance"):
        return Finding(0.0, model.certificate_)
    inliers, rows = int(model.inlier_mask_.sum()), len(y)
    clean = np.prod([(inliers - k) / (rows - k) for k in range(5)])
    least = min(clean, (inliers / rows) ** 5)
    return Finding(float((1 - max(clean, (inliers / rows) ** 5)) ** model.n_trials_), model.certificate_, 1e-9 * least)


def _rows(seed: int) -> Any:
    X = columns(np.random.default_rng(seed), seed % 5, 60, 3)
    return X + 3 * X.std(axis=0) * (np.arange(60) % 3)[:, None]


def balanced(name: str, seed: int) -> Finding:
    """The cost of the labels beside that of the best assignment with clusters of these sizes."""
    X = _rows(seed)
    model = fitted(learnable.BalancedKMeans(3, random_state=0), X)
    Z, centres = extended(X, model.cluster_centers_)
    far = ((Z[:, None] - centres) ** 2).sum(axis=2).astype(float)
    sizes = np.bincount(model.labels_, minlength=3)
    columns_of = np.repeat(np.arange(3), sizes)
    rows, chosen = linear_sum_assignment(far[:, columns_of])
    best, own = far[rows, columns_of[chosen]].sum(), far[np.arange(60), model.labels_].sum()
    return Finding(float((own - best) / own), model.certificate_, 1e-9)


def links(name: str, seed: int) -> Finding:
    """The number of links that the labels violate."""
    X, draws = _rows(seed), np.random.default_rng(seed)
    must = [(int(i), int(i) + 3) for i in draws.integers(0, 50, 5)]
    cannot = [(int(i), int(i) + 1) for i in draws.integers(0, 50, 5)]
    model = fitted(learnable.ConstrainedKMeans(3, must_link=must, cannot_link=cannot, random_state=0), X)
    found = model.labels_
    broken = sum(found[i] != found[j] for i, j in must) + sum(found[i] == found[j] for i, j in cannot)
    return Finding(float(broken), model.certificate_)


def agreement(name: str, seed: int) -> Finding:
    """Training rows are predicted to be in the cluster that they were put in."""
    X = _rows(seed)
    if name == "KPrototypes":
        X[:, 2] = np.arange(60) % 3
        model = fitted(learnable.KPrototypes(3, categorical_features=[2], random_state=0), X)
    else:
        model = fitted(learnable.BisectingKMeans(3, random_state=0), X)
    return Finding(float((model.predict(X) != model.labels_).mean()), model.certificate_)


def modes_move(name: str, seed: int) -> Finding:
    """The mean of the rows within the bandwidth of a mode, beside the mode."""
    X = _rows(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.MeanShift(bandwidth=1.0), X)
    Z, centres = extended(X, model.cluster_centers_)
    moved = 0.0
    for centre in centres:
        near = ((Z - centre) ** 2).sum(axis=1) <= 1
        moved = max(moved, float(np.sqrt(((Z[near].mean(axis=0) - centre) ** 2).sum())))
    return Finding(moved, model.certificate_, 1e-12)


def exemplars(name: str, seed: int) -> Finding:
    """Ten times as many iterations without a change change no exemplar."""
    X = _rows(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    first, more = (
        fitted(learnable.AffinityPropagation(max_iter=5000, convergence_iter=count, random_state=0), X)
        for count in (15, 150)
    )
    same = np.array_equal(first.cluster_centers_indices_, more.cluster_centers_indices_)
    return Finding(float(not same and first.certificate_.holds and more.certificate_.holds), first.certificate_)


def loadings(name: str, seed: int) -> Finding:
    """What the last iteration of factor analysis gained, by normal densities in extended precision."""
    X, _ = regression(seed, rows=60, count=5)
    model = fitted(learnable.FactorAnalysis(2, tol=1e-6, max_iter=3000), X)
    before = fitted(learnable.FactorAnalysis(2, tol=1e-6, max_iter=max(model.n_iter_ - 1, 1)), X)

    def likelihood(found: Any) -> Any:
        W, noise = extended(found.components_, found.noise_variance_)
        return _normal(extended(X)[0], extended(X)[0].mean(axis=0), W.T @ W + np.diag(noise)).sum()

    here = likelihood(model)
    gained = float(here - likelihood(before)) if model.n_iter_ > 1 else 0.0
    felt = np.linalg.cond(model.get_covariance() / np.sqrt(np.outer(*[np.diag(model.get_covariance())] * 2)))
    return Finding(gained, model.certificate_, 1e3 * EPS * (abs(float(here)) + len(X) * felt))


def missing_normal(name: str, seed: int) -> Finding:
    """What the last iteration gained: densities of the entries that are there."""
    X, _ = regression(seed, rows=60)
    X[np.random.default_rng(seed).random(X.shape) < 0.15] = np.nan
    model = fitted(learnable.GaussianImputer(tol=1e-7, max_iter=3000, ridge=0.0), X)
    before = fitted(learnable.GaussianImputer(tol=1e-7, max_iter=max(model.n_iter_ - 1, 1), ridge=0.0), X)

    def likelihood(found: Any) -> Any:
        total = EXTENDED(0)
        for row in X:
            there = np.flatnonzero(~np.isnan(row))
            if len(there):
                part = extended(found.covariance_)[0][np.ix_(there, there)]
                total += _normal(extended(row[None, there])[0], extended(found.mean_[there])[0], part)[0]
        return total / len(X)

    felt = np.linalg.cond(model.scaled_covariance_)
    return Finding(float(likelihood(model) - likelihood(before)), model.certificate_, 1e3 * EPS * felt)


def imputation(name: str, seed: int) -> Finding:
    """The sum of the changes of a row, of the last round against the one before."""
    X, _ = regression(seed, rows=60)
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    model = learnable.IterativeImputer(random_state=0, max_iter=50)
    filled = fitted(model, X).transform(X)
    if model.n_iter_ < 2:
        return Finding(0.0, model.certificate_)
    before = fitted(learnable.IterativeImputer(random_state=0, max_iter=model.n_iter_ - 1), X).transform(X)
    return Finding(
        float(np.abs(filled - before).sum(axis=1).max()), model.certificate_, 1e-9 * float(np.nanmax(np.abs(X)))
    )


def directions(name: str, seed: int) -> Finding:
    """The largest change of an unmixing direction in the last iteration."""
    draws = np.random.default_rng(seed)
    X = draws.uniform(-1, 1, (200, 3)) @ draws.standard_normal((3, 3))
    model = fitted(learnable.FastICA(3, random_state=0, max_iter=1000, tol=1e-6), X)
    if model.n_iter_ < 2:
        return Finding(0.0, model.certificate_)
    before = fitted(learnable.FastICA(3, random_state=0, max_iter=model.n_iter_ - 1, tol=1e-6), X)
    white = [extended(one.components_ @ one.mixing_ if one is None else one.components_)[0] for one in (model, before)]
    covariance = extended(np.cov(X.T, bias=True))[0]
    inner = np.abs(((white[0] @ covariance) * white[1]).sum(axis=1))
    sizes = [np.sqrt(((one @ covariance) * one).sum(axis=1)) for one in white]
    return Finding(float(np.abs(inner / sizes[0] / sizes[1] - 1).max()), model.certificate_, 1e-9)


def last_gain(name: str, seed: int) -> Finding:
    """The last two objectives of the trace."""
    X = _rows(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if name == "PrincipalCurve":
        model = fitted(learnable.PrincipalCurve(), X)
        unit = float(((X - X.mean(axis=0)) ** 2).sum())
    else:
        model = fitted(learnable.BayesianGaussianMixture(n_components=2, random_state=0, max_iter=500), X)
        unit = 1.0
    objective = [row["objective"] for row in model.trace_.rows]
    gained = max(objective[-2] - objective[-1], 0.0) if len(objective) > 1 else 0.0
    return Finding(gained / unit, model.certificate_, 1e-12)


def reconstruction(name: str, seed: int) -> Finding:
    """The reconstruction after the last iteration against the one before."""
    X = _rows(seed)
    X[::9] += 40 * X.std(axis=0)
    model = fitted(learnable.RobustPCA(2, max_iter=1000), X)
    before = fitted(learnable.RobustPCA(2, max_iter=max(model.n_iter_ - 1, 1)), X)
    made = [extended(one.inverse_transform(one.transform(X)) - X.mean(axis=0))[0] for one in (model, before)]
    change = np.sqrt(((made[0] - made[1]) ** 2).sum() / (made[1] ** 2).sum())
    return Finding(float(change), model.certificate_, 1e-12)


def heavy_tails(name: str, seed: int) -> Finding:
    """What the last iteration of a mixture of t densities gained."""
    X = _rows(seed)
    options: dict[str, Any] = {"n_components": 2, "random_state": 0, "reg_covar": 0.0}
    model = fitted(learnable.StudentTMixture(max_iter=2000, **options), X)
    count = len(model.trace_.rows)
    before = fitted(learnable.StudentTMixture(max_iter=max(count - 1, 1), **options), X)

    def likelihood(found: Any) -> Any:
        logs, p = [], X.shape[1]
        for weight, mean, shape, d in zip(found.weights_, found.means_, found.scales_, found.freedom_, strict=True):
            normal = _normal(extended(X)[0], *extended(mean, shape))
            at_mean = _normal(extended(mean[None])[0], *extended(mean, shape))
            squares = 2 * (at_mean - normal)
            constant = lgamma((d + p) / 2) - lgamma(d / 2) + p / 2 * np.log(2 * pi) - p / 2 * np.log(d * pi)
            logs.append(np.log(weight) + at_mean + constant - (d + p) / 2 * np.log1p(squares / d))
        return np.logaddexp(*logs).mean()

    felt = max(np.linalg.cond(one / np.sqrt(np.outer(*[np.diag(one)] * 2))) for one in model.scales_)
    return Finding(float(likelihood(model) - likelihood(before)), model.certificate_, 1e3 * EPS * felt)


def mixed_states(name: str, seed: int) -> Finding:
    """No iteration of the trace lowered the likelihood, and its last two differ by no more than was stated."""
    X = _rows(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.GMMHMM(2, n_mix=2, n_iter=300, random_state=0), X)
    objective = [row["objective"] for row in model.trace_.rows]
    fall = float(np.diff(objective).max(initial=0.0))
    gain = objective[-2] - objective[-1] if len(objective) > 1 else 0.0
    return Finding(max(gain, fall, 0.0), model.certificate_, 1e-9)


def left_out(name: str, seed: int) -> Finding:
    """The fraction of fits that have no score, of a search in which a candidate cannot be fitted."""
    X, y = regression(seed)
    grid = {"alpha": [0.1, 1.0, 10.0]}
    cls = getattr(learnable, name)
    model = fitted(
        cls(learnable.Ridge(), grid, cv=3, **({} if name.startswith(("Grid", "HalvingGrid")) else {"random_state": 0})),
        X,
        y,
    )
    scores = [values for key, values in model.cv_results_.items() if key.startswith("split") and "test" in key]
    return Finding(float(np.isnan(np.asarray(scores, float)).mean()), model.certificate_)


def single_changes(name: str, seed: int) -> Finding:
    """How much the best subset with one column more or less would gain on the folds."""
    X, y = regression(seed)
    model = fitted(learnable.GeneticSelection(learnable.Ridge(), cv=3, n_generations=3, random_state=0), X, y)
    scores = []
    for column in range(X.shape[1]):
        mask = model.support_.copy()
        mask[column] = not mask[column]
        if mask.any():
            scores.append(learnable.cross_val_score(learnable.Ridge(), X[:, mask], y, cv=3).mean())
    return Finding(max(float(np.max(scores)) - model.score_, 0.0), model.certificate_, 1e-12)


def atoms(name: str, seed: int) -> Finding:
    """The fraction by which the last iteration lowered the objective."""
    X = _rows(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.DictionaryLearning(3, alpha=0.5, random_state=0), X)
    objective = [row["objective"] for row in model.trace_.rows]
    fell = (objective[-2] - objective[-1]) / objective[-1] if len(objective) > 1 else 0.0
    return Finding(max(fell, 0.0), model.certificate_, 1e-12)


def nonnegative(name: str, seed: int) -> Finding:
    """Changes of the factors: projected derivatives at the end beside those after a pass, or of H in the last batch."""
    X = np.abs(_rows(seed))
    X = X / X.max(axis=0)
    options: dict[str, Any] = {"n_components": 2, "random_state": 0}
    if name == "MiniBatchNMF":
        model = fitted(learnable.MiniBatchNMF(**options), X)
        return Finding(model.trace_.rows[-1]["criterion"] if model.certificate_.value else 0.0, model.certificate_)
    draws = np.random.default_rng(seed)
    W, H = draws.random((60, 2)), draws.random((2, 3))
    model = learnable.NMF(init="custom", max_iter=3000, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.core.ConvergenceWarning)  # the certificate says so
        made = model.fit_transform(X, W=W.copy(), H=H.copy())
    return Finding(_projected(X, made, model.components_) / _projected(X, W, H), model.certificate_, 1e-9)


def _projected(X: Any, W: Any, H: Any) -> float:
    X, W, H = extended(X, W, H)
    total = EXTENDED(0)
    for factor, gradient in ((W, (W @ H - X) @ H.T), (H, W.T @ (W @ H - X))):
        total += np.abs(np.where(factor > 0, gradient, np.minimum(gradient, 0))).sum()
    return float(total)


def _sentences(seed: int) -> tuple[Any, Any]:
    """Tokens with a few attributes of very different sizes, and labels that mostly follow them."""
    draws = np.random.default_rng(seed)
    X = [
        [{f"a{draws.integers(5)}": 1.0, f"b{draws.integers(3)}": 10.0 ** draws.integers(-2, 3)} for _ in range(6)]
        for _ in range(8)
    ]
    y = [["AB"[draws.integers(2)] if draws.random() < 0.1 else "AB"[max(token) < "b1"] for token in row] for row in X]
    return X, y


def sentences(name: str, seed: int) -> Finding:
    """The objective beside that of a far longer search, as the problem is convex: it bounds the gradient, too."""
    X, y = _sentences(seed)
    c2 = 10.0 ** np.random.default_rng(seed).integers(-4, 1)
    if name == "CRF":
        model = fitted(learnable.CRF(c2=c2), X, y)
        longer = fitted(learnable.CRF(c2=c2, epsilon=1e-11, delta=1e-14, max_iterations=5000), X, y)
    else:
        model = fitted(learnable.MaximumEntropyMarkovModel(c2=c2), X, y)
        longer = fitted(learnable.MaximumEntropyMarkovModel(c2=c2, tol=1e-12, max_iter=5000), X, y)
    here, best = (one.trace_.rows[-1]["objective"] for one in (model, longer))
    if name == "CRF":
        return Finding((here - best) / here, model.certificate_, 1e-13)
    weights = np.array([*model.state_features_.values(), *model.transition_features_.values()])
    least = np.sqrt(4 * c2 * max(here - best, 0.0)) / max(1.0, float(np.linalg.norm(weights)))
    return Finding(float(least), model.certificate_, np.sqrt(4 * c2 * 1e-13 * abs(here)))


def tags(name: str, seed: int) -> Finding:
    """A last epoch without errors leaves the weights as they are, and these make none on the training sentences."""
    X, y = _sentences(seed)
    model = fitted(learnable.StructuredPerceptron(averaging=False, random_state=0), X, y)
    wrong = np.mean(
        [a != b for ours, given in zip(model.predict(X), y, strict=True) for a, b in zip(ours, given, strict=True)]
    )
    return Finding(float(wrong) if model.certificate_.kind == "errors" else 0.0, model.certificate_)


def expectations(name: str, seed: int) -> Finding:
    """Expectations of the columns in each class under the model beside their means, less what the penalty allows."""
    X, y = classes(seed, 3)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    alpha = 10.0 ** np.random.default_rng(seed).integers(-4, 1)
    model = fitted(learnable.MaximumEntropyClassifier(alpha=alpha), X, y)
    Z, W, b = extended(X, model.coef_, model.intercept_)
    z = Z @ W.T + b
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p = p / p.sum(axis=1, keepdims=True)
    off = (p - (y[:, None] == model.classes_)) / len(y)
    return Finding(
        float(max(np.abs(off.T @ Z + EXTENDED(alpha) * W).max(), np.abs(off.sum(axis=0) + EXTENDED(alpha) * b).max())),
        model.certificate_,
        1e-12,
    )
