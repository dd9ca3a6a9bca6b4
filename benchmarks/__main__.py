"""`python -m benchmarks [task ...]` runs the tasks and prints the table; without names, all of them."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from benchmarks import report
from benchmarks.machine import busy
from benchmarks.race import ROOT, race
from benchmarks.ranking import rank_outcomes
from benchmarks.task import Task
from benchmarks.tasks import TASKS


def parser() -> argparse.ArgumentParser:
    """The command line."""
    names = ", ".join(TASKS)
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, epilog=f"Tasks: {names}.")
    made.add_argument("tasks", nargs="*", metavar="task", help="names, or prefixes of names; all when left out")
    made.add_argument("--only", nargs="+", metavar="NAME", help="ours and these contenders (prefixes of names)")
    made.add_argument("--json", type=Path, metavar="F", help="also write the results to this file")
    made.add_argument("--threads", type=int, default=2, help="threads for everyone (2)")
    made.add_argument("--rounds", type=int, default=3, help="runs of each contender, at least 3 to count (3)")
    made.add_argument("--limit", type=float, default=300.0, help="seconds after which a run is given up (300)")
    made.add_argument("--quick", action="store_true", help="small sizes: checks that all works, measures nothing")
    made.add_argument("--write", action="store_true", help="update docs/benchmarks.md")
    return made


def chosen(names: list[str]) -> list[str]:
    """The tasks that the names, or prefixes of names, stand for."""
    for name in names:
        if not any(task.startswith(name) for task in TASKS):
            raise SystemExit(f"no task called {name}; there are: {', '.join(TASKS)}")
    exact = [task for task in TASKS if task in names]
    prefixes = [name for name in names if name not in TASKS]
    return [task for task in TASKS if not names or task in exact or task.startswith(tuple(prefixes))]


def restricted(task: Task, names: list[str] | None) -> Task:
    """The task with ours and the named contenders only; all when no name is given."""
    if not names:
        return task
    kept = [one for one in task.contenders if one.kind == "ours" or one.name.startswith(tuple(names))]
    return dataclasses.replace(task, contenders=tuple(kept))


def main(arguments: list[str] | None = None) -> None:
    """Run, print, write."""
    line = parser()
    options = line.parse_args(arguments)
    if options.write and (options.quick or options.only or options.rounds < 3):
        line.error("--write needs full sizes, all contenders and at least 3 rounds")
    records = []
    for name in chosen(options.tasks):
        task, load = restricted(TASKS[name], options.only), busy()
        how = {"quick": options.quick, "threads": options.threads, "rounds": options.rounds}
        rows = rank_outcomes(race(task, limit=options.limit, **how), task.quality)
        records.append(report.as_json(task, rows, load=load, **how))
        print(report.text(records[-1]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(records, indent=1) + "\n")
        if options.write:
            report.write(ROOT / "docs", records[-1:])


if __name__ == "__main__":
    main()
