"""`check`, `compare`, `explain`, `convert` and `doctor`: what they say about saved models is true."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import numpy as np
import onnx
import pyarrow as pa
import pytest
from pyarrow import csv

import learnable
from learnable.app import self_check
from learnable.app.export.c_file import c_file
from learnable.app.export.c_file import run as run_c
from learnable.app.export.convert import convert_model, sample_rows
from learnable.app.export.json_file import model_of
from learnable.app.export.model_parts import parts_of
from learnable.app.export.onnx_file import onnx_file
from learnable.app.export.onnx_file import run as run_onnx
from learnable.app.predict.contributions import contributions
from learnable.app.predict.predictor import Predictor
from learnable.core import DataError
from tests.app.commands.test_predict import run
from tests.app.saved_models import classifier, customers, expected, features, prepared, regressor, saved


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    saved(classifier(), folder / "buys.learnable")
    saved(regressor(), folder / "spends.learnable")
    saved(regressor(learnable.DummyRegressor()), folder / "mean.learnable")
    csv.write_csv(customers(200, seed=5), folder / "rows.csv")
    return folder


def test_check_describes_a_file(capsys, folder):
    code, out, _ = run(capsys, "check", folder / "buys.learnable", "--json")
    result = json.loads(out)
    assert code == 0 and result["good"] and result["holds"] == "DeployedModel" and result["sealed"]
    assert result["model"] == str(folder / "buys.learnable")
    assert result["bytes"] == (folder / "buys.learnable").stat().st_size
    assert result["columns"]["age"].startswith("number, 18") and result["card"]["rows"] == 300
    code, out, _ = run(capsys, "check", folder / "buys.learnable")
    assert code == 0 and "sha256 is correct" in out and "ColumnTransformer, LogisticRegression" in out


def test_check_of_damaged_and_other_files(capsys, folder, tmp_path):
    payload = bytearray((folder / "buys.learnable").read_bytes())
    payload[len(payload) // 2] ^= 1
    (tmp_path / "damaged").write_bytes(payload)
    code, out, err = run(capsys, "check", tmp_path / "damaged", "--json")
    assert code == 5 and json.loads(out)["good"] is False and "damaged" in err
    assert run(capsys, "check", tmp_path / "absent")[0] == 5
    assert run(capsys, "explain", tmp_path / "absent.learnable")[0] == 5
    saved(learnable.StandardScaler().fit([[1.0], [2.0]]), tmp_path / "scaler")
    code, out, _ = run(capsys, "check", tmp_path / "scaler")
    assert code == 0 and "does not predict" in out


def test_compare_finds_a_difference_that_is_there(capsys, folder):
    models = folder / "mean.learnable", folder / "spends.learnable"
    code, out, _ = run(capsys, "compare", *models, folder / "rows.csv", "--json")
    result = json.loads(out)
    assert code == 0 and result["better"] == "spends.learnable" and result["rows"] == 200
    truth = customers(200, seed=5).column("spends").to_numpy()
    off = np.abs(truth - regressor().predict(features(customers(200, seed=5))))
    assert result["models"][1]["score"] == pytest.approx(off.mean(), rel=1e-9)
    low, high = result["models"][1]["interval"]
    assert low < off.mean() < high


def test_compare_distinguishes_files_of_the_same_name(capsys, folder, tmp_path):
    for name, model in (("old", "mean.learnable"), ("new", "spends.learnable")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.learnable").write_bytes((folder / model).read_bytes())
    models = [tmp_path / name / "model.learnable" for name in ("old", "new")]
    result = json.loads(run(capsys, "compare", *models, folder / "rows.csv", "--json")[1])
    assert [one["name"] for one in result["models"]] == ["old/model.learnable", "new/model.learnable"]
    assert result["better"] == "new/model.learnable"


def test_compare_reports_no_significant_difference(capsys, folder):
    twice = [folder / "buys.learnable"] * 2
    code, out, _ = run(capsys, "compare", *twice, folder / "rows.csv")
    assert code == 0 and "do not differ significantly" in " ".join(out.split())
    assert run(capsys, "compare", *twice, folder / "rows.csv", "--target", "nothing")[0] == 3
    code, _, err = run(capsys, "compare", folder / "buys.learnable", folder / "spends.learnable", folder / "rows.csv")
    assert code == 3 and "predict different targets" in err


def test_explain_a_file_by_what_it_rests_on(capsys, folder):
    code, out, _ = run(capsys, "explain", folder / "spends.learnable", "--data", folder / "rows.csv", "--json")
    result = json.loads(out)["importance"]
    assert code == 0 and result[0]["column"] == "income" and result[-1]["column"] == "age"
    code, out, _ = run(capsys, "explain", folder / "buys.learnable", "--data", folder / "rows.csv", "--row", 3)
    assert code == 0 and "probability of yes" in out and "row 3" in out
    assert run(capsys, "explain", folder / "buys.learnable", "--data", folder / "rows.csv", "--row", 999)[0] == 3
    assert run(capsys, "explain", folder / "buys.learnable", "--row", 1)[0] == 2


@pytest.mark.parametrize(("kind", "value"), [(str, "maybe"), (float, "2"), (bool, "2")])
def test_explain_refuses_classes_that_the_model_does_not_know(capsys, tmp_path, kind, value):
    table = customers(60, seed=5)
    yes = table.column("buys").to_numpy() == "yes"
    y = np.where(yes, "yes", "no") if kind is str else yes.astype(kind)
    model = prepared(learnable.LogisticRegression()).fit(features(table), y)
    scores, positive = np.linspace(0, 0.8, 200), y[yes][0]
    deployed = learnable.DeployedModel(model, "binary", "buys", expected(table), scores, positive)
    path = saved(deployed, tmp_path / "model")
    truth = [str(one) for one in y.tolist()]
    truth[6] = value
    csv.write_csv(features(table).append_column("buys", pa.array(truth)), tmp_path / "rows.csv")
    code, _, err = run(capsys, "explain", path, "--data", tmp_path / "rows.csv")
    assert code == 3 and f"'buys' is '{value}' in row 7, a class that the model does not have" in err


def test_explain_names_the_required_target_column(capsys, folder, tmp_path):
    csv.write_csv(features(customers(60, seed=5)), tmp_path / "rows.csv")
    code, _, err = run(capsys, "explain", folder / "buys.learnable", "--data", tmp_path / "rows.csv")
    assert code == 3 and "no target column 'buys'" in err and "give the target column this name" in err
    assert "--target" not in err, "which it does not take"


def test_contributions_are_exact_for_a_linear_model():
    """For a sum of functions of single columns each part is its function less the mean over the background."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    requested = Predictor.of(learnable.LinearRegression().fit(X, X @ [1.0, -2.0, 0.0]))
    found = contributions(requested, pa.table(list(X.T), names=requested.names), 7)
    assert found.mean + found.parts.sum() == pytest.approx(found.value, abs=1e-12)
    assert found.parts == pytest.approx((X[7] - X.mean(axis=0)) * [1.0, -2.0, 0.0], abs=1e-12)
    assert found.method == "exact: linear model" and found.entries == X[7].tolist()


