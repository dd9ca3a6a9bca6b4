"""Chunks of tags: conlleval's counts, conversion of schemes, CoNLL files, comparison of taggers."""

from __future__ import annotations

import gzip
import re

import numpy as np
import pytest

from learnable import DataError, ParameterError
from learnable.sequence import chunk_score, compare_taggers, convert_tags, read_conll, write_conll
from learnable.sequence._tagging.tag_schemes import find_chunks, valid_tags


def conlleval(true, predicted):
    """The counts of conlleval as its definition has them: starts and ends of both columns, line by line."""

    def starts(a, b):
        (p, pt), (q, qt) = a, b
        return q in "BSU" or (q != "O" and (p in "OESLU" or pt != qt))

    def ends(a, b):
        (p, pt), (q, qt) = a, b
        return p != "O" and (p in "ESLU" or q in "BSUO" or pt != qt)

    def split(tag):
        return (tag[0], tag[2:])

    correct = found_true = found_predicted = 0
    inside = False
    lines = [*zip(true, predicted, strict=True), ("O", "O")]
    before_t = before_p = ("O", "")
    for t, p in lines:
        t, p = split(t), split(p)
        if inside:
            end_t, end_p = ends(before_t, t), ends(before_p, p)
            if end_t and end_p and before_t[1] == before_p[1]:
                inside, correct = False, correct + 1
            elif end_t != end_p or t[1] != p[1]:
                inside = False
        start_t, start_p = starts(before_t, t), starts(before_p, p)
        if start_t and start_p and t[1] == p[1]:
            inside = True
        found_true += start_t
        found_predicted += start_p
        before_t, before_p = t, p
    return correct, found_predicted, found_true


@pytest.mark.parametrize("tags", ["BIO", "IO", "BIOES"])
def test_counts_are_those_of_conlleval(tags):
    rng = np.random.default_rng(0)
    pool = [tag if tag == "O" else f"{tag}-{kind}" for tag in tags for kind in "XY"]
    for _ in range(300):
        true, predicted = ([pool[i] for i in rng.integers(len(pool), size=8)] for _ in range(2))
        scores = chunk_score([true], [predicted], n_resamples=1)
        assert (scores.correct, scores.predicted, scores.true) == conlleval(true, predicted)


def test_a_worked_example():
    true = [["B-NP", "I-NP", "O", "B-VP", "B-PP"], ["B-NP", "O"]]
    predicted = [["B-NP", "I-NP", "O", "B-NP", "B-PP"], ["B-NP", "B-VP"]]
    scores = chunk_score(true, predicted)
    assert (scores.correct, scores.predicted, scores.true) == (3, 5, 4)
    assert scores.precision == 0.6 and scores.recall == 0.75 and scores.f1 == pytest.approx(2 / 3)
    assert scores.accuracy == pytest.approx(5 / 7)
    assert scores.by_type["NP"].predicted == 3 and scores.by_type["VP"].correct == 0
    assert scores.f1_interval[0] <= scores.f1 <= scores.f1_interval[1]
    assert "NP: precision" in str(scores)
    with pytest.raises(DataError, match="2 tags, but 1"):
        chunk_score([["O", "O"]], [["O"]])
    with pytest.raises(DataError, match="not a tag of chunks"):
        chunk_score([["NP"]], [["O"]])


def test_the_interval_covers_as_often_as_it_says():
    rng, inside = np.random.default_rng(0), 0
    for repeat in range(60):
        right = rng.random((80, 5)) < 0.8
        true = [["B-X"] * 5] * 80
        predicted = [["B-X" if r else "O" for r in row] for row in right]
        low, high = chunk_score(true, predicted, level=0.9, n_resamples=200, random_state=repeat).f1_interval
        inside += low <= 2 * 0.8 / 1.8 <= high
    assert 46 <= inside <= 60


def test_schemes_are_converted_there_and_back():
    rng = np.random.default_rng(1)
    pool = ["B-X", "I-X", "O", "B-Y", "I-Y"]
    for _ in range(200):
        tags = convert_tags([pool[i] for i in rng.integers(5, size=9)], "IOB2")
        chunks = find_chunks("test", tags)
        for scheme in ("IOB1", "IOBES", "IOB2"):
            other = convert_tags(tags, scheme)
            assert find_chunks("test", other) == chunks
            assert convert_tags(other, "IOB2") == tags
            rules = valid_tags("test", other, scheme)
            assert rules.start[0] and rules.end[-1]
            assert all(rules.transition[t, t + 1] for t in range(len(other) - 1))


