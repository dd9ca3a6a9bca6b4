"""Models of exact sums: equal bytes however the rows are added, merged and removed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import learnable
from learnable import (
    PCA,
    DataError,
    GaussianNB,
    KNeighborsRegressor,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    ModelFileError,
    ParameterError,
    QuadraticDiscriminantAnalysis,
    Ridge,
    scale,
)
from learnable.scale.unlearning import bytes_of

DRAWS = np.random.default_rng(0)
ROWS = 240
X = DRAWS.normal(size=(ROWS, 3)) * [1e-3, 1.0, 1e6] + [5.0, 0.0, 1e8]
Y = X @ [400.0, 2.0, 1e-6] + DRAWS.normal(size=ROWS)
LABELS = np.array(["low", "middle", "high"])[np.digitize(Y, np.quantile(Y, [0.3, 0.6]))]
WEIGHT = DRAWS.random(ROWS)
MODELS = {
    "LinearRegression": (LinearRegression(), Y),
    "Ridge": (Ridge(alpha=0.3), Y),
    "no intercept": (Ridge(fit_intercept=False), Y),
    "positive": (Ridge(positive=True), Y),
    "two targets": (Ridge(), np.stack([Y, Y**2], axis=1)),
    "GaussianNB": (GaussianNB(), LABELS),
    "LDA": (LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1), LABELS),
    "PCA": (PCA(2), None),
    "QDA": (QuadraticDiscriminantAnalysis(tol=0.0), LABELS),
}


def exactly(model, *data):
    with scale.on(exact=True):
        return learnable.clone(model).fit(*data)


def parts_of(count, y, weight):
    return [
        (X[rows], None if y is None else y[rows], None if weight is None else weight[rows])
        for rows in np.array_split(DRAWS.permutation(ROWS), count)
    ]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["rows", "weighted"])
@pytest.mark.parametrize("name", MODELS)
def test_merged_and_unlearned_models_have_the_bytes_of_one_fit(name, weight):
    model, y = MODELS[name]
    whole = bytes_of(exactly(model, X, y, weight))
    a, b, c = parts_of(3, y, weight)
    fits = [exactly(model, *part) for part in (a, b, c)]
    apart = [bytes_of(fit) for fit in fits]
    merged = fits[2].merge(fits[0]).merge(fits[1])
    assert bytes_of(merged) == whole
    assert bytes_of(merged.unlearn(*b).unlearn(*c)) == apart[0]
    assert bytes_of(merged.partial_fit(c[0], c[1], sample_weight=c[2]).merge(fits[1])) == whole
    rows = scale.scan(X, target=y, weight=weight, block_rows=37)
    assert bytes_of(exactly(model, rows)) == whole
    summaries = [scale.summary(model, *part) for part in (a, b, c)]
    both = summaries[1] + summaries[0] + summaries[2] - summaries[1] + summaries[1]
    assert both.fingerprint == scale.summary(model, rows).fingerprint
    assert bytes_of(type(model).from_summary(both, **model.get_params())) == whole


@pytest.mark.parametrize("name", MODELS)
def test_exact_models_agree_with_ordinary_ones(name):
    model, y = MODELS[name]
    exact, ordinary = exactly(model, X, y, WEIGHT), learnable.clone(model).fit(X, y, WEIGHT)
    if y is LABELS:
        np.testing.assert_allclose(exact.predict_proba(X), ordinary.predict_proba(X), rtol=1e-6, atol=1e-9)
    elif y is None:
        np.testing.assert_allclose(exact.transform(X), ordinary.transform(X), rtol=1e-6, atol=1e-3)
    else:
        np.testing.assert_allclose(exact.predict(X), ordinary.predict(X), rtol=1e-8)
    assert exact.certificate_.holds


@pytest.mark.parametrize("kind", ["float32", "sparse", "missing", "named"])
def test_kinds_of_rows(kind, tmp_path):
    import pandas as pd

    model, y = (GaussianNB(), LABELS) if kind == "missing" else (Ridge(), Y)
    rows = {
        "float32": X.astype(np.float32),
        "sparse": sparse.csr_array(np.where(DRAWS.random(X.shape) < 0.8, 0.0, X)),
        "missing": np.where(DRAWS.random(X.shape) < 0.2, np.nan, X),
        "named": pd.DataFrame(X, columns=["a", "b", "c"]),
    }[kind]
    first, second = rows[:100], rows[100:]
    whole = exactly(model, rows, y)
    merged = exactly(model, second, y[100:]).merge(exactly(model, first, y[:100]))
    assert bytes_of(merged) == bytes_of(whole)
    learnable.save(whole, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    assert bytes_of(again.unlearn(first, y[:100])) == bytes_of(exactly(model, second, y[100:]))


@given(
    scales=st.lists(st.integers(-140, 140), min_size=3, max_size=3),
    part=st.lists(st.booleans(), min_size=40, max_size=40),
    seed=st.integers(0, 2**31),
)
def test_columns_of_any_scale(scales, part, seed):
    draws = np.random.default_rng(seed)
    rows = draws.normal(size=(40, 3)) * 10.0 ** np.array(scales)
    y, weight = draws.normal(size=40), draws.integers(1, 4, 40).astype(float)
    rest, gone = ~np.array(part), np.array(part)
    if rest.sum() < 5 or gone.sum() < 1:
        return
    summaries = [scale.summary(Ridge(), rows[chosen], y[chosen], weight[chosen]) for chosen in (rest, gone)]
    both = scale.summary(Ridge(), rows, y, weight)
    assert (both - summaries[1]).fingerprint == summaries[0].fingerprint
    assert (summaries[1] + summaries[0]).fingerprint == both.fingerprint


def test_copies_are_weights():
    copies = DRAWS.integers(0, 4, ROWS)
    repeated = exactly(Ridge(), np.repeat(X, copies, axis=0), np.repeat(Y, copies))
    assert bytes_of(repeated) == bytes_of(exactly(Ridge(), X, Y, copies.astype(float)))


def test_classes_come_and_go():
    low, rest = LABELS == "low", LABELS != "low"
    for model in (GaussianNB(), LinearDiscriminantAnalysis()):
        whole = exactly(model, X, LABELS)
        without = exactly(model, X[rest], LABELS[rest])
        assert bytes_of(whole.unlearn(X[low], LABELS[low])) == bytes_of(without)
        assert whole.classes_.tolist() == ["high", "middle"]
        assert bytes_of(whole.partial_fit(X[low], LABELS[low])) == bytes_of(exactly(model, X, LABELS))
        with pytest.raises(DataError, match="'new' were never added"):
            whole.unlearn(X[:1], ["new"])


def test_rows_that_were_never_learned_are_refused_and_change_nothing():
    for name in ("Ridge", "GaussianNB", "LDA"):
        model, y = MODELS[name]
        fit = exactly(model, X, y)
        before = bytes_of(fit)
        with pytest.raises(DataError, match="never"):
            fit.unlearn(X[:1] * 1e9, y[:1])
        with pytest.raises(DataError):
            fit.unlearn(X, y)  # nothing would remain
        assert bytes_of(fit) == before


def test_models_without_exact_sums_say_so():
    with pytest.raises(DataError, match=r"on\(exact=True\)"):
        Ridge().fit(X, Y).unlearn(X[:1], Y[:1])
    with pytest.raises(learnable.NotFittedError):
        Ridge().unlearn(X[:1], Y[:1])
    with pytest.raises(DataError, match="only another Ridge can be merged"):
        exactly(Ridge(), X, Y).merge(exactly(LinearRegression(), X, Y))
    with pytest.raises(DataError, match="KNeighborsRegressor does not learn from sums"):
        scale.summary(KNeighborsRegressor(), X, Y)
    with pytest.raises(ParameterError, match="exact"):
        scale.summary(Ridge(), X, Y, exact=False)
    with pytest.raises(ParameterError, match="shrinkage"):
        exactly(LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"), X, LABELS)
    with pytest.raises(DataError, match="class products"):
        LinearDiscriminantAnalysis.from_summary(scale.summary(Ridge(), X, Y))


def test_summaries_of_other_columns_or_kinds_cannot_be_added():
    first = scale.summary(Ridge(), X, Y)
    for other, reason in (
        (scale.summary(Ridge(), X[:, :2], Y), "different columns"),
        (scale.summary(Ridge(), X, np.stack([Y, Y], 1)), "different targets"),
        (scale.summary(GaussianNB(), X, LABELS), "different kind"),
        (3, "only another summary"),
    ):
        with pytest.raises(DataError, match=reason):
            first + other
        with pytest.raises(DataError, match=reason):
            first - other
    import pandas as pd

    named = scale.summary(Ridge(), pd.DataFrame(X, columns=list("abc")), Y)
    with pytest.raises(DataError, match="different names"):
        named + scale.summary(Ridge(), pd.DataFrame(X, columns=list("abd")), Y)
    with pytest.raises(DataError, match="numbers and text"):
        scale.summary(GaussianNB(), X, LABELS) + scale.summary(GaussianNB(), X, np.arange(ROWS) % 2)


def test_summary_files(tmp_path):
    for name in ("Ridge", "GaussianNB", "LDA"):
        model, y = MODELS[name]
        path = tmp_path / name
        summary = scale.summary(model, X, y)
        summary.save(path)
        again = scale.ExactSummary.load(path)
        assert again.fingerprint == summary.fingerprint
        again.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == path.read_bytes()
        raw = bytearray(path.read_bytes())
        raw[-3] ^= 1
        path.write_bytes(raw)
        with pytest.raises(ModelFileError, match="checksum"):
            scale.ExactSummary.load(path)
    learnable.save(Ridge().fit(X, Y), tmp_path / "model")
    with pytest.raises(ModelFileError, match="holds no summary"):
        scale.ExactSummary.load(tmp_path / "model")
    values = scale.summary(Ridge(), X, Y).as_dict()
    for broken in (
        {"columns": 2}, {"kind": "class moments"}, {"kind": 3}, {"names": ["a"]}, {"dtype": "object"}, {"targets": -1},
        {"digits": values["digits"][:-1]}, {"powers": values["powers"] + 10_000}, {"classes": np.arange(3)},
    ):  # fmt: skip
        with pytest.raises(ModelFileError):
            scale.ExactSummary.of_dict({**values, **broken})
    with pytest.raises(ModelFileError, match="fields"):
        scale.ExactSummary.of_dict({})


def test_certificates_of_unlearning():
    model, refit = exactly(Ridge(), X, Y), exactly(Ridge(), X[20:], Y[20:])
    rest, certificate = scale.unlearn(model, X[:20], Y[:20])
    assert isinstance(certificate, scale.UnlearningCertificate)
    assert certificate.holds_for(refit)
    assert certificate.holds_for(rest)
    assert not certificate.holds_for(model)
    assert (certificate.removed_rows, certificate.removed_weight, certificate.remaining_weight) == (20, 20.0, ROWS - 20)
    assert certificate.removed == scale.summary(Ridge(), X[:20], Y[:20]).fingerprint
    assert certificate.as_dict()["before"] == scale.summary(Ridge(), X, Y).fingerprint
    assert "20 rows" in str(certificate)
    assert bytes_of(model) == bytes_of(exactly(Ridge(), X, Y))


def test_iterative_models_unlearn_to_a_stated_tolerance():
    Z, y = (X - X.mean(axis=0)) / X.std(axis=0), LABELS == "low"
    model = LogisticRegression(tol=1e-8).fit(Z, y)
    rest, certificate = scale.unlearn(model, Z[:20], y[:20], remaining=(Z[20:], y[20:]))
    assert certificate.kind == "to tolerance"
    assert certificate.distance <= certificate.tolerance
    refit = LogisticRegression(tol=1e-8).fit(Z[20:], y[20:])
    np.testing.assert_allclose(rest.coef_, refit.coef_, rtol=1e-5)
    assert not certificate.holds_for(refit)
    assert rest.warm_start is False
    with pytest.raises(DataError, match="give the remaining rows"):
        scale.unlearn(model, Z[:20], y[:20])
    with pytest.raises(DataError, match="keeps no sums"):
        scale.unlearn(KNeighborsRegressor().fit(Z, Y), Z[:20])
