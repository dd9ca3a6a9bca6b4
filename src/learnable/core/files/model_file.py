"""Model files: the declared state of an estimator as safetensors plus a JSON description. Data, never code.

A file names classes of this package's registry and nothing else; every name, type and shape is checked against the
declarations before a model exists, and whatever is wrong with a file is a `ModelFileError`. A checksum of all bytes
distinguishes a damaged file from an intact one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..._version import __version__
from ..declare import params, registry
from ..errors import ModelFileError, ParameterError
from ..roles.traits import traits_of
from ..runtime.trace import Certificate, Trace
from .atomic_write import place
from .decoding import MALFORMED, MAX_COLUMNS, Decoder
from .encoding import NUMBER_KINDS, Encoder
from .learned_limits import check_classes, check_limits, check_matrix
from .trial_prediction import tried

FORMAT = 2
UNSEALED = 1  # the last format without a checksum
BLANK = "0" * 64  # stands where the checksum will be while that is computed
MAX_HEADER_BYTES = 2**24
MAX_TENSORS = 28_000
MAX_MARKS = 1_600_000
MAX_UNSEEN_COLUMNS = 2**24  # of a table of which no array in the file has as many
MAX_BITS = 63  # of a whole number that is learned, but for seeds
NEVER_WHOLE = frozenset((
    "coef_", "intercept_", "dual_coef_", "score_coef_", "components_", "support_vectors_", "factors_", "offset_",
    "center_", "scale_", "mean_", "means_", "var_", "theta_", "scalings_", "class_prior_", "priors_",
    "class_log_prior_", "feature_log_prob_", "X_thresholds_", "y_thresholds_",
))  # fmt: skip
"""Learned attributes that are floating-point numbers in every estimator, as all that computes with them expects."""
WITHOUT_COLUMNS = ("texts", "records", "images", "target", "parts")
"""What those take who may know of no columns; of parts, where what they are given has none."""
MODELS = ("estimator_", "estimators_", "regressor_", "encoders_", "initial_imputer_", "given_init_", "indicator_")
"""How learned attributes that hold estimators are called."""
NEVER_EMPTY = frozenset((
    "features", "targets", "classes", "planes", "outputs", "states", "symbols", "trials", "thresholds", "cells",
    "samples", "rows",
))  # fmt: skip
"""Axes along which a model of a table has at least one entry."""


def save(model: Any, path: str | os.PathLike[str], *, times: bool = True) -> None:
    """Save a fitted or unfitted estimator to `path`; the file is written atomically.

    What `load` would refuse, such as learned arrays whose shapes do not agree, is not written.
    The same model gives the same bytes. Without `times` the file omits how long fits took, so that two fits
    with the same outcome give the same bytes too.

    >>> import learnable, tempfile, os
    >>> model = learnable.Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     learnable.save(model, os.path.join(folder, "ridge.learn"))
    ...     again = learnable.load(os.path.join(folder, "ridge.learn"))
    >>> bool((again.predict([[3.0]]) == model.predict([[3.0]])).all())
    True
    """
    if not _is_model(model) or isinstance(model, type):
        raise TypeError(f"save: the first argument must be an estimator; got {model!r:.60}")
    _check_path("save", path)
    encoder, name = Encoder(times), type(model).__name__
    description = encoder.encode(model, name)
    _decoded(description, encoder.tensors, f"cannot save this {name}, which load would refuse")
    write(path, {"model": description}, encoder.tensors)


def size_of(model: Any) -> int:
    """How many bytes the file of an estimator takes, without making it; the frame of the file apart."""
    encoder = Encoder()
    description = json.dumps(encoder.encode(model, type(model).__name__))
    return len(description) + sum(int(array.nbytes) for array in encoder.tensors.values())


def load(path: str | os.PathLike[str]) -> Any:
    """Load an estimator from the file that `save` wrote to `path`."""
    _check_path("load", path)
    model = read(path, "model")
    if not _is_model(model):
        raise ModelFileError(f"{os.fspath(path)}: holds no model, but a {type(model).__name__}")
    return tried(model, os.fspath(path))


def described(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Metadata of a model file: format, version of the library, checksum, arrays."""
    description, tensors = _unpack(path)
    return {
        "format": description["format"],
        "library": str(description.get("library"))[:40],
        "sealed": description["format"] > UNSEALED,
        "arrays": len(tensors),
        "bytes": Path(path).stat().st_size,
    }


def _check_path(owner: str, path: Any) -> None:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{owner}: path must be a text or a Path; got {path!r:.60} of type {type(path).__name__}")


