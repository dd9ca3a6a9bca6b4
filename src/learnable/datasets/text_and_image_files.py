"""Images and texts from files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import DataError
from ..core.runtime.random import RandomState, stream
from ._reading.delimited_text import decoded_text
from ._reading.sources import check_room
from .bunch import Bunch

BYTES_OF_PIXEL = 8  # of four colours in single precision, and of grey in double, a fifth


def read_images(paths: Iterable[Any], *, labels: Sequence[Any] | None = None) -> Bunch:
    """Read images of equal size as an array of grey values between 0 and 1, and as rows.

    Returns a Bunch: images (count by height by width), data (a row of pixels for each), filenames, and target, which is
    labels or, without them, the name of the folder that each file is in. Colours are averaged, transparency is left
    out. Needs matplotlib, which learnable[app] brings.

    >>> import matplotlib.image, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/dot.png"
    ...     matplotlib.image.imsave(path, np.eye(4), cmap="gray")
    ...     read_images([path]).images[0, 0].round(1).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    files = [Path(path) for path in paths]
    images = [_grey(file) for file in files]
    if not images:
        raise DataError("read_images: there are no paths")
    odd = next((file for file, image in zip(files, images, strict=True) if image.shape != images[0].shape), None)
    if odd is not None:
        raise DataError(f"read_images: {odd.name} differs in size from {files[0].name}; resize all images first")
    stack = np.stack(images)
    target = np.array([file.resolve().parent.name for file in files] if labels is None else labels)
    return Bunch(
        images=stack, data=stack.reshape(len(stack), -1), target=target, filenames=[str(file) for file in files]
    )


def _grey(file: Path) -> np.ndarray:
    from matplotlib.image import imread
    from PIL import Image

    if not file.is_file():
        raise DataError(f"file {file} does not exist")
    try:
        with Image.open(file) as announced:
            check_room(file.name, announced.width * announced.height * BYTES_OF_PIXEL)
        pixels = imread(file)
    except DataError:
        raise
    except (
        OSError,
        SyntaxError,
        ValueError,
        Image.DecompressionBombError,
    ) as error:  # what readers of images raise for broken ones
        raise DataError(f"{file.name} cannot be read as an image: {error}") from None
    values = pixels / 255 if pixels.dtype.kind == "u" else pixels
    return np.asarray(values if values.ndim == 2 else values[..., :3].mean(axis=2), dtype=np.float64)


def read_texts(source: Any, *, encoding: str | None = None, tokens: bool = False) -> list[Any]:
    """The texts of a file, one to a line, or of many files, one to a file; with tokens as lists of words.

    source is a path or a list of paths. Words are what blanks separate; empty lines are left out.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "lines.txt"
    ...     _ = path.write_text("to be\\nor not\\n")
    ...     read_texts(path), read_texts(path, tokens=True)
    (['to be', 'or not'], [['to', 'be'], ['or', 'not']])
    """
    single = isinstance(source, (str, Path))
    paths = [Path(source)] if single else [Path(path) for path in source]
    for path in paths:
        if not path.is_file():
            raise DataError(
                f"{path} is a folder; list its files, for example sorted(Path({str(path)!r}).iterdir())"
                if path.is_dir()
                else f"file {path} does not exist"
            )
    texts = [decoded_text(path.read_bytes(), encoding, path.name)[0] for path in paths]
    if single:
        texts = [line for line in texts[0].splitlines() if line.strip()]
    return [text.split() for text in texts] if tokens else texts


def load_files(
    container_path: Any,
    *,
    description: str | None = None,
    categories: Iterable[str] | None = None,
    load_content: bool = True,
    shuffle: bool = True,
    encoding: str | None = None,
    decode_error: str = "strict",
    random_state: RandomState = 0,
    allowed_extensions: Iterable[str] | None = None,
) -> Bunch:
    """Load text files from a folder with one sub-folder for each class.

    Returns a Bunch: data (bytes, or texts if there is an encoding; left out without load_content), target,
    target_names, filenames, DESCR.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in {"cats": "purr", "dogs": "woof"}.items():
    ...         (Path(folder) / name).mkdir()
    ...         _ = (Path(folder) / name / "one.txt").write_text(text)
    ...     found = load_files(folder, encoding="utf-8", shuffle=False)
    >>> found.data, found.target.tolist(), found.target_names
    (['purr', 'woof'], [0, 1], ['cats', 'dogs'])
    """
    place = Path(container_path)
    if not place.is_dir():
        raise DataError(f"load_files: folder {place} does not exist")
    requested = None if categories is None else set(categories)
    folders = [one for one in sorted(place.iterdir()) if one.is_dir() and (requested is None or one.name in requested)]
    endings = None if allowed_extensions is None else set(allowed_extensions)
    files = [
        (file, label)
        for label, folder in enumerate(folders)
        for file in sorted(folder.iterdir())
        if endings is None or file.suffix in endings
    ]
    if not files:
        raise DataError(f"load_files: there are no files in the folders of {place}; each class has a folder of its own")
    order = np.arange(len(files))
    if shuffle:
        stream(random_state).shuffle(order)
    files = [files[i] for i in order]
    found = Bunch(
        filenames=np.array([str(file) for file, _ in files]), target_names=[folder.name for folder in folders],
        target=np.array([label for _, label in files]), DESCR=description,
    )  # fmt: skip
    if load_content:
        contents = [file.read_bytes() for file, _ in files]
        found.data = contents if encoding is None else [text.decode(encoding, decode_error) for text in contents]
    return found
