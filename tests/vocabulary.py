"""The vocabulary of the project: everyday words that stand for a term of the field, and the term to write instead."""

from __future__ import annotations

import re

# In sentences: documentation, docstrings, comments, messages.
PHRASES = {
    r"\bdoors?\b": "input validation",
    r"(?<!duality )(?<!optimality )\bgaps\b": "missing values",
    r"\bchances\b|\bchances? of\b": "probability",
    r"\bbeginnings\b|\bbeginning\b(?! to end| of )": "initialisation",
    r"\b(bent|bend|bends)\b": "nonlinear, curvature",
    r"\b(twist|pullback)\b": "rank-one term, X'r",
    r"\banswer(s|ed|ing)?\b": "prediction, solution, reply",
    r"\bmisses\b": "errors, residuals, false negatives",
    r"\blocked (rows|away|part)\b": "held-out test set",
    r"\b(told|tells?)\b": "reported, distinguishes, shows",
    r"\bjudge(s|d)?\b": "evaluate, score",
    r"\basked\b": "predicted, requested",
    r"\bwanted\b": "requested, expected",
    r"\bplaces\b": "indices, positions",
    r"(?<!zero-)\bdivisions?\b(?! by zero| in place)": "split, partition",
    r"(?<!regularisation )\bstrengths\b": "values of alpha",
    r"\b(nobody|whoever|somebody|anybody|everybody)\b": "the caller, the estimator, none",
    r"\b(so many|as was said|anew)\b": "n, as specified, again",
    r"\b(odd|unlike|unusual) rows?\b(?! have their own sums)": "outliers",
    r"\bgroups? of rows\b": "clusters, blocks",
    r"\blook(s|ed)? at\b": "evaluate, inspect, read",
    r"(?<!there )\bis no (?!longer|more|such|need|doubt|better|worse|way|missing|other|network)": "is not a",
}

# In names of functions, classes, variables, attributes, parameters and modules, word by word.
STEMS = {
    "door|doors": "validator",
    "gaps": "missing",
    "chance|chances": "probability",
    "answer|answers|answered|answering": "prediction, solution, response",
    "beginning|beginnings": "init",
    "bent|bend|bends|bending": "nonlinear, curvature, knee",
    "bump|bumps": "kernel, basis function",
    "twist": "rank_one",
    "pullback": "product with X'",
    "slope|slopes": "gradient",
    "tell|tells|told": "report, notify, distinguish",
    "judge|judged": "evaluate",
    "misses": "errors",
    "asked|asks|wanted|wish|wishes": "requested",
    "places": "indices, positions",
    "division|divisions": "split",
    "price|prices|priced": "cost, loss, C",
    "strengths": "alphas",
    "urn": "sampler",
    "lesson": "training_set",
    "tournament": "cross_validation",
    "aimless": "random",
    "shrunken": "inactive, shrunk",
    "heard": "checked, caught",
    "looked": "inspected",
    "anew": "again",
    "nobody|whoever|somebody|anybody|everybody": "none, all, the caller",
}
STEMS = {word: term for words, term in STEMS.items() for word in words.split("|")}

_PHRASES = {re.compile(pattern, re.IGNORECASE): term for pattern, term in PHRASES.items()}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def phrases_in(text: str) -> list[str]:
    """The everyday words of a text, each with the term to use."""
    return [f"{match[0]} -> {term}" for pattern, term in _PHRASES.items() for match in pattern.finditer(text)]


def stems_in(name: str) -> list[str]:
    """The everyday words of a name, in lower case: `told_apart` -> ["told"]; a chance level and a look-up are terms."""
    rest = re.sub(r"chance_level|looked_up", "", name)
    return [word.lower() for word in _WORDS.findall(rest) if word.lower() in STEMS]