def _is_model(value: Any) -> bool:
    """Whether it is an estimator, or what was made elsewhere and predicts here."""
    return hasattr(value, "get_params") or hasattr(value, "predict")


def write(path: str | os.PathLike[str], description: dict[str, Any], tensors: dict[str, Any]) -> None:
    """Write a description and its arrays."""
    from safetensors.numpy import save as packed

    header = {"format": FORMAT, "library": __version__, **description}
    payload = ordered(packed(tensors, metadata={"learnable": json.dumps(header, allow_nan=False), "checksum": BLANK}))
    length = int.from_bytes(payload[:8], "little")
    if length > MAX_HEADER_BYTES:
        raise ValueError(
            f"the description of the model is longer than {MAX_HEADER_BYTES} bytes; hold long lists as arrays"
        )
    for count, most, things in _sizes(payload, length):
        if count > most:
            raise ValueError(f"cannot save a model of {count} {things}: a file holds at most {most}; use a smaller one")
    place(path, sealed(payload))


def ordered(payload: bytes) -> bytes:
    """The same file with the entries of its metadata in the order of their names: safetensors draws one at random."""
    length = int.from_bytes(payload[:8], "little")
    header = json.loads(payload[8 : 8 + length])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, payload[8 + length :]])


def sealed(payload: bytes) -> bytes:
    """A file whose blank checksum is replaced by that of all its bytes."""
    place = payload.index(f'"{BLANK}"'.encode()) + 1
    return b"".join([payload[:place], _checksum(payload, place).encode(), payload[place + len(BLANK) :]])


def _checksum(payload: bytes, place: int) -> str:
    """The SHA-256 of a file with a blank checksum at `place`, in hexadecimal digits."""
    from hashlib import sha256

    bytes_of_file = memoryview(payload)
    found = sha256(bytes_of_file[:place])
    found.update(BLANK.encode())
    found.update(bytes_of_file[place + len(BLANK) :])
    return found.hexdigest()


def read(path: str | os.PathLike[str], part: str) -> Any:
    """The value called `part` in a file."""
    description, tensors = _unpack(path)
    if part not in description:
        raise ModelFileError(f"{os.fspath(path)}: holds no {part}")
    return _decoded(description[part], tensors, os.fspath(path))


def _decoded(node: Any, tensors: dict[str, Any], where: str) -> Any:
    """Decode a part of a description; `where` begins the message of errors."""
    try:
        return Decoder(tensors, build).decode(node)
    except ModelFileError as error:
        raise ModelFileError(f"{where}: {error}") from None
    except MALFORMED:
        raise ModelFileError(f"{where}: the description is malformed") from None


def _unpack(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The description and the arrays in a file, checked for size and version."""
    name = os.fspath(path)
    try:
        payload = Path(path).read_bytes()
    except IsADirectoryError:
        raise ModelFileError(f"{name}: is a folder, not a model file") from None
    _check_header(name, payload)
    from safetensors import SafetensorError
    from safetensors.numpy import load as unpacked

    header_length = int.from_bytes(payload[:8], "little")
    header = _json(name, payload[8 : 8 + header_length], "header")
    metadata = _metadata(name, header)
    description, seal = _json(name, metadata["learnable"], "description"), metadata.get("checksum")
    if len(header) - 1 > MAX_TENSORS:  # spelt so that a search for their names finds fewer
        raise ModelFileError(f"{name}: holds {len(header) - 1} arrays; at most {MAX_TENSORS} are allowed")
    try:
        tensors = unpacked(payload)
    except SafetensorError as error:
        raise ModelFileError(f"{name}: not a model file of this library: {error!s:.200}") from None
    except MALFORMED as error:
        raise ModelFileError(f"{name}: its table of arrays is malformed: {error!r:.200}") from None
    if not isinstance(description, dict) or type(description.get("format")) is not int:
        raise ModelFileError(f"{name}: the description has no format number")
    if not 1 <= description["format"] <= FORMAT:
        made_by = str(description.get("library"))[:20]
        raise ModelFileError(
            f"{name}: written by learnable {made_by} in format {str(description['format'])[:20]}; "
            f"this version reads up to {FORMAT}"
        )
    if seal is not None or description["format"] > UNSEALED:
        _check_seal(name, payload, str(seal), header_length)
    return description, tensors


def _json(name: str, text: bytes | str, part: str) -> Any:
    """The value that the JSON of a part of a file describes."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ModelFileError(f"{name}: not a model file of this library: its {part} is not JSON") from None


def _metadata(name: str, header: Any) -> dict[str, str]:
    """The texts in a header; those of other programs' files have no description of ours."""
    if not isinstance(header, dict):
        raise ModelFileError(f"{name}: not a model file of this library: its header is not a table of arrays")
    metadata = header.get("__metadata__")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("learnable"), str):
        raise ModelFileError(f"{name}: not a model file of this library: it holds arrays without a description")
    return metadata