def test_sampled_contributions_are_computed_in_chunks_and_have_intervals(monkeypatch, capsys, tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 30))
    requested, sizes = Predictor.of(learnable.SVR().fit(X, X.sum(axis=1))), []
    frame, predict = pa.table(list(X.T), names=requested.names), learnable.SVR.predict
    whole = contributions(requested, frame, 7)
    monkeypatch.setattr("learnable.inspection._players.CELLS", 3000)
    monkeypatch.setattr(learnable.SVR, "predict", lambda self, rows: sizes.append(len(rows)) or predict(self, rows))
    chunks = contributions(requested, frame, 7)
    assert max(sizes) == 3000 // 30 and chunks.parts == pytest.approx(whole.parts, abs=1e-12)
    assert (whole.low < whole.parts).all() and (whole.parts < whole.high).all()
    learnable.save(requested.model.model, tmp_path / "m.learnable")
    csv.write_csv(frame, tmp_path / "rows.csv")
    code, out, _ = run(capsys, "explain", tmp_path / "m.learnable", "--data", tmp_path / "rows.csv", "--row", "8")
    assert code == 0 and "95 % interval" in out and "sampled: 64 orders" in out
    monkeypatch.setattr("learnable.inspection.explanation.MAX_CELLS", 1)
    sizes.clear()
    few = contributions(requested, frame, 7)
    assert sum(sizes) < 200 and few.mean + few.parts.sum() == pytest.approx(few.value, abs=1e-12)