def test_rules_forbid_what_no_conversion_writes():
    rules = valid_tags("test", ["B-X", "I-X", "E-X", "S-X", "O", "I-Y"], "IOBES")
    assert rules.start.tolist() == [True, False, False, True, True, False]
    assert rules.end.tolist() == [False, False, True, True, True, False]
    assert rules.transition[0].tolist() == [False, True, True, False, False, False]
    with pytest.raises(DataError, match="'IOB2' \\(BIO\\)"):
        valid_tags("test", ["O"], "XYZ")


def test_conll_files_come_back(tmp_path):
    sentences = [[("He", "PRP"), ("runs", "VBZ")], [("Yes", "UH")]]
    labels = [["B-NP", "B-VP"], ["O"]]
    for name in ("chunks.txt", "chunks.txt.gz"):
        write_conll(tmp_path / name, sentences, labels, labels)
        whole = read_conll(tmp_path / name)
        assert whole == [
            [(*token, tag, tag) for token, tag in zip(*pair, strict=True)]
            for pair in zip(sentences, labels, strict=True)
        ]
    assert read_conll(tmp_path / name, columns=[-1]) == [[("B-NP",), ("B-VP",)], [("O",)]]
    assert gzip.decompress((tmp_path / name).read_bytes()).count(b"\n\n") == 2
    with pytest.raises(DataError, match=re.escape("line 1 of chunks.txt.gz has 4 columns")):
        read_conll(tmp_path / name, columns=[7])
    with pytest.raises(DataError, match=re.escape("token 1 of sentence 0")):
        write_conll(tmp_path / "x", [["a", "b c"]])
    with pytest.raises(DataError, match="not have a label"):
        write_conll(tmp_path / "x", sentences, [["O"], ["O"]])


def test_universal_dependencies_leave_out_what_is_not_a_word(tmp_path):
    rows = [
        "# sent_id = 1", "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_", "1\tdo\tdo\tAUX\tVB\t_\t0\troot\t_\t_",
        "2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_", "2.1\tgo\tgo\tVERB\t_\t_\t_\t_\t_\t_", "", "# next",
        "1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_",
    ]  # fmt: skip
    path = tmp_path / "words.conllu"
    path.write_text("\n".join(rows), encoding="utf-8")
    assert read_conll(path, columns=["form", "upos"]) == [[("do", "AUX"), ("n't", "PART")], [("Yes", "INTJ")]]
    with pytest.raises(ParameterError, match="names such as 'form'"):
        read_conll(path, columns=["word"])


def test_documents_are_not_sentences(tmp_path):
    path = tmp_path / "ner.txt"
    path.write_text("-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\n\n", encoding="utf-8")
    assert read_conll(path) == [[("EU", "NNP", "B-NP", "B-ORG")]]


def test_taggers_that_differ_are_distinguished():
    rng = np.random.default_rng(0)
    truth = [["B-X", "O", "B-Y"]] * 60
    good = [[tag if rng.random() < 0.95 else "O" for tag in sentence] for sentence in truth]
    bad = [[tag if rng.random() < 0.6 else "O" for tag in sentence] for sentence in truth]
    found = compare_taggers(truth, good, bad)
    assert found.difference > 0 and found.p_value < 0.01 and found.mcnemar_p_value < 0.01
    assert found.only_first > found.only_second
    same = compare_taggers(truth, good, good)
    assert same.difference == 0 and same.p_value == 1 and same.mcnemar_p_value == 1


def test_the_permutation_test_is_level():
    rng, rejected = np.random.default_rng(2), 0
    truth = [["B-X", "B-Y"]] * 40
    for repeat in range(60):
        one, other = ([["B-X" if rng.random() < 0.7 else "O", "B-Y"] for _ in truth] for _ in range(2))
        rejected += compare_taggers(truth, one, other, n_resamples=99, random_state=repeat).p_value <= 0.1
    assert rejected <= 14
