"""`learnable predict`: predictions beside the rows, in any format, in constant memory, written whole or not at all."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, ipc, parquet

import learnable
from learnable.app.cli import main
from learnable.app.text import counted
from tests.app.saved_models import classifier, customers, features, regressor, saved
from tests.app.signalled_process import ended


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    code = 0
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    return code, out, " ".join(err.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Two model files, and a table of new rows in several formats."""
    folder = tmp_path_factory.mktemp("predict")
    saved(classifier(threshold=0.7), folder / "buys.learnable")
    saved(regressor(), folder / "spends.learnable")
    table = customers(50, seed=9)
    csv.write_csv(table, folder / "rows.csv")
    parquet.write_table(table, folder / "rows.parquet")
    (folder / "rows.parquet.gz").write_bytes(gzip.compress((folder / "rows.parquet").read_bytes()))
    for name, opened in (("rows.arrow", ipc.new_file), ("rows.arrows", ipc.new_stream)):
        with opened(folder / name, table.schema) as writer:
            writer.write_table(table)
    (folder / "noted.csv").write_bytes(b"# new customers\n" + (folder / "rows.csv").read_bytes())
    (folder / "named.csv").write_bytes(b"sep=,\n" + (folder / "rows.csv").read_bytes())
    (folder / "rows.csv.gz").write_bytes(gzip.compress((folder / "rows.csv").read_bytes()))
    return folder


@pytest.mark.parametrize(
    "rows",
    [
        "rows.csv", "rows.parquet", "rows.csv.gz", "rows.parquet.gz", "rows.arrow", "rows.arrows", "noted.csv",
        "named.csv",
    ],
)  # fmt: skip
@pytest.mark.parametrize("out", ["predictions.csv", "predictions.parquet"])
def test_predictions_are_those_of_the_model(capsys, folder, tmp_path, rows, out):
    code, _, err = run(capsys, "predict", folder / "buys.learnable", folder / rows, "-o", tmp_path / out)
    assert code == 0 and "50 rows predicted" in err and "unused columns: buys, spends" in err
    result = csv.read_csv(tmp_path / out) if out.endswith("csv") else parquet.read_table(tmp_path / out)
    model, frame = learnable.load(folder / "buys.learnable"), features(customers(50, seed=9))
    assert result.column("prediction").to_pylist() == model.predict(frame).tolist()
    assert result.column("probability_yes").to_numpy() == pytest.approx(model.predict_proba(frame)[:, 1], abs=1e-15)
    chosen = [" | ".join(np.array(["no", "yes"])[row]) for row in model.sets(frame)]
    assert result.column("plausible").to_pylist() == chosen
    assert result.column_names[:5] == customers(1).column_names


@pytest.mark.parametrize("place", [[], ["-o", "-"]])
def test_regression_has_intervals_of_the_requested_coverage(capsys, folder, place):
    requested = [folder / "spends.learnable", folder / "rows.csv", "--share", 0.5, "--json", *place]
    code, out, _ = run(capsys, "predict", *requested)
    result = json.loads(out)
    assert code == 0 and result["schema"] == 2 and len(result["predictions"]) == 50
    model, frame = learnable.load(folder / "spends.learnable"), features(customers(50, seed=9))
    intervals = np.array([row["interval"] for row in result["predictions"]])
    assert intervals == pytest.approx(model.interval(frame, 0.5), abs=1e-12)


def test_what_is_strange_is_named(capsys, folder, tmp_path):
    (tmp_path / "odd.csv").write_text("city;income;age;note\nMars;40,5;200;a;\nRome;?;40;b\n".replace("a;", "a"))
    code, out, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / "odd.csv")
    result = csv.read_csv(io.BytesIO(out.encode()))
    assert code == 0 and "1 of them outside the training data" in err
    assert result.column("strange").to_pylist() == ["age, city", ""]
    assert result.column("note").to_pylist() == ["a", "b"]


