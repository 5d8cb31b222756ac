"""Field masks: what `fields` asks for, and what a PATCH changes (AIP-134, AIP-161)."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from mockserver.googleapi.discovery import Method
from mockserver.googleapi.errors import ApiError, Dialect, bad_fields, invalid
from mockserver.googleapi.scalars import camel_case
from mockserver.model import Json, JsonMapping, JsonObject, Miss

EVERY = "*"
DEEPEST = 50
"""Nesting of a mask beyond which it is not read."""

_TOKEN = re.compile(r"[(),/.]|[^(),/.\s]+")
_SIGNS = frozenset("(),/.")
_SHOWN = 200
"""Characters of a refused mask that the error repeats."""
_OPEN: JsonMapping = {"type": "any"}


@dataclass(frozen=True, slots=True)
class Mask:
    """What to keep of an object, or of each object of a list.

    Attributes:
        fields: Field to the mask of its value; `*` means every field. Empty keeps everything.
    """

    fields: "Mapping[str, Mask]" = field(default_factory=dict)

    def selects(self, *path: str) -> bool:
        """Whether any of what is at a path is kept."""
        selected = self
        for name in path:
            if not selected.fields:
                return True
            found = selected.fields.get(name) or selected.fields.get(EVERY)
            if found is None:
                return False
            selected = found
        return True


WHOLE_ANSWER = Mask()


@lru_cache(2048)
def parse_mask(text: str, method: Method, dialect: Dialect = "legacy") -> Mask:
    """Read a field mask and hold it against a method's answer.

    Known are `a,b/c`, `items(id,author/uri)`, `items/*` and `*`; a dot separates like a slash, and
    snake_case names are understood.

    Raises:
        ApiError: 400: malformed, or a field that the answer cannot have. The older APIs say
            `Invalid field selection x`; the newer ones say it in a field violation.
    """
    return _MaskReader(text, method, dialect).read()


def apply_mask(selected: Mask, body: Json) -> Json:
    """The selected part of an answer; what is selected and absent stays absent.

    >>> selected = Mask({"items": Mask({"id": WHOLE_ANSWER})})
    >>> apply_mask(selected, {"items": [{"id": 1, "b": 2}], "c": 3})
    {'items': [{'id': 1}]}
    """
    wanted = selected.fields
    if not wanted:
        return body
    if isinstance(body, list):
        return [apply_mask(selected, item) for item in body]
    if not isinstance(body, dict):
        return body
    every = wanted.get(EVERY)
    kept: JsonObject = {}
    for name, value in body.items():
        inner = wanted.get(name, every)
        if inner is not None:
            kept[name] = apply_mask(inner, value)
    return kept


class _MaskReader:
    """Reads a mask once, left to right, beside the schema of the answer."""

    def __init__(self, text: str, method: Method, dialect: Dialect) -> None:
        self._text = text
        self._schemas: Mapping[str, JsonMapping] = method.document.schemas
        self._answer = self._schemas.get(method.response or "", _OPEN)
        self._dialect = dialect
        self._tokens = [*_TOKEN.findall(text), ""]
        self._next = 0

    def read(self) -> Mask:
        selected = self._selection(self._answer, ())
        if self._tokens[self._next]:
            raise self._refusal(self._tokens[self._next])
        return selected

    def _selection(self, schema: JsonMapping, above: tuple[str, ...]) -> Mask:
        chosen: dict[str, Mask] = {}
        while True:
            name, selected = self._field(schema, above)
            chosen[name] = _merge(chosen[name], selected) if name in chosen else selected
            if not self._take(","):
                return Mask(chosen)

    def _field(self, schema: JsonMapping, above: tuple[str, ...]) -> tuple[str, Mask]:
        name = self._tokens[self._next]
        if not name or name in _SIGNS or len(above) >= DEEPEST:
            raise self._refusal(name or self._text)
        self._next += 1
        key, inner = self._known_property(schema, name, above)
        below = (*above, name)
        if self._take("/", "."):
            return key, Mask(dict([self._field(inner, below)]))
        if not self._take("("):
            return key, WHOLE_ANSWER
        selected = self._selection(inner, below)
        if not self._take(")"):
            raise self._refusal(self._tokens[self._next] or self._text)
        return key, selected

    def _known_property(
        self, schema: JsonMapping, name: str, above: tuple[str, ...]
    ) -> tuple[str, JsonMapping]:
        schema = self._shape(schema)
        properties = schema.get("properties", {})
        key = name if name in properties else camel_case(name)
        if name == EVERY or schema.get("type") == "any":
            return name, _OPEN
        if key in properties:
            return key, properties[key]
        if "additionalProperties" in schema:
            return name, schema["additionalProperties"]
        if schema.get("type") == "object" and "properties" not in schema:
            return name, _OPEN
        raise self._refusal(name, above)

    def _shape(self, schema: JsonMapping) -> JsonMapping:
        while "$ref" in schema or schema.get("type") == "array":
            schema = self._schemas[schema["$ref"]] if "$ref" in schema else schema["items"]
        return schema

    def _take(self, *signs: str) -> bool:
        taken = self._tokens[self._next] in signs
        self._next += taken
        return taken

    def _refusal(self, name: str, above: tuple[str, ...] = ()) -> ApiError:
        return _invalid_selection(self._text, name, ".".join((*above, name)), self._dialect)


def _merge(one: Mask, other: Mask) -> Mask:
    if not one.fields or not other.fields:
        return WHOLE_ANSWER
    both = dict(one.fields)
    for name, selected in other.fields.items():
        both[name] = _merge(both[name], selected) if name in both else selected
    return Mask(both)


def _invalid_selection(text: str, name: str, path: str, dialect: Dialect) -> ApiError:
    said = f"Invalid field selection {name[:_SHOWN]}"
    error = invalid(said, location="fields", reason="invalidParameter")
    if dialect == "one_platform":
        why = f"Cannot find matching fields for path '{path[:_SHOWN]}'."
        error = bad_fields([(text[:_SHOWN], f"Error expanding 'fields' parameter. {why}")])
        error.message = "Request contains an invalid argument."
    error.miss = Miss(blame="agent_error", reason=said)
    return error


_QUOTES = '`"'


def read_update_mask(text: str) -> tuple[tuple[str, ...], ...]:
    """The paths of a mask, lowerCamel; keys of maps may be in backticks.

    >>> read_update_mask("display_name,labels.`a.b`,*")
    (('displayName',), ('labels', 'a.b'), ('*',))
    """
    paths = (_path(each.strip()) for each in _split_outside_quotes(text, ","))
    return tuple(dict.fromkeys(path for path in paths if path))


def _path(text: str) -> tuple[str, ...]:
    parts = [part for part in _split_outside_quotes(text, ".") if part]
    if not parts:
        return ()
    # what is below the first field may be a map, whose keys are nobody's to rename
    return (camel_case(parts[0].strip(_QUOTES)), *(part.strip(_QUOTES) for part in parts[1:]))


def _split_outside_quotes(text: str, sign: str) -> list[str]:
    parts, quote = [""], ""
    for letter in text:
        if letter == sign and not quote:
            parts.append("")
            continue
        if letter in _QUOTES:
            quote = "" if letter == quote else quote or letter
        parts[-1] += letter
    return parts


def replace_resource(
    before: JsonObject, given: JsonObject, keep: Collection[str] = ()
) -> JsonObject:
    """What a full replacement makes of a resource: the given fields, and the kept ones as before.

    >>> replace_resource({"name": "n", "a": 1}, {"b": 2}, keep=["name"])
    {'name': 'n', 'b': 2}
    """
    kept = {name: value for name, value in before.items() if name in keep}
    return {**kept, **{name: value for name, value in given.items() if name not in keep}}


def apply_merge_patch(row: Json, patch: Json) -> Json:
    """A value with a merge patch put over it (RFC 7396).

    >>> apply_merge_patch({"a": 1, "b": {"c": 2, "d": 3}}, {"a": None, "b": {"c": 4}})
    {'b': {'c': 4, 'd': 3}}
    """
    if not isinstance(patch, dict):
        return patch
    made: JsonObject = dict(row) if isinstance(row, dict) else {}
    for key, value in patch.items():
        if value is None:
            made.pop(key, None)
        else:
            made[key] = apply_merge_patch(made.get(key), value)
    return made


def update_resource(
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

    >>> update_resource({"a": 1, "l": {"x": 1, "y": 2}}, {"l": {"x": 3}}, [("a",), ("l", "x")])
    {'l': {'x': 3, 'y': 2}}
    """
    if (EVERY,) in paths:
        return replace_resource(before, given, keep)
    after = dict(before)
    for path in paths:
        if path[0] not in keep:
            after = _with_path(after, given, path)
    return after


def _with_path(before: JsonObject, given: JsonObject, path: tuple[str, ...]) -> JsonObject:
    head, rest = _field_name(path[0], before, given), path[1:]
    if rest and rest != (EVERY,):
        inside, new = before.get(head), given.get(head)
        value = _with_path(
            inside if isinstance(inside, dict) else {}, new if isinstance(new, dict) else {}, rest
        )
        return {**before, head: value} if value or head in before else before
    if head in given:
        return {**before, head: given[head]}
    return {name: value for name, value in before.items() if name != head}


def _field_name(part: str, before: JsonObject, given: JsonObject) -> str:
    return part if part in before or part in given else camel_case(part)


def unknown_paths(paths: Sequence[tuple[str, ...]], known: Collection[str]) -> ApiError | None:
    """The 400 for a mask with fields that the resource does not have; None when all are known."""
    strange = [path[0] for path in paths if path[0] != EVERY and path[0] not in known]
    if not strange:
        return None
    text = "Invalid field path in the update mask: '{}'."
    return bad_fields([("update_mask", text.format(name)) for name in strange])