@pytest.mark.parametrize(("no", "yes"), [("0", "1"), ("0.0", "1.0"), ("false", "true"), ("False", "True")])
@pytest.mark.parametrize("kind", [float, int, bool])
def test_classes_that_are_numbers_are_known_however_a_table_writes_them(capsys, tmp_path, no, yes, kind):
    rows = customers(200, seed=5)
    truth = np.array([yes if buys == "yes" else no for buys in rows.column("buys").to_pylist()])
    csv.write_csv(features(rows).append_column("buys", pa.array(truth)), tmp_path / "rows.csv")
    table = customers()
    y = (table.column("buys").to_numpy() == "yes").astype(kind)
    model = prepared(learnable.LogisticRegression()).fit(features(table), y)
    deployed = learnable.DeployedModel(model, "binary", "buys", expected(table), np.linspace(0, 0.8, 200), y.max())
    path = saved(deployed, tmp_path / "model")
    result = json.loads(run(capsys, "compare", path, path, tmp_path / "rows.csv", "--json")[1])
    right = np.mean(model.predict(features(rows)) == (truth == yes))
    assert result["models"][0]["score"] == pytest.approx(right) and right > 0.8
    result = json.loads(run(capsys, "explain", path, "--data", tmp_path / "rows.csv", "--json")[1])
    assert result["importance"][0]["loss"] > 0.05


FINAL = {
    "logistic": lambda: classifier(),
    "forest": lambda: classifier(learnable.RandomForestClassifier(n_estimators=5, random_state=0)),
    "boosted": lambda: regressor(learnable.HistGradientBoostingRegressor(max_iter=5)),
    "ridge": lambda: regressor(),
    "study": lambda: vectorized(),
}


def vectorized() -> learnable.DeployedModel:
    """A model as a study makes it."""
    table = customers()
    steps = learnable.make_pipeline(learnable.TableVectorizer(), learnable.Ridge())
    model = steps.fit(features(table), table.column("spends").to_numpy())
    return learnable.DeployedModel(model, "regression", "spends", regressor().columns, np.linspace(0, 3, 200))


@pytest.mark.parametrize("form", ["onnx", "c", "json"])
@pytest.mark.parametrize("kind", FINAL)
def test_converted_models_predict_the_same(capsys, tmp_path, folder, kind, form):
    saved(FINAL[kind](), tmp_path / "model")
    rows = ["--data", folder / "rows.csv"] if form != "json" else []
    code, _, err = run(capsys, "convert", tmp_path / "model", "--to", form, "-o", tmp_path / f"out.{form}", *rows)
    assert code == 0 and f"agree on {500 if form == 'json' else 200} rows" in err
    assert (tmp_path / f"out.{form}").stat().st_size > 100


def shops(rows: int = 400) -> pa.Table:
    """A table with every type that a study encodes: numbers, categories, texts and times, with missing values."""
    rng = np.random.default_rng(1)
    words = np.array(["old", "large", "Red", "house", "by", "the", "sea", "Ärger"])
    texts = [" ".join(rng.choice(words, 6)) + f" no{row}" for row in range(rows)]
    days = np.datetime64("2020-01-01T00:00:00", "us") + rng.integers(0, 10**9, rows).astype("timedelta64[s]")
    missing = rng.random((4, rows)) < 0.1
    columns = {
        "size": pa.array(rng.normal(size=rows), mask=missing[0]),
        "kind": pa.array(rng.choice(["a", "b", "c"], rows), mask=missing[1]),
        "street": pa.array([f"street {k}" for k in rng.integers(0, 60, rows)], mask=missing[2]),
        "code": [f"code{k}" for k in rng.permutation(4 * rows)[:rows]],
        "text": pa.array(texts, mask=missing[3]),
        "day": pa.array(days, mask=missing[0]),
        "full": [f"town {k}" for k in rng.integers(0, 50, rows)],
    }
    table = pa.table(columns)
    price = rng.normal(size=rows) + np.array([text.count("sea") for text in texts]) + (missing[2] * 3)
    return table.append_column("price", pa.array(price))


SHOP_MODELS = {
    "linear": (learnable.Ridge, "regression"),
    "forest": (lambda: learnable.RandomForestRegressor(n_estimators=5, random_state=0), "regression"),
    "classes": (learnable.LogisticRegression, "multi-class"),
}


def shop_model(kind: str) -> learnable.DeployedModel:
    """A model of shops as a study makes it."""
    table = shops()
    X, price = table.drop_columns(["price"]), table.column("price").to_numpy()
    make, task = SHOP_MODELS[kind]
    y = price if task == "regression" else np.digitize(price, [0.0, 1.0]).astype(str)
    steps = learnable.make_pipeline(learnable.TableVectorizer(very_many=300, random_state=0), make())
    columns = [learnable.ExpectedColumn.of(name, X.column(name).to_numpy()) for name in X.column_names]
    return learnable.DeployedModel(steps.fit(X, y), task, "price", columns, np.linspace(0, 1, 9))


