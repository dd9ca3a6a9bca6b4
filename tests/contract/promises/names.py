"""Column names are kept, compared and used in messages; missing values are handled as declared."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow

from ..cases import digest, fit, fit_quietly, make, output, problem, speaks
from ..promise import promise

NAMES = ["age", "height", "weight", "income"]
FRAMES = {
    "pandas": lambda X, names=NAMES: pandas.DataFrame(X, columns=names),
    "polars": lambda X, names=NAMES: polars.DataFrame(X, schema=names),
    "pyarrow": lambda X, names=NAMES: pyarrow.table(dict(zip(names, X.T, strict=True))),
}


def refusal(action: Any) -> str:
    """The message of the ValueError that `action` must raise."""
    try:
        action()
    except ValueError as error:
        return str(error)
    raise AssertionError("nothing was refused")


@promise()
def frames_give_the_same_model_and_names(cls: type) -> None:
    X, y = problem(cls)
    plain = fit_quietly(make(cls), X, y)
    assert not hasattr(plain, "feature_names_in_")
    for library, frame in FRAMES.items():
        model = fit_quietly(make(cls), frame(X), y)
        assert list(model.feature_names_in_) == NAMES, library
        assert model.n_features_in_ == 4
        np.testing.assert_allclose(output(model, frame(X)), output(plain, X), rtol=1e-6, atol=1e-6, err_msg=library)


@promise()
def names_go_with_the_data(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), FRAMES["pandas"](X), y)
    fit_quietly(model, X, y)
    assert not hasattr(model, "feature_names_in_"), "names of an earlier fit stay"


@promise()
def other_columns_are_refused(cls: type) -> None:
    X, y = problem(cls)
    for frame in FRAMES.values():
        model = fit_quietly(make(cls), frame(X), y)
        if cls.traits.by_name:
            np.testing.assert_array_equal(output(model, frame(X[:, ::-1], NAMES[::-1])), output(model, frame(X)))
        else:
            message = refusal(lambda model=model, frame=frame: output(model, frame(X, NAMES[::-1])))
            assert "order" in message, message
        message = refusal(lambda model=model, frame=frame: output(model, frame(X, [*NAMES[:3], "salary"])))
        assert "salary" in message and "income" in message, message
        message = refusal(lambda model=model, frame=frame: output(model, frame(X[:, :3], NAMES[:3])))
        assert "income" in message, message


@promise()
def another_number_of_columns_is_refused(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    message = refusal(lambda: output(model, X[:, :3]))
    assert "X has 3 features, but" in message and "is expecting 4 features" in message, message
    assert speaks(cls, message), message


@promise()
def lost_names_are_warned_of(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), FRAMES["polars"](X), y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        output(model, X)
    assert any("does not have valid feature names" in str(warning.message) for warning in caught)


@promise(made_by=lambda cls: cls.traits.missing == "refuse")
def missing_values_are_refused_by_column_and_row(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), FRAMES["pandas"](X), y)
    before = digest(model)
    X = X.copy()
    X[7, 2] = np.nan
    for library, frame in FRAMES.items():
        for action in (lambda f=frame: fit(make(cls), f(X), y), lambda f=frame: output(model, f(X))):
            message = refusal(action)
            expected = ("column 'weight'", "row 7", "NaN", "fill or drop")
            assert speaks(cls, message) and all(word in message for word in expected), (library, message)
    assert "column 2, row 7" in refusal(lambda: fit(model, X, y))
    X[7, 2] = np.inf
    assert "infinity" in refusal(lambda: fit(model, X, y))
    assert digest(model) == before


@promise(made_by=lambda cls: cls.traits.missing == "native")
def missing_values_are_handled(cls: type) -> None:
    X, y = problem(cls)
    X = X.copy()
    X[7, 2] = np.nan
    said = output(fit_quietly(make(cls), X, y), X)
    assert cls.traits.task == "transformation" or np.isfinite(said).all()


@promise(made_by=lambda cls: cls.traits.takes == "numbers")
def text_columns_are_refused_by_column_and_row(cls: type) -> None:
    X, y = problem(cls)
    frame = FRAMES["pandas"](X).astype({"weight": object})
    frame.loc[3, "weight"] = "heavy"
    message = refusal(lambda: fit(make(cls), frame, y))
    assert all(word in message for word in ("weight", "row 3", "heavy", "encode")), message


@promise(made_by=lambda cls: cls.traits.task in ("regression", "classification"))
def missing_targets_are_refused_by_row(cls: type) -> None:
    X, y = problem(cls)
    y = y.astype(float)
    y[5] = np.nan
    message = refusal(lambda: fit(make(cls), X, y))
    assert speaks(cls, message) and "row 5" in message and "NaN" in message, message
