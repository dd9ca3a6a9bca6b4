"""Names of columns, categories and classes enter a file of C as string literals alone, and are the same in C."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.app.cli import main
from learnable.app.export.c_file import c_string
from tests.hostile import CHARACTERS, PAIRS, PHRASES

COMPILER = shutil.which("cc") or shutil.which("gcc") or "clang"
FLAGS = ("-Wall", "-Wextra", "-Wtrigraphs", "-Werror", "-shared", "-fPIC", "-lm")
INJECTION = (
    "*\\ extern int printf(const char*, ...); extern void abort(void); "
    "__attribute__((constructor)) static void run(void){ abort(); } /*"
)


def compiled(code, folder, standard):
    """The library that the strictest compiler makes of a file."""
    number = len(list(folder.iterdir()))  # a library is loaded once by its path
    source, library = folder / f"{number}.c", folder / f"{number}.so"
    source.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [COMPILER, f"-std={standard}", str(source), "-o", str(library), *FLAGS], capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    return ctypes.CDLL(str(library))


def strings(library, name):
    """The strings of an array that ends with a null pointer."""
    return until_null((ctypes.c_char_p * 1_000_000).in_dll(library, name))


def until_null(pointers):
    found = []
    while (text := pointers[len(found)]) is not None:
        found.append(decoded(text))
    return found


def decoded(text):
    return text.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")


def round_trip(texts, folder, standard="c99"):
    code = "const char *const texts[] = {" + ",\n".join([*map(c_string, texts), "0"]) + "};\n"
    assert code.isascii()
    assert strings(compiled(code, folder, standard), "texts") == list(texts)


@pytest.mark.parametrize("standard", ["c99", "gnu17"])
def test_every_character_and_every_pair_that_c_may_misread_is_the_same_string_in_c(tmp_path, standard):
    round_trip([*CHARACTERS, *PAIRS, *PHRASES, INJECTION], tmp_path, standard)
    digits = [f"{character}{digit}" for character in CHARACTERS for digit in "07f"]  # after an escape
    round_trip(digits, tmp_path, standard)


@settings(max_examples=15, deadline=None)
@given(texts=st.lists(st.text(st.characters(), max_size=20), max_size=200))
def test_any_text_is_the_same_string_in_c(tmp_path_factory, texts):
    round_trip(texts, tmp_path_factory.mktemp("c"))


def saved(path, last, names, categories, labels):
    """A model file of a table whose texts are given, made of a pipeline that ends with `last`."""
    rng = np.random.default_rng(0)
    kind, numbers = (
        rng.permutation(np.resize(np.array(categories, dtype=object), 400)),
        rng.normal(size=(400, len(names) - 1)),
    )
    table = pa.table([pa.array(kind.tolist()), *map(pa.array, numbers.T)], names=names)
    encoder = learnable.OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = [("numbers", learnable.StandardScaler(), names[1:]), ("kind", encoder, [names[0]])]
    y = np.array(labels, dtype=object)[(numbers[:, 0] > 0).astype(int)]
    model = learnable.make_pipeline(learnable.ColumnTransformer(columns), last).fit(table, y)
    expected = [learnable.ExpectedColumn.of(name, table.column(name).to_numpy(zero_copy_only=False)) for name in names]
    learnable.save(learnable.DeployedModel(model, "binary", "y", expected, np.array([0.5]), labels[1]), path)


@pytest.mark.parametrize("last", [learnable.LogisticRegression(), learnable.DecisionTreeClassifier(max_depth=2)])
def test_hostile_names_leave_a_converted_file_as_they_came(tmp_path, last):
    texts = [INJECTION, *(text for text in PHRASES if text)]
    names, categories, labels = texts[:20], sorted({*texts, *PAIRS[:60]}), sorted([INJECTION, '"; #error\n??/'])
    saved(tmp_path / "model.learnable", last, names, categories, labels)
    main_ended(["convert", str(tmp_path / "model.learnable"), "--to", "c", "-o", str(tmp_path / "model.c")])
    code = (tmp_path / "model.c").read_text(encoding="utf-8")
    assert "abort" not in re.sub(r'"[^"\n]*"', "", code), "outside of string literals nothing comes from data"
    library = compiled(code, tmp_path, "c99")
    assert strings(library, "predict_inputs") == names
    lists = (ctypes.POINTER(ctypes.c_char_p) * len(names)).in_dll(library, "predict_categories")
    assert until_null(lists[0]) == categories and not any(lists[1:])
    assert decoded(ctypes.c_char_p.in_dll(library, "predict_output").value) == f"probabilities of {', '.join(labels)}"


def main_ended(arguments):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert not end.value.code
