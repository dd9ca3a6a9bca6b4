"""Changes of what a file says was learned: other types, shapes, ranges, signs, lengths, indices, cycles, entries."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.fuzz.seeds import Seed, copied, seeds

WHOLE = [
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    64,
    1000,
    10**6,
    2**31 - 1,
    2**31,
    2**32 + 1,
    2**40,
    2**62,
    2**63 - 1,
    -(2**31),
    -(2**63),
]
REAL = [0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 1e-300, 5e-324, 1e150, 1e308, -1e308]
ODD = [
    None,
    True,
    False,
    "",
    "x",
    [],
    [0],
    {"float": "nan"},
    {"float": "inf"},
    {"float": "-inf"},
    {"tuple": []},
    {"dict": []},
]
KINDS = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]
Positions = list[tuple[Any, Any]]


class Edits:
    """A description and its arrays while they are being changed; `said` describes how, in words for a report."""

    def __init__(self, seed: Seed, rng: random.Random) -> None:
        self.rng = rng
        self.model, self.tensors = seed.fresh()
        self.said: list[str] = []

    def make(self) -> None:
        """One to three changes, mostly of what was learned."""
        for _ in range(self.rng.choice([1, 1, 1, 1, 2, 3])):
            if self.rng.random() < 0.12:
                self._resize_together()
                continue
            found = list(positions(self.model, ""))
            learned = [place for place in found if "/params/" not in place[2]]
            owner, key, path = self.rng.choice(learned if learned and self.rng.random() < 0.8 else found)
            try:
                self._change(owner, key, path)
            except (
                AttributeError,
                IndexError,
                KeyError,
                TypeError,
                ValueError,
                OverflowError,
            ):  # an earlier change broke this part
                self.said.append(f"{path}: nothing")

    def _change(self, owner: Any, key: Any, path: str) -> None:
        node, draw = owner[key], self.rng.random()
        if draw < 0.06:
            owner[key] = self._odd(node)
            self.said.append(f"{path} = {str(owner[key])[:60]}")
        elif draw < 0.10:
            other = self.rng.choice(list(positions(self.model, "")))
            owner[key] = copied(other[0][other[1]])
            self.said.append(f"{path} = that of {other[2]}")
        elif draw < 0.12 and isinstance(owner, dict):
            del owner[key]
            self.said.append(f"{path} gone")
        elif draw < 0.13:
            owner[key] = self._stranger()
            self.said.append(f"{path} = part of another model")
        else:
            self._within(owner, key, node, path)

    def _within(self, owner: Any, key: Any, node: Any, path: str) -> None:
        """A change that keeps the kind of the value."""
        rng = self.rng
        if isinstance(node, bool):
            owner[key] = not node
        elif isinstance(node, int):
            owner[key] = rng.choice([*WHOLE, node + 1, node - 1, -node, 2 * node])
        elif isinstance(node, float) or (isinstance(node, dict) and "float" in node):
            owner[key] = rng.choice([*REAL, {"float": "nan"}, {"float": "inf"}, rng.choice(WHOLE)])
        elif isinstance(node, str):
            owner[key] = rng.choice(["", "x", node + "x", node[:1], *self._texts()])
        elif isinstance(node, list):
            self._entries(node)
        elif isinstance(node, dict):
            self._inside(node, path)
            return
        else:
            owner[key] = self._odd(node)
        self.said.append(f"{path} = {str(owner[key])[:60]}")

    def _inside(self, node: dict[str, Any], path: str) -> None:
        kind = next(iter(node), None)
        if kind == "array" and node["array"] in self.tensors:
            before = self.tensors[node["array"]]
            after, how = changed(before, self.rng, list(self.tensors.values()))
            self.tensors[node["array"]] = np.ascontiguousarray(after).reshape(np.shape(after))
            self.said.append(f"{path} {before.dtype}{before.shape}: {how}")
        elif kind == "sparse":
            self._sparse(node, path)
        elif kind in ("tuple", "dict", "objects"):
            self._entries(node[kind])
            self.said.append(f"{path} entries = {str(node)[:60]}")
        elif kind in ("texts", "objects") or "shape" in node:
            node["shape"] = self._shape(node["shape"])
            self.said.append(f"{path} shape = {node['shape']}")
        elif kind in ("estimator", "value"):
            inside = node.get("state" if kind == "estimator" else "fields")
            if inside and self.rng.random() < 0.9:
                name, other = self.rng.choice(list(inside)), self.rng.choice(list(inside))
                inside[name], inside[other] = inside[other], inside[name]
                self.said.append(f"{path}: {name} and {other} exchanged")
            elif kind == "estimator":
                node["state"] = {}
                self.said.append(f"{path}: not fitted")

    def _sparse(self, node: dict[str, Any], path: str) -> None:
        """Ranges, indices and shapes that do not fit."""
        rng, names = self.rng, [part["array"] for part in node["parts"]]
        data, indices, starts = (self.tensors[name].copy() for name in names)
        way = rng.randrange(9)
        if way == 0:
            starts[-1] = 0
        elif way == 1:
            starts[:] = 0
            starts[rng.randrange(len(starts) - 1)] = rng.choice([2**30, -1, -(2**30), len(data)])
        elif way == 2 and len(indices):
            indices[rng.randrange(len(indices))] = rng.choice([-1, 2**30, node["shape"][1], -(2**31), node["shape"][0]])
        elif way == 3:
            node["shape"] = self._shape(node["shape"])
        elif way == 4:
            node["sparse"] = "csc" if node["sparse"] == "csr" else "csr"
        elif way == 5:
            data = data[: len(data) // 2]
        elif way == 6:
            data, indices = data[:0], indices[:0]
        elif way == 7:
            data = data.astype(rng.choice(KINDS))
        else:
            node["shape"], starts = [node["shape"][0], rng.choice([1, 2**31, 2**40])], starts
            starts[:] = rng.choice([0, int(starts[-1])])
        self.tensors.update(zip(names, (data, indices, starts), strict=True))
        self.said.append(f"{path} sparse way {way} {node['sparse']}{node['shape']}")

    def _entries(self, entries: list[Any]) -> None:
        rng, way = self.rng, self.rng.randrange(7)
        if way == 0 or not entries:
            entries[:] = [] if entries else [self._odd(None)]
        elif way == 1:
            entries.pop(rng.randrange(len(entries)))
        elif way == 2:
            entries.append(copied(rng.choice(entries)))
        elif way == 3:
            entries.reverse()
        elif way == 4:
            entries[rng.randrange(len(entries))] = self._odd(None)
        elif way == 5 and len(str(entries)) < 2000:
            entries[:] = [copied(rng.choice(entries)) for _ in range(200)]
        else:
            entries[rng.randrange(len(entries))] = copied(rng.choice(entries))

    def _shape(self, shape: list[int]) -> list[Any]:
        rng = self.rng
        choices = [
            shape[::-1],
            shape[:-1],
            [*shape, 1],
            [0],
            [],
            [-1],
            [2**40, 2**40],
            [0, 2**40],
            [2**31],
            ["x"],
            [1.5],
        ]
        grown = [rng.choice([length, length + 1, length - 1, 0, 2**31, 2**40, -1]) for length in shape]
        return rng.choice([*choices, grown, grown, grown])

    def _odd(self, node: Any) -> Any:
        rng = self.rng
        return copied(rng.choice([rng.choice(ODD), rng.choice(WHOLE), rng.choice(REAL), self._array(), self._known()]))

    def _array(self) -> Any:
        """A new array."""
        rng, name = self.rng, f"t{len(self.tensors) + 1000}"
        shape = rng.choice([(), (0,), (1,), (3,), (4,), (24,), (4, 4), (3, 4), (0, 4), (4, 0), (1, 1, 1), (24, 24)])
        self.tensors[name] = np.full(
            shape, rng.choice([0, 1, -1, 100]), dtype=rng.choice(["f8", "f4", "i8", "i4", "?"])
        )
        return {"array": name, "transposed": False}

    def _known(self) -> Any:
        """A text, a list or an unfitted estimator, as a parameter may hold it."""
        toy = {"estimator": "ToyRidge", "params": {"alpha": 0.1}, "state": {}}
        return self.rng.choice(
            [toy, [toy, toy], {"function": "r2_score"}, {"dtype": "int8"}, {"slice": [0, None, None]}]
        )

    def _stranger(self) -> Any:
        """What another model learned."""
        seed = self.rng.choice(
            seeds(self.rng.choice(["Ridge", "ToyMeans", "StandardScaler", "DecisionTreeClassifier"]))
        )
        model, tensors = seed.fresh()
        renamed(model, {name: f"s{name}" for name in tensors})
        self.tensors.update({f"s{name}": value for name, value in tensors.items()})
        return self.rng.choice([model, *model["state"].values()])

    def _texts(self) -> list[str]:
        """Texts that stand elsewhere in the description."""
        return [owner[key] for owner, key, _ in positions(self.model, "") if isinstance(owner[key], str)] or [""]

    def _resize_together(self) -> None:
        """All axes of one length made longer or shorter at once, so that they still agree with one another."""
        lengths = sorted({length for array in self.tensors.values() for length in array.shape})
        if not lengths:
            return
        length = self.rng.choice(lengths)
        new = self.rng.choice([0, 1, max(length - 1, 0), length + 1, 2 * length])
        for name, array in self.tensors.items():
            index = [np.arange(new) % max(size, 1) if size == length else np.arange(size) for size in array.shape]
            if array.size or not new:
                self.tensors[name] = np.ascontiguousarray(array[np.ix_(*index)]) if index else array
        counted = 0
        for owner, key, _ in positions(self.model, ""):
            if type(owner[key]) is int and owner[key] == length and self.rng.random() < 0.9:
                owner[key], counted = new, counted + 1
        self.said.append(f"all lengths {length} made {new}, with {counted} counts")


def positions(node: Any, path: str) -> Iterator[tuple[Any, Any, str]]:
    """Owner, key and path of every value in a description."""
    if isinstance(node, list):
        entries: Any = list(enumerate(node))
    elif isinstance(node, dict) and "estimator" in node:
        entries = []
        for part in ("state", "params"):
            for key in list(node.get(part, {})):
                yield node[part], key, f"{path}/{part}/{key}"
                yield from positions(node[part][key], f"{path}/{part}/{key}")
    elif isinstance(node, dict):
        skipped = ("array", "transposed", "shape", "sparse", "object", "value", "scalar", "float", "estimator")
        entries = [(key, value) for key, value in node.items() if key not in skipped or isinstance(value, (dict, list))]
        entries = [entry for entry in entries if entry[0] != "shape"]
    else:
        return
    for key, value in entries:
        yield node, key, f"{path}/{key}"
        yield from positions(value, f"{path}/{key}")


def renamed(node: Any, names: dict[str, str]) -> None:
    """Let a description name its arrays otherwise."""
    for value in list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []:
        renamed(value, names)
    if isinstance(node, dict) and isinstance(node.get("array"), str):
        node["array"] = names.get(node["array"], node["array"])


def _one(value: Any) -> Callable[[Any, random.Random], Any]:
    """A change of a single entry."""

    def change(array: Any, rng: random.Random) -> Any:
        array = array.copy()
        if array.size:
            array.reshape(-1)[rng.randrange(array.size)] = np.array(value).astype(array.dtype)
        return array

    return change


def _index(array: Any, rng: random.Random) -> Any:
    """One entry that, taken as an index, is out of range, or its own or an earlier one."""
    array, extent = array.copy(), max(array.shape, default=1)
    if array.size:
        place = rng.randrange(array.size)
        value = rng.choice(
            [
                place,
                0,
                1,
                -1,
                -2,
                extent,
                extent + 1,
                extent - 1,
                2**15,
                2**31 - 1,
                2**62,
                place - 1,
                rng.randrange(array.size),
            ]
        )
        array.reshape(-1)[place] = np.array(value).astype(array.dtype)
    return array


def _cycle(array: Any, rng: random.Random) -> Any:
    """Entries that, taken as indices, lead round."""
    array = array.copy()
    if array.size > 1:
        i, j = sorted(rng.sample(range(array.size), 2))
        flat = array.reshape(-1)
        flat[i], flat[j] = np.array(j).astype(array.dtype), np.array(i).astype(array.dtype)
    return array


def _everywhere(value: Any) -> Callable[[Any, random.Random], Any]:
    return lambda array, rng: np.full_like(array, np.array(value).astype(array.dtype))


VALUES: dict[str, Callable[[Any, random.Random], Any]] = {
    "a NaN": _one(np.nan), "an infinity": _one(np.inf), "a -1": _one(-1), "a 0": _one(0), "one 1e300": _one(1e300),
    "one 2**31": _one(2**31), "one 2**62": _one(2**62), "an index": _index, "another index": _index, "a cycle": _cycle,
    "NaNs": _everywhere(np.nan), "zeros": _everywhere(0), "ones": _everywhere(1), "minus ones": _everywhere(-1),
    "all 1e300": _everywhere(1e300), "all 2**40": _everywhere(2**40),
    "signs": lambda array, rng: -array if array.dtype.kind in "if" else array,
    "plus one": lambda array, rng: array + np.array(1).astype(array.dtype),
    "times 1000": lambda array, rng: array * np.array(1000).astype(array.dtype),
    "order": lambda array, rng: array[::-1],
    "shuffled": lambda array, rng: array.ravel()[rng.sample(range(array.size), array.size)].reshape(array.shape),
}  # fmt: skip

SHAPES: dict[str, Callable[[Any, random.Random], Any]] = {
    "one row less": lambda array, rng: array[:-1],
    "one row more": lambda array, rng: np.concatenate([array, array[-1:]]),
    "twice": lambda array, rng: np.concatenate([array, array]),
    "one column less": lambda array, rng: array[..., :-1],
    "one column more": lambda array, rng: np.concatenate([array, array[..., -1:]], axis=-1),
    "no rows": lambda array, rng: array[:0],
    "no columns": lambda array, rng: array[..., :0],
    "one row": lambda array, rng: array[:1],
    "transposed": lambda array, rng: array.T,
    "flat": lambda array, rng: array.ravel(),
    "an axis more": lambda array, rng: array[..., None],
    "an axis before": lambda array, rng: array[None],
    "a single number": lambda array, rng: array.reshape(-1)[0],
}


def changed(array: Any, rng: random.Random, others: list[Any]) -> tuple[Any, str]:
    """An array changed, and how."""
    draw = rng.random()
    with np.errstate(all="ignore"):
        if draw < 0.15:
            kind = rng.choice(KINDS)
            return array.astype(kind), f"as {kind}"
        if draw < 0.2:
            return rng.choice(others), "another array"
        table = VALUES if draw < 0.65 else SHAPES
        name = rng.choice(list(table))
        return table[name](array, rng), name
