"""Bayesian networks from files and into files."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..core.declare.checked_functions import checked
from ..core.errors import DataError, ParameterError
from ..core.files.atomic_write import place
from ._files.bif import read_bif, write_bif
from ._files.net import read_net, write_net
from ._files.uai import read_uai, write_uai
from ._files.xmlbif import read_xmlbif, write_xmlbif
from ._network import Network
from .bayesian_network import BayesianNetwork

MAX_BYTES = 1 << 30


class Format(NamedTuple):
    """How a format is read and written."""

    read: Callable[[str, str], Network]
    write: Callable[[Network], str]


FORMATS = {
    "bif": Format(read_bif, write_bif),
    "xmlbif": Format(read_xmlbif, write_xmlbif),
    "uai": Format(read_uai, write_uai),
    "net": Format(read_net, write_net),
}
ENDINGS = {"bif": "bif", "xml": "xmlbif", "bifxml": "xmlbif", "xmlbif": "xmlbif", "uai": "uai", "net": "net"}
FormatName = Literal["bif", "xmlbif", "uai", "net"]


def format_of(path: Path, given: FormatName | None, owner: str) -> Format:
    """The format that was given, or that the name of the file says."""
    endings = [ending.lstrip(".").lower() for ending in path.suffixes if ending.lower() != ".gz"]
    name = given or (ENDINGS.get(endings[-1]) if endings else None)
    if name is None:
        raise ParameterError(
            f"{owner}: the ending of {path.name!r} does not say its format; give format='bif', 'xmlbif', 'uai' or 'net'"
        )
    return FORMATS[name]


@checked()
def read_network(path: Any, *, format: FormatName | None = None) -> BayesianNetwork:
    """Read a Bayesian network from a file: BIF, XMLBIF, UAI or Hugin's NET, compressed by gzip or not.

    Names and states are kept, probabilities are read with all their digits.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.uai"
    >>> _ = path.write_text("BAYES 1 2 1 1 0 2 0.25 0.75")
    >>> read_network(path).query("x0")["1"]
    0.75
    """
    file = Path(path)
    reader = format_of(file, format, "read_network").read
    try:
        content = file.read_bytes()
        if content[:2] == b"\x1f\x8b":
            with gzip.open(file) as stream:
                content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise DataError(f"read_network: {file.name} holds more than {MAX_BYTES} bytes")
        text = content.decode("utf-8-sig")
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"read_network: {file.name} is not a text file, or damaged: {error}") from None
    return BayesianNetwork._holding(reader(text, f"read_network: {file.name}"))


@checked()
def write_network(network: Any, path: Any, *, format: FormatName | None = None) -> None:
    """Write a categorical Bayesian network into a file: BIF, XMLBIF, UAI or Hugin's NET, by its ending."""
    if not isinstance(network, BayesianNetwork):
        raise ParameterError(f"write_network: network must be a BayesianNetwork; got {type(network).__name__}")
    inner = network._network
    if inner.continuous:
        raise DataError(
            f"write_network: {inner.names[inner.continuous[0]]!r} is continuous, which these formats do not have; "
            "use learnable.save"
        )
    file = Path(path)
    content = format_of(file, format, "write_network").write(inner).encode("utf-8")
    place(file, gzip.compress(content, mtime=0) if file.suffix.lower() == ".gz" else content)
