"""Pictures of a report are those of `learnable.plot`: the report says what is shown, not how it is drawn."""

import ast
from pathlib import Path

import learnable.app.report
from learnable.app.report.short_labels import shortened

HERE = Path(learnable.app.report.__file__).parent
MAY = {"set", "set_ylim"}  # words and ends of axes


def test_the_report_draws_nothing_itself():
    assert list(_drawing("ax.plot([0, 1]); ax.set(xlabel='a')")) == ["plot"]
    found = {path.name: list(_drawing(path.read_text(encoding="utf-8"))) for path in HERE.glob("*.py")}
    assert len(found) > 3 and not any(found.values()), found


def _drawing(text: str):
    """The methods of axes that a program calls to draw, and what it takes from the styles of pictures."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            target = node.func.value
            if isinstance(target, ast.Name) and target.id in ("ax", "axes") and node.func.attr not in MAY:
                yield node.func.attr
        if isinstance(node, ast.ImportFrom) and str(node.module).endswith("plot.style"):
            yield str(node.module)


def test_classes_with_long_names_stay_different_in_pictures():
    names = [f"species number {place}" for place in range(12)]
    assert len(set(shortened(names))) == 12 and max(map(len, shortened(names))) <= 16
    assert shortened(["short", "names"]) == ["short", "names"]
