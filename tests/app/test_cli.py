"""The command line: results on standard output, messages on standard error, exit codes that scripts can use."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import learnable
from learnable.app import catalogue
from learnable.app.cli import app, main
from learnable.app.console import output
from learnable.core.declare import params, registry
from tests.app.signalled_process import ended

runner = CliRunner()


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rooms, age = rng.uniform(1, 8, size=60), rng.uniform(0, 90, size=60)
    price = 50 * rooms - age + rng.normal(scale=10, size=60)
    lines = [f"{r:.3f},{a:.3f},{'old' if a > 45 else 'new'},{p:.3f}" for r, a, p in zip(rooms, age, price, strict=True)]
    path = tmp_path / "houses[a].csv"
    path.write_text("\n".join(["rooms,age,style,price", *lines]))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `main`, which also turns bad data into exit code 3."""
    code = 0
    try:
        main(list(arguments))
    except SystemExit as end:
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_the_commands_are_listed_in_whole_sentences():
    shown = CliRunner().invoke(app, ["--help"], terminal_width=80)
    listed = shown.output.partition("Commands:")[2].strip().splitlines()
    assert len(listed) == 10 and all(line.endswith(".") and not line.endswith("...") for line in listed)


def test_study_of_a_file(capsys: pytest.CaptureFixture[str], houses: Path, tmp_path: Path) -> None:
    out_folder = tmp_path / "o"
    code, out, err = run(
        capsys, "study", str(houses), "--target", "price", "--out", str(out_folder), "--folds", "4x1", "--quick"
    )
    assert code == 0
    assert "is recommended: root mean squared error" in out
    assert out.strip().endswith(str(Path("o") / "report.html"))
    assert "houses[a].csv: 60 rows, 4 columns, predicting 'price' (regression); seed 0" in err
    assert (out_folder / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads((out_folder / "report.json").read_text())["settings"]["folds"] == 4
    assert sorted(path.name for path in out_folder.iterdir()) == [
        "code.py", "journal.jsonl", "model.learnable", "predictions.csv", "report.html", "report.json",
    ]  # fmt: skip


def test_study_as_json_leaves_standard_output_clean(
    capsys: pytest.CaptureFixture[str], houses: Path, tmp_path: Path
) -> None:
    arguments = ["study", str(houses), "--target", "price", "--quick", "--json", "--out", str(tmp_path / "o")]
    code, out, err = run(capsys, *arguments)
    assert code == 0
    assert json.loads(out) == json.loads((tmp_path / "o" / "report.json").read_text())
    assert "report.html" in err


def test_without_a_target_clusters_are_found(capsys: pytest.CaptureFixture[str], houses: Path, tmp_path: Path) -> None:
    code, out, err = run(capsys, "study", str(houses), "--out", str(tmp_path / "o"))
    assert code == 0 and "no target: finding clusters and outliers" in err
    assert "clusters" in out and (tmp_path / "o" / "report.html").exists()


def test_a_budget_that_ends_early_leaves_a_report_and_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _, err = run(capsys, "study", "--folds", "5x40", "--budget", "8s", "--out", str(tmp_path / "o"))
    assert code == 4 and "with --resume" in " ".join(err.split())
    assert json.loads((tmp_path / "o" / "report.json").read_text())["partial"] is True


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["study", "absent.csv"], 3, "error: file absent.csv does not exist"),
        (["study", "--target", "price"], 3, "has no column 'price'; it has 'age', "),
        (["study", "--target", "agee"], 3, "has no column 'agee'; did you mean 'age'?"),
        (["study", "--metric", "rsme"], 2, "--metric rsme is not known; choose one of rmse, mae, r2"),
        (["study", "--nonsense"], 2, "Usage: learnable study"),
        (["study", "--folds", "1"], 2, "--folds"),
        (["study", "--folds", "400"], 3, "400"),
        (["study", "--budget", "soon"], 2, "90s, 2m or 1h"),
        (["study", "--quick", "--thorough"], 2, "exclude each other"),
        (["study", "--metric", "auc"], 2, "choose one of rmse, mae, r2"),
        (["study", "--models", "oracle"], 2, "choose from mean of the target"),
        (["study", "--task", "guess"], 2, "regression, classification, binary, multi-class"),
        (["study", "--seed", "x"], 2, "--seed"),
        (["study", "--memory", "2g", "--target", "price"], 3, "has no column 'price'"),
        (["explain", "nothing-like-it"], 2, "unknown model or function 'nothing-like-it'"),
        (["explain", "rigde"], 2, "did you mean Ridge"),
        (["explain", "nosuch"], 2, "`learnable models` lists them all"),
        (["study", "."], 3, "is a folder; name a file in it"),
        (["wrong"], 2, "wrong"),
    ],
)
def test_exit_codes_and_messages(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    found, out, err = run(capsys, *arguments)
    assert found == code
    assert words in err
    assert out == ""


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["1,2", "2,3", "3,5", "4,4", "5,6"], "has 5 rows with a target; a study needs at least 20"),
        (["1,2"], "has 1 row with a target; a study needs at least 20"),
        ([f"{i}," for i in range(40)], "the target 'y' has no value in any row"),
        ([f"{i},7" for i in range(40)], "the target 'y' has the same value in every row"),
        ([f"{i},yes" for i in range(40)], "the target 'y' has the same value in every row"),
    ],
)
def test_data_that_cannot_be_studied(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, rows: list[str], words: str
) -> None:
    (tmp_path / "rows.csv").write_text("\n".join(["a,y", *rows]))
    code, out, err = run(capsys, "study", str(tmp_path / "rows.csv"), "--target", "y", "--out", str(tmp_path / "o"))
    assert code == 3
    assert words in " ".join(err.split())
    assert out == "" and not (tmp_path / "o").exists(), "nothing is left behind"


