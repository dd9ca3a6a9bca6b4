"""Import of XGBoost and LightGBM models; export of trees to C and ONNX."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import learnable
from learnable import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    LinearRegression,
    RandomForestClassifier,
    RandomForestRegressor,
    export_c,
    export_onnx,
    partial_dependence,
    read_lightgbm,
    read_xgboost,
    shap_values,
)

HERE = Path(__file__).parents[1] / "references" / "foreign_trees"
EXPECTED = json.loads((HERE / "predictions.json").read_text())
ROWS = np.array(EXPECTED["rows"], dtype=float)
KINDS = ["numbers", "two", "three", "counts", "kinds"]


def read(library, kind):
    if library == "xgboost":
        return read_xgboost(HERE / f"xgboost_{kind}.json")
    return read_lightgbm(HERE / f"lightgbm_{kind}.txt")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("library", "apart"), [("xgboost", 1e-6), ("lightgbm", 1e-14)])
def test_predictions_agree_with_the_other_library(library, apart, kind):
    model = read(library, kind)
    np.testing.assert_allclose(model.predict(ROWS), EXPECTED[f"{library}_{kind}"], rtol=apart, atol=apart)
    found = shap_values(model, ROWS)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.decision_function(ROWS), atol=1e-12)
    export_c(model, ROWS)
    export_onnx(model, ROWS)


def test_vector_leaves(tmp_path):
    model = read("xgboost", "vectors")
    np.testing.assert_allclose(model.predict(ROWS), EXPECTED["xgboost_vectors"], rtol=1e-6, atol=1e-6)
    found = shap_values(model, ROWS)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.decision_function(ROWS), atol=1e-12)

    def older(learner):
        for tree in learner["gradient_booster"]["model"]["trees"]:
            del tree["leaf_weights"]

    def shorter(learner):
        del first_tree(learner)["leaf_weights"][3:]

    again = read_xgboost(spoilt(tmp_path, older, "vectors"))
    np.testing.assert_allclose(again.predict(ROWS), model.predict(ROWS), atol=1e-6)
    with pytest.raises(learnable.ModelFileError, match="a leaf has no vector"):
        read_xgboost(spoilt(tmp_path, shorter, "vectors"))


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_an_imported_model_can_be_saved(library, tmp_path):
    for kind in KINDS:
        model = read(library, kind)
        learnable.save(model, tmp_path / "trees.learnable")
        again = learnable.load(tmp_path / "trees.learnable")
        np.testing.assert_array_equal(again.predict(ROWS), model.predict(ROWS))
        assert (again.link, again.names, again.single) == (model.link, model.names, model.single)


def test_an_imported_model_can_be_explained():
    model = read("lightgbm", "numbers")
    curve = partial_dependence(model, np.nan_to_num(ROWS), [0], method="brute", grid_resolution=4)
    assert curve.average.shape == (1, 4) and model.names == ["Column_0", "Column_1", "Column_2"]
    with pytest.raises(ValueError, match="expect 3"):
        model.predict(ROWS[:, :2])


def test_columns_in_another_order_are_rejected(tmp_path):
    unnamed = read("lightgbm", "numbers")
    frame = pd.DataFrame(ROWS, columns=["a", "b c", "d"])
    np.testing.assert_array_equal(unnamed.predict(frame), unnamed.predict(ROWS))

    def named(learner):
        learner["feature_names"] = ["a", "b c", "d"]

    text = (HERE / "lightgbm_numbers.txt").read_text().replace("Column_0 Column_1 Column_2", "a b_c d")
    (tmp_path / "named.txt").write_text(text)
    for model in (read_xgboost(spoilt(tmp_path, named)), read_lightgbm(tmp_path / "named.txt")):
        np.testing.assert_array_equal(model.predict(frame), model.predict(ROWS))
        assert shap_values(model, ROWS[:2]).names == model.feature_names_in_.tolist()
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(frame[["b c", "a", "d"]])


def test_extreme_scores_have_probabilities_without_a_warning(tmp_path):
    text = (HERE / "lightgbm_two.txt").read_text().replace("leaf_value=", "leaf_value=-1e3 ", 1)
    head, value, rest = text.partition("leaf_value=-1e3 ")
    (tmp_path / "low.txt").write_text(head + value + rest.split(" ", 1)[1])
    low = read_lightgbm(tmp_path / "low.txt")
    assert low.decision_function(ROWS).min() < -800
    assert low.predict(ROWS).min() == 0.0


@pytest.mark.parametrize("reader", [read_xgboost, read_lightgbm])
@pytest.mark.parametrize("text", ["", "{}", "tree\n", '{"learner": {"gradient_booster": {"name": "gblinear"}}}'])
def test_other_files_are_rejected(reader, text, tmp_path):
    (tmp_path / "model").write_text(text)
    with pytest.raises(learnable.ModelFileError, match=reader.__name__):
        reader(tmp_path / "model")


def spoilt(tmp_path, change, kind="numbers"):
    """An XGBoost file after a change of its content."""
    whole = json.loads((HERE / f"xgboost_{kind}.json").read_text())
    change(whole["learner"])
    (tmp_path / "model").write_text(json.dumps(whole).replace('"huge"', "1e400"))
    return tmp_path / "model"


def first_tree(learner):
    return learner["gradient_booster"]["model"]["trees"][0]


SPOILT = {
    "leaves of vectors": lambda learner: first_tree(learner)["tree_param"].update(size_leaf_vector="3"),
    "a column that is not there": lambda learner: first_tree(learner)["split_indices"].__setitem__(0, 99),
    "a child outside": lambda learner: first_tree(learner)["left_children"].__setitem__(0, 10**6),
    "a circle": lambda learner: first_tree(learner)["left_children"].__setitem__(0, 0),
    "a huge leaf": lambda learner: first_tree(learner)["split_conditions"].__setitem__(-1, "huge"),
    "a huge start": lambda learner: learner["learner_model_param"].update(base_score="1e400"),
    "a far output": lambda learner: learner["gradient_booster"]["model"]["tree_info"].__setitem__(0, 10**9),
    "leaves of any width": lambda learner: first_tree(learner)["tree_param"].update(size_leaf_vector="10000000000000"),
    "no list": lambda learner: learner["gradient_booster"]["model"].update(trees=7),
}


@pytest.mark.parametrize("change", SPOILT.values(), ids=SPOILT.keys())
def test_corrupted_files_are_rejected_on_reading(change, tmp_path):
    with pytest.raises(learnable.ModelFileError, match="read_xgboost"):
        read_xgboost(spoilt(tmp_path, change))


def test_a_huge_category_code_is_rejected(tmp_path):
    def change(learner):
        for tree in learner["gradient_booster"]["model"]["trees"]:
            tree["categories"] = [10**13 for _ in tree["categories"]]

    with pytest.raises(learnable.ModelFileError, match="category"):
        read_xgboost(spoilt(tmp_path, change, "kinds"))


@pytest.mark.parametrize(
    ("old", "new"),
    [("split_feature=", "split_feature=99 "), ("left_child=", "left_child=7 "), ("leaf_value=", "leaf_value=nan "),
     ("num_leaves=", "num_leaves=10000000000000")],
)  # fmt: skip
def test_corrupted_texts_are_rejected_on_reading(old, new, tmp_path):
    lines = (HERE / "lightgbm_numbers.txt").read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith(old))
    lines[at] = new + lines[at].removeprefix(old).partition(" ")[2]
    (tmp_path / "model").write_text("\n".join(lines))
    with pytest.raises(learnable.ModelFileError, match="read_lightgbm"):
        read_lightgbm(tmp_path / "model")


@pytest.mark.parametrize("reader", [read_xgboost, read_lightgbm])
def test_binary_files_are_rejected(reader, tmp_path):
    (tmp_path / "model.ubj").write_bytes(bytes(range(256)))
    with pytest.raises(learnable.ModelFileError, match=f"{reader.__name__}.*it is not text"):
        reader(tmp_path / "model.ubj")


def test_linear_models_are_rejected_with_a_reason(tmp_path):
    path = spoilt(tmp_path, lambda learner: learner["gradient_booster"]["model"].pop("trees"))
    with pytest.raises(learnable.ModelFileError, match="it has no 'trees'"):
        read_xgboost(path)


def test_one_vs_all_models_have_independent_probabilities(tmp_path):
    text = (HERE / "lightgbm_three.txt").read_text().replace("objective=multiclass ", "objective=multiclassova ")
    (tmp_path / "model").write_text(text)
    model = read_lightgbm(tmp_path / "model")
    np.testing.assert_allclose(model.predict(ROWS), 1 / (1 + np.exp(-model.decision_function(ROWS))), atol=1e-15)


def test_trees_after_the_best_iteration_are_ignored(tmp_path):
    path = spoilt(tmp_path, lambda learner: learner["attributes"].update(best_iteration="0"), "three")
    model = read_xgboost(path)
    assert len(model.stack) == 3
    whole = read("xgboost", "three")
    np.testing.assert_allclose(
        model.decision_function(ROWS), whole.base + whole.stack.sums(whole._tree_rows(ROWS), 3), atol=1e-12
    )


def test_softmax_predicts_classes_and_softprob_probabilities(tmp_path):
    path = spoilt(tmp_path, lambda learner: learner["objective"].update(name="multi:softmax"), "three")
    np.testing.assert_array_equal(
        read_xgboost(path).predict(ROWS), read("xgboost", "three").predict(ROWS).argmax(axis=1)
    )


def test_unsupported_objectives_and_leaves_are_rejected(tmp_path):
    for wrong in (("objective=regression", "objective=cross_entropy_lambda"), ("is_linear=0", "is_linear=1")):
        (tmp_path / "model").write_text((HERE / "lightgbm_numbers.txt").read_text().replace(*wrong))
        with pytest.raises(learnable.ModelFileError):
            read_lightgbm(tmp_path / "model")
    (tmp_path / "model").write_text((HERE / "xgboost_two.json").read_text().replace("binary:logistic", "survival:cox"))
    with pytest.raises(learnable.ModelFileError, match="survival:cox"):
        read_xgboost(tmp_path / "model")


def test_exported_c_code_predicts_the_same_bits(tmp_path):
    y = np.nan_to_num(ROWS[:, 0])
    frame = pd.DataFrame({"a": ROWS[:, 0], "kind": pd.Categorical.from_codes(np.arange(40) % 3, ["x", "y", "z"])})
    code = export_c(DecisionTreeRegressor(max_depth=3).fit(ROWS, y), ROWS, path=tmp_path / "tree.c", name="score")
    assert "void score(const double *x, double *out)" in code and (tmp_path / "tree.c").read_text() == code
    export_c(DecisionTreeClassifier(categorical_features=["kind"]).fit(frame, frame["kind"]), frame)
    export_c(RandomForestRegressor(4, random_state=0).fit(ROWS, y), ROWS)
    export_c(
        HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3).fit(ROWS, np.digitize(y, [-0.5, 0.5])), ROWS
    )
    with pytest.raises(ValueError, match="not a tree model"):
        export_c(LinearRegression().fit(y[:, None], y))
    for wrong in ("two words", "int", "start", "double", "isnan", "main", "né"):
        with pytest.raises(ValueError, match="name"):
            export_c(DecisionTreeRegressor().fit(ROWS, y), name=wrong)
    with pytest.raises(ValueError, match="cannot compile the file; is the name 'exp' in use"):
        export_c(DecisionTreeRegressor().fit(ROWS, y), ROWS, name="exp")
    with pytest.raises(learnable.NotFittedError):
        export_c(DecisionTreeRegressor())


def test_onnx_agrees_on_missing_values_categories_and_several_outputs(tmp_path):
    import onnxruntime

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": pd.Categorical(rng.choice(list("abcdefg"), 200)), "x": rng.normal(size=200)})
    frame.loc[::9, "x"] = np.nan
    y = np.isin(frame["kind"], ["b", "e", "f"]) + np.nan_to_num(frame["x"])
    classes = np.digitize(y, [0, 1])
    for model in (
        HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3),
        RandomForestRegressor(4, categorical_features=["kind"], random_state=0),
        DecisionTreeRegressor(max_depth=4, categorical_features=["kind"]),
    ):
        export_onnx(model.fit(frame, y), frame)
    export_onnx(HistGradientBoostingClassifier(max_iter=3).fit(frame, classes), frame)
    export_onnx(DecisionTreeRegressor().fit(frame[["x"]], np.zeros(200)), frame[["x"]])  # a single leaf
    forest = RandomForestClassifier(4, random_state=0).fit(frame[["x"]], classes)
    export_onnx(forest, path=tmp_path / "forest.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "forest.onnx")
    found = session.run(None, {"X": frame[["x"]].to_numpy()})[0]
    np.testing.assert_allclose(found, forest.predict_proba(frame[["x"]]), atol=1e-12)


def test_an_onnx_file_that_differs_is_rejected(monkeypatch):
    from learnable.tree import _export_onnx

    y = np.arange(float(len(ROWS)))
    model = DecisionTreeRegressor().fit(ROWS, y)
    monkeypatch.setattr(_export_onnx, "AT_MOST", 3)  # above a threshold: every row goes the other way
    with pytest.raises(learnable.DataError, match="differ by"):
        export_onnx(model, ROWS)
    with pytest.raises(learnable.DataError, match="not a tree model"):
        export_onnx(LinearRegression().fit(y[:, None], y))
    with pytest.raises(learnable.NotFittedError):
        export_onnx(DecisionTreeRegressor())
