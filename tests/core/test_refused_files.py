"""Model files that were changed: what is wrong is refused in words, and by name where it can be."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import learnable
from learnable.core import ModelFileError
from learnable.core.files.encoding import Encoder
from learnable.core.files.model_file import BLANK, sealed
from tests.toys import ToyDescent, ToyRidge

X = np.random.default_rng(0).standard_normal((20, 3))
Y = X @ [1.0, 2.0, 3.0]


def rewritten(path, change, seal=True) -> None:
    """The file with its description changed, and a checksum that fits unless `seal` is False."""
    from safetensors.numpy import load as unpacked
    from safetensors.numpy import save as packed

    payload = path.read_bytes()
    header = json.loads(payload[8 : 8 + int.from_bytes(payload[:8], "little")])
    description, tensors = json.loads(header["__metadata__"]["learnable"]), unpacked(payload)
    change(description, tensors)
    metadata = {"learnable": json.dumps(description)} | ({"checksum": BLANK} if seal else {})
    payload = packed(tensors, metadata=metadata)
    path.write_bytes(sealed(payload) if seal else payload)


def state(description: dict[str, Any]) -> dict[str, Any]:
    return description["model"]["state"]


WRONG = {
    "newer": (lambda d, t: d.update(format=99), "in format 99; this version reads up to 2"),
    "older than the first": (lambda d, t: d.update(format=0), "reads up to 2"),
    "no format": (lambda d, t: d.pop("format"), "no format number"),
    "format is true": (lambda d, t: d.update(format=True), "no format number"),
    "no model": (lambda d, t: d.pop("model"), "holds no model"),
    "another kind": (lambda d, t: d.update(model={"checkpoint": 1}), "unknown kind of value 'checkpoint'"),
    "unknown class": (lambda d, t: d["model"].update(estimator="os.system"), "unknown estimator 'os.system'"),
    "a function's name": (lambda d, t: d["model"].update(estimator="load"), "unknown estimator 'load'"),
    "class is a list": (lambda d, t: d["model"].update(estimator=["ToyRidge"]), "unknown estimator"),
    "unknown parameter": (lambda d, t: d["model"]["params"].update(beta=1), "no parameter 'beta'"),
    "learned as parameter": (lambda d, t: d["model"]["params"].update(coef_=1), "no parameter 'coef_'"),
    "bad parameter": (lambda d, t: d["model"]["params"].update(alpha=-1), "alpha must be at least 0"),
    "parameter of another type": (lambda d, t: d["model"]["params"].update(alpha="1"), "alpha must be float"),
    "unknown attribute": (lambda d, t: state(d).update(fit=1), "learns no 'fit'"),
    "private attribute": (lambda d, t: state(d).update(__class__=1), "learns no '__class__'"),
    "missing attribute": (lambda d, t: state(d).pop("coef_"), "coef_ is missing"),
    "missing width": (lambda d, t: state(d).pop("n_features_in_"), "n_features_in_ must be"),
    "negative width": (lambda d, t: state(d).update(n_features_in_=-3), "n_features_in_ must be"),
    "other width": (lambda d, t: state(d).update(n_features_in_=4), "coef_ has 3 features; expected 4"),
    "flat": (lambda d, t: t.update({state(d)["coef_"]["array"]: np.ones((3, 1))}), "coef_ has 2 dimensions"),
    "list for an array": (lambda d, t: state(d).update(coef_=[1.0, 2.0, 3.0]), "coef_ has the wrong type list"),
    "text for a number": (lambda d, t: state(d).update(intercept_="x"), "intercept_ has the wrong type str"),
    "texts for numbers": (lambda d, t: state(d).update(coef_=encoded(t, np.array(["a", "b", "c"]))), "coef_ holds"),
    "a huge number": (lambda d, t: state(d).update(intercept_=10**30), r"intercept_ is 1e\+30, more than any"),
    "a huge width": (lambda d, t: state(d).update(n_features_in_=10**30), "columns that a table can have"),
    "a number without end": (lambda d, t: d["model"]["params"].update(alpha=10**400), "has more than 128 bits"),
    "no such array": (
        lambda d, t: state(d)["coef_"].update(array="t99"),
        "coef_: the description is malformed: its array",
    ),
    "a certificate of one part": (
        lambda d, t: state(d)["certificate_"].update(certificate=["exact"]),
        "certificate_: the description is malformed: its certificate is not what it should be",
    ),
    "names of another number": (
        lambda d, t: state(d).update(feature_names_in_=encoded(t, np.array(["a"], dtype=object))),
        "one name per column",
    ),
    "names are numbers": (lambda d, t: state(d).update(feature_names_in_=state(d)["coef_"]), "one name per column"),
    "trace is a number": (lambda d, t: state(d).update(trace_=3), "trace_ is not a Trace"),
    "certificate is a text": (lambda d, t: state(d).update(certificate_="fine"), "certificate_ is not a Certificate"),
    "a reason to stop": (lambda d, t: state(d)["trace_"].update(stopped="bored"), "no valid reason"),
    "an output of a regression": (
        lambda d, t: d["model"].update(choices={"output": "pandas"}),
        "cannot return its output as",
    ),
    "an unknown choice": (lambda d, t: d["model"].update(choices={"os": 1}), "'os' is not a known option"),
    "choices in a list": (lambda d, t: d["model"].update(choices=["output"]), "malformed"),
    "requests of any method": (
        lambda d, t: d["model"].update(choices=with_requests("__init__")),
        "no metadata requests for the method '__init__'",
    ),
    "requests of an unknown": (
        lambda d, t: d["model"].update(choices=with_requests("fit")),
        "takes no 'groups' to route",
    ),
    "a nested model": (lambda d, t: d.update(model=nested(d["model"], 100)), "nested too deeply"),
}


def encoded(tensors: dict[str, Any], value: Any) -> Any:
    """A value described, its arrays among the tensors of the file."""
    encoder = Encoder()
    encoder.tensors = tensors
    return encoder.encode(value, "x")


def with_requests(method: str) -> dict[str, Any]:
    return {"requests": {method: {"groups": True}}}


def nested(node: Any, depth: int) -> Any:
    for _ in range(depth):
        node = {"estimator": "ToyOuter", "params": {"inner": node}, "state": {}}
    return node


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_description_is_refused_in_words(tmp_path, kind):
    path = tmp_path / "model"
    learnable.save(ToyRidge().fit(X, Y), path)
    change, message = WRONG[kind]
    rewritten(path, change)
    with pytest.raises(ModelFileError, match=message) as caught:
        learnable.load(path)
    assert str(caught.value).startswith(str(path))


def replaced(attribute: str, value: Any) -> Any:
    """A change of a file that puts another array in the place of a learned one."""
    return lambda d, t: state(d).update({attribute: encoded(t, value)})


def renamed(column: str) -> Any:
    """A change of a file that gives a column of the trace another name."""

    def change(d: dict[str, Any], t: dict[str, Any]) -> None:
        columns = state(d)["trace_"]["trace"]["columns"]
        columns[columns.index(column)] = "other"

    return change


USELESS = {
    "whole weights": (learnable.Lasso, Y, replaced("coef_", np.ones(3, dtype=np.int64)), "coef_ holds int64"),
    "short weights": (learnable.Lasso, Y, replaced("coef_", np.ones(3, dtype=bool)), "coef_ holds bool"),
    "no weights": (learnable.Lasso, Y, replaced("coef_", np.ones(0)), "coef_ has 0 features; expected 3"),
    "nothing for weights": (learnable.SGDRegressor, Y, replaced("coef_", None), "coef_ has 0 dimensions"),
    "nothing for rows": (learnable.KNeighborsRegressor, Y, replaced("rows_", None), "rows_ has 0 dimensions"),
    "no targets": (learnable.Ridge, Y, replaced("coef_", np.ones((0, 3))), "coef_ has no targets"),
    "no planes": (learnable.LogisticRegression, Y > 0, replaced("coef_", np.ones((0, 3))), "coef_ has no rows"),
    "five intercepts": (
        learnable.Lasso,
        Y,
        replaced("intercept_", np.ones(5)),
        "intercept_ has several targets; coef_",
    ),
    "five scales": (learnable.StandardScaler, None, replaced("scale_", np.ones(5)), "scale_ has 5 features"),
    "no objective": (learnable.Lasso, Y, renamed("objective"), "trace_ has rows without 'objective'"),
    "no seconds": (learnable.Lasso, Y, renamed("seconds"), "trace_ has rows without 'seconds'"),
}


@pytest.mark.parametrize("kind", USELESS)
def test_state_that_no_prediction_could_use_is_refused_by_name(tmp_path, kind):
    cls, y, change, message = USELESS[kind]
    learnable.save(cls().fit(X, y), tmp_path / "model")
    rewritten(tmp_path / "model", change)
    with pytest.raises(ModelFileError, match=message):
        learnable.load(tmp_path / "model")


def emptied(attribute: str, entries: list[Any]) -> Any:
    """A change of a file that puts other entries in the place of a learned list."""
    return lambda d, t: state(d).update({attribute: encoded(t, entries)})


UNSOUND_STEPS = {
    "none": [],
    "no pairs": [3.0, "scale"],
    "a number for a step": [("scale", 3.0)],
    "a text for a step": [("scale", "fit")],
    "no name": [(None, "passthrough")],
    "an unfitted step": [("scale", learnable.StandardScaler())],
}


@pytest.mark.parametrize("kind", UNSOUND_STEPS)
def test_steps_of_a_pipeline_that_could_not_work_are_refused(tmp_path, kind):
    model = learnable.make_pipeline(learnable.StandardScaler(), learnable.Ridge()).fit(X, Y)
    learnable.save(model, tmp_path / "model")
    rewritten(tmp_path / "model", emptied("steps_", UNSOUND_STEPS[kind]))
    with pytest.raises(ModelFileError, match="steps_ must hold one or more pairs of a name and a fitted step"):
        learnable.load(tmp_path / "model")


def test_an_unfitted_part_of_a_fitted_model_is_refused(tmp_path):
    learnable.save(learnable.RANSACRegressor(random_state=0).fit(X, Y), tmp_path / "model")
    rewritten(tmp_path / "model", lambda d, t: state(d).update(estimator_=encoded(t, learnable.LinearRegression())))
    with pytest.raises(ModelFileError, match="estimator_ holds a LinearRegression that is not fitted"):
        learnable.load(tmp_path / "model")


def test_models_of_a_precomputed_kernel_hold_no_rows(tmp_path):
    model = learnable.SVC(kernel="precomputed").fit(X @ X.T, Y > 0)
    learnable.save(model, tmp_path / "model")
    np.testing.assert_array_equal(learnable.load(tmp_path / "model").predict(X @ X.T), model.predict(X @ X.T))


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("[1]", "its header is not a table of arrays"),
        ("3", "its header is not a table of arrays"),
        ("{}", "it holds arrays without a description"),
        ('{"__metadata__": []}', "it holds arrays without a description"),
        ('{"__metadata__": {"format": "pt"}}', "it holds arrays without a description"),
        ('{"__metadata__": {"learnable": 3}}', "it holds arrays without a description"),
        ("{", "its header is not JSON"),
        ('{"__metadata__": {"learnable": "{"}}', "its description is not JSON"),
    ],
)
def test_files_of_other_programs_are_refused_in_words(tmp_path, header, words):
    (tmp_path / "model").write_bytes(len(header).to_bytes(8, "little") + header.encode())
    with pytest.raises(ModelFileError, match=f"not a model file of this library: {words}$"):
        learnable.load(tmp_path / "model")


def numbers(model: Any) -> list[bytes]:
    """All that two equal models have in common, to the bit."""
    return [model.coef_.tobytes(), np.float64(model.intercept_).tobytes(), repr(model.get_params()).encode()]


def test_no_byte_changes_unnoticed(tmp_path):
    path, draws = tmp_path / "model", np.random.default_rng(0)
    learnable.save(learnable.Ridge().fit(X, Y), path)
    payload = path.read_bytes()
    for _ in range(300):
        damaged = bytearray(payload)
        damaged[draws.integers(len(payload))] ^= draws.integers(1, 256)
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError):
            learnable.load(path)


def test_damage_is_called_so(tmp_path):
    path = tmp_path / "model"
    learnable.save(learnable.Ridge().fit(X, Y), path)
    payload = bytearray(path.read_bytes())
    payload[-1] ^= 1  # the last byte of an array, of which any value would do
    path.write_bytes(payload)
    with pytest.raises(ModelFileError, match="damaged, as its checksum is not that of its bytes"):
        learnable.load(path)
    rewritten(path, lambda description, tensors: None)
    learnable.load(path)
    path.write_bytes(path.read_bytes().replace(b'"checksum"', b'"checksux"'))
    with pytest.raises(ModelFileError, match="damaged"):
        learnable.load(path)


def test_files_of_the_first_format_have_no_checksum_and_still_load(tmp_path):
    path, model = tmp_path / "model", learnable.Ridge().fit(X, Y)
    learnable.save(model, path)
    rewritten(path, lambda description, tensors: description.update(format=1), seal=False)
    assert b"checksum" not in path.read_bytes()
    assert numbers(learnable.load(path)) == numbers(model)


def test_a_checkpoint_is_not_a_model(tmp_path):
    path = tmp_path / "fit"
    with learnable.checkpoint(path, every=0):
        ToyDescent().fit(X, Y)
    with pytest.raises(ModelFileError, match="holds no model"):
        learnable.load(path)


TREES = {
    "a child outside": ("children_left", lambda a: np.where(a >= 0, len(a), a)),
    "a walk that never ends": ("children_left", lambda a: np.where(a >= 0, 0, a)),
    "two parents": ("children_right", lambda a: np.where(a >= 0, a[a >= 0][0], a)),
    "one child": ("children_right", lambda a: np.full_like(a, -1)),
    "children of another type": ("children_left", lambda a: a.astype(np.int64)),
    "too few thresholds": ("threshold", lambda a: a[:-1]),
    "sets beyond the words": ("set_start", lambda a: a + 1),
    "no column": ("feature", lambda a: np.full_like(a, -2)),
}


@pytest.mark.parametrize("case", TREES)
def test_arrays_that_are_not_a_tree_are_refused(case, tmp_path):
    attribute, change = TREES[case]
    learnable.save(learnable.DecisionTreeRegressor().fit(X, Y), tmp_path / "model")

    def spoil(description, tensors):
        name = state(description)["tree_"]["fields"][attribute]["array"]
        tensors[name] = np.ascontiguousarray(change(tensors[name]))

    rewritten(tmp_path / "model", spoil)
    with pytest.raises(ModelFileError, match="Tree: "):
        learnable.load(tmp_path / "model")


def test_trees_that_ask_for_a_column_that_is_not_there_do_not_read_it(tmp_path):
    learnable.save(learnable.DecisionTreeRegressor().fit(X, Y), tmp_path / "model")

    def spoil(description, tensors):
        name = state(description)["tree_"]["fields"]["feature"]["array"]
        tensors[name] = np.where(tensors[name] >= 0, 10**6, tensors[name]).astype(np.int32)

    rewritten(tmp_path / "model", spoil)
    with pytest.raises(ValueError, match="a tree splits on a column that X does not have"):
        learnable.load(tmp_path / "model").predict(X)


@pytest.mark.parametrize("name", ["RandomForestRegressor", "C45Classifier", "ObliqueTreeClassifier"])
def test_nodes_of_every_kind_are_checked_before_they_are_traversed(name, tmp_path):
    model = getattr(learnable, name)(**({"n_estimators": 2} if "Forest" in name else {}))
    learnable.save(model.fit(X, Y > 0 if "Classifier" in name else Y), tmp_path / "model")

    def spoil(description, tensors):
        text = json.dumps(description)
        requested = next(part for part in ("left", "children_left", "child") if f'"{part}": {{"array"' in text)
        place = text.index(f'"{requested}": {{"array": "') + len(f'"{requested}": {{"array": "')
        array = text[place : text.index('"', place)]
        tensors[array] = np.where(tensors[array] >= 0, 0, tensors[array]).astype(tensors[array].dtype)

    rewritten(tmp_path / "model", spoil)
    with pytest.raises(ModelFileError, match="a child is outside its tree"):
        learnable.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("change", "flaw"),
    [
        ({"coef_": np.ones(2)}, "coef_ has 2 features; expected 3"),
        ({"coef_": [1.0, 2.0, 3.0]}, "coef_ has the wrong type list"),
        ({"alpha": -1.0}, "alpha must be at least 0"),
    ],
)
def test_what_load_would_refuse_is_not_saved(tmp_path, change, flaw):
    model = learnable.Ridge().fit(X, Y)
    model.__dict__.update(change)
    for whole in (model, learnable.make_pipeline(learnable.StandardScaler(), model)):
        with pytest.raises(ModelFileError, match=f"cannot save this {type(whole).__name__}, .* refuse: .*{flaw}"):
            learnable.save(whole, tmp_path / "model")
    assert not list(tmp_path.iterdir())
