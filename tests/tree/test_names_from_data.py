"""Names of columns and classes in the text of a tree: no line, string or element of its own."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from learnable import DecisionTreeClassifier, export_graphviz, export_text
from learnable.core.printable import UNPRINTABLE, printable
from tests.hostile import PAIRS, PHRASES

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
NODE = re.compile(r'\d+ \[label=("(?:[^"\\]|\\.)*"|<.*>)(, fillcolor="#\w+")?\] ;')
OTHER = re.compile(r'digraph Tree \{|\}|node \[.*\] ;|edge \[fontname="helvetica"\] ;|\d+ -> \d+( \[.*\])? ;')


def grown(name):
    """A tree whose columns, categories and classes are all called by a name."""
    frame = pd.DataFrame({name: [0.0, 1.0, 2.0, 3.0] * 5, f"{name} ": pd.Categorical([name, "b", "c", name] * 5)})
    y = np.array([f"{name}!", "other", "third", f"{name}!"] * 5, dtype=object)
    return DecisionTreeClassifier(categorical_features=[1]).fit(frame, y)


def _read(escape):
    return "\n" if escape[1] == "n" else escape[1]


@pytest.mark.parametrize("name", [*PHRASES, 'x" ; injected [label="', "x\\", 'x\\" ; y', "a]b[c", "x[<b>]", "x[0"])
def test_dot_strings_hold_the_names_and_nothing_else(name):
    model = grown(name)
    for label in (True, model.classes_.tolist()):
        text = export_graphviz(model, class_names=label, filled=True)
        said = []
        for line in text.split("\n"):
            assert OTHER.fullmatch(line) or NODE.fullmatch(line), line
            said += [
                re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], one)
                for one in STRING.findall(line)
            ]
        assert any(one.startswith((f"{printable(name)} <=", f"{printable(name)}  is")) for one in said), said
        assert label is True or any(f"class = {printable(name)}!" in one for one in said)


@pytest.mark.parametrize("name", [*PHRASES, *PAIRS, "x[<b>]", "x[0", "x[0]"])
def test_html_labels_of_dot_have_no_elements_from_data(name):
    model = grown(name)
    for line in export_graphviz(model, class_names=model.classes_, special_characters=True).split("\n"):
        assert OTHER.fullmatch(line) or NODE.fullmatch(line), line
        if "[label=<" in line:
            inside = line[line.index("<") + 1 : line.rindex(">")].replace("&le;", "&#8804;")
            tree = ElementTree.fromstring(f"<p>{inside}</p>")
            allowed = {"p", "br", "SUB"} if name == "x[0]" else {"p", "br"}
            assert {node.tag for node in tree.iter()} <= allowed and not any(node.attrib for node in tree.iter())


@pytest.mark.parametrize("name", PHRASES)
def test_text_has_a_line_for_each_node_whatever_names_hold(name):
    model, usual = grown(name), grown("usual")
    lines, plain = export_text(model).split("\n"), export_text(usual).split("\n")
    assert len(lines) == len(plain) and not UNPRINTABLE.search("".join(lines))
    assert any(f"class: {printable(name)}!" in line for line in lines)
    rules = [str(rule) for rule in model.rules()]
    assert not UNPRINTABLE.search("".join(rules)) and any(f"then {printable(name)}!" in rule for rule in rules)
