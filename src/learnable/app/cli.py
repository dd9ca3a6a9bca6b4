"""`learnable study | predict | serve | ...`: results on standard output, everything else on standard error."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .._version import __version__
from ..core.printable import printable
from .commands.check import check
from .commands.compare import compare
from .commands.convert import convert
from .commands.doctor import doctor
from .commands.explain import explain
from .commands.merge import merge
from .commands.models import models
from .commands.predict import predict
from .commands.serve import serve
from .commands.study import study
from .console import complain


@contextmanager
def _printable_usage_errors() -> Iterator[None]:
    """Make usage errors printable: the arguments may be file names from elsewhere."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message"):  # the errors of typer about arguments, which have no public class
            vars(error)["message"] = printable(str(vars(error)["message"]))
        raise


class Commands(TyperGroup):
    """The commands, with printable errors."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """Read the options before the command."""
        with _printable_usage_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Read the arguments of the command, and run it."""
        with _printable_usage_errors():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    help="Reliable machine learning: study a table, then use and check the resulting model.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main(arguments: list[str] | None = None, began: float | None = None) -> None:
    """Run the command line; each kind of error has its own exit code and no traceback.

    Budgets count from `began`, a time of `time.monotonic`; by default from now.
    """
    sys.excepthook = _print_failure
    try:
        with _printable_warnings():
            app(arguments, prog_name="learnable", obj=began)
    except SystemExit as end:
        if isinstance(end.__context__, typer.Exit) and isinstance(end.__context__.__cause__, KeyboardInterrupt):
            complain("interrupted before there was a result")
        sys.exit(_exit_code_of_broken_pipe(end) or end.code)
    except MemoryError:
        complain("there is not enough memory; use fewer rows or columns, or more memory")
        sys.exit(1)
    except (ArithmeticError, OSError, ValueError, RuntimeError) as error:
        sys.exit(_exit_code_of(error))


@contextmanager
def _printable_warnings() -> Iterator[None]:
    """Warnings as lines without file names; they may name columns and categories."""
    usual = warnings.formatwarning

    def formatted(message: Any, *where: Any, **more: Any) -> str:
        return f"warning: {printable(str(message))}\n"

    warnings.formatwarning = formatted
    try:
        yield
    finally:
        warnings.formatwarning = usual


def _print_failure(kind: Any, error: BaseException, where: Any) -> None:
    """A traceback; messages of errors may hold text from data."""
    print(printable("".join(traceback.format_exception(kind, error, where)), keep="\n"), end="", file=sys.stderr)


def _exit_code_of_broken_pipe(end: SystemExit) -> int:
    """The exit code if standard output is a broken pipe; 0 otherwise."""
    import os

    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 141 if isinstance(end.__context__, BrokenPipeError) else 0


def _exit_code_of(error: Exception) -> int:
    """Report an error; its exit code."""
    from ..core.errors import BudgetError, DataError, LearnableError, ModelFileError, ParameterError

    if isinstance(error, (ArithmeticError, ValueError)) and not isinstance(error, LearnableError):
        complain(f"the numbers in this table cannot be used: {error}")
        return 3
    if isinstance(error, RuntimeError) and not isinstance(error, BudgetError):
        raise error
    complain(str(error))
    codes = ((ModelFileError, 5), (BudgetError, 4), (DataError, 3), (ParameterError, 2))
    return next((code for kind, code in codes if isinstance(error, kind)), 1)


def _show_version(requested: bool) -> None:
    if requested:
        print(f"learnable {__version__}")
        raise typer.Exit


@app.callback()
def _common(version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False) -> None:
    """Options before the command."""


app.command(short_help="Compare models on a table, and keep the best.")(study)
app.command(short_help="Predict the rows of a table with a saved model.")(predict)
app.command(short_help="Serve predictions over HTTP.")(serve)
app.command(short_help="Compare two saved models on the same rows.")(compare)
app.command(short_help="Add exact summaries of several parties' rows.")(merge)
app.command(short_help="Validate a model file without executing code.")(check)
app.command(short_help="Convert a saved model to ONNX, C or JSON.")(convert)
app.command(short_help="Check this installation.")(doctor)
app.command(short_help="List every model with its task and the inputs it supports.")(models)
app.command(short_help="Explain a method, an alarm, or a saved model.")(explain)