@pytest.mark.parametrize("form", ["onnx", "c"])
@pytest.mark.parametrize("kind", SHOP_MODELS)
def test_models_of_texts_and_times_are_converted(capsys, tmp_path, kind, form):
    model = shop_model(kind)
    kinds = ["number", "few", "many", "very many", "text", "date", "many"]
    assert list(model.model[0].kinds_.values()) == kinds
    saved(model, tmp_path / "model")
    csv.write_csv(shops(), tmp_path / "rows.csv")
    for rows in ([], ["--data", tmp_path / "rows.csv"]):
        out = tmp_path / "out"
        code, result, err = run(capsys, "convert", tmp_path / "model", "--to", form, "-o", out, "--json", *rows)
        assert code == 0 and f"agree on {400 if rows else 500} rows" in err
        inputs = json.loads(result)["inputs"]
        assert [one["place"] for one in inputs] == list(range(len(inputs)))
        assert {"count of 'sea' in text", "weekday of day, 0 being Monday"} <= {one["means"] for one in inputs}
        assert inputs[1]["categories"] == ["a", "b", "c"]


@pytest.mark.parametrize("form", ["onnx", "c", "json"])
def test_very_many_codes_that_a_model_takes_as_numbers_are_converted(capsys, tmp_path, form):
    codes = np.array([f"{7 * number:05d}" for number in range(300)], dtype=object)
    model = learnable.make_pipeline(learnable.TableVectorizer(), learnable.Ridge())
    model.fit(pa.table({"zip": codes}), np.arange(300.0))
    columns = [learnable.ExpectedColumn.of("zip", codes)]
    saved(learnable.DeployedModel(model, "regression", "y", columns, np.linspace(0, 1, 20)), tmp_path / "model")
    code, _, err = run(capsys, "convert", tmp_path / "model", "--to", form, "-o", tmp_path / "out")
    assert code == 0 and "agree on" in err


def test_a_converted_file_handles_missing_values_and_unknown_categories(tmp_path):
    requested = Predictor.of(shop_model("linear"))
    parts = parts_of(requested)
    table = shops().drop_columns(["price"]).slice(0, 3)
    street = pa.array([None, "no such street", "street 1"], pa.string())
    frame = table.set_column(2, "street", street)
    rows = parts.inputs.matrix(frame)
    levels = parts.inputs.levels[2]
    assert np.isnan(rows[0, 2]) and rows[1, 2] == -1 and levels[int(rows[2, 2])] == "street 1"
    result = run_c(c_file(parts), rows, 1)
    assert np.allclose(result.ravel(), requested.model.predict(frame), rtol=1e-12)
    assert len(set(result.ravel().tolist())) == 3
    rows[1, 2] = 0.5  # between two indices: not a category
    assert np.array_equal(run_c(c_file(parts), rows, 1), result)
    assert np.allclose(run_onnx(onnx_file(parts), rows), result, rtol=1e-12)


@pytest.mark.parametrize("kind", ["linear", "forest"])
def test_a_converted_file_compiles_without_a_warning(tmp_path, kind):
    source = tmp_path / "model.c"
    plain = learnable.LinearRegression() if kind == "linear" else learnable.DecisionTreeRegressor(max_depth=2)
    rows = np.arange(20.0).reshape(10, 2)
    for model in (plain.fit(rows, rows[:, 0] ** 2), regressor(plain), shop_model(kind)):
        source.write_text(c_file(parts_of(Predictor.of(model))), encoding="utf-8")
        flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", "-o", os.devnull]
        subprocess.run(["cc", *flags, str(source)], check=True)


def test_a_converted_model_goes_to_standard_output(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved(regressor(), tmp_path / "model")
    assert run(capsys, "convert", "model", "--to", "json", "-o", "out.json")[0] == 0
    code, out, err = run(capsys, "convert", "model", "--to", "json", "-o", "-")
    assert code == 0 and out == (tmp_path / "out.json").read_text() and "agree on" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "out.json"]
    assert run(capsys, "convert", "model", "--to", "json", "-o", "-", "--json")[0] == 2


