"""`learnable models`: the list of models."""

from __future__ import annotations

from ..console import AsJson, output, print_json


def models(as_json: AsJson = False) -> None:
    """List every model with its task and the inputs it supports."""
    from rich.padding import Padding
    from rich.text import Text

    from .. import catalogue

    rows = catalogue.models()
    if as_json:
        print_json({"models": rows})
        return
    console = output()
    for row in rows:
        console.print(Text(row["name"], style="bold"))
        for line in (row["summary"], catalogue.facts_in_words(row)):
            console.print(Padding(Text(line), (0, 0, 0, 4)))