def test_columns_with_another_distribution_than_in_training_are_named(capsys, folder, tmp_path):
    table = customers(300, seed=4)
    for name, moved, words in (("same.csv", 0.0, False), ("later.csv", 25.0, True)):
        place = table.column_names.index("age")
        ages = [None if age is None else age + moved for age in table.column("age").to_pylist()]
        csv.write_csv(table.set_column(place, "age", pa.array(ages, type=pa.float64())), tmp_path / name)
        code, _, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / name, "-o", tmp_path / "out.csv")
        assert code == 0 and ("the distribution of 'age' is not that of the training rows" in err) == words


def test_a_plain_estimator_predicts_without_intervals(capsys, tmp_path):
    model = learnable.Ridge().fit([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]], [1.0, 2.0, 4.0])
    saved(model, tmp_path / "ridge")
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n3,4\n")
    code, out, _ = run(capsys, "predict", tmp_path / "ridge", tmp_path / "rows.csv")
    result = csv.read_csv(io.BytesIO(out.encode()))
    assert code == 0 and result.column_names == ["a", "b", "prediction"]
    assert result.column("prediction").to_numpy() == pytest.approx(model.predict([[1.0, 2.0], [3.0, 4.0]]))


def test_a_pipeline_takes_texts_and_numbers_by_name(capsys, folder, tmp_path):
    saved(classifier().model, tmp_path / "pipeline")
    code, out, _ = run(capsys, "predict", tmp_path / "pipeline", folder / "rows.csv")
    result = csv.read_csv(io.BytesIO(out.encode())).column("prediction").to_pylist()
    assert code == 0 and result == classifier().predict(features(customers(50, seed=9))).tolist()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Age,income\n1,2\n", "no column 'age', 'city'; the model expects 'age', 'income', 'city'; did you mean 'age'"),
        ("age,income,city\n1,2,a\nold,2,a\n", "column 'age' holds 'old' in row 2; the model expects numbers"),
        ("age,income,city\n1,2,a\n1,2\n", "cannot be read as a table"),
        ("age,age,city\n1,2,a\n", "more than one column called 'age'"),
        ("", "is empty"),
    ],
)
def test_tables_that_do_not_fit_are_refused(capsys, folder, tmp_path, text, words):
    (tmp_path / "rows.csv").write_text(text)
    code, _, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / "rows.csv", "-o", tmp_path / "out.csv")
    assert code == 3 and words in err
    assert not (tmp_path / "out.csv").exists(), "whole or not at all"


def test_columns_of_one_name_are_refused_in_every_format(capsys, folder, tmp_path):
    table = features(customers(5))
    parquet.write_table(table.append_column("age", table.column("income")), tmp_path / "twice.parquet")
    code, _, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / "twice.parquet")
    assert code == 3 and "more than one column called 'age'" in err


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_infinite_numbers_are_reported_by_their_row(capsys, folder, tmp_path, monkeypatch, name):
    monkeypatch.setattr("learnable.app.predict.chunked_reader.BYTES", 200)
    monkeypatch.setattr("learnable.app.predict.chunked_reader.table_chunks.__wrapped__.__defaults__", (10, None))
    ages = [float(age) for age in range(40)]
    ages[30] = np.inf
    table = pa.table({"age": ages, "income": [1.0] * 40, "city": ["Rome"] * 40})
    (csv.write_csv if name.endswith("csv") else parquet.write_table)(table, tmp_path / name)
    code, _, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / name)
    assert code == 3 and "column 'age' holds infinity in row 31" in err


@pytest.mark.parametrize("model", ["buys", "spends"])
@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_a_table_without_rows_has_predictions_without_rows(capsys, folder, tmp_path, model, out):
    read = csv.read_csv if out.endswith("csv") else parquet.read_table
    (tmp_path / "none.csv").write_text("age,income,city\n")
    for rows in (tmp_path / "none.csv", folder / "rows.csv"):
        (tmp_path / rows.stem).mkdir()
        assert run(capsys, "predict", folder / f"{model}.learnable", rows, "-o", tmp_path / rows.stem / out)[0] == 0
    none, some = (read(tmp_path / stem / out) for stem in ("none", "rows"))
    added = [name for name in some.column_names if name not in customers(1).column_names]
    assert none.num_rows == 0 and none.column_names == ["age", "income", "city", *added]
    if read is parquet.read_table:
        assert [none.schema.field(name).type for name in added] == [some.schema.field(name).type for name in added]


