"""Pictures of `learnable.plot` as elements of a page: its font, its colours by day and by night, no foreign names."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any

INK = ("#000000", "#111827", "black")
PAPER = ("#ffffff", "white")
REM_OF_INCH = 6.6  # letters of a picture are as large as those around it


def drawn(title: str, draw: Callable[[Any], object], size: tuple[float, float] = (5.6, 3.4)) -> str:
    """What `draw` draws onto the axes of a new figure, as SVG; `title` is for those who do not see it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    return as_svg(figure, title)


def as_svg(figure: Any, title: str) -> str:
    """A figure as an element of a page; the same figure gives the same bytes."""
    import matplotlib

    text = io.StringIO()
    settings: dict[Any, Any] = {"svg.hashsalt": title, "svg.fonttype": "none", "path.simplify": True}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # text stays text: the browser has a font
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = text.getvalue()[text.getvalue().index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|\sxmlns(:\w+)?=\"[^\"]*\"", "", svg, flags=re.DOTALL)  # HTML needs neither
    wide = f'style="max-width: {REM_OF_INCH * figure.get_size_inches()[0]:.1f}rem"'
    svg = re.sub(r'(<svg [^>]*?)width="[^"]*" height="[^"]*"', rf"\1{wide}", svg, count=1)
    svg = _own_names(svg, re.sub(r"\W+", "-", title.lower()))
    svg = svg.replace("'DejaVu Sans', ", "system-ui, ")
    for colour in INK:
        svg = svg.replace(f": {colour}", ": currentColor")
    for colour in PAPER:
        svg = svg.replace(f": {colour}", ": var(--paper)")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{_escaped(title)}" ', 1)


def _own_names(svg: str, prefix: str) -> str:
    """Ids that no other picture of the page has."""
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
    return svg.replace("url(#", f"url(#{prefix}-")


def _escaped(text: str) -> str:
    import html

    return html.escape(text, quote=True)
