"""Files as they were when a scan began: names, sizes and times."""

from __future__ import annotations

from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from ...core import DataError

FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".arrow": "ipc", ".feather": "ipc",
    ".ipc": "ipc",
}  # fmt: skip


@dataclass(frozen=True)
class Stamp:
    """A file, its size, and when it was changed."""

    path: str
    size: int
    changed: int

    @classmethod
    def of(cls, path: Any) -> Stamp:
        """The file as it is now."""
        facts = Path(path).stat()
        return cls(str(path), facts.st_size, facts.st_mtime_ns)

    def check(self) -> None:
        """Refuse a file that is not what it was when the scan began."""
        try:
            now = Stamp.of(self.path)
        except OSError as error:
            raise DataError(f"scan: {self.path} cannot be read: {error}") from error
        if now != self:
            raise DataError(
                f"scan: {self.path} has changed since the scan began ({self.size} bytes then, {now.size} now), so that "
                "passes over it would see different rows; scan it again"
            )


def found_files(source: str | Path) -> tuple[str, list[Path]]:
    """The format of the files that a path, a folder or a pattern names, and the files in the order of their names."""
    text = str(source)
    path = Path(text)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in FORMATS and not _is_hidden(file, path))
    elif path.exists():
        files = [path]
    else:
        files = sorted(Path(name) for name in glob(text, recursive=True) if Path(name).is_file())
    if not files:
        raise DataError(
            f"scan: no file is found at {text!r}; give a file, a folder or a pattern such as 'data/*.parquet'"
        )
    kinds = {FORMATS.get(file.suffix.lower()) for file in files}
    if len(kinds) > 1 or None in kinds:
        odd = next((file for file in files if file.suffix.lower() not in FORMATS), files[-1])
        raise DataError(
            f"scan: {odd} is of another format than the rest, or of one that cannot be scanned; Parquet, CSV and "
            "Arrow files can"
        )
    return str(kinds.pop()), files


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
