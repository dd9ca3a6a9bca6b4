"""Engines that are not installed have no tests."""

from importlib.util import find_spec

collect_ignore = [
    f"test_{name}.py" for name, package in (("ray", "ray"), ("spark", "pyspark")) if find_spec(package) is None
]
