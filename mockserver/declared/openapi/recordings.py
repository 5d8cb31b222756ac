"""Recorded traffic as an OpenAPI document: which paths are alike, and what was sent and answered.

What is a key in a path is told by rows that were listed or read there, or else by its looks.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from mockserver.declared.documents import words
from mockserver.declared.keywords import as_list, as_object
from mockserver.messages import read_json
from mockserver.model import Interaction, Json, JsonObject

Template = tuple[str, ...]
"""The segments of a path; `{}` for a key."""

_OPEN = "{}"
_MOST_EXAMPLES = 5
_STATES = frozenset({"status", "state"})
KEY_NAMES = frozenset(
    {"id", "uuid", "key", "slug", "code", "number", "sku", "ref", "name", "login"}
)
_KEY_HEADER = re.compile(r"(x-)?(api|auth|access|app|client)[-_]?(key|token)", re.IGNORECASE)
_KEY_PARAMETER = re.compile(r"(api_?key|apikey|access_token|key|token)", re.IGNORECASE)
_LOOKS_LIKE_KEY = re.compile(
    r"\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|[A-Za-z]{1,8}[-_]?\d[\w-]*"
    r"|[a-z]{2,8}_[A-Za-z0-9]{6,}",
    re.IGNORECASE,
)
_FORMATS = {
    "date-time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"),
    "uuid": re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE),
}
_SCALARS: Mapping[frozenset[type], str] = {
    frozenset({bool}): "boolean", frozenset({str}): "string", frozenset({int}): "integer",
    frozenset({float}): "number", frozenset({int, float}): "number",
}  # fmt: skip
_NEXT = re.compile(r'<([^>]*)>\s*;[^,]*rel="?next"?')


@dataclass(frozen=True)
class Recorded:
    """One call of an API as it was recorded.

    Attributes:
        verb: The HTTP method.
        path: As sent.
        segments: Those of its path, decoded.
        query: Its parameters, each with its values.
        sent: The JSON that it brought; None for none.
        status: The status of the answer.
        headers: The headers of the answer, by lower-case name.
        answer: The JSON that was answered; None for none.
        keys: What it proved who it is by: kind to name, as `auth` of a declaration has it.
    """

    verb: str
    path: str
    segments: tuple[str, ...]
    query: Mapping[str, Sequence[str]]
    sent: Json
    status: int
    headers: Mapping[str, str]
    answer: Json
    keys: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        """Whether it was answered as it was meant."""
        return 200 <= self.status < 300

    def next_params(self) -> dict[str, list[str]]:
        """The parameters of the next page, where the answer has its URL."""
        found = _NEXT.search(self.headers.get("link", ""))
        urls = [found[1]] if found else []
        body = as_object(self.answer)
        places: list[JsonObject] = [body, *(as_object(body.get(each)) for each in words.ENVELOPES)]
        urls += [str(each[name]) for each in places for name in words.NEXT_URLS
                 if isinstance(each.get(name), str) and "?" in str(each[name])]  # fmt: skip
        return parse_qs(urlsplit(urls[0]).query, keep_blank_values=True) if urls else {}


def recorded_calls(interactions: Iterable[Interaction], host: str) -> Iterator[Recorded]:
    """The calls of one host that were answered with JSON, or without a body.

    Yields:
        Each in its order.
    """
    for each in interactions:
        request, response = each.request, each.response
        parts = urlsplit(request.url)
        if (parts.hostname or "") != host or response.ended != "complete":
            continue
        answer, is_json = read_json(response.body)
        if not is_json:
            continue
        query = parse_qs(parts.query, keep_blank_values=True)
        keys = dict(_keys(request.headers, query))
        for name in keys.get("query", ()):
            query.pop(name, None)
        yield Recorded(
            request.method,
            parts.path,
            tuple(unquote(part) for part in parts.path.strip("/").split("/") if part),
            query,
            read_json(request.body)[0],
            response.status,
            {name.lower(): value for name, value in response.headers},
            answer,
            keys,
        )


def _keys(
    headers: Iterable[tuple[str, str]], query: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Any]]:
    for name, value in headers:
        if name.lower() == "authorization":
            kind = value.partition(" ")[0].lower()
            yield ("basic" if kind == "basic" else "bearer"), True
        elif _KEY_HEADER.fullmatch(name):
            yield "header", name
    for name in query:
        if _KEY_PARAMETER.fullmatch(name):
            yield "query", [name]


# --- paths ---


def templates_of(calls: Sequence[Recorded]) -> Mapping[tuple[str, ...], Template]:
    """The template of each path: `("orders", "{}", "cancel")`."""
    made: dict[tuple[str, ...], Template] = {each.segments: () for each in calls}
    known: dict[Template, set[str]] = {}
    for depth in range(1 + max((len(each) for each in made), default=0)):
        for call in calls:
            if len(call.segments) == depth and call.is_good:
                known.setdefault(made[call.segments], set()).update(_key_values(call.answer))
        for segments, start in list(made.items()):
            if len(segments) > depth:
                part = segments[depth]
                is_key = depth > 0 and start[-1] != _OPEN and _is_key(part, start, known, calls)
                made[segments] = (*start, _OPEN if is_key else part)
    return made


def _is_key(
    part: str, start: Template, known: Mapping[Template, set[str]], calls: Sequence[Recorded]
) -> bool:
    if words.is_base(part):
        return False
    if part in known.get(start, ()) or _LOOKS_LIKE_KEY.fullmatch(part):
        return True
    return words.singular(start[-1]) != start[-1] and any(
        call.verb == "GET" and len(call.segments) == len(start) + 1 and call.segments[-1] == part
        and call.is_good and part in _key_values([call.answer])
        for call in calls
    )  # fmt: skip


def _key_values(answer: Json) -> set[str]:
    """What rows in an answer may be called by in paths."""
    return {text for name, text in _scalars_of(answer)
            if KEY_NAMES.intersection(words.words_of(name)[-1:])}  # fmt: skip


def _scalars_of(answer: Json) -> Iterator[tuple[str, str]]:
    """The fields of the rows of an answer that may hold keys.

    Rows are those of an array, or an object, the objects in it, and the rows of its arrays.

    Yields:
        Name and value.
    """
    rows = [*as_list(answer)]
    if isinstance(answer, dict):
        rows += [answer, *(each for each in answer.values() if isinstance(each, dict))]
        for each in rows[:20]:
            lists = (value for value in as_object(each).values() if isinstance(value, list))
            rows += [row for value in lists for row in value if isinstance(row, dict)]
    for row in rows:
        for name, value in as_object(row).items():
            if isinstance(value, str | int) and not isinstance(value, bool):
                yield name, str(value)


# --- the document ---


def document_of(calls: Sequence[Recorded], host: str, title: str) -> JsonObject:
    """An OpenAPI document of calls.

    Args:
        calls: Calls of one API; at least one.
        host: Where it is.
        title: What it is called.
    """
    templates = templates_of(calls)
    paths: dict[str, JsonObject] = {}
    groups: dict[tuple[str, str], list[Recorded]] = {}
    for call in calls:
        path = _path_with_names(templates[call.segments], calls, templates)
        groups.setdefault((path, call.verb), []).append(call)
    for (path, verb), group in groups.items():
        paths.setdefault(path, {})[verb.lower()] = _operation(path, verb, group)
    schemes: dict[str, JsonObject] = {}
    for kind, name in (pair for call in calls for pair in call.keys.items()):
        if kind in {"bearer", "basic"}:
            schemes[kind] = {"type": "http", "scheme": kind}
        else:
            named = name[0] if kind == "query" else name
            schemes[kind] = {"type": "apiKey", "in": kind, "name": named}
    made: JsonObject = {
        "openapi": "3.1.0",
        "info": {"title": title, "version": ""},
        "servers": [{"url": f"https://{host}"}],
        "paths": paths,
    }
    if schemes:
        made["components"] = {"securitySchemes": schemes}
        made["security"] = [{name: []} for name in schemes]
    return made


def _path_with_names(
    template: Template,
    calls: Sequence[Recorded],
    templates: Mapping[tuple[str, ...], Template],
) -> str:
    """A path with names for its keys: `/orders/{order_id}/items/{id}`."""
    parts: list[str] = []
    for number, part in enumerate(template):
        if part != _OPEN:
            parts.append(part)
            continue
        start = template[: number + 1]
        key = _key_field(start, calls, templates)
        is_last = number == len(template) - 1
        name = key if is_last else f"{words.singular(template[number - 1])}_{key}"
        parts.append(f"{{{name}}}")
    return f"/{'/'.join(parts)}"


def _key_field(
    start: Template, calls: Sequence[Recorded], templates: Mapping[tuple[str, ...], Template]
) -> str:
    """The field whose values are the keys at the end of a template: the most usual one."""
    values = {segments[len(start) - 1] for segments, found in templates.items()
              if found[: len(start)] == start}  # fmt: skip
    votes: Counter[str] = Counter()
    for call in calls:
        if templates[call.segments] not in {start, start[:-1]} or not call.is_good:
            continue
        for name, text in _scalars_of(call.answer):
            if text in values:
                votes[name] += 1 + (name.lower() in KEY_NAMES)
    return votes.most_common(1)[0][0] if votes else "id"


def _operation(path: str, verb: str, group: Sequence[Recorded]) -> JsonObject:
    query: dict[str, list[str]] = {}
    for call in group:
        for name, values in {**call.next_params(), **call.query}.items():
            if not _KEY_PARAMETER.fullmatch(name) or name in call.query:
                query.setdefault(name, []).extend(values)
    parameters: list[JsonObject] = [
        {"name": part[1:-1], "in": "path", "required": True,
         "schema": _text_schema([call.segments[number] for call in group])}
        for number, part in enumerate(path.split("/")[1:]) if part.startswith("{")
    ]  # fmt: skip
    parameters += [{"name": name, "in": "query", "schema": _text_schema(values)}
                   for name, values in query.items()]  # fmt: skip
    made: JsonObject = {"parameters": parameters, "responses": {}}
    sent = [call.sent for call in group if isinstance(call.sent, dict) and call.is_good]
    if sent and verb != "GET":
        schema = schema_of(sent, with_states=False)
        made["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    by_status: dict[int, list[Recorded]] = {}
    for call in group:
        by_status.setdefault(call.status, []).append(call)
    for status, answers in sorted(by_status.items()):
        bodies = [call.answer for call in answers if call.answer is not None]
        response: JsonObject = {"description": ""}
        names = sorted({name for call in answers for name in call.headers})
        response["headers"] = {name: {"schema": {"type": "string"}} for name in names}
        if bodies:
            kind = answers[0].headers.get("content-type", "application/json").partition(";")[0]
            examples = {str(number): {"value": body}
                        for number, body in enumerate(bodies[:_MOST_EXAMPLES])}  # fmt: skip
            response["content"] = {kind: {"schema": schema_of(bodies), "examples": examples}}
        made["responses"][str(status)] = response
    return made


def _text_schema(values: Sequence[str]) -> JsonObject:
    if all(re.fullmatch(r"-?\d{1,15}", each) for each in values):
        return {"type": "integer"}
    return {"type": "boolean" if set(values) <= {"true", "false"} else "string"}


def schema_of(values: Sequence[Json], *, with_states: bool = True) -> JsonObject:
    """The JSON Schema of values that were seen, which requires nothing.

    Args:
        values: The values.
        with_states: Whether fields called status or state get the values that they had.

    >>> schema_of([{"n": 1}, {"n": 2.5, "at": None}])
    {'type': 'object', 'properties': {'n': {'type': 'number'}, 'at': {}}}
    """
    kinds = frozenset(type(each) for each in values)
    if kinds == {dict}:
        fields: dict[str, list[Json]] = {}
        for name, value in (pair for each in values for pair in as_object(each).items()):
            fields.setdefault(name, []).append(value)
        known = {name: schema_of(each, with_states=with_states) for name, each in fields.items()}
        for name in _STATES & set(fields) if with_states else ():
            if known[name] == {"type": "string"}:
                known[name]["enum"] = sorted({str(each) for each in fields[name]})
        return {"type": "object", "properties": known}
    if kinds == {list}:
        items = [item for each in values for item in as_list(each)]
        return {"type": "array", "items": schema_of(items, with_states=with_states)}
    forms = [form for form, pattern in _FORMATS.items() if kinds == {str}
             and all(pattern.fullmatch(str(each)) for each in values)]  # fmt: skip
    if forms:
        return {"type": "string", "format": forms[0]}
    return {"type": _SCALARS[kinds]} if kinds in _SCALARS else {}
