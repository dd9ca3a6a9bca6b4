"""Code speaks the field's language: names and sentences use its terms, and no two classes share a name."""

from __future__ import annotations

import functools
import io
import re
import tokenize
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.shape.test_names import tracked
from tests.vocabulary import PHRASES, STEMS, phrases_in, stems_in

ROOT = Path(__file__).parents[2]
OURS = ("src", "tests", "benchmarks", "docs", "examples")
STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
CODE = re.compile(  # examples, quoted code, fields, arguments and quoted words inside a sentence
    r">>>.*$|^\s*\.\.\. .*$|\w+\.\w+\(|`[^`\n]*`|\{[^{}\n]*\}|\w+=\S+|'[^' ]*'", re.MULTILINE
)
LISTS = ("tests/vocabulary.py", "tests/docs/test_terms.py", "tests/shape/test_vocabulary.py")

# Names that programs and files outside rely on, or that are a term of the field in this sense.
NAMES = {
    "ZeroDivision": "Python's and scikit-learn's word",
    "ZeroDivisionError": "Python's and scikit-learn's word",
    "zero_division": "Python's and scikit-learn's word",
    "chances": "a public attribute of PriorPosteriorDisplay",
    "bend_": "a public attribute of KDistanceDisplay",
    "tournament_selection": "the name of a method",
    "selTournament": "the name of a function of DEAP",
    "SlopeOne": "the name of a method",
    "slope_one": "the name of a method",
    "huber_slope": "a public parameter of AdditiveModel",
    "places_": "learned state of ColumnTransformer, in model files",
    "misses": "learned state of DeployedModel, in model files",
    "misses_": "a public attribute of ThresholdSweepDisplay: the curve of the miss rate",
    "most_misses": "a public parameter of OperatingPoints.best",
}
# (files, word): why the word is right there.
EXCEPTIONS = {
    ("src/learnable/tree/_decision_paths.py", "answer"): "a public attribute of rules",
    ("tests/tree/test_rules_and_diagrams.py", "answer"): "a public attribute of rules",
    ("src/learnable/deployment/expected_column.py", "gaps"): "a key of model files",
    ("src/learnable/app/*", "gaps"): "that key of model files",
    ("benchmarks/linear_quality.py", "gaps"): "duality gaps",
    ("tests/linear_model/test_certificate_values.py", "gaps"): "duality gaps",
    ("tests/certificates/least_squares.py", "gaps"): "duality gaps",
    ("src/learnable/parts/platt.py", "slope"): "the slope of a sigmoid",
    ("src/learnable/svm/_support_vector_classifier.py", "slope"): "the slope of a sigmoid",
    ("tests/parts/test_calibrators.py", "slope"): "the slope of a sigmoid",
    ("src/learnable/app/audit/univariate_power.py", "slope"): "the slope of a line",
    ("src/learnable/ensemble/_boosting/single_feature.py", "slope*"): "the slope of a line",
    ("examples/*", "slope"): "the slope of a line",
    ("tests/linear_model/*", "slope*"): "the slope of a line",
    ("tests/app/*", "price"): "money",
    ("tests/tree/test_worked_examples.py", "prices"): "money",
    ("tests/linear_model/test_boston.py", "price"): "money",
    ("src/learnable/engines/tape/*", "pullback"): "the product with a transposed Jacobian in automatic differentiation",
    ("*", "tell"): "a method of Python's files",
}
SENTENCES = {
    ("src/learnable/evolution/bbob_functions.py", "bent"): "the bent cigar, a function of the suite",
    ("src/learnable/feature_extraction/text/stop_words.py", "*"): "a list of English words",
    ("src/learnable/deployment/deployed_model.py", "misses"): "the name of learned state",
    ("tests/deployment/test_deployed_model.py", "misses"): "the name of learned state",
    ("native/include/learnable/kernels/smo/row_cache.hpp", "misses"): "of a processor's cache",
    ("native/include/learnable/trees/criteria.hpp", "division"): "of two numbers",
    ("src/learnable/app/predict/writers.py", "answers"): "a key of the service",
    ("src/learnable/app/service/page.html", "answers"): "a key of the service",
    ("tests/core/test_params.py", "somebody"): "the meaning of a toy's parameter",
}
SAME_NAME = {
    "Draws": "the draws of Markov chains, and the bootstrap samples of trees under their name in model files",
    "Embedding": "the base class of manifold learning, and a layer of networks",
    "ElasticNet": "the estimator and its penalty",
    "RandomWalk": "the process of the textbook, and the proposal of Metropolis",
    "Graph": "the graph of rows and the graph of operations",
    "TrainingSet": "that of boosted trees and that of sequence taggers",
    "Exponential": "the distribution and the loss",
    "Kernel": "that of kernel machines, and that of Gaussian processes with hyperparameters, as in scikit-learn",
    "Sum": "of kernels of both kinds",
    "Product": "of kernels of both kinds",
    "Poisson": "the distribution and the loss",
}


