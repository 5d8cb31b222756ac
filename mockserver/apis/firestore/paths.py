"""Names of documents and paths of fields."""

import re
from collections.abc import Sequence
from functools import lru_cache

from mockserver.googleapi import invalid

FieldPath = tuple[str, ...]
NAME: FieldPath = ("__name__",)
"""The path that means the document's name."""

_ROOT = re.compile(r"projects/[^/]+/databases/[^/]+/documents")
_NUMERIC = re.compile(r"__id(-?\d+)__")
_RESERVED = re.compile(r"__.*__", re.DOTALL)
_SEGMENT = re.compile(r"`((?:[^`\\]|\\.)+)`|([a-zA-Z_][a-zA-Z_0-9]*)", re.DOTALL)
_SIMPLE = re.compile(r"[a-zA-Z_][a-zA-Z_0-9]*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LONGEST = 1500


@lru_cache(4096)
def root_of(name: str) -> str:
    """The root of the documents of a name's database, `projects/p/databases/d/documents`.

    Raises:
        ApiError: 400: it is no name of anything in a database.
    """
    found = _ROOT.match(name)
    if found is None or name[found.end() : found.end() + 1] not in {"", "/"}:
        raise invalid(f'Invalid resource name "{name}".')
    return found[0]


def read_document_name(name: str) -> str:
    """The root of the database of a document.

    Raises:
        ApiError: 400: it is no document's name.
    """
    root = root_of(name)
    segments = name[len(root) + 1 :].split("/")
    if len(segments) % 2 or "" in segments:
        raise invalid(f'Document name "{name}" is invalid: it names no document.')
    for each in segments:
        check_id(each)
    return root


def check_id(ident: str) -> None:
    """Refuse what no collection and no document may be called.

    Raises:
        ApiError: 400.
    """
    if ident in {"", ".", ".."} or "/" in ident or len(ident.encode()) > _LONGEST:
        raise invalid(f'Resource id "{ident[:100]}" is invalid.')
    if _RESERVED.fullmatch(ident) and not _NUMERIC.fullmatch(ident):
        raise invalid(f'Resource id "{ident[:100]}" is invalid because it is reserved.')


def name_rank(name: str) -> tuple[str, ...]:
    """A name as it is compared: id by id, those that are numbers first.

    >>> name_rank("c/__id7__") < name_rank("c/__id10__") < name_rank("c/a") < name_rank("c/a/d/b")
    True
    """
    segments = name.split("/")
    if "__id" not in name:
        return tuple(segments)
    return tuple(map(_rank_of_id, segments))


def _rank_of_id(ident: str) -> str:
    found = _NUMERIC.fullmatch(ident)
    return f"\0{int(found[1]) + 2**63:020}" if found else ident


def id_of_rank(rank: str) -> str:
    """An id of how it is compared.

    >>> [id_of_rank(each) for each in name_rank("__id-7__/a")]
    ['__id-7__', 'a']
    """
    return f"__id{int(rank[1:]) - 2**63}__" if rank[:1] == "\0" else rank


@lru_cache(4096)
def field_path(text: str) -> FieldPath:
    """The names in a path of fields; those in backticks may hold anything.

    >>> field_path("a.`b-c`.d")
    ('a', 'b-c', 'd')

    Raises:
        ApiError: 400: it is no such path.
    """
    names: list[str] = []
    place = 0
    while (found := _SEGMENT.match(text, place)) is not None:
        names.append(found[2] or _ESCAPED.sub(r"\1", found[1]))
        place = found.end()
        if place == len(text):
            return tuple(names)
        if text[place] != ".":
            break
        place += 1
    raise invalid(f'Invalid property path "{text[:200]}".')


def path_text(path: Sequence[str]) -> str:
    """A path of fields as it is written.

    >>> path_text(("a", "b-c"))
    'a.`b-c`'
    """
    return ".".join(
        each if _SIMPLE.fullmatch(each)
        else "`" + each.replace("\\", "\\\\").replace("`", "\\`") + "`"
        for each in path
    )  # fmt: skip