def _check_seal(name: str, payload: bytes, seal: str, header_length: int) -> None:
    place = payload.find(f'"{seal}"'.encode(), 8, 8 + header_length) + 1
    if len(seal) != len(BLANK) or not place or _checksum(payload, place) != seal:
        raise ModelFileError(
            f"{name}: damaged, as its checksum is not that of its bytes; take another copy of the file"
        )


def _check_header(name: str, payload: bytes) -> None:
    length = int.from_bytes(payload[:8], "little")
    if len(payload) < 8 or length > len(payload) - 8:
        raise ModelFileError(f"{name}: truncated, or not a model file: {len(payload)} bytes")
    if length > MAX_HEADER_BYTES:
        raise ModelFileError(f"{name}: header of {length} bytes; at most {MAX_HEADER_BYTES} are allowed")
    for count, most, things in _sizes(payload, length):
        if count > most:
            raise ModelFileError(f"{name}: holds {count} {things}; at most {most} are allowed")


def _sizes(payload: bytes, length: int) -> list[tuple[int, int, str]]:
    """What a header of this length holds and may hold at most, known before a parser makes an object of each part."""
    marks = sum(payload.count(mark, 8, 8 + length) for mark in (b",", b"[", b"{"))
    arrays = payload.count(b'"data_offsets"', 8, 8 + length)
    return [(arrays, MAX_TENSORS, "arrays"), (marks, MAX_MARKS, "parts")]


def build(name: Any, parameters: dict[str, Any], state: dict[str, Any]) -> Any:
    """The estimator `name` with these parameters and learned state, each checked against its declaration."""
    cls = registry.find(name) if isinstance(name, str) else None
    if cls is None:
        raise ModelFileError(f"unknown estimator {str(name)[:40]!r}")
    unknown = set(parameters) - set(params.parameters(cls))
    if unknown:
        raise ModelFileError(f"{name} has no parameter {min(unknown)!r}")
    model = cls(**parameters)
    try:
        params.check(model)
    except ParameterError as error:
        raise ModelFileError(str(error)) from None
    if state:
        kernel = parameters.get("kernel")
        _check_state(cls, state, pairwise=kernel == "precomputed" or getattr(kernel, "pairwise", False) is True)
        model.__dict__.update(state)
        try:
            wrong = model._unsound() or (model._hand_over() if getattr(cls, "fitted_parts", "") in state else None)
        except MALFORMED:  # such as a list of something else than it should hold
            wrong = "what was learned does not fit together"
        if wrong:
            raise ModelFileError(f"{name}: {wrong}")
    return model


def _check_state(cls: type[Any], state: dict[str, Any], pairwise: bool) -> None:
    """Check that exactly the declared attributes are present, with their types and shapes."""
    shapes, hints = params.learned_shapes(cls), params.hints(cls)
    for attribute in state:
        if attribute not in shapes and attribute not in params.COMMON_STATE:
            raise ModelFileError(f"{cls.__name__} learns no {attribute[:40]!r}")
    _check_course(state)
    without_columns = cls.traits.takes in WITHOUT_COLUMNS and "n_features_in_" not in state
    lengths = {"one": 1} if without_columns else {"one": 1, "features": _check_columns(state)}
    for attribute, shape in shapes.items():
        if attribute not in state:
            if shape.optional:
                continue
            raise ModelFileError(f"{attribute} is missing")
        value = state[attribute]
        listed = isinstance(value, (list, tuple)) and shape.axes is not None
        if listed or not params.stored_test(hints[attribute])(value):
            raise ModelFileError(f"{attribute} has the wrong type {type(value).__name__}")
        _check_fitted(attribute, value)
        if isinstance(value, int) and value.bit_length() > MAX_BITS and "seed" not in attribute:
            raise ModelFileError(f"{attribute} is {value:.3g}, more than any count or number learned")
        if shape.limits.matrix and value is not None:
            check_matrix(attribute, value)
        if attribute == "classes_":
            check_classes(value)
        words = attribute == "classes_" or "classes" in (shape.axes or ()) or hints[attribute] is Any
        if isinstance(value, np.ndarray):
            _check_numbers(attribute, value, words)
        unheld = pairwise and np.shape(value) == (0, 0) if shape.axes else False  # such a kernel leaves no rows to hold
        absent = value is None and (hints[attribute] is not Any or (pairwise and shape.limits.matrix))
        if shape.axes is not None and not absent and not unheld:
            _check_shape(attribute, shape.axes, np.shape(value), lengths)
    widths = {size for value in state.values() for size in getattr(value, "shape", ())}
    if lengths.get("features", 0) > MAX_UNSEEN_COLUMNS and lengths["features"] not in widths:
        raise ModelFileError(
            f"n_features_in_ is {lengths['features']}, but no learned array has that many columns; at most "
            f"{MAX_UNSEEN_COLUMNS} are allowed then"
        )
    _check_targets(shapes, state)
    check_limits(shapes, state, lengths)


