"""Update masks: which fields of a resource a PATCH changes (AIP-134, AIP-161)."""

from collections.abc import Collection, Sequence

from mockserver.googleapi.errors import ApiError, bad_fields
from mockserver.googleapi.scalars import camel
from mockserver.model import JsonObject

EVERYTHING = "*"
_QUOTES = '`"'


def read_update_mask(text: str) -> tuple[tuple[str, ...], ...]:
    """The paths of a mask, lowerCamel; keys of maps may be in backticks.

    >>> read_update_mask("display_name,labels.`a.b`,*")
    (('displayName',), ('labels', 'a.b'), ('*',))
    """
    paths = (_path(each.strip()) for each in _split(text, ","))
    return tuple(dict.fromkeys(path for path in paths if path))


def _path(text: str) -> tuple[str, ...]:
    parts = [part for part in _split(text, ".") if part]
    if not parts:
        return ()
    # what is below the first field may be a map, whose keys are nobody's to rename
    return (camel(parts[0].strip(_QUOTES)), *(part.strip(_QUOTES) for part in parts[1:]))


def _split(text: str, sign: str) -> list[str]:
    parts, quote = [""], ""
    for letter in text:
        if letter == sign and not quote:
            parts.append("")
            continue
        if letter in _QUOTES:
            quote = "" if letter == quote else quote or letter
        parts[-1] += letter
    return parts


def replaced(before: JsonObject, given: JsonObject, keep: Collection[str] = ()) -> JsonObject:
    """What a full replacement makes of a resource: the given fields, and the kept ones as before.

    >>> replaced({"name": "n", "a": 1}, {"b": 2}, keep=["name"])
    {'name': 'n', 'b': 2}
    """
    kept = {name: value for name, value in before.items() if name in keep}
    return {**kept, **{name: value for name, value in given.items() if name not in keep}}


def updated(
    before: JsonObject,
    given: JsonObject,
    paths: Sequence[tuple[str, ...]],
    keep: Collection[str] = (),
) -> JsonObject:
    """What a masked update makes of a resource: a masked field takes the given value or goes.

    Args:
        before: The resource as it is; not changed.
        given: The body.
        paths: What `read_update_mask` made of the mask.
        keep: Fields that a caller cannot change.

    >>> updated({"a": 1, "l": {"x": 1, "y": 2}}, {"l": {"x": 3}}, [("a",), ("l", "x")])
    {'l': {'x': 3, 'y': 2}}
    """
    if (EVERYTHING,) in paths:
        return replaced(before, given, keep)
    after = dict(before)
    for path in paths:
        if path[0] not in keep:
            after = _with(after, given, path)
    return after


def _with(before: JsonObject, given: JsonObject, path: tuple[str, ...]) -> JsonObject:
    head, rest = _name(path[0], before, given), path[1:]
    if rest and rest != (EVERYTHING,):
        inside, new = before.get(head), given.get(head)
        value = _with(
            inside if isinstance(inside, dict) else {}, new if isinstance(new, dict) else {}, rest
        )
        return {**before, head: value} if value or head in before else before
    if head in given:
        return {**before, head: given[head]}
    return {name: value for name, value in before.items() if name != head}


def _name(part: str, before: JsonObject, given: JsonObject) -> str:
    return part if part in before or part in given else camel(part)


def unknown_paths(paths: Sequence[tuple[str, ...]], known: Collection[str]) -> ApiError | None:
    """The 400 for a mask with fields that the resource does not have; None when all are known."""
    strange = [path[0] for path in paths if path[0] != EVERYTHING and path[0] not in known]
    if not strange:
        return None
    text = "Invalid field path in the update mask: '{}'."
    return bad_fields([("update_mask", text.format(name)) for name in strange])
