"""Model files: what goes in comes out, the write is whole or not at all, and nothing but data is ever read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core import Array, Data, Matrix, ModelFileError, Regressor, Trace, estimator, learned, param
from learnable.core.files import model_file as files
from learnable.core.files.decoding import Decoder
from learnable.core.files.encoding import Encoder
from tests.toys import ToyDescent, ToyOuter, ToyRidge, ToyScaler

X = np.random.default_rng(0).standard_normal((20, 3))
Y = X @ [1.0, 2.0, 3.0]


def round_trip(value: Any) -> Any:
    encoder = Encoder()
    description = json.loads(json.dumps(encoder.encode(value, "value"), allow_nan=False))
    return Decoder(encoder.tensors, files.build).decode(description)


PLAIN = [
    None, True, 3, -(2**62), 2**70, 1.5, 0.1 + 0.2, -0.0, 5e-324, "text", "ü\ud800", "", [],
    [1, [2.5, "x"]], (), (1, (2,)),
    {}, {"a": 1, 2: "b", (1, 2): [3]}, float("inf"), -float("inf"),
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values(value):
    again = round_trip(value)
    assert again == value and type(again) is type(value) and repr(again) == repr(value)


def test_categories_of_very_many_columns_are_read_again(tmp_path, monkeypatch):
    """Arrays in a file are bounded, so that each column of categories must not need one."""
    monkeypatch.setattr(files, "MAX_TENSORS", 12)
    rows = np.array([["no", "b"] * 10, ["yes", "a"] * 10], dtype=object)
    model = learnable.OneHotEncoder().fit(rows)
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    assert all(np.array_equal(*pair) for pair in zip(again.categories_, model.categories_, strict=True))
    assert {part.dtype.kind for part in again.categories_} == {"O"}


def test_whole_numbers_that_no_file_may_hold():
    assert round_trip(2**128 - 1) == 2**128 - 1  # a seed of that size is a good one
    with pytest.raises(ValueError, match="whole numbers in a model file have at most 128 bits"):
        round_trip(2**128)


def test_not_a_number():
    assert np.isnan(round_trip(float("nan")))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (0, 3), (2, 3, 4)])
def test_arrays_of_every_kind(dtype, shape):
    value = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)
    again = round_trip(value)
    assert again.dtype == value.dtype and again.shape == value.shape
    assert again.tobytes() == value.tobytes()


@pytest.mark.parametrize(
    "change", [np.asfortranarray, lambda A: A[::2, ::-1], lambda A: A.astype(">f8"), lambda A: A.T]
)
def test_arrays_in_any_layout(change):
    value = change(np.random.default_rng(0).standard_normal((4, 6)))
    again = round_trip(value)
    np.testing.assert_array_equal(again, value)
    assert again.dtype.isnative
    if value.flags.f_contiguous:
        assert again.flags.f_contiguous, "the layout decides the bits of later products"


@pytest.mark.parametrize(
    "value", [np.float32(0.1), np.int8(3), np.bool_(True), np.float64("inf"), np.uint64(2**64 - 1)]
)
def test_scalars_keep_their_type(value):
    again = round_trip(value)
    assert again == value and type(again) is type(value)


@pytest.mark.parametrize("texts", [["a", "", "ü€\ud800"], [], ["x" * 5000, "y"], [["a", "b"], ["c", "d"]]])
@pytest.mark.parametrize("dtype", [object, str])
def test_arrays_of_texts(texts, dtype):
    value = np.array(texts, dtype=dtype)
    again = round_trip(value)
    assert again.dtype.kind == value.dtype.kind and again.shape == value.shape and again.tolist() == value.tolist()


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_matrices(kind):
    value = kind(np.diag([1.0, 0.0, 3.0]))
    again = round_trip(value)
    assert again.format == value.format and (again != value).nnz == 0


@pytest.mark.parametrize(
    "value",
    [
        print,
        object(),
        np.array([print]),
        np.array([1j]),
        np.array(["2020"], "M8[Y]"),
        1j,
        {1, 2},
        b"bytes",
        ToyRidge,
        np,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_data_is_refused_by_name(value):
    with pytest.raises(TypeError, match=r"cannot save the thing:"):
        Encoder().encode(value, "the thing")


def test_the_same_fit_gives_the_same_bytes(tmp_path):
    def written(times):
        model = learnable.LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
        learnable.save(model, tmp_path / "model", times=times)
        return (tmp_path / "model").read_bytes()

    assert len({written(times=False) for _ in range(8)}) == 1
    again = learnable.load(tmp_path / "model")
    assert {row["seconds"] for row in again.trace_.rows} == {0.0}
    written(times=True)
    assert learnable.load(tmp_path / "model").trace_.seconds > 0


def test_nested_estimators(tmp_path):
    model = ToyOuter(inner=ToyOuter(inner=ToyDescent(max_iter=500))).fit(X, Y)
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    assert repr(again) == repr(model)
    assert again.predict(X).tobytes() == model.predict(X).tobytes()
    assert again.inner_.inner_.trace_.rows == model.inner_.inner_.trace_.rows
    assert again.inner_.inner_.certificate_ == model.inner_.inner_.certificate_


def test_transformers(tmp_path):
    model = ToyScaler().fit(X)
    learnable.save(model, tmp_path / "model")
    assert learnable.load(tmp_path / "model").transform(X).tobytes() == model.transform(X).tobytes()


def test_what_was_chosen_beside_parameters_comes_back(tmp_path):
    import pandas

    table, weight = pandas.DataFrame(X, columns=["a", "b", "c"]), np.arange(20.0)
    named = learnable.ColumnTransformer(
        [("two", "passthrough", ["a", "c"])]
    )  # which needs the names of the step before
    scale = learnable.StandardScaler().set_fit_request(sample_weight=False)
    model = learnable.Pipeline([("scale", scale), ("two", named), ("fit", learnable.Ridge())])
    model.set_output(transform="pandas").fit(table, Y, sample_weight=weight)
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    assert (again.predict(table) == model.predict(table)).all()
    assert again[:-1].transform(table).equals(model[:-1].transform(table))
    assert (again.fit(table, Y, sample_weight=weight)[0].mean_ == X.mean(axis=0)).all()


def test_loaded_arrays_can_be_changed(tmp_path):
    learnable.save(ToyRidge().fit(X, Y), tmp_path / "model")
    learnable.load(tmp_path / "model").coef_[0] = 7.0


def test_text_paths_and_missing_files(tmp_path):
    learnable.save(ToyRidge(), str(tmp_path / "model"))
    assert repr(learnable.load(str(tmp_path / "model"))) == "ToyRidge()"
    with pytest.raises(FileNotFoundError):
        learnable.load(tmp_path / "none")
    with pytest.raises(ModelFileError, match="is a folder"):
        learnable.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        learnable.save(ToyRidge(), tmp_path / "no such folder" / "model")


@estimator
class Hoarder(Regressor):
    """Keeps a function, which no file may hold."""

    hook: Any = param(None, "a function")
    coef_: Array = learned("weights", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        self.coef_ = np.ones(data.p)

    def _predict(self, X: Matrix) -> Array:
        return X @ self.coef_


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "model"
    learnable.save(ToyRidge(alpha=5.0), path)
    with pytest.raises(
        TypeError, match=r"cannot save Hoarder\.hook: print is code from elsewhere, .* holds data, never code"
    ):
        learnable.save(Hoarder(hook=print), path)
    assert learnable.load(path).alpha == 5.0 and os.listdir(tmp_path) == ["model"]


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "model"
    learnable.save(ToyRidge(alpha=5.0), path)

    def full(handle):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        learnable.save(ToyRidge(alpha=6.0), path)
    assert learnable.load(path).alpha == 5.0 and os.listdir(tmp_path) == ["model"]


def test_files_have_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    learnable.save(ToyRidge(), tmp_path / "model")
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "plain").stat().st_mode


WRITER = """
import sys, numpy as np, learnable
from tests.toys import ToyRidge
model = ToyRidge().fit(np.ones((2, 1)), [1.0, 2.0])
model.n_features_in_, model.coef_ = 300_000, np.zeros(300_000)
print("ready", flush=True)
while True:
    model.alpha += 1.0
    model.coef_[:] = model.alpha
    learnable.save(model, sys.argv[1])