def test_a_table_without_rows_lacks_columns_as_others_do(capsys, folder, tmp_path):
    (tmp_path / "none.csv").write_text("age,city\n")
    code, _, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / "none.csv")
    assert code == 3 and "no column 'income'" in err


def test_cells_are_kept_as_they_are_written(capsys, folder, tmp_path):
    """Those of which a delimiter or a quote is part are quoted, and no others."""
    text = 'age,income,city,note\n30.50,,Rome,"a, ""b"""\n031,1e1,Oslo,c\n'
    (tmp_path / "rows.csv").write_text(text)
    code, out, _ = run(capsys, "predict", folder / "buys.learnable", tmp_path / "rows.csv")
    assert code == 0 and [line[: len(own)] for line, own in zip(out.split("\n"), text.split("\n"), strict=True)] == (
        text.split("\n")
    )


def test_records_one_to_a_line_are_read_piece_by_piece(capsys, folder, tmp_path, monkeypatch):
    from learnable.app.predict import chunked_reader

    monkeypatch.setattr(chunked_reader, "LINES", 200)
    rows = features(customers(50, seed=9)).to_pylist()
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / "rows.jsonl", "--json")
    result = [row["prediction"] for row in json.loads(out)["predictions"]]
    assert (
        code == 0
        and result == learnable.load(folder / "buys.learnable").predict(features(customers(50, seed=9))).tolist()
    )
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, {**rows[0], "late": 1}]))
    code, _, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / "rows.jsonl")
    assert code == 3 and "later records have the key 'late'" in err


def test_texts_of_other_forms(capsys, folder, tmp_path):
    """A long header, UTF-16, columns aligned by blanks, and no header at all."""
    wide = ",".join(f"a rather long name {place}" for place in range(20_000))
    (tmp_path / "wide.csv").write_text(f"age,income,city,{wide}\n30,40,Rome{',0' * 20_000}\n")
    (tmp_path / "utf16.csv").write_bytes(("age,income,city,note\n" + "30,40,Rome,ö\n" * 9_000).encode("utf-16"))
    (tmp_path / "blanks.txt").write_text("age  income  city\n30   40      Rome\n31   41      Oslo\n")
    for name, rows in (("wide.csv", 1), ("utf16.csv", 9_000), ("blanks.txt", 2)):
        code, _, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / name, "--json")
        assert code == 0 and f"{counted(rows, 'row')} predicted" in err, name
    saved(learnable.Ridge().fit([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]], [1.0, 2.0, 4.0]), tmp_path / "ridge")
    (tmp_path / "bare.csv").write_text("1,2\n3,4\n5,6\n")
    assert "3 rows predicted" in run(capsys, "predict", tmp_path / "ridge", tmp_path / "bare.csv")[2]


LATE = 12_000  # lines after which letters stand that the first 100 kB do not have


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.jsonl"])
def test_the_encoding_is_that_of_the_whole_file(capsys, folder, tmp_path, name):
    if name == "rows.jsonl":
        early, late = (
            json.dumps({"age": 30, "income": 40, "city": city}, ensure_ascii=False) + "\n"
            for city in ("Rome", "Köln–€")
        )
        content = early * LATE + late
    else:
        content = "age,income,city\n" + "30,40,Rome\n" * LATE + "30,40,Köln–€\n"
    written = content.encode("cp1252")
    (tmp_path / name).write_bytes(gzip.compress(written, mtime=0) if name.endswith("gz") else written)
    code, _, err = run(capsys, "predict", folder / "buys.learnable", tmp_path / name, "-o", tmp_path / "out.csv")
    assert code == 0 and f"{LATE + 1} rows predicted" in err and "read as cp1252" in err
    assert ",Köln–€," in (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[-1]


class Pipe(io.BytesIO):
    """Bytes that come once."""

    def seekable(self) -> bool:
        return False


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_pipe_whose_encoding_changes_is_refused_by_line(capsys, folder, monkeypatch, mark):
    content = mark + b"age,income,city\n" + b"30,40,Rome\n" * LATE + "30,40,Köln\n".encode("latin-1")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pipe(content)))
    code, _, err = run(capsys, "predict", folder / "buys.learnable", "-")
    assert code == 3 and f"line {LATE + 2} is not utf-8" in err


