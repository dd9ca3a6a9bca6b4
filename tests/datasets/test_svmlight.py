"""Files in SVMlight's format: read and written as scikit-learn does, and refused where they are broken."""

from __future__ import annotations

import gzip
import io
import os

import numpy as np
import pytest
import sklearn.datasets as theirs
from scipy import sparse

from learnable.core.errors import DataError, ParameterError
from learnable.datasets import dump_svmlight_file, load_svmlight_file, load_svmlight_files

TEXT = b"""# a comment
1 2:2.5 10:-5.2 15:1.5 # and an inline comment
2.5 5:1.0 12:-3

-3 20:27
"""


def table(seed=0, n=30, p=12):
    draws = np.random.default_rng(seed)
    X = sparse.random(n, p, 0.3, format="csr", random_state=seed)
    X.data = draws.normal(size=X.nnz) * 10.0 ** draws.integers(-200, 200, X.nnz)
    return X, draws.normal(size=n)


@pytest.mark.parametrize("options", [{}, {"n_features": 30}, {"zero_based": True}, {"dtype": np.float32}])
def test_reads_as_scikit_learn(options):
    ours, other = (
        load_svmlight_file(io.BytesIO(TEXT), **options),
        theirs.load_svmlight_file(io.BytesIO(TEXT), **options),
    )
    np.testing.assert_array_equal(ours[0].toarray(), other[0].toarray())
    np.testing.assert_array_equal(ours[1], other[1])
    assert ours[0].dtype == other[0].dtype and sparse.issparse(ours[0]) and ours[0].format == "csr"


@pytest.mark.parametrize("zero_based", [True, False])
def test_what_is_written_is_read_back_to_the_last_bit(zero_based, tmp_path):
    X, y = table()
    path = tmp_path / "table.svm"
    dump_svmlight_file(X, y, path, zero_based=zero_based, comment="two\nlines")
    for read in (load_svmlight_file, theirs.load_svmlight_file):
        found, target = read(str(path), n_features=12, zero_based=zero_based)
        np.testing.assert_array_equal(found.toarray(), X.toarray())
        np.testing.assert_array_equal(target, y)
    assert path.read_text().startswith(
        f"# two\n# lines\n#\n# Column indices are {'zero' if zero_based else 'one'}-based"
    )


def test_dense_tables_whole_numbers_and_packed_files(tmp_path):
    X, y = np.array([[0, 1.0, 0], [2, 0, 3]]), np.array([0, 1])
    plain = io.BytesIO()
    dump_svmlight_file(X, y, plain)
    assert plain.getvalue() == b"0 1:1\n1 0:2 2:3\n"
    path = tmp_path / "table.svm.gz"
    path.write_bytes(gzip.compress(plain.getvalue()))
    descriptor = os.open(tmp_path / "plain", os.O_RDWR | os.O_CREAT)
    os.write(descriptor, plain.getvalue())
    os.lseek(descriptor, 0, 0)
    for source in (path, descriptor):
        found, target = load_svmlight_file(source)
        np.testing.assert_array_equal(found.toarray(), X)
        np.testing.assert_array_equal(target, y)
    os.close(descriptor)


def test_queries_and_several_labels():
    X, y = table(1)
    queries, labels = np.arange(30) // 4, (np.arange(90).reshape(30, 3) % 4 == 1).astype(int)
    file, other = io.BytesIO(), io.BytesIO()
    dump_svmlight_file(X, y, file, query_id=queries)
    file.seek(0)
    np.testing.assert_array_equal(load_svmlight_file(file, query_id=True)[2], queries)
    dump_svmlight_file(X, labels, other, multilabel=True)
    found = [
        read(io.BytesIO(other.getvalue()), multilabel=True)[1]
        for read in (load_svmlight_file, theirs.load_svmlight_file)
    ]
    assert found[0] == found[1] and found[0][1] == tuple(np.flatnonzero(labels[1]))


def test_stretches_of_a_file_cover_it_without_overlap(tmp_path):
    X, y = table(2, 200)
    path = tmp_path / "table"
    dump_svmlight_file(X, y, path)
    size, third = path.stat().st_size, path.stat().st_size // 3
    parts = [load_svmlight_file(path, n_features=12, offset=i * third, length=third if i < 2 else -1) for i in range(3)]
    np.testing.assert_array_equal(np.concatenate([part[1] for part in parts]), y)
    assert sum(part[0].shape[0] for part in parts) == 200 and size > 0


def test_several_files_share_their_columns():
    files = [b"1 1:1\n", b"2 7:1\n", b"3 2:4\n"]
    ours, other = (read([io.BytesIO(f) for f in files]) for read in (load_svmlight_files, theirs.load_svmlight_files))
    for mine, reference in zip(ours, other, strict=True):
        np.testing.assert_array_equal(*(v.toarray() if sparse.issparse(v) else v for v in (mine, reference)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1 0:1\nabc 1:1\n", "line 2 is 'abc 1:1'"),
        (b"1 1\n", "pairs index:value"),
        (b"1 2:1 1:1\n", "sorted and unique"),
        (b"1 -2:1\n", "Invalid index -2"),
        (b"1 1:x\n", "line 1"),
        (b"1 99999999999999999999:1\n", "line 1"),
    ],
)
def test_a_broken_line_is_named(text, message):
    with pytest.raises(DataError, match=message):
        load_svmlight_file(io.BytesIO(text))


def test_what_cannot_be_done_is_reported():
    with pytest.raises(ParameterError, match="n_features was set to 3, but input file contains 20 features"):
        load_svmlight_file(io.BytesIO(TEXT), n_features=3)
    with pytest.raises(ParameterError, match="give n_features"):
        load_svmlight_file(io.BytesIO(TEXT), offset=3)
    with pytest.raises(DataError, match="set zero_based=True"):
        load_svmlight_file(io.BytesIO(b"1 0:1\n"), zero_based=False)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        load_svmlight_file("nowhere.svm")
    with pytest.raises(DataError, match="X has 1 rows and y has 2"):
        dump_svmlight_file([[1.0]], [1, 2], io.BytesIO())
    with pytest.raises(DataError, match="query_id must hold a number for each of the 1 rows"):
        dump_svmlight_file([[1.0]], [1], io.BytesIO(), query_id=[1, 2])
