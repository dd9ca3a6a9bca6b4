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
    "door": "validator",
    "doors": "validators",
    "gaps": "missing",
    "chance": "probability",
    "chances": "probabilities",
    "answer": "prediction, solution, response",
    "answers": "predictions, solutions, responses",
    "answered": "predicted",
    "answering": "predicting",
    "beginning": "init",
    "beginnings": "inits",
    "bent": "nonlinear",
    "bend": "curvature, knee",
    "bends": "curvatures",
    "bending": "nonlinear",
    "bump": "kernel, basis function",
    "bumps": "kernels, basis functions",
    "twist": "rank_one",
    "pullback": "product with X'",
    "slope": "gradient",
    "slopes": "gradients",
    "tell": "report, notify",
    "tells": "reports",
    "told": "reported",
    "judge": "evaluate",
    "judged": "evaluated",
    "misses": "errors",
    "asked": "requested",
    "asks": "requests",
    "wanted": "requested",
    "wish": "request",
    "wishes": "requests",
    "places": "indices",
    "division": "split",
    "divisions": "splits",
    "price": "cost, loss, C",
    "prices": "costs",
    "priced": "cost",
    "strengths": "alphas",
    "urn": "sampler",
    "lesson": "training_set",
    "tournament": "cross_validation",
    "aimless": "random",
    "shrunken": "inactive, shrunk",
    "heard": "checked, caught",
    "looked": "inspected",
    "anew": "again",
    "nobody": "none",
    "whoever": "the caller",
    "somebody": "the caller",
    "anybody": "the caller",
    "everybody": "all",
}

_PHRASES = {re.compile(pattern, re.IGNORECASE): term for pattern, term in PHRASES.items()}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def phrases_in(text: str) -> list[str]:
    """The everyday words of a text, each with the term to use."""
    return [f"{match[0]} -> {term}" for pattern, term in _PHRASES.items() for match in pattern.finditer(text)]


def stems_in(name: str) -> list[str]:
    """The everyday words of a name, in lower case: `told_apart` -> ["told"]; a chance level and a look-up are terms."""
    rest = re.sub(r"chance_level|looked_up", "", name)
    return [word.lower() for word in _WORDS.findall(rest) if word.lower() in STEMS]
