"""Formulas as MathML, which browsers draw themselves: no script, no pictures, no network, readable aloud."""

from __future__ import annotations

import html
from typing import Any
from xml.etree import ElementTree as Tree

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.errors import ExtensionError

APPLY = "\N{FUNCTION APPLICATION}"
TIGHT = {"stretchy": "false", "lspace": "0.05em", "rspace": "0.05em"}
ACCENTS = {"ˆ", "¯", "ˉ", "˜", "˙", "˘", "ˇ", "⃗"}


def converted(latex: str, block: bool) -> str:
    """The formula as one `<math>` element."""
    try:
        text = latex2mathml.tex2mathml(latex, as_block=block)
    except (MathError, SyntaxError) as error:
        raise ExtensionError(f"formula {latex!r}: {error}") from None
    text = text.replace("&ApplyFunction;", APPLY).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    tree = Tree.fromstring(text)
    for element in tree.iter():
        _improve(element)
    return Tree.tostring(tree, encoding="unicode", short_empty_elements=False)


def _improve(element: Tree.Element) -> None:
    """Correct what the converter leaves: bars that stretch, accents that swallow an index, names without a space."""
    element.tail = None
    if len(element):
        element.text = None
    if element.tag == "mo" and element.text in ("|", "‖", "/"):
        element.attrib.update(TIGHT)
    if element.tag == "munderover" and element[2].text in ACCENTS:
        base, index, accent = element
        over = Tree.Element("mover", {"accent": "true"})
        over.extend([base, accent])
        element[:] = [over, index]
        element.tag = "msub"
    if element.tag in ("math", "mrow", "mtd"):
        element[:] = _spaced(list(element))


def _spaced(children: list[Tree.Element]) -> list[Tree.Element]:
    """Thin spaces around names of functions, where no operator or bracket makes one."""
    out: list[Tree.Element] = []
    for position, child in enumerate(children):
        follows = children[position + 1] if position + 1 < len(children) else None
        if _is_name(child) and out and out[-1].tag not in ("mo", "mspace"):
            out.append(Tree.Element("mspace", {"width": "0.17em"}))
        out.append(child)
        if child.text == APPLY and follows is not None and follows.tag not in ("mo", "mspace"):
            out.append(Tree.Element("mspace", {"width": "0.17em"}))
    return out


def _is_name(element: Tree.Element) -> bool:
    return element.tag == "mi" and len(element.text or "") > 1 and (element.text or "").isalpha()


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(converted(node.astext(), block=False))
    raise nodes.SkipNode


def _display(self: Any, node: nodes.math_block) -> None:
    classes = " ".join(["formula", *node["classes"]])
    self.body.append(f'<div class="{html.escape(classes)}">{converted(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Offer the renderer to Sphinx under the name `mathml`."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
