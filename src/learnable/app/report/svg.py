"""Figures of `learnable.plot` as inline SVG with the font and the light and dark colours of the page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

COLOURS = {
    "#000000": "currentColor", "#111827": "currentColor", "black": "currentColor",
    "#ffffff": "var(--paper)", "white": "var(--paper)",
}  # fmt: skip
REM_OF_INCH = 6.6  # letters of a picture are as large as those around it
SVG = "{http://www.w3.org/2000/svg}"


def drawn(title: str, draw: Callable[[Any], object], size: tuple[float, float] = (5.6, 3.4)) -> str:
    """What `draw` draws onto the axes of a new figure, as SVG; `title` is its accessible name."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    return as_svg(figure, title)


def as_svg(figure: Any, title: str) -> str:
    """A figure as an element of a page; the same figure gives the same bytes.

    Elements and attributes are changed one by one: what a name of a column or class says is never touched.
    """
    import matplotlib

    text = io.StringIO()
    settings: dict[Any, Any] = {"svg.hashsalt": title, "svg.fonttype": "none", "path.simplify": True}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # text stays text: the browser has a font
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    picture = ElementTree.fromstring(text.getvalue())
    for metadata in picture.findall(f"{SVG}metadata"):
        picture.remove(metadata)
    prefix = re.sub(r"\W+", "-", title.lower())
    for element in picture.iter():
        element.tag = element.tag.removeprefix(SVG)  # HTML needs no names of vocabularies
        element.attrib = {_local(name): _adapted(_local(name), value, prefix) for name, value in element.attrib.items()}
        element.tail = None if element.tail is None or not element.tail.strip() else element.tail
    wide = f"max-width: {REM_OF_INCH * figure.get_size_inches()[0]:.1f}rem"
    kept = {name: value for name, value in picture.attrib.items() if name not in ("width", "height")}
    picture.attrib = {"role": "img", "aria-label": title, **kept, "style": wide}
    return ElementTree.tostring(picture, encoding="unicode", short_empty_elements=False)


def _local(name: str) -> str:
    """The name of an attribute without that of its vocabulary, such as href for xlink:href."""
    return name.rpartition("}")[2]


def _adapted(name: str, value: str, prefix: str) -> str:
    """The value of an attribute: ids that no other picture of the page has, and the font and colours of the page."""
    if name == "id":
        return f"{prefix}-{value}"
    if name == "href":
        return re.sub("^#", f"#{prefix}-", value).replace(" ", "")  # an image has its lines apart
    value = value.replace("url(#", f"url(#{prefix}-")
    if name == "style":
        return "; ".join(map(_of_page, value.replace("'DejaVu Sans', ", "system-ui, ").split("; ")))
    return value


def _of_page(declaration: str) -> str:
    """A declaration of a style in the colours of the page."""
    name, _, value = declaration.partition(": ")
    return f"{name}: {COLOURS.get(value, value)}" if value else declaration