@functools.cache
def of_kind(*suffixes: str) -> list[tuple[str, Path]]:
    paths = [(path.relative_to(ROOT).as_posix(), path) for path in tracked() if path.suffix in suffixes]
    return [(name, path) for name, path in paths if name.startswith((*OURS, "native")) and name not in LISTS]


def excused(name: str, word: str, exceptions: dict[tuple[str, str], str]) -> bool:
    return any(fnmatch(name, files) and fnmatch(word.lower(), pattern) for files, pattern in exceptions)


def house_names(name: str, names: set[str]) -> list[str]:
    """Names of a module, and of its file, that hold an everyday word."""
    found = []
    for word in sorted((names | {Path(name).stem}) - set(NAMES)):
        stems = [stem for stem in stems_in(word) if not excused(name, stem, EXCEPTIONS)]
        found += [f"{name}: {word} ({stem} -> {STEMS[stem]})" for stem in stems]
    return found


def read_code(text: str) -> tuple[set[str], list[tuple[int, str]]]:
    """The names in Python code, and its comments, docstrings and messages with their lines."""
    names, sentences = set(), []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            names.add(token.string)
        elif token.type == tokenize.COMMENT:
            sentences.append((token.start[0], token.string))
        elif token.type in STRINGS and " " in token.string:
            sentences.append((token.start[0], CODE.sub(" ", token.string)))
    return names, sentences


def remarks(text: str) -> list[tuple[int, str]]:
    """The comments of C++ code with their lines."""
    return [(k, line.partition("//")[2]) for k, line in enumerate(text.splitlines(), 1) if "//" in line]


def house_phrases(name: str, found: list[tuple[int, str]]) -> list[str]:
    return [
        f"{name}:{line}: {phrase}"
        for line, text in found
        for phrase in phrases_in(text)
        if not excused(name, phrase.partition(" -> ")[0], SENTENCES)
    ]


@pytest.mark.parametrize("folder", OURS)
def test_names_and_sentences_use_terms_of_the_field(folder):
    files = [(name, path) for name, path in of_kind(".py", ".pyi") if name.startswith(f"{folder}/")]
    assert files
    found = []
    for name, path in files:
        names, sentences = read_code(path.read_text(encoding="utf-8"))
        found += house_names(name, names) + house_phrases(name, sentences)
    assert found == []


def test_comments_of_kernels_use_terms_of_the_field():
    files = of_kind(".hpp", ".cpp")
    assert len(files) > 100
    texts = [(name, remarks(path.read_text(encoding="utf-8"))) for name, path in files]
    assert [line for name, text in texts for line in house_phrases(name, text)] == []


def test_templates_use_terms_of_the_field():
    files = of_kind(".html")
    assert len(files) > 2
    texts = [(name, list(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))) for name, path in files]
    assert [line for name, text in texts for line in house_phrases(name, text)] == []


def test_no_two_classes_share_a_name():
    modules = defaultdict(set)
    for name, path in of_kind(".py"):
        if name.startswith("src/"):
            for found in re.findall(r"^ *class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
                modules[found].add(name)
    assert {name: files for name, files in modules.items() if len(files) > 1 and name not in SAME_NAME} == {}
    assert all(len(modules[name]) > 1 for name in SAME_NAME)


@pytest.mark.parametrize("stem", STEMS)
def test_a_name_with_an_everyday_word_is_found(stem):
    names, _ = read_code(f"def find_{stem}_of(rows):\n    return rows")
    assert house_names("src/x.py", names) or excused("src/x.py", stem, EXCEPTIONS)
    assert stems_in(f"Find{stem.capitalize()}") == [stem]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('"""The answer of a model."""', ["x.py:1: answer -> prediction, solution, reply"]),
        ("a = 1  # nobody needs it", ["x.py:1: nobody -> the caller, the estimator, none"]),
        ('raise ValueError(f"{name} is no estimator")', ["x.py:1: is no  -> is not a"]),
        ('"""Twice.\n\n>>> gaps = f(x)  # gaps\n"""', []),
        ('"""The `gaps` of a file, and answers=3."""', []),
    ],
)
def test_a_sentence_with_an_everyday_word_is_found(code, found):
    assert house_phrases("x.py", read_code(code)[1]) == found


def test_every_phrase_has_a_term():
    assert all(PHRASES.values()) and all(STEMS.values()) and len(PHRASES) > 20


@pytest.mark.parametrize(("files", "word"), [*EXCEPTIONS, *SENTENCES])
def test_exceptions_are_needed(files, word):
    assert any(fnmatch(name, files) for name, _ in of_kind(".py", ".hpp", ".html")), f"{files} does not exist"
