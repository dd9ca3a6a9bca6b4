"""A sparse matrix whose indices lead outside its arrays is refused by every public entry point, and never followed."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from learnable.core import DataError
from learnable.core.validate.sparse_input import flaw_of
from tests.contract.broken_sparse import BROKEN, NUMBERS
from tests.contract.cases import CLASSES
from tests.contract.entry_points import entry_points, public_objects

ROOT = Path(__file__).parents[2]
ALL = sorted(CLASSES)
FEW = ["AdaBoostClassifier", "CalibratedClassifierCV", "ColumnTransformer", "DBSCAN", "GridSearchCV", "Pipeline"]
NUMBERS_ALONE = ("BetaBinomial.", "NormalInverseGamma.")  # single columns, of which NumPy makes arrays
NOT_OURS = ("LatentModel.", "read_images")  # a protocol; names of files
DENSE = ("Codebook.",)  # named tuples, which refuse every sparse matrix
KERNELS = (  # functions of arrays: Gaussian processes validate rows, and take no sparse ones
    "CompoundKernel.", "ConstantKernel.", "DotProduct.", "ExpSineSquared.", "Exponentiation.", "Matern.",
    "NormalizedKernelMixin.", "PairwiseKernel.", "RBF.", "RationalQuadratic.", "WhiteKernel.",
)  # fmt: skip
BY_ESTIMATORS = ("FederatedAveraging.", "Scan.", "summary", "unlearn")  # whose estimator validates the rows
COUNTS = ("CostModel.",)  # numbers of rows, not rows
EXEMPT = NUMBERS_ALONE + NOT_OURS + DENSE + KERNELS + BY_ESTIMATORS + COUNTS
OBJECTS = public_objects()
ABSTRACT = tuple(f"{name}." for name, value in OBJECTS.items() if inspect.isabstract(value))
ENTRIES = [entry for entry in entry_points() if not entry[0].startswith(EXEMPT + ABSTRACT)]


def complaints(names: list[str]) -> list[str]:
    """What is wrong with how estimators take broken matrices; one that ends the program is not tried any further."""
    found: list[str] = []
    while names:
        program = [sys.executable, "-m", "tests.contract.broken_sparse", *names]
        run = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=1800)
        lines = run.stdout.splitlines()
        found += [line for line in lines if not line.endswith("\t")]
        if run.returncode == 0:
            break
        found.append(f"{lines[-1] if lines else names[0]}: the program ended by {run.returncode}: {run.stderr[-400:]}")
        culprit = lines[-1].partition(".")[0] if lines else names[0]
        names = names[names.index(culprit) + 1 :]
    return found


def valid_forms() -> list[Any]:
    kinds = (sparse.csr_array, sparse.csc_matrix, sparse.bsr_array, sparse.coo_array, sparse.lil_array)
    kinds = (*kinds, sparse.dia_array, sparse.dok_array)
    tables = (NUMBERS, NUMBERS.T, np.zeros((3, 2)), NUMBERS > 1, np.ones((1, 1)), NUMBERS[:, :0])
    return [kind(table) for kind in kinds for table in tables]


@pytest.mark.parametrize("form", BROKEN)
def test_a_broken_form_is_recognised(form):
    assert flaw_of(BROKEN[form]())


def test_valid_matrices_have_no_flaw():
    assert [(matrix, flaw_of(matrix)) for matrix in valid_forms() if flaw_of(matrix)] == []
    vector = sparse.coo_array(NUMBERS[0])
    assert flaw_of(vector) == flaw_of(vector.tocsr()) == ""
    spare = sparse.csr_array(NUMBERS)
    spare.data, spare.indices = np.append(spare.data, np.nan), np.append(spare.indices, 99).astype(spare.indices.dtype)
    assert flaw_of(spare) == ""


def harmless() -> Any:
    """A broken matrix that SciPy itself refuses, for entry points that may not refuse it."""
    matrix = sparse.csr_array(np.eye(3))
    matrix.indices = matrix.indices.astype(np.uint8)
    return matrix


@pytest.mark.parametrize("name", sorted({name.partition(".")[0] for name, _, _ in ENTRIES}))
def test_every_entry_point_refuses_it_before_anything_else(name):
    for entry, function, argument in ENTRIES:
        if entry.partition(".")[0] == name:
            with pytest.raises(DataError, match=r"\w+: \w+ is not a valid sparse matrix"):
                called(name, function, argument)


def called(name: str, function: Any, argument: str) -> Any:
    """A call with a broken matrix as one argument and None for the others that are needed."""
    taken = [one for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
    given = {one.name: None for one in taken if one.default is one.empty and one.kind is not one.VAR_POSITIONAL}
    own = [object.__new__(OBJECTS[name])] if given.pop("self", 0) is None else []
    if any(one.name == argument and one.kind is one.VAR_POSITIONAL for one in taken):
        return function(*own, *given.values(), harmless())
    return function(*own, **{**given, argument: harmless()})


def test_no_form_crashes_estimators_that_index_before_they_fit():
    assert complaints(FEW) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(8))
def test_no_form_crashes_any_estimator(first):
    assert complaints(ALL[first::8]) == []
