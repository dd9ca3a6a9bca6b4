"""The table, on the screen, as JSON and as a page of the documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.machine import PEERS, machine, versions
from benchmarks.ranking import Row
from benchmarks.task import Task

HEADER = ("task", "size", "contender", "time", "ratio", "quality", "peak MB", "note")
INTRODUCTION = """# Benchmarks

Written by `python -m benchmarks --write`; do not edit.

Every contender of a task works on the same data with the same number of threads, in a process of its own;
the runs of a task are interleaved and the median is shown. Import and warm-up are not timed, except in the
tasks called cold.

- **ratio**: time of the fastest peer over this time. 2 means twice as fast as the fastest peer.
- **quality**: computed in the same way from every output; the rule is stated above the table. An output that
  breaks it is marked *worse*: it has no ratio, and no other is compared with it.
- **peak MB**: most memory in use during the run, above what was in use before it (the data).
- a *reference* is a few lines of NumPy that show what is possible; no library contains them, so it is not a peer.
"""


def as_json(task: Task, rows: list[Row], *, quick: bool, threads: int, rounds: int, load: float) -> dict[str, Any]:
    """One task as plain data; load is how many other processes were busy when it began."""
    return {
        "name": task.name,
        "size": task.size_text(quick),
        "quick": quick,
        "threads": threads,
        "rounds": rounds,
        "load": load,
        "quality": task.quality.name,
        "rule": str(task.quality.rule),
        "machine": machine(),
        "versions": versions(),
        "rows": [row.plain() for row in rows],
    }


def cells(record: dict[str, Any]) -> list[tuple[str, ...]]:
    """The lines of one task's table."""
    size = f"{record['size']}; {record['quality']} {record['rule']}"
    lines = []
    for i, row in enumerate(record["rows"]):
        left = (record["name"], size) if i == 0 else ("", "")
        name = row["contender"] + (" (reference)" if row["kind"] == "reference" else "")
        if row["status"] == "ok":
            right = (
                duration(row["seconds"]),
                _ratio(row),
                _figure(row["figure"]),
                _megabytes(row["peak_mb"]),
            )
            lines.append((*left, name, *right, "worse" if row["worse"] else ""))
        else:
            note = f"{row['status']}: {row['note']}" if row["note"] else row["status"]
            lines.append((*left, name, "", "", "", "", note[:90]))
    return lines


def text(record: dict[str, Any]) -> str:
    """One task for the terminal."""
    lines = [HEADER[2:], *(line[2:] for line in cells(record))]
    widths = [max(len(line[j]) for line in lines) for j in range(len(lines[0]))]
    body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    title = f"{record['name']}: {record['size']}; {record['quality']} {record['rule']}{_busy(record)}"
    return "\n".join([title, *(f"  {line}" for line in body)])


def page(records: list[dict[str, Any]]) -> str:
    """The page of the documentation."""
    parts = [INTRODUCTION]
    for record in records:
        about = record["machine"]
        parts.append(
            f"\n## {record['name']}\n\n{record['size']}; {record['quality']} {record['rule']}. "
            f"{record['threads']} threads, median of {record['rounds']}, {about['processor']}"
            f"{', reduced size' if record['quick'] else ''}{_busy(record)}.\n\n"
        )
        header = HEADER[2:]
        parts.append("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|\n")
        parts += ["| " + " | ".join(line[2:]) + " |\n" for line in cells(record)]
    known = {name: version for record in records for name, version in record["versions"].items()}
    parts.append(
        "\nVersions: "
        + ", ".join(f"{PEERS[name]} {version or 'not installed'}" for name, version in known.items())
        + ".\n"
    )
    return "".join(parts)


def write(folder: Path, records: list[dict[str, Any]]) -> None:
    """Put the records into benchmarks.json, in place of older ones of the same task, and rewrite the page."""
    store = folder / "benchmarks.json"
    kept = {record["name"]: record for record in json.loads(store.read_text())} if store.exists() else {}
    kept.update({record["name"]: record for record in records})
    store.write_text(json.dumps(list(kept.values()), indent=1) + "\n")
    (folder / "benchmarks.md").write_text(page(list(kept.values())))


def duration(seconds: float) -> str:
    """Seconds in a unit that suits them, three digits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def _busy(record: dict[str, Any]) -> str:
    return f"; busy machine, load {record['load']:.1f} before the start" if record["load"] > 0.5 else ""


def _ratio(row: dict[str, Any]) -> str:
    return "" if row["ratio"] is None else f"{row['ratio']:.2f}"


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.6g}"


def _megabytes(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"