def test_encoders_that_refuse_unknown_categories_are_converted(capsys, tmp_path):
    table = customers()
    steps = learnable.make_pipeline(
        learnable.ColumnTransformer([("city", learnable.OneHotEncoder(sparse_output=False), ["city"])]),
        learnable.StandardScaler(),
        learnable.Ridge(),
    )
    model = steps.fit(features(table), table.column("spends").to_numpy())
    deployed = learnable.DeployedModel(model, "regression", "spends", regressor().columns, np.linspace(0, 3, 200))
    for form in ("onnx", "c", "json"):
        code, _, err = run(capsys, "convert", saved(deployed, tmp_path / "m"), "--to", form, "-o", tmp_path / "out")
        assert code == 0 and "agree on 500 rows" in err


def test_an_onnx_file_says_what_it_takes(tmp_path):
    parts = parts_of(Predictor.of(shop_model("classes")))
    properties = {one.key: one.value for one in onnx.load_model_from_string(onnx_file(parts)).metadata_props}
    assert json.loads(properties["inputs"]) == parts.inputs.described()
    assert properties["prediction"] == "probabilities of 0, 1, 2"


def test_several_classes_and_scaled_numbers_are_converted(capsys, tmp_path):
    X = np.random.default_rng(0).normal(size=(90, 2))
    y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
    steps = learnable.make_pipeline(learnable.MinMaxScaler(), learnable.MaxAbsScaler(), learnable.LogisticRegression())
    saved(steps.fit(X, y), tmp_path / "model")
    for form in ("onnx", "c"):
        code, _, err = run(capsys, "convert", tmp_path / "model", "--to", form, "-o", tmp_path / "out")
        assert code == 0 and "probabilities of 0, 1, 2" in err


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (lambda X, y: learnable.KNeighborsRegressor().fit(X, y), "a KNeighborsRegressor can only be converted to JSON"),
        (lambda X, y: learnable.PoissonRegressor().fit(X, y), "differ by"),
        (lambda X, y: learnable.make_pipeline(learnable.PCA(1), learnable.Ridge()).fit(X, y), "a PCA cannot"),
    ],
)
def test_what_cannot_be_converted_is_refused(capsys, tmp_path, model, words):
    X = np.random.default_rng(0).normal(size=(30, 2))
    saved(model(X, np.abs(X[:, 0])), tmp_path / "model")
    code, _, err = run(capsys, "convert", tmp_path / "model", "--to", "c", "-o", tmp_path / "out.c")
    assert code == 3 and words in err and not (tmp_path / "out.c").exists()


def test_a_model_as_json_is_the_whole_model(capsys, tmp_path):
    model = classifier(threshold=0.3)
    run(capsys, "convert", saved(model, tmp_path / "model"), "--to", "json", "-o", tmp_path / "out.json")
    again, rows = model_of((tmp_path / "out.json").read_text()), sample_rows(Predictor.of(model))
    assert np.array_equal(again.predict_proba(rows), model.predict_proba(rows))
    assert again.card == model.card and again.columns == model.columns and again.threshold == 0.3


def test_doctor(capsys, monkeypatch):
    code, out, _ = run(capsys, "doctor", "--json")
    result = json.loads(out)
    assert (
        code == 0
        and result["good"]
        and {"kernels", "BLAS", "memory", "trial: decision tree"} <= {line["what"] for line in result["lines"]}
    )
    monkeypatch.setitem(self_check.TRIALS, "trial: linear regression", lambda: self_check._close(7.1, 7.0))
    code, out, err = run(capsys, "doctor")
    assert code == 1 and "problem" in out and "trial: linear regression: ArithmeticError: got 7.1, expected 7.0" in err


def test_classes_that_are_texts_of_any_kind_are_kept(tmp_path):
    """Tables give classes as Python's own texts; a forest's file could not be read with them."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], np.array(["a", "a", "b", "b"], dtype=object)
    for model in (learnable.RandomForestClassifier(n_estimators=2), learnable.DummyClassifier()):
        again = learnable.load(saved(model.fit(X, y), tmp_path / "model"))
        assert again.predict(X).tolist() == model.predict(X).tolist()


def test_json_is_refused_if_probabilities_differ_where_predictions_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    requested = Predictor.of(learnable.LogisticRegression().fit(X, X[:, 0] > 0))
    assert convert_model(requested, "json").agreement == "the same bits"

    def sharper(text: str) -> Any:
        found = model_of(text)
        found.coef_, found.intercept_ = 2 * found.coef_, 2 * found.intercept_
        return found

    monkeypatch.setattr("learnable.app.export.json_file.model_of", sharper)
    with pytest.raises(DataError, match="gives other predictions"):
        convert_model(requested, "json")