@pytest.mark.parametrize(
    "flags", [["--task", "regression"], ["--metric", "auc"], ["--models", "lasso"], ["--positive", "1"]]
)
def test_how_to_predict_needs_a_target(capsys: pytest.CaptureFixture[str], tmp_path: Path, flags: list[str]) -> None:
    (tmp_path / "rows.csv").write_text("\n".join(["a,b", *(f"{i},{i * 7 % 5}" for i in range(30))]))
    code, out, err = run(capsys, "study", str(tmp_path / "rows.csv"), *flags, "--out", str(tmp_path / "o"))
    assert code == 2 and out == "" and f"{flags[0]}: nothing is predicted without --target" in " ".join(err.split())
    assert not (tmp_path / "o").exists()


def test_a_delimiter_is_one_character(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = run(capsys, "study", "--delimiter", "ab", "--out", str(tmp_path / "o"))
    assert code == 2 and out == "" and "one character" in err and "Traceback" not in err
    (tmp_path / "rows.csv").write_text("\n".join(["a\ty", *(f"{i}\t{i * 7 % 5}" for i in range(30))]))
    arguments = ["study", str(tmp_path / "rows.csv"), "--target", "y", "--out", str(tmp_path / "o"), "--quick"]
    assert run(capsys, *arguments, "--delimiter", r"\t")[0] == 0


def test_a_report_that_cannot_be_written_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, out, err = run(capsys, "study", "--quick", "--out", str(tmp_path))
    assert code == 2 and out == "" and "No space left on device; choose another folder" in " ".join(err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["journal.jsonl"]


def test_the_delimiter_of_a_ragged_table_can_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [f"{i},5|{i % 7}|{3 * i + i % 5}" for i in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["a|b|y", *rows, "1,2,3"]))
    arguments = ["study", str(tmp_path / "rows.csv"), "--target", "y", "--out", str(tmp_path / "o"), "--quick"]
    code, _, err = run(capsys, *arguments)
    assert code == 3 and "name another delimiter" in " ".join(err.split())
    (tmp_path / "rows.csv").write_text("\n".join(["a|b|y", *rows]))
    assert run(capsys, *arguments, "--delimiter", "|")[0] == 0


def test_a_folder_that_cannot_be_made_is_noticed_before_the_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    code, _, err = run(capsys, "study", "--out", str(tmp_path / "file" / "folder"))
    assert code == 2
    assert "choose another with --out" in err


def test_models_lists_every_estimator_with_its_facts() -> None:
    listed = json.loads(runner.invoke(app, ["models", "--json"]).output)
    assert listed["schema"] == 2
    assert [row["name"] for row in listed["models"]] == list(registry.all_estimators())
    ridge = next(row for row in listed["models"] if row["name"] == "Ridge")
    assert (ridge["task"], ridge["sparse"], ridge["parametric"], ridge["lazy"]) == ("regression", True, True, False)
    assert not [row["name"] for row in listed["models"] if row["lazy"] and row["parametric"]]
    text = runner.invoke(app, ["models"]).output
    assert all(name in text for name in registry.all_estimators())
    assert "regression, parametric, eager; takes weights, sparse tables, several targets" in text
    assert "non-parametric, lazy" in text


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("ridge", "Ridge"),
        ("Huber", "HuberRegressor"),
        ("linear", "LinearRegression"),
        ("ols", "LinearRegression"),
        ("lasso-lars", "LassoLars"),
        ("orthogonal_matching_pursuit", "OrthogonalMatchingPursuit"),
    ],
)
def test_models_are_found_by_the_words_people_use(word: str, name: str) -> None:
    found = catalogue.find(word)
    assert found is not None
    assert found.__name__ == name


@pytest.mark.parametrize("name", sorted(registry.all_estimators()))
def test_every_model_explains_itself(name: str) -> None:
    page = json.loads(runner.invoke(app, ["explain", name, "--json"]).output)
    assert page["name"] == name
    assert page["objective"]
    assert page["example"].startswith(">>> ")
    assert page["reference"] or page["task"] not in ("regression", "classification")
    assert [entry["name"] for entry in page["parameters"]] == list(params.parameters(registry.all_estimators()[name]))
    text = runner.invoke(app, ["explain", name]).output
    assert page["objective"].split("\n")[0][:60] in text
    assert all(entry["name"] in text for entry in [*page["parameters"], *page["learned"]])


