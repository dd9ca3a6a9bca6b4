"""Every reader of files against files made to harm it: a clear error, in little memory and time."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import zipfile
import zlib
from typing import Any

import numpy as np
import pytest

from learnable.core import LearnableError
from learnable.datasets import read_images, read_table, read_texts
from learnable.feature_extraction.text import read_word2vec
from learnable.recommend import read_ratings
from learnable.sequence import read_conll
from learnable.tree import read_lightgbm, read_xgboost

READERS = {
    "read_ratings": read_ratings, "a matrix of ratings": lambda path: read_ratings(path, missing=99),
    "read_conll": read_conll, "universal": lambda path: read_conll(path, format="conllu", columns=["form"]),
    "read_word2vec": read_word2vec, "read_texts": read_texts, "read_images": lambda path: read_images([path]),
    "read_xgboost": read_xgboost, "read_lightgbm": read_lightgbm,
}  # fmt: skip
CONTENTS = {
    "empty": b"", "blank": b"\n\n  \n", "zeros": b"\0" * 100, "all bytes": bytes(range(256)) * 100,
    "Latin-1": "é 1 2\n".encode("latin-1"), "UTF-16": "1\t2\t3\n".encode("utf-16"),
    "an early end": gzip.compress(os.urandom(1000))[:200], "no gzip": b"\x1f\x8b" + b"x" * 100,
    "a long line": b"1," * 300_000, "a long cell": b"1,2," + b"9" * 300_000 + b"\n", "quotes": b'1,"' * 70_000,
    "a long id": b"99999999999999999999999999,1,5\n", "no number": b"1,2,nan\n", "one cell": b"1\n",
    "ragged": b"1,2,3\n1,2\n", "sizes": b"999999999999 999999999999\na 1 2\n", "raised digits": "² ³\na 1 2\n".encode(),
    "long sizes": b"1" * 5000 + b" " + b"1" * 5000 + b"\na 1\n", "words alone": b"a\nb\n", "infinite": b"a 1e999 1\n",
    "names alone": b"user,item,rating\n", "nested": b"[" * 100_000, "JSON": b"{}", "a tree": b"tree\nTree=0\n",
    "half a character": b"\xed\xa0\x80 1 2\n", "tabs": b"\t" * 9 + b"\n",
}  # fmt: skip


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("reader", READERS)
def test_a_result_or_an_error_in_words(tmp_path, reader, content):
    path = tmp_path / "file"
    path.write_bytes(CONTENTS[content])
    try:
        READERS[reader](path)
    except LearnableError as error:
        assert str(error)


@pytest.mark.parametrize("reader", [read_ratings, read_conll, read_word2vec])
def test_what_unpacks_to_far_more_is_refused(tmp_path, reader):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(bytes(2**20)) * 70)
    with pytest.raises(LearnableError, match="unpacks to more than"):
        reader(path)
    path.write_bytes(gzip.compress(b"a 1 2\n") + gzip.compress(b"b 3 4\n"))
    assert len(reader(path)) > 0, "several members are one file"


def test_other_separators_than_line_ends_are_part_of_a_line(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("a\x85b 1 2\nc\u2028d 3 4\n", encoding="utf-8")
    assert read_word2vec(path).words == ["a\x85b", "c\u2028d"]
    path.write_bytes(b"1,2,3\r4,5,6\r")
    assert read_ratings(path).X.tolist() == [[1, 2], [4, 5]]


@pytest.mark.parametrize("sep", ["", "\n", '"'])
def test_separators_that_separate_nothing(tmp_path, sep):
    path = tmp_path / "file"
    path.write_bytes(b"1,2,3\n")
    with pytest.raises(LearnableError, match="sep must be"):
        read_ratings(path, sep=sep)


def xgboost_model(**changes: Any) -> dict[str, Any]:
    """A tree of one categorical split; changes are of the tree, or of the settings where they have such a name."""
    tree = {
        "left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_conditions": [0.0, 1.0, 2.0],
        "default_left": [0, 0, 0], "sum_hessian": [2.0, 1.0, 1.0], "split_indices": [0, 0, 0],
        "categories_nodes": [0], "categories_segments": [0], "categories_sizes": [1], "categories": [1],
        "tree_param": {"size_leaf_vector": "1"}, "base_weights": [0.0, 1.0, 2.0],
    }  # fmt: skip
    settings = {"num_class": "0", "num_target": "1", "num_feature": "1", "base_score": "0.5"}
    info = [changes.pop("output", 0)]
    settings |= {name: value for name, value in changes.items() if name in settings}
    tree |= {name: value for name, value in changes.items() if name in tree}
    model = {"trees": [tree], "tree_info": info, "gbtree_model_param": {}}
    return {
        "learner": {
            "gradient_booster": {"model": model}, "objective": {"name": "reg:squarederror"},
            "learner_model_param": settings,
        }
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"num_class": "1000000000000", "output": 999_999_999_999}, "too few"),
        ({"tree_param": {"size_leaf_vector": "1000000000000"}}, "announced"),
        ({"categories_nodes": [0] * 9, "categories_segments": [0] * 9, "categories_sizes": [1] * 9}, "do not fit"),
        ({"categories_sizes": [0]}, "do not fit"),
        ({"categories": [2**40]}, "category is not between"),
        (
            {
                "categories_nodes": [0] * 40, "categories_segments": list(range(40)), "categories_sizes": [1] * 40,
                "categories": [2**24 - 1] * 40,
            },
            "too much memory",
        ),
    ],
)  # fmt: skip
def test_trees_that_announce_more_than_they_have(tmp_path, changes, words):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(xgboost_model()))
    assert read_xgboost(path).predict([[0.0]]).shape == (1,)
    path.write_text(json.dumps(xgboost_model(**changes)))
    with pytest.raises(LearnableError, match=words):
        read_xgboost(path)


def workbook(sheet: str) -> bytes:
    """A workbook of one sheet with this XML."""
    kind, office = "http://schemas.openxmlformats.org/", "officeDocument/2006/relationships"
    link = f'<Relationships xmlns="{kind}package/2006/relationships"><Relationship Id="r" Type="{kind}{office}/'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{kind}package/2006/content-types"><Default Extension="xml" '
        'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.'
        'openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": f'{link}officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{kind}spreadsheetml/2006/main" xmlns:r="{kind}{office}"><sheets><sheet '
        'name="s" sheetId="1" r:id="r"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{link}worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": sheet,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return packed.getvalue()


ROWS = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)


@pytest.mark.parametrize(
    "sheet",
    [
        '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
        + ROWS.format('<row r="1"><c r="A1" t="inlineStr"><is><t>&a;</t></is></c></row>'),
        ROWS.format(f'<row r="1"><c r="A1"><v>{"1" * 10_000}</v></c></row>'),
        ROWS.format('<row r="-5"><c r="ZZZZZZ9999999"><v>1</v></c></row>'),
        ROWS.format('<row r="x"><c r=""><v>nan</v></c></row>'),
        ROWS.format('<row r="1"><c r="A1" t="s"><v>99999</v></c></row>'),
        ROWS[:60],
        "",
    ],
)
def test_broken_workbooks_are_refused_by_name(tmp_path, sheet):
    path = tmp_path / "table.xlsx"
    path.write_bytes(
        workbook(ROWS.format('<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>'))
    )
    assert len(read_table(path).columns["1"]) == 1
    path.write_bytes(workbook(sheet))
    with pytest.raises(LearnableError, match=r"table\.xlsx"):
        read_table(path)


def test_texts_that_a_file_holds_once_for_many_rows(tmp_path):
    import pyarrow as pa
    from pyarrow import ipc

    codes = pa.array(np.zeros(1_000_000, dtype=np.int8))
    table = pa.table({"a": pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 1_000_000]))})
    path = tmp_path / "table.arrow"
    with ipc.new_file(path, table.schema, options=ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    with pytest.raises(LearnableError, match="are left"):
        read_table(path)


def test_rows_that_a_parquet_file_announces(tmp_path, monkeypatch):
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": np.zeros(10_000_000, dtype=np.int8)}), path)
    monkeypatch.setattr("learnable.core.runtime.memory.memory_to_be_had", lambda: 2**26)
    with pytest.raises(LearnableError, match="are left"):
        read_table(path)


def test_images_that_announce_more_than_they_have(tmp_path):
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    path = tmp_path / "image.png"
    for size in (20_000, 100_000):
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 1, 0, 0, 0, 0))
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b""))
        with pytest.raises(LearnableError, match=r"image\.png"):
            read_images([path])
