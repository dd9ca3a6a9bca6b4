"""Self-check of the installation: components, and correctness of small computations."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NEEDED = ("numpy", "scipy", "narwhals", "joblib", "threadpoolctl", "safetensors")
FOR_COMMANDS = ("typer", "rich", "pyarrow", "matplotlib", "jinja2", "fastapi", "uvicorn")
REPORTED = ("avx", "fma", "avx2", "bmi2", "avx512f", "avx512vl")  # instruction sets that the kernel levels require
FOR_EXPORT = ("onnx", "onnxruntime")


@dataclass(frozen=True, slots=True)
class Line:
    """A check with its result; `remedy` applies if it is a problem."""

    what: str
    found: str
    good: bool = True
    remedy: str = ""


def diagnosis() -> Iterator[Line]:
    """All checks, from versions to a test of the library itself."""
    yield Line("python", f"{platform.python_version()} on {platform.platform(terse=True)}")
    yield from _packages()
    yield _guarded("kernels", _kernels)
    yield _guarded("threads", _threads)
    yield _guarded("BLAS", _blas)
    yield Line("memory", _memory())
    for what, trial in TRIALS.items():
        yield _guarded(what, trial)


def _guarded(what: str, check: Callable[[], str]) -> Line:
    """Run a check; an exception becomes a problem, so that all checks are made."""
    try:
        return Line(what, check())
    except Exception as error:
        return Line(what, f"{type(error).__name__}: {error}"[:300], False, "reinstall learnable")


def _packages() -> Iterator[Line]:
    from .._version import __version__

    yield Line("learnable", __version__)
    for name in NEEDED:
        found = _version(name)
        yield Line(name, found or "not installed", bool(found), f"pip install {name}")
    for extra, names in (("app", FOR_COMMANDS), ("onnx", FOR_EXPORT)):
        there = [f"{name} {_version(name)}" for name in names if _version(name)]
        gone = [name for name in names if not _version(name)]
        words = ", ".join(there) + (f" (without {', '.join(gone)}: pip install 'learnable[{extra}]')" if gone else "")
        yield Line(f"learnable[{extra}]", words.strip())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _kernels() -> str:
    from .. import _cpu
    from ..core.runtime.native import LEVELS, _built, kernels

    built = [level for level in LEVELS if _built(level)]
    chosen = kernels.__name__.rpartition("_")[2]
    words = f"level {chosen} of {', '.join(built)} that are built"
    return f"{words}; the processor can run {_cpu.best_level()} ({_features()})"


def _features() -> str:
    """The relevant instruction sets of the processor."""
    path = Path("/proc/cpuinfo")
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    flags = next((line.split() for line in text.splitlines() if line.startswith("flags")), [])
    return " ".join(flag for flag in REPORTED if flag in flags) or "unknown"


def _threads() -> str:
    from ..core.runtime.threads import thread_count

    limits = [f"{name}={value}" for name in ("OMP_NUM_THREADS", "LEARNABLE_SIMD") if (value := os.environ.get(name))]
    return f"{thread_count()} of {os.cpu_count()} processors" + (f"; {', '.join(limits)}" if limits else "")


def _blas() -> str:
    import scipy.linalg  # noqa: F401  # loads the library
    from threadpoolctl import threadpool_info

    found = {f"{pool['internal_api']} {pool.get('version') or ''}".strip() for pool in threadpool_info()}
    return ", ".join(sorted(found)) or "none detected"


def _memory() -> str:
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{free / 2**30:.1f} of {whole / 2**30:.1f} GB free"


def _fits_a_line() -> str:
    from ..linear_model import LinearRegression

    model = LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    return _close(model.predict([[3.0]])[0], 7.0)


def _fits_a_tree() -> str:
    from ..tree import DecisionTreeRegressor

    model = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 5.0, 5.0])
    return _close(model.predict([[2.6]])[0], 5.0)


def _finds_clusters() -> str:
    from ..cluster import KMeans

    model = KMeans(2, random_state=0, n_init=1).fit([[0.0], [1.0], [10.0], [11.0]])
    return _close(model.inertia_, 1.0)


def _saves_a_model() -> str:
    from ..core.files.model_file import load, save
    from ..linear_model import Ridge

    model = Ridge().fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [1.0, 2.0, 4.0])
    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder) / "ridge")
        again = load(Path(folder) / "ridge")
    return _close(again.predict([[1.0, 1.0]])[0] - model.predict([[1.0, 1.0]])[0], 0.0)


def _close(found: float, right: float) -> str:
    """Report a correct number; raise an error for another one."""
    if not abs(float(found) - right) <= 1e-9:
        raise ArithmeticError(f"got {found!r}, expected {right!r}")
    return "correct"


TRIALS: dict[str, Callable[[], str]] = {
    "trial: linear regression": _fits_a_line,
    "trial: decision tree": _fits_a_tree,
    "trial: k-means": _finds_clusters,
    "trial: model file": _saves_a_model,
}