def _check_fitted(attribute: str, value: Any) -> None:
    """Refuse parts of a fitted model that are not fitted."""
    parts = value if isinstance(value, list) else [value]
    if attribute.endswith(MODELS) and not (parts and all(map(_is_part, _flat(parts)))):
        raise ModelFileError(f"{attribute} must hold fitted estimators")
    for part in parts:
        if not traits_of(part, stateless=True).stateless and not part.__sklearn_is_fitted__():
            raise ModelFileError(f"{attribute} holds a {type(part).__name__} that is not fitted")


def _flat(parts: list[Any]) -> list[Any]:
    """The entries of a list, and of lists in it."""
    return [inner for part in parts for inner in (part if isinstance(part, list) else [part])]


def _is_part(part: Any) -> bool:
    """Whether it is a fitted estimator; a name or None may stand for one that does nothing."""
    return part is None or part in ("drop", "passthrough") if isinstance(part, (str, type(None))) else _is_model(part)


def _check_numbers(attribute: str, value: np.ndarray[Any, Any], words: bool) -> None:
    """Refuse an array of a type with which nothing can compute."""
    if value.dtype.kind not in "fiub" and (not words or attribute in NEVER_WHOLE):
        raise ModelFileError(f"{attribute} holds {value.dtype}, not numbers")
    whole = attribute in NEVER_WHOLE and value.dtype.kind != "f"
    if whole or (value.dtype.kind in "fiub" and value.dtype.name not in NUMBER_KINDS):
        raise ModelFileError(f"{attribute} holds {value.dtype}; expected numbers of single or double precision")


def _check_targets(shapes: dict[str, params.Shape], state: dict[str, Any]) -> None:
    """Arrays of several targets and of a single one are not of the same model; a number may stand for all targets."""
    several, single = [], []
    for attribute, shape in shapes.items():
        if shape.axes is None or "targets?" not in shape.axes:
            continue
        found = np.shape(state.get(attribute, 0.0))
        if 0 < len(found) < len(shape.axes):
            single.append(attribute)
        elif found and found[shape.axes.index("targets?")] > 1:
            several.append(attribute)
    if several and single:
        raise ModelFileError(f"{several[0]} has several targets; {single[0]} has one")


def _check_columns(state: dict[str, Any]) -> int:
    """The number of columns that a table must have."""
    columns, names = state.get("n_features_in_"), state.get("feature_names_in_")
    if type(columns) is not int or not 1 <= columns <= MAX_COLUMNS:
        raise ModelFileError(
            "n_features_in_ must be a whole number of at least 1, and of columns that a table can have"
        )
    if names is not None:
        texts = isinstance(names, np.ndarray) and names.dtype == object and names.shape == (columns,)
        if not texts or not all(isinstance(name, str) for name in names):
            raise ModelFileError("feature_names_in_ must have one name per column")
    return columns


def _check_course(state: dict[str, Any]) -> None:
    if not isinstance(state.get("trace_", Trace()), Trace):
        raise ModelFileError("trace_ is not a Trace")
    if not isinstance(state.get("certificate_", Certificate("", 0, 0, "")), Certificate):
        raise ModelFileError("certificate_ is not a Certificate")


def _check_shape(attribute: str, axes: tuple[str, ...], shape: tuple[int, ...], lengths: dict[str, int]) -> None:
    """Match the axes of an array with their names; an axis marked `?` may be absent, equal names have equal lengths."""
    required = [axis for axis in axes if not axis.endswith("?")]
    named = axes if len(shape) == len(axes) else required
    if len(shape) != len(named):
        raise ModelFileError(f"{attribute} has {len(shape)} dimensions; expected {' x '.join(axes) or 'none'}")
    for axis, length in zip([axis.rstrip("?") for axis in named], shape, strict=True):
        if lengths.setdefault(axis, length) != length:
            raise ModelFileError(f"{attribute} has {length} {axis}; expected {lengths[axis]}")
        if not length and "features" in lengths and (axis in NEVER_EMPTY or attribute in ("coef_", "intercept_")):
            raise ModelFileError(f"{attribute} has no {axis}")
