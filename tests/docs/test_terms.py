"""The guide speaks the field's language: textbook terms occur in it, and words of our own making do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.vocabulary import phrases_in

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(path for path in (ROOT / "docs" / "user_guide").glob("*.md") if path.name != "index.md")
GUIDE = [ROOT / "README.md", *(ROOT / "docs" / name for name in ("getting_started.md", "core_ideas.md")), *CHAPTERS]
PAGES = sorted({*GUIDE, *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "user_guide").glob("*.md")})
GENERATED = ("benchmarks.md", "changelog.md")

TERMS = (
    "hyperparameter", "confidence interval", "prediction interval", "learning rate", "decision boundary",
    "validation set", "ground truth", "kernel trick", "underfit", "early stopping", "initialisation", "missing value",
    "imbalanced", "feature selection", "feature importance", "dimensionality reduction", "regularisation", "held-out",
    "leakage", "Hessian", "maximum likelihood", "gradient descent", "centroid", "soft margin", "information gain",
    "bootstrap", "out-of-bag", "curse of dimensionality", "confusion matrix", "one-hot", "stochastic gradient",
    "expectation-maximisation", "silhouette", "posterior", "bagging", "outlier", "true positive", "recall",
    "cross-validation", "overfit", "ensemble", "boosting", "test set", "training set", "generalisation",
    "bias-variance", "calibration", "imputation", "one-vs-rest", "standardise", "stratified", "support vector",
    "residual", "p value", "standard error", "proximal operator", "responsibilities", "latent variable", "intercept",
    "regression", "classification", "clustering", "baseline", "learning curve", "partial dependence", "weak learner",
)  # fmt: skip

_code = re.compile(r"^```.*?^```$|`[^`\n]*`|\]\([^)]*\)", re.DOTALL | re.MULTILINE)


def prose(page: Path) -> str:
    """A page without code and link targets, each run of blanks as one."""
    return " ".join(_code.sub(" ", page.read_text(encoding="utf-8")).split())


def test_textbook_terms_occur_in_the_guide() -> None:
    text = " ".join(map(prose, GUIDE)).lower()
    assert len(set(TERMS)) >= 60
    assert [term for term in TERMS if term.lower() not in text] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in GENERATED], ids=lambda page: page.name)
def test_pages_use_the_words_of_the_field(page: Path) -> None:
    assert phrases_in(prose(page)) == []


def test_everyday_words_are_found() -> None:
    assert phrases_in("The duality gap closes, and no value is missing.") == []
    assert phrases_in("Gaps are filled, and the answers are judged.") == [
        "Gaps -> missing values", "answers -> prediction, solution, reply", "judged -> evaluate, score",
    ]  # fmt: skip


ENTRY = re.compile(r"^\| \*\*(.+?)\*\* \| (.+?) \| \[.+?\]\((user_guide/\w+\.md)\) \| (.*?) \|$", re.MULTILINE)


def test_the_glossary_explains_each_term_in_one_sentence() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    entries = ENTRY.findall(text)
    assert len(entries) >= 80 and len(entries) == text.count("\n| **")
    assert [term for term, *_ in entries] == sorted((term for term, *_ in entries), key=str.lower)
    for term, meaning, chapter, call in entries:
        assert meaning.endswith(".") and ". " not in meaning, term
        assert (ROOT / "docs" / chapter).exists() and call.startswith("{"), term


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_chapters_open_with_the_idea_and_a_figure(page: Path) -> None:
    head, table, _ = page.read_text(encoding="utf-8").partition("## Which one should I use?")
    assert table and "](../glossary.md)" in head
    words = [line for line in head.splitlines() if line and not line.startswith(("#", ":", "$$", "!"))]
    assert 5 <= len(words) <= 16
    figures = re.findall(r"\.\./gallery/(\w+)/images/sphx_glr_(plot_\w+)_(\d{3})\.png", head)
    for section, name, number in figures:
        script = ROOT / "examples" / section / f"{name}.py"
        assert script.exists() and int(number) <= script.read_text(encoding="utf-8").count("plt.show()")
    assert len(figures) == 1 or "](../_static/report.png)" in head


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([\w./]+\.md)(?:#([\w-]+))?\)", text):
            other = (page.parent / target).resolve()
            if not other.exists() or (anchor and anchor not in anchors(other)):
                broken.append(f"{page.name}: {target}#{anchor}")
    assert broken == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page: its headings as GitHub writes them, and explicit targets."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings} | set(
        re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    )
