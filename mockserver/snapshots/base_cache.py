"""Large bases that were imported before: their tables as lines of JSON in the user's cache folder.

A base is named by the hash of its files' contents and of all that reads them, so that what is kept
never answers for something else. Its rows are read when somebody asks for them. The folder may be
deleted at any time; what cannot be read is imported again.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path

import orjson

import mockserver
from mockserver.apis import TABLE
from mockserver.collections import LazyRows, Store
from mockserver.declared.catalog import DeclaredApis
from mockserver.googleapi import Api, installed_documents
from mockserver.model import Fault, Json, JsonObject
from mockserver.snapshots.importer import Importer
from mockserver.state import Base
from mockserver.storage.parse_cache import keep_file, kept_file

Make = Callable[[str, JsonObject], JsonObject]

_FORM = 1
"""Changes with what a file has, so that older ones are not found."""
_MOST_KEPT = 8
_FEW = 500
"""Rows of a table that are read at once."""


def base_name(
    contents: Mapping[str, bytes], apis: Sequence[Api], declared: DeclaredApis
) -> str | None:
    """What a base is kept under; None where nobody knows what else it depends on.

    Args:
        contents: Its files by name, in their order.
        apis: The emulated APIs.
        declared: The APIs that its suite declares.
    """
    if tuple(apis) != tuple(TABLE.own.values()):  # what a plug-in reads is its own affair
        return None
    found = blake2b(_program(), digest_size=20)
    for name, content in chain(
        ((each.name, each.declaration.model_dump_json().encode()) for each in declared.apis),
        contents.items(),
    ):
        found.update(b"%s %d\n" % (name.encode(), len(content)))
        found.update(content)
    return f"{found.hexdigest()}.rows"


@cache
def _program() -> bytes:
    """The files that decide what a snapshot is read as, with their sizes and times of change."""
    documents = installed_documents().path
    found: list[Json] = [_FORM, str(documents), documents.stat().st_mtime_ns]
    for folder, inside, names in os.walk(Path(mockserver.__file__).parent):
        inside[:] = sorted(set(inside) - {"__pycache__"})
        for entry in sorted(os.scandir(folder), key=lambda each: each.name):
            if entry.name in names:
                found += (entry.path, entry.stat().st_mtime_ns, entry.stat().st_size)
    return orjson.dumps(found)


def kept_base(path: Path, importer: Importer) -> Base | None:
    """A base that was kept; None where it was not, or not whole."""
    text = kept_file(path) or b""
    digest = text[: text.find(b"\n") + 1]
    if not digest or digest.rstrip() != _digest(memoryview(text)[len(digest) :]):
        return None
    lines = iter(text.split(b"\n"))
    next(lines)
    head = orjson.loads(next(lines))
    tables = {}
    for name, is_source in head["tables"]:
        keys = orjson.loads(next(lines))
        rows = LazyRows(dict(zip(keys, lines, strict=False)), _load)
        if is_source:
            make = importer.maker(name, head["customer"])
            rows = LazyRows(rows.sources, partial(_make, make))
        tables[name] = Store(rows if is_source or len(keys) > _FEW else dict(rows))
    return Base(
        tables=tables,
        times={name: tuple(map(tuple, paths)) for name, paths in head["times"].items()},
        captured_at=datetime.fromisoformat(head["captured_at"]),
        faults=tuple(map(Fault.model_validate, head["faults"])),
        stubs=tuple(head["stubs"]),
        tools=head["tools"],
        keys=frozenset(head["keys"]),
        mcp=head["mcp"],
        silent=frozenset(head["silent"]),
    )


def keep_base(path: Path, base: Base, customer: str) -> None:
    """Keep a base for the next time; where that cannot be, it is imported again."""
    head = {
        "customer": customer,
        "tables": [
            (name, isinstance(table.base_rows, LazyRows)) for name, table in base.tables.items()
        ],
        "times": base.times,
        "captured_at": base.captured_at.isoformat(),
        "faults": [each.model_dump(mode="json", exclude_unset=True) for each in base.faults],
        "stubs": base.stubs,
        "tools": base.tools,
        "keys": sorted(base.keys),
        "mcp": base.mcp,
        "silent": sorted(base.silent),
    }
    try:
        rest = b"\n".join(
            [orjson.dumps(head), *chain.from_iterable(map(_lines, base.tables.values()))]
        )
    except TypeError:  # what a plug-in made is no JSON
        return
    keep_file(path, b"%s\n%s" % (_digest(rest), rest), most=_MOST_KEPT)


def _lines(table: Store) -> Iterator[bytes]:
    rows = table.base_rows
    sources: Mapping[str, Json] = rows.sources if isinstance(rows, LazyRows) else rows
    yield orjson.dumps(list(sources))
    yield from map(orjson.dumps, sources.values())


def _load(_: str, line: bytes) -> JsonObject:
    row: JsonObject = orjson.loads(line)
    return row


def _make(make: Make, key: str, line: bytes) -> JsonObject:
    return make(key, orjson.loads(line))


def _digest(content: bytes | memoryview) -> bytes:
    return blake2b(content, digest_size=20).hexdigest().encode()
