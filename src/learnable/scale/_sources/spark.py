"""Spark frames, which come to the driver as Arrow tables, a partition at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .batches import Batches


class SparkFrame(Batches):
    """A Spark frame; each pass computes its partitions in order."""

    def __init__(self, frame: Any) -> None:
        super().__init__(lambda: partitions_of(frame))
        self.frame = frame

    @property
    def fingerprint(self) -> str:
        """The meaning of the plan, as Spark computes it, and the schema."""
        return f"{self.frame.semanticHash()} {self.schema}"


def partitions_of(frame: Any) -> Iterator[Any]:
    """The partitions as Arrow tables, in order."""
    import pyarrow

    binary = frame.mapInArrow(_as_bytes, "content binary").rdd
    for number in range(binary.getNumPartitions()):
        for row in frame.sparkSession.sparkContext.runJob(binary, list, [number]):
            yield pyarrow.ipc.open_stream(bytes(row.content)).read_all()


def _as_bytes(batches: Any) -> Iterator[Any]:
    import pyarrow

    for batch in batches:
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        yield pyarrow.RecordBatch.from_pydict({"content": [sink.getvalue().to_pybytes()]})
