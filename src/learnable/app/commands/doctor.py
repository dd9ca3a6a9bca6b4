"""`learnable doctor`: check the installation."""

from __future__ import annotations

import typer

from ..console import AsJson, complain, output, print_json


def doctor(as_json: AsJson = False) -> None:
    """Check this installation: versions, processor, threads, memory, and a test of the library itself.

    Exits with code 1 if there is a problem.
    """
    from dataclasses import asdict

    from ..self_check import diagnosis

    lines = list(diagnosis())
    problems = [line for line in lines if not line.good]
    if as_json:
        print_json({"good": not problems, "lines": [asdict(line) for line in lines]})
    else:
        from rich.table import Table
        from rich.text import Text

        table = Table("", "", "", box=None, pad_edge=False, show_header=False)
        for line in lines:
            word, style = ("ok", "green") if line.good else ("problem", "bold red")
            table.add_row(Text(word, style=style), Text(line.what), Text(line.found))
        output().print(table)
    for line in problems:
        complain(f"{line.what}: {line.found}; {line.remedy}")
    if problems:
        raise typer.Exit(1)
