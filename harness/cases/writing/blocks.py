"""Expectations as an author writes them: the grammar read backwards.

What the grammar has no words for, or not beside the others, stays as it is, for `checks`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import ValidationError

from harness.cases.grammar import Expect, TurnExpect, expectations
from harness.model import Expectation, Json, JsonObject

_SHARED = frozenset({"required", "match", "exact"})
"""Keys of a block that speak of all that is written beside them."""

_ADDED = frozenset({"severities", "refs"})
"""Lists in which each item is an expectation of its own."""


def written_block(
    expect: Sequence[Expectation], turn: int | None
) -> tuple[JsonObject, tuple[Expectation, ...]]:
    """Expectations of one turn, or of the whole trial, as a block of the native grammar.

    Args:
        expect: The expectations.
        turn: The turn they speak of; None for the whole trial.

    Returns:
        The block, and those that are not in it.
    """
    block: JsonObject = {}
    left = []
    for item in expect:
        fragment = _fragment(item, turn)
        both = None if fragment is None else _merged(block, fragment)
        if both is None:
            left.append(item)
        else:
            block = both
    within = [item for item in expect if not any(item is other for other in left)]
    if not _says(block, within, turn):
        return {}, tuple(expect)
    return block, tuple(left)


def bare(item: Expectation) -> JsonObject:
    """An expectation as data, without what goes without saying."""
    return {"kind": item.kind} | item.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _fragment(item: Expectation, turn: int | None) -> JsonObject | None:
    fields = bare(item)
    kind = fields.pop("kind")
    fields.pop("turn", None)
    write = _WRITERS.get(kind) or _below(kind)
    fragment = write(fields)
    return fragment if _says(fragment, [item], turn) else None


def _says(block: JsonObject, expect: Iterable[Expectation], turn: int | None) -> bool:
    """Whether a block, read again, expects just this."""
    model = Expect if turn is None else TurnExpect
    try:
        found = expectations(model.model_validate(block), turn)
    except ValidationError:
        return False
    return Counter(map(repr, found)) == Counter(map(repr, expect))


def _merged(block: JsonObject, fragment: JsonObject) -> JsonObject | None:
    """Both in one, or None where they contradict."""
    merged = dict(block)
    for name, value in fragment.items():
        both = _both(name, merged[name], value) if name in merged else value
        if both is None:
            return None
        merged[name] = both
    return merged


def _both(name: str, there: Json, value: Json) -> Json:
    if isinstance(there, dict) and isinstance(value, dict):
        if any(there.get(key) != value.get(key) for key in _SHARED):
            return None
        return _merged(there, {key: item for key, item in value.items() if key not in _SHARED})
    return [*there, *value] if name in _ADDED else None


def _below(block: str, **names: str) -> Callable[[JsonObject], JsonObject]:
    """Writes fields below a block, those that are named there in other words renamed."""

    def write(fields: JsonObject) -> JsonObject:
        return {block: {names.get(name, name): value for name, value in fields.items()}}

    return write


def _reply(fields: JsonObject) -> JsonObject:
    shapes = [fields.pop(name) for name in ("fields", "json_schema", "model") if name in fields]
    return {"reply": {"schema": shapes[0] if len(shapes) == 1 else None, **fields}}


def _tools(fields: JsonObject) -> JsonObject:
    written = dict(fields)
    if "calls" in written:
        written["calls"] = list(_grouped(written["calls"]))
    if "extra_max" in written:
        written["extra"] = {"max": written.pop("extra_max")}
    return {"tools": written}


def _grouped(calls: Iterable[JsonObject]) -> Iterable[Json]:
    """Calls with neighbours of the same group put together.

    Yields:
        Names, calls, and groups of calls.
    """
    together: list[JsonObject] = []
    name = ""
    for call in calls:
        group = call.get("group", "")
        if together and group != name:
            yield {"unordered": together}
            together = []
        name = group
        if group:
            together.append({key: value for key, value in call.items() if key != "group"})
        else:
            yield call["name"] if call.keys() == {"name"} else call
    if together:
        yield {"unordered": together}


def _state(fields: JsonObject) -> JsonObject:
    required = {"required": fields.pop("required")} if "required" in fields else {}
    if "rows" in fields:
        fields = {"expect": fields.pop("rows"), **fields}
    return {"server": {"state": fields, **required}}


def _status(fields: JsonObject) -> JsonObject:
    return {"service": {"status": fields.pop("family", "success"), **fields}}


def _observed(name: str = "") -> Callable[[JsonObject], JsonObject]:
    """Writes what observations are expected: a list of one, or the bounds of their number."""

    def write(fields: JsonObject) -> JsonObject:
        required = {"required": fields.pop("required")} if "required" in fields else {}
        told = {name: list(fields.values())} if name else fields
        return {"service": {"observations": told, **required}}

    return write


def _alone(block: str, field: str) -> Callable[[JsonObject], JsonObject]:
    def write(fields: JsonObject) -> JsonObject:
        # a block that is a mere value has no room for more
        return {block: fields[field]} if fields.keys() == {field} else {block: None}

    return write


_WRITERS: Mapping[str, Callable[[JsonObject], JsonObject]] = {
    "text_contains": _below("text", needles="contains"),
    "text_lacks": _below("text", needles="not_contains"),
    "text_matches": _below("text", patterns="regex"),
    "evidence": _below("text", markers="evidence"),
    "forbidden_evidence": _below("text", markers="forbidden_evidence"),
    "reply_schema": _reply,
    "tool_calls": _tools,
    "forbidden_tools": _below("tools", globs="forbidden"),
    "min_calls": _below("tools", counts="min"),
    "server_requests": _below("server"),
    "server_state": _state,
    "service_status": _status,
    "observation_count": _observed(),
    "observation_severity": _observed("severities"),
    "observation_ref": _observed("refs"),
    "files": _alone("files", "files"),
    "exit_code": _alone("exit_code", "code"),
    "phases": _alone("phases", "phases"),
    "milestones": _alone("milestones", "milestones"),
    "minefields": _alone("minefields", "minefields"),
}
"""Kind to its words; any other kind is tried as a block of its own name."""
