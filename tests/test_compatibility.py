"""The list of differences from scikit-learn is well formed, and the comparison with it finds what is not listed."""

import tomllib

from tests import compatibility

ENTRIES = [
    (family, entry)
    for family, entries in tomllib.loads(compatibility.LIST.read_text(encoding="utf-8")).items()
    for entry in entries
]


def test_every_difference_has_a_reason():
    assert ENTRIES
    for family, entry in ENTRIES:
        assert set(entry) == {"title", "kind", "reason", "tests"} and family in compatibility.FAMILIES
        assert entry["kind"] in ("better", "accident", "private") and len(entry["reason"]) > 30 and entry["tests"]


def test_listed_tests_exist():
    for family, entry in ENTRIES:
        texts = {}
        for place in compatibility.test_files(family):
            texts |= {file.name: file.read_text() for file in ([place] if place.is_file() else place.glob("test_*.py"))}
        for pattern in entry["tests"]:
            file, _, name = pattern.partition("::")
            assert f"def {name.partition('[')[0].partition('*')[0]}" in texts[file], pattern


def test_an_unlisted_failure_is_reported(capsys):
    failures = {
        "svm/tests/test_sparse.py::test_sparse_oneclasssvm[csr]": ("value", "E  listed"),
        "svm/tests/test_svm.py::test_words": ("wording", "E  harmless"),
    }
    found = {"names": 1, "passed": 9, "failures": failures}
    assert compatibility.compare("svm", found, False)
    failures["svm/tests/test_svm.py::test_other"] = ("value", "E  not listed")
    assert not compatibility.compare("svm", found, False)
    printed = capsys.readouterr().out
    assert "test_other" in printed and "oneclass" not in printed and "81.8%" in printed