def test_exit_codes(capsys, folder, tmp_path):
    rows = folder / "rows.csv"
    assert run(capsys, "predict", rows, rows)[0] == 5
    assert run(capsys, "predict", tmp_path / "absent", rows)[0] == 5
    assert run(capsys, "predict", folder / "buys.learnable", tmp_path / "absent.csv")[0] == 3
    assert run(capsys, "predict", folder / "buys.learnable", rows, "-o", tmp_path / "out.docx")[0] == 2
    assert run(capsys, "predict", folder / "buys.learnable", rows, "-o", tmp_path / "no" / "out.csv")[0] == 2
    assert run(capsys, "predict", folder / "buys.learnable", rows, "--share", 1)[0] == 2


def test_a_terminated_program_leaves_no_partial_file(folder, tmp_path):
    command = ["predict", str(folder / "spends.learnable"), str(folder / "rows.csv"), "-o", "predictions.csv"]
    done = ended(tmp_path, "SIGTERM", "predict.predictor.convert_column", command)
    assert done.returncode == 130 and "error: interrupted before" in done.stderr
    assert not list(tmp_path.iterdir())


def peak_of(folder: Path, rows: int) -> int:
    """The most memory in MB that predicting a table from standard input takes."""
    program = (
        "import resource, sys; from learnable.app.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, "predict", str(folder / "plain"), "-", "-o", str(folder / "out.parquet")]
    done = subprocess.run(command, input=b"a,b\n" + b"1.25,2.75\n" * rows, capture_output=True, check=True)
    assert parquet.read_metadata(folder / "out.parquet").num_rows == rows
    return int(done.stderr.split()[-1])


def test_memory_does_not_grow_with_the_table(tmp_path):
    """A table of a million rows, which takes 100 MB when it is held at once, takes no more than a short one."""
    saved(learnable.Ridge().fit([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]], [1.0, 2.0, 4.0]), tmp_path / "plain")
    assert peak_of(tmp_path, 1_000_000) - peak_of(tmp_path, 50_000) < 60


def test_a_frame_keeps_names_types_and_order():
    from learnable.app.predict.predictor import Predictor

    table = pa.table({"city": pa.array(["Rome"]).dictionary_encode(), "income": [None], "x": [1], "age": [True]})
    frame = Predictor.of(classifier()).frame(table)
    assert frame.column_names == ["age", "income", "city"]
    assert frame.to_pylist() == [{"age": 1.0, "income": None, "city": "Rome"}]


@pytest.mark.parametrize(
    ("cells", "age"),
    [
        (["1.200,00;9;Rome"], 1200.0),
        (["12,5 €;9;Rome"], 12.5),
        (["1.200;9;Rome", "12,5;9;Rome"], 1200.0),
        (['"$1,200.50",9,Rome'], 1200.5),
        (["−12,9,Rome"], -12.0),
        (["(1 200.5),9,Rome"], -1200.5),
        (["unknown,9,Rome", "7,9,Rome"], None),
    ],
)
def test_numbers_are_read_as_studies_read_them(capsys, folder, tmp_path, cells, age):
    """With signs between thousands, beside a unit, or as a word that says that nothing is known."""
    delimiter = ";" if ";" in cells[0] else ","
    (tmp_path / "rows.csv").write_text("\n".join([delimiter.join(["age", "income", "city"]), *cells]))
    (tmp_path / "plain.csv").write_text(f"age,income,city\n{'' if age is None else age},9,Rome\n")
    predictions = []
    for name in ("rows.csv", "plain.csv"):
        code, out, err = run(capsys, "predict", folder / "spends.learnable", tmp_path / name, "--json")
        assert code == 0, err
        predictions.append(json.loads(out)["predictions"][0])
    assert predictions[0] == predictions[1]
