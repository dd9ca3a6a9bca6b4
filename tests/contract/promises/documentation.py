"""The words of a class: one sentence, the objective, a running example, every parameter, a reference."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import sys

from learnable.core.declare import params

from ..promise import promise

LONGEST = 30  # lines


def written(cls: type) -> str:
    """The docstring as it stands in the source, without what is generated."""
    for node in ast.walk(ast.parse(inspect.getsource(sys.modules[cls.__module__]))):
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            return ast.get_docstring(node) or ""
    return ""


@promise(of_any_input=True)
def docstring_begins_with_a_sentence(cls: type) -> None:
    first = written(cls).splitlines()[0]
    assert first.endswith(".") and first[0].isupper() and len(first) <= 120, first


@promise(of_any_input=True)
def docstring_gives_the_objective(cls: type) -> None:
    paragraphs = written(cls).split("\n\n")
    formula = paragraphs[1]
    assert formula.startswith(("minimise", "maximise", "choose")) or "=" in formula, f"no formula in {formula!r}"


@promise(of_any_input=True)
def docstring_has_a_running_example(cls: type) -> None:
    examples = doctest.DocTestParser().get_examples(written(cls))
    assert any(example.want for example in examples), "no example with an output"


@promise(of_any_input=True)
def docstring_is_short(cls: type) -> None:
    lines = len(written(cls).splitlines())
    assert lines <= LONGEST, f"{lines} lines"


@promise(of_any_input=True)
def docstring_lists_every_parameter(cls: type) -> None:
    for name, field in params.parameters(cls).items():
        assert re.search(rf"^    {name} : .+\n        \S.+\.$", cls.__doc__, re.MULTILINE), f"{name} is not described"
        assert len(field.metadata["rule"].meaning.split()) >= 2, f"{name}: the meaning is too short"
    for name, shape in params.learned_shapes(cls).items():
        assert re.search(rf"^    {name}\b.*\n        \S.+\.$", cls.__doc__, re.MULTILINE), f"{name} is not described"
        assert len(shape.meaning.split()) >= 2, f"{name}: the meaning is too short"


@promise(made_by=lambda cls: cls.traits.task in ("regression", "classification"), of_any_input=True)
def a_reference_is_given(cls: type) -> None:
    assert re.search(r"[A-Z]\w+.*\b1[6-9]\d\d\b|[A-Z]\w+.*\b20\d\d\b", cls.reference), cls.reference


@promise(of_any_input=True)
def first_sentence_names_the_method(cls: type) -> None:
    assert cls.title, "no title: the name of the method that people search for"
    assert cls.title.lower() in written(cls).splitlines()[0].lower(), f"the first sentence lacks {cls.title!r}"
