"""The stub file names what the compiled module has, argument by argument."""

import ast
import importlib.resources
import re

from learnable.core.runtime.native import kernels

STUB = ast.parse(
    importlib.resources.files("learnable.core.runtime").joinpath("_kernels.pyi").read_text(encoding="utf-8")
)


def arguments(function: ast.FunctionDef) -> list[str]:
    """Names of the arguments, with `=` after those that have a default."""
    names = [argument.arg for argument in function.args.args]
    required = len(names) - len(function.args.defaults)
    return [name + "=" * (place >= required) for place, name in enumerate(names)]


def compiled(owner: object = kernels) -> dict[str, list[str]]:
    found = {}
    for name in vars(owner):
        signature = getattr(getattr(owner, name), "__nb_signature__", None)
        if signature is not None and name != "__new__":  # it stands beside an __init__ that says the same
            text = re.sub(r"\[[^\[\]]*\]", "", signature[0][0]).replace("\\", "default") + ": ..."
            found[name] = arguments(ast.parse(text).body[0])
    return found


def stubbed(body: list[ast.stmt]) -> dict[str, list[str]]:
    return {node.name: arguments(node) for node in body if isinstance(node, ast.FunctionDef)}


def test_functions_and_arguments():
    assert stubbed(STUB.body) == compiled(), (
        "bring src/learnable/core/runtime/_kernels.pyi up to date with the compiled module"
    )


def test_methods_and_arguments():
    classes = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
    assert classes.keys() == {name for name, value in vars(kernels).items() if isinstance(value, type)}
    for name, node in classes.items():
        assert stubbed(node.body) == compiled(getattr(kernels, name)), f"bring the stub of {name} up to date"


def test_every_kernel_says_what_it_returns():
    for name in compiled():
        assert name + "(" in (getattr(kernels, name).__doc__ or ""), f"{name} has no docstring"


def test_constants():
    named = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    plain = {name for name, value in vars(kernels).items() if not name.startswith("__") and not isinstance(value, type)}
    assert named == plain - set(compiled())