"""


def test_a_kill_during_a_write_leaves_a_whole_file(tmp_path):
    path = tmp_path / "model"
    rng = np.random.default_rng(0)
    for _ in range(4):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        while not path.exists():
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        model = learnable.load(path)
        assert (model.coef_ == model.alpha).all()
        path.unlink()


AUDITED = """
import sys, numpy as np, learnable
import safetensors.numpy, json
from tests.toys import ToyOuter
for path in sys.argv[1:3]:  # now every class is known, and nothing of ours needs to be imported
    learnable.load(path)
events = []
sys.addaudithook(lambda event, args: events.append((event, str(args[0]) if args else "")))
for path in sys.argv[1:]:
    try:
        learnable.load(path)
    except learnable.ModelFileError:
        pass
for event, subject in list(events):
    if event == "open":
        assert subject in sys.argv[1:], (event, subject)
    assert event in ("open", "os.fspath", "object.__getattr__", "sys._getframe"), (event, subject)
"""


def test_a_load_opens_its_file_and_does_nothing_else(tmp_path):
    good, odd, unknown = tmp_path / "good", tmp_path / "odd", tmp_path / "unknown"
    learnable.save(ToyOuter().fit(X, Y), good)
    learnable.save(learnable.Ridge().fit(X, Y), tmp_path / "ridge")
    odd.write_bytes(good.read_bytes()[:-9])
    unknown.write_bytes(good.read_bytes().replace(b"ToyDescent", b"os.systemx"))
    paths = [str(path) for path in (good, tmp_path / "ridge", odd, unknown)]
    subprocess.run([sys.executable, "-c", AUDITED, *paths], check=True, timeout=600)


def test_a_non_finite_objective_stays_in_the_trace():
    trace = Trace()
    trace.record(float("nan"))
    assert np.isnan(round_trip(trace)["objective"]).tolist() == [True] and "nan" in repr(round_trip(trace))


def test_a_description_that_is_too_long_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="longer than"):
        learnable.save(Hoarder(hook=["x" * 1000] * 17_000), tmp_path / "model")
    with pytest.raises(ValueError, match="more than 400000 values; hold long lists as arrays"):
        learnable.save(Hoarder(hook=[0] * 400_000), tmp_path / "model")
    with pytest.raises(ValueError, match="28001 arrays: a file holds at most 28000"):
        learnable.save(Hoarder(hook=[np.zeros(1)] * 28_001), tmp_path / "model")
    with pytest.raises(ValueError, match="parts: a file holds at most 1600000"):
        learnable.save(Hoarder(hook=["," * 1000] * 2000), tmp_path / "model")
    deep = learnable.Ridge()
    for _ in range(14):
        deep = learnable.Pipeline([("inside", deep)])
    with pytest.raises(ValueError, match="nested too deeply, in more than 38 others"):
        learnable.save(deep, tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_long_names_and_many_columns_fit(tmp_path):
    import pandas

    wide = pandas.DataFrame(
        np.ones((2, 20_000)), columns=[f"a rather long name of column {j}" * 10 for j in range(20_000)]
    )
    model = Hoarder().fit(wide, [1.0, 2.0])
    learnable.save(model, tmp_path / "model")
    assert list(learnable.load(tmp_path / "model").feature_names_in_) == list(wide.columns)


def test_what_a_killed_writer_left_goes_with_the_next_save(tmp_path):
    """A file that is still being written is locked, and stays; so does one with a name of another kind."""
    import fcntl

    model, path = learnable.Ridge().fit(X, Y), tmp_path / "m"
    dead, alive, other = (tmp_path / name for name in (f".m.{'0' * 16}", f".m.{'1' * 16}", ".m.notes"))
    for file in (dead, alive, other):
        file.write_bytes(b"half a model")
    with alive.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        learnable.save(model, path)
        assert sorted(tmp_path.iterdir()) == sorted([alive, other, path])
    learnable.save(model, path)
    assert sorted(tmp_path.iterdir()) == sorted([other, path])


@pytest.mark.parametrize("path", [None, 5, ["model"]])
def test_what_is_not_a_path_is_refused_by_name(path):
    with pytest.raises(TypeError, match="load: path must be a text or a Path; got"):
        learnable.load(path)


def test_a_file_system_without_locks_will_do(tmp_path, monkeypatch):
    import fcntl

    def refuse(*arguments):
        raise OSError(95, "not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    left = tmp_path / f".m.{'0' * 16}"
    left.write_bytes(b"half a model")
    learnable.save(learnable.Ridge().fit(X, Y), tmp_path / "m")
    assert learnable.load(tmp_path / "m").coef_.shape == (3,)
    assert left.exists()


TEXTS = ["red rose", "blue sky", "red wine", "blue sea", "red fox", "blue bird"]
RECORDS = [{"colour": text.split()[0]} for text in TEXTS]
COLOURS = [0, 1, 0, 1, 0, 1]


def _around(first: Any) -> dict[str, Any]:
    chain = learnable.make_pipeline(first, learnable.LogisticRegression())
    return {
        "pipeline": chain,
        "search": learnable.GridSearchCV(chain, {"logisticregression__C": [1.0, 10.0]}, cv=2),
        "search without a refit": learnable.GridSearchCV(chain, {"logisticregression__C": [1.0]}, cv=2, refit=False),
        "votes": learnable.VotingClassifier([("chain", chain)]),
        "calibrated": learnable.CalibratedClassifierCV(chain, cv=2),
        "union": learnable.make_union(first),
    }


@pytest.mark.parametrize("kind", _around(None))
@pytest.mark.parametrize(
    ("first", "rows"),
    [(learnable.TfidfVectorizer(), TEXTS), (learnable.DictVectorizer(), RECORDS)],
    ids=["texts", "records"],
)
def test_parts_that_take_what_has_no_columns(tmp_path, kind, first, rows):
    model = _around(first)[kind].fit(rows, COLOURS)
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    for method in ("predict", "predict_proba"):
        if hasattr(model, method):
            assert np.array_equal(getattr(again, method)(rows), getattr(model, method)(rows))
    assert again.__sklearn_is_fitted__()
