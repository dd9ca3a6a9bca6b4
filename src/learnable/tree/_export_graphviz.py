"""Export of decision trees to Graphviz."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from ..core import ParameterError
from ..core.declare.checked_functions import Column, checked, limits
from ._export.node_text import NodeText

NUMBERED = re.compile(r"^(x|y|class = y)\[(\d+)\]")  # columns and classes without names


@checked(max_depth=limits(at_least=0), precision=limits(at_least=0))
def export_graphviz(
    decision_tree: Any, out_file: Any = None, *, max_depth: int | None = None, feature_names: Column | None = None,
    class_names: Column | bool | None = None, label: str = "all", filled: bool = False, leaves_parallel: bool = False,
    impurity: bool = True, node_ids: bool = False, proportion: bool = False, rotate: bool = False,
    rounded: bool = False, special_characters: bool = False, precision: int = 3, fontname: str = "helvetica",
) -> str | None:  # fmt: skip
    """Export a decision tree in the DOT language; written to `out_file`, a path or an open file, if given.

    digraph Tree { node [label="..."]; parent -> child; }

    Graphviz is not needed to write the text; `plot_tree` draws without it.

    >>> from learnable import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    >>> export_graphviz(tree).splitlines()[0]
    'digraph Tree {'
    """
    text = NodeText.of(
        "export_graphviz", decision_tree, feature_names, class_names, precision, label=label, impurity=impurity,
        node_ids=node_ids, proportion=proportion,
    )  # fmt: skip
    fontname = _escaped(fontname)
    styles = [name for name, enabled in (("filled", filled), ("rounded", rounded)) if enabled]
    style = f', style="{", ".join(styles)}", color="black"' if styles else ""
    lines = ["digraph Tree {", f'node [shape=box{style}, fontname="{fontname}"] ;']
    lines += ["graph [ranksep=equally, splines=polyline] ;"] if leaves_parallel else []
    lines += [f'edge [fontname="{fontname}"] ;', *(["rankdir=LR ;"] if rotate else [])]
    ranks: dict[str, list[str]] = {"leaves": []}
    for node, parent, depth, shown in _nodes(decision_tree.tree_, max_depth):
        leaf = not shown or not decision_tree.tree_.branches(node)
        ranks.setdefault("leaves" if leaf else str(depth), []).append(str(node))
        lines += _node_lines(text, node, shown, filled, special_characters)
        lines += [] if parent is None else [f"{parent} -> {node}{_edge(parent, node, rotate) if shown else ''} ;"]
    if leaves_parallel:
        lines += ["{rank=same ; " + "; ".join(ranks[rank]) + "} ;" for rank in sorted(ranks)]
    return _write(out_file, "\n".join([*lines, "}"]))


def _nodes(tree: Any, max_depth: int | None) -> Iterator[tuple[int, int | None, int, bool]]:
    """Nodes in depth-first order: index, parent, depth, and whether they are shown in full."""
    waiting: list[tuple[int, int | None, int]] = [(0, None, 0)]
    while waiting:
        node, parent, depth = waiting.pop()
        shown = max_depth is None or depth <= max_depth
        yield node, parent, depth, shown
        if shown:
            waiting += [(child, node, depth + 1) for child, _ in reversed(tree.branches(node))]


def _node_lines(text: NodeText, node: int, shown: bool, filled: bool, special: bool) -> list[str]:
    if not shown:
        return [f'{node} [label="(...)"{", fillcolor=" + chr(34) + "#C0C0C0" + chr(34) if filled else ""}] ;']
    lines = [line for entry in text.lines(node) for line in entry.split("\n")]
    if special:
        content = "<" + "<br/>".join(_special(line) for line in lines) + ">"
    else:
        content = '"' + "\\n".join(map(_escaped, lines)) + '"'
    colour = f', fillcolor="{text.colour(node)}"' if filled else ""
    return [f"{node} [label={content}{colour}] ;"]


def _special(line: str) -> str:
    """A line with HTML entities; numbers of unnamed columns and classes are subscripts."""
    line = html.escape(line, quote=False).replace("&lt;=", "&le;").replace("#", "&#35;")
    return NUMBERED.sub(r"\1<SUB>\2</SUB>", line)


def _escaped(line: str) -> str:
    """A line inside a DOT string, in which a backslash starts an escape sequence."""
    return line.replace("\\", "\\\\").replace('"', '\\"')


def _edge(parent: int, node: int, rotate: bool) -> str:
    """Labels of the two edges below the root."""
    if parent != 0:
        return ""
    angle = -45 if rotate else 45
    label = f'{angle}, headlabel="True"' if node == 1 else f'{-angle}, headlabel="False"'
    return f" [labeldistance=2.5, labelangle={label}]"


def _write(out_file: Any, text: str) -> str | None:
    if out_file is None:
        return text
    if hasattr(out_file, "write"):
        out_file.write(text)
    elif isinstance(out_file, (str, PathLike)):
        Path(out_file).write_text(text, encoding="utf-8")
    else:
        raise ParameterError(f"export_graphviz: out_file must be a path or an open file; got {out_file!r:.60}")
    return None