def test_functions_explain_themselves_too() -> None:
    page = json.loads(runner.invoke(app, ["explain", "lasso-path", "--json"]).output)
    assert page["name"] == "lasso_path"
    assert page["summary"].startswith("Lasso path: coefficients for each alpha")
    assert page["example"].startswith(">>> alphas, coefs, gaps = lasso_path(")
    assert [entry["name"] for entry in page["parameters"]][:2] == ["X", "y"]
    assert "params" not in {entry["name"] for entry in page["parameters"]}  # what is passed on has no name of its own
    text = runner.invoke(app, ["explain", "lasso_path"]).output
    assert "n_alphas" in text and "returns:" in text
    assert runner.invoke(app, ["explain", "laso_path"]).exit_code == 2
    assert "lasso_path" in catalogue.close("laso_path")
    assert catalogue.close("forest")[0] == "IsolationForest" and "mutual_info_score" in catalogue.close("mutual_inf")


def test_choices_of_a_parameter_are_listed() -> None:
    assert '"cyclic" or "random"' in runner.invoke(app, ["explain", "lasso"]).output


def test_a_table_in_the_words_of_a_function_stays_a_table() -> None:
    lines = [line.rstrip() for line in runner.invoke(app, ["explain", "likelihood_prior"]).output.splitlines()]
    assert "Gaussian      least squares        ridge                 lasso" in lines
    assert sum(line.startswith("============  ====") for line in lines) == 3


def test_alarms_are_explained() -> None:
    text = runner.invoke(app, ["explain", "lb001"]).output
    assert text.startswith("LB001 (severe): A column is a copy of the target") and "--drop COLUMN" in text
    reported = json.loads(runner.invoke(app, ["explain", "LB001", "--json"]).output)
    assert reported["level"] == "severe" and reported["fix"] == "Leave it out: --drop COLUMN."
    assert runner.invoke(app, ["explain", "LB999"]).exit_code == 2


def test_version() -> None:
    assert runner.invoke(app, ["--version"]).output == f"learnable {learnable.__version__}\n"


def test_as_a_process(tmp_path: Path) -> None:
    """The real thing: a fresh interpreter, the data inside the package, a report on disk, a clean pipe."""
    command = [sys.executable, "-m", "learnable", "study", "--quick", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["useful"] is True
    assert (tmp_path / "learnable-study" / "report.html").exists()
    assert "Traceback" not in done.stderr


def test_without_its_packages_the_command_line_says_what_to_install() -> None:
    program = "import sys; sys.modules['typer'] = None; from learnable.__main__ import main; main()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "error: the command line needs typer; install it with: pip install 'learnable[app]'\n"


def test_an_interrupt_before_the_command_starts_has_its_exit_code(tmp_path):
    done = ended(tmp_path, "SIGINT", "cli.app", ["models"])
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


SHORT_OF_MEMORY = """
import resource, sys
from learnable.app.cli import main
import learnable.app.commands.study, pyarrow.csv, learnable.datasets.reading
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + int(sys.argv[1]) * 2**20,) * 2)
main(["study", sys.argv[2], "--target", "y", "--out", sys.argv[3]])
"""


def test_a_table_larger_than_the_memory_is_refused(tmp_path):
    table = tmp_path / "large.csv"
    table.write_text("x,y\n" + "1.25,2.5\n" * 4_000_000)  # 34 MB
    command = [sys.executable, "-c", SHORT_OF_MEMORY, "150", table, tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "large.csv has 34 MB; reading it takes about 172 MB of memory, and 1" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "out").exists()


def test_running_out_of_memory_is_reported(capsys, monkeypatch):
    def spent(*arguments, **named):
        raise MemoryError

    monkeypatch.setattr("learnable.app.cli.app", spent)
    with pytest.raises(SystemExit) as end:
        main(["study"])
    assert end.value.code == 1 and "there is not enough memory" in capsys.readouterr().err


@pytest.mark.parametrize("plain", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_screen_without_colours_gets_letters_alone(plain: dict[str, str]) -> None:
    ours, theirs = pty.openpty()  # a screen
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    command = [sys.executable, "-m", "learnable", "check", "nothing.learnable"]
    ended = subprocess.run(command, stdout=theirs, stderr=theirs, env={**env, "TERM": "xterm", **plain}, check=False)
    os.close(theirs)
    shown = os.read(ours, 10_000)
    os.close(ours)
    assert (
        ended.returncode == 5 and b"error: model file" in shown and b"does not exist" in shown and b"\x1b" not in shown
    )


@pytest.mark.parametrize("terminal", ["dumb", "xterm"])
def test_tables_are_as_wide_as_the_screen(monkeypatch, terminal):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", terminal)
    monkeypatch.setenv("COLUMNS", "60")
    assert output().width == 60
