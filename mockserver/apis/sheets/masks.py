"""What `fields` of a request to change something names, and the change."""

import re
from collections.abc import Collection

from mockserver.apis.sheets.book import stored
from mockserver.googleapi import invalid
from mockserver.googleapi.masks import EVERY, update_resource
from mockserver.googleapi.scalars import camel_case
from mockserver.model import JsonMapping, JsonObject

_TOKEN = re.compile(r"[(),/.]|[^(),/.\s]+")
Path = tuple[str, ...]


def mask_paths(text: str) -> tuple[Path, ...]:
    """The paths of a mask; dots and slashes separate alike, and each colour is also its style.

    >>> mask_paths("a/b,c(d,e.f)")
    (('a', 'b'), ('c', 'd'), ('c', 'e', 'f'))
    """
    found: list[Path] = []
    above: list[Path] = [()]
    path: Path = ()
    for part in [*_TOKEN.findall(text), ","]:
        match part:
            case "(":
                above.append((*above[-1], *path))
                path = ()
            case "," | ")":
                if path:
                    found += _with_style((*above[-1], *path))
                path = ()
                if part == ")" and len(above) > 1:
                    above.pop()
            case "." | "/":
                pass
            case _:
                path = (*path, camel_case(part))
    return tuple(dict.fromkeys(found))


def _with_style(path: Path) -> list[Path]:
    last = path[-1]
    if last.endswith("ColorStyle"):
        return [path, (*path[:-1], last.removesuffix("Style"))]
    return [path, (*path[:-1], f"{last}Style")] if last.endswith("Color") else [path]


def read_mask(asked: JsonMapping, known: Collection[str]) -> tuple[Path, ...]:
    """The paths of a request's `fields`.

    Args:
        asked: The request.
        known: Fields that what it changes may have.

    Raises:
        ApiError: 400; none, or one that is not known.
    """
    paths = mask_paths(str(asked.get("fields", "")))
    if not paths:
        raise invalid("At least one field must be listed in 'fields'. (use '*' to indicate all)")
    for path in paths:
        if path[0] != EVERY and path[0] not in known:
            raise invalid(f"Invalid field: {'.'.join(path)}")
    return paths


def changed(
    before: JsonMapping, given: JsonMapping, paths: tuple[Path, ...], keep: Collection[str] = ()
) -> JsonObject:
    """An object with the named fields of a given one; a field that is named and not given goes."""
    return update_resource(dict(before), stored(given), paths, keep)
