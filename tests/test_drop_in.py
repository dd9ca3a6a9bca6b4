"""Programs written for scikit-learn find our names under its paths, and theirs after it is undone."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.preprocessing
from sklearn.linear_model import Ridge as TheirRidge

import learnable
from learnable import drop_in

SCRIPT = """
    import sys
    import sklearn
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    class Doubled(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return [[2 * value for value in row] for row in X]

    X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5
    search = GridSearchCV(make_pipeline(Doubled(), StandardScaler(), LogisticRegression()), {}, cv=2).fit(X, y)
    print(type(search).__module__.split(".")[0], sys.argv[1:], search.score(X, y))
"""


@pytest.fixture
def patched():
    report = drop_in.patch()
    yield report
    drop_in.restore()


def test_names_are_replaced_and_given_back(patched):
    assert sklearn.linear_model.Ridge is learnable.Ridge
    assert "Ridge" in patched.replaced["sklearn.linear_model"] and "BaseEnsemble" in patched.left["sklearn.ensemble"]
    assert sklearn.base.BaseEstimator.__module__ == "sklearn.base"
    assert drop_in.patch() is patched  # a second call changes nothing
    drop_in.restore()
    assert sklearn.linear_model.Ridge is TheirRidge and not patched.replaced


def test_what_is_left_of_scikit_learn_still_works(patched):
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = sklearn.ensemble.AdaBoostRegressor(sklearn.tree.DecisionTreeRegressor(max_depth=1), n_estimators=3)
    assert model.fit(X, X[:, 0]).predict(X).shape == (40,)
    assert sklearn.base.clone(sklearn.linear_model.Ridge(alpha=2.0)).alpha == 2.0


def test_settings_of_scikit_learn_hold_for_ours():
    with sklearn.config_context(transform_output="pandas"):
        assert list(learnable.StandardScaler().fit_transform([[0.0], [1.0]]).columns) == ["x0"]
        with learnable.config_context(transform_output="polars"):
            assert type(learnable.StandardScaler().fit_transform([[0.0], [1.0]])).__module__.startswith("polars")
    assert isinstance(learnable.StandardScaler().fit_transform([[0.0], [1.0]]), np.ndarray)


@pytest.mark.parametrize("hidden", [False, True], ids=["installed", "not installed"])
def test_a_script_runs_with_our_names(tmp_path, hidden):
    program, script = tmp_path / "run.py", tmp_path / "script.py"
    text = textwrap.dedent(SCRIPT)
    script.write_text(text.replace("import sklearn\n", "", 1) if hidden else text, encoding="utf-8")
    start = "import sys, runpy, importlib.util as util\n"
    if hidden:  # as if scikit-learn were not installed
        start += "find = util.find_spec\n"
        start += "util.find_spec = lambda name, *more: None if name == 'sklearn' else find(name, *more)\n"
    start += "from learnable import drop_in\nsys.exit(drop_in.main(['--report', sys.argv[1], 'argument']))\n"
    program.write_text(start, encoding="utf-8")
    done = subprocess.run([sys.executable, program, script], capture_output=True, text=True, check=False)
    assert done.stdout == "learnable ['argument'] 1.0\n", done.stderr
    assert "names of scikit-learn replaced" in done.stderr


def test_a_script_finds_the_modules_beside_it(tmp_path):
    (tmp_path / "beside_the_script.py").write_text("VALUE = 17")
    script = tmp_path / "script.py"
    script.write_text("from beside_the_script import VALUE; print(VALUE)")
    run = subprocess.run(
        [sys.executable, "-m", "learnable.drop_in", str(script)], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "17\n"), run.stderr


def test_the_command_says_how_it_is_used(capsys):
    assert drop_in.main([]) == 2 and "usage" in capsys.readouterr().err
