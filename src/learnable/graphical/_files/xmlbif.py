"""XMLBIF, the interchange format in XML."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np

from ...core.errors import DataError
from .._network import Network
from .tables import FileNetwork


def read_xmlbif(text: str, path: str) -> Network:
    """The network that a text in XMLBIF describes."""
    root = parse_xml(text, path)
    found = FileNetwork(path)
    for variable in root.iter("VARIABLE"):
        states = [(state.text or "").strip() for state in [*variable.iter("OUTCOME"), *variable.iter("VALUE")]]
        found.add_variable(_text(variable, "NAME", path), states)
    for table in [*root.iter("DEFINITION"), *root.iter("PROBABILITY")]:
        child = _text(table, "FOR", path)
        parents = [(given.text or "").strip() for given in table.iter("GIVEN")]
        try:
            values = np.array(_text(table, "TABLE", path).split(), dtype=np.float64)
        except ValueError:
            raise DataError(f"{path}: the table of {child!r} holds something that is not a number") from None
        if not np.isfinite(values).all():
            raise DataError(f"{path}: the table of {child!r} holds a number that is not finite")
        found.add_table(child, parents, values)
    return found.network()


def parse_xml(text: str, path: str) -> ElementTree.Element:
    """The root of an XML document; declarations of entities, which may grow without end, are refused."""
    if "<!ENTITY" in text.upper():
        raise DataError(f"{path}: the document declares entities, which are not expanded; write the characters out")
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: this is not a valid XML document: {error}") from None


def _text(element: ElementTree.Element, tag: str, path: str) -> str:
    inner = element.find(tag)
    if inner is None:
        raise DataError(f"{path}: an element {element.tag} has no {tag}")
    return "".join(inner.itertext()).strip()


def write_xmlbif(network: Network) -> str:
    """The network as a text in XMLBIF."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>", "<NAME>unknown</NAME>"]
    for name, known in zip(network.names, network.states, strict=True):
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{escape(name)}</NAME>"]
        lines += [f"  <OUTCOME>{escape(str(state))}</OUTCOME>" for state in known.tolist()] + ["</VARIABLE>"]
    for v, name in enumerate(network.names):
        lines += ["<DEFINITION>", f"  <FOR>{escape(name)}</FOR>"]
        lines += [f"  <GIVEN>{escape(network.names[parent])}</GIVEN>" for parent in network.graph.parents[v]]
        values = " ".join(repr(value) for value in network.tables[v].ravel().tolist())
        lines += [f"  <TABLE>{values}</TABLE>", "</DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"
