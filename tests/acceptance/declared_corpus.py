"""Requests to every route of a declared API, by the OpenAPI document that the server has of it."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from tests.acceptance.corpus import TIME, Ask, Flow, Schema, rows_in

_SIZED = re.compile(
    r"size|limit|per_?page|max_?results|^count$|^first$|^page$|offset|start|skip", re.I
)
_ORDERED = re.compile(r"sort|order", re.IGNORECASE)


def declared_flow(document: Schema, token: str) -> Flow:
    """All requests to a declared API, by its OpenAPI document.

    Args:
        document: The document.
        token: A key that every such API takes.
    """
    base = document.get("servers", [{"url": ""}])[0]["url"].partition("://")
    base = "/" + (base[2] or base[0].lstrip("/"))
    headers = _credentials(document, token)
    rows: dict[str, list[Any]] = {}
    paths = sorted(document.get("paths", {}).items(), key=lambda item: item[0].count("/"))

    def ask(
        verb: str,
        path: str,
        body: Any = None,
        *more: tuple[str, str],
        query: Mapping[str, str] | None = None,
    ) -> Ask:
        filled = path
        while "{" in filled:
            before, _, rest = filled.partition("{")
            name, _, after = rest.partition("}")
            filled = before + quote(_key(rows, before.strip("/"), path, name), safe="") + after
        text = base + filled + (f"?{urlencode(query)}" if query else "")
        return Ask(verb.upper(), text, body, (*headers, *more))

    for path, item in paths:
        if "get" in item:
            answer = yield ask("get", path)
            rows[path.strip("/")] = _rows_of(answer.json)
            yield from _declared_list(path, item["get"], rows[path.strip("/")], ask)
    for path, item in paths:
        for verb in ("post", "put", "patch"):
            if verb in item:
                yield from _declared_write(path, verb, document, item[verb], rows, ask)
        if "head" in item:
            yield ask("head", path)
    for path, item in reversed(paths):
        if "delete" in item:
            yield ask("delete", path, None, ("if-match", '"stale"'))
            yield ask("delete", path)
            yield ask("delete", path)
        if "get" in item:
            yield ask("get", path)
    yield ask("get", "/nowhere")
    yield Ask("GET", base + (paths[0][0] if paths else "/"))  # without a key


def _credentials(document: Schema, token: str) -> tuple[tuple[str, str], ...]:
    found = [("authorization", f"Bearer {token}")]
    for scheme in document.get("components", {}).get("securitySchemes", {}).values():
        if scheme.get("in") == "header":
            found.append((scheme["name"].lower(), token))
    return tuple(found)


def _rows_of(answer: Any) -> list[Any]:
    if isinstance(answer, list):
        return [each for each in answer if isinstance(each, dict)]
    found = rows_in(answer)
    if not found and isinstance(answer, dict):  # a level deeper
        found = next((r for each in answer.values() if (r := rows_in(each))), [])
    return found


def _key(rows: Mapping[str, list[Any]], before: str, path: str, name: str) -> str:
    """The key of a row of the list that a path goes through."""
    listed = re.sub(r"\{\w+\}", "", path.partition("{" + name + "}")[0]).strip("/")
    for place, found in rows.items():
        if found and re.sub(r"\{\w+\}", "", place).strip("/") in {listed, before}:
            row = found[0].get("attributes", {}) | found[0]
            value = row.get(name, row.get("id", next(iter(row.values()), "1")))
            return str(value)
    return f"{name}-1"


def _declared_list(path: str, method: Schema, rows: list[Any], ask: Any) -> Flow:
    row = rows[0] if rows else {}
    fields = [each for each, value in row.items() if isinstance(value, str | int | float)]
    for parameter in method.get("parameters", ()):
        if parameter.get("in") != "query":
            continue
        name, schema = parameter["name"], parameter.get("schema", {})
        values: list[Any] = list(schema.get("enum", ()))[:5]
        if _SIZED.search(name):
            values += ["1", "2", "0", "-1", "abc", "9999999"]
        elif _ORDERED.search(name):
            ways = ("{}", "-{}", "{}:desc", "{} desc")
            values += [way.format(each) for each in fields[:4] for way in ways]
            values += ["nonsense", ",", "-"]
        else:
            values += [row[each] for each in (name, *fields[:5]) if each in row]
            values += ["", "x", "true", "3", "2026-11-20"]
        for value in dict.fromkeys(map(str, values)):
            yield ask("get", path, query={name: value})
        sizes = [n["name"] for n in method["parameters"] if _SIZED.search(n["name"])]
        if not _SIZED.search(name) and values and sizes:
            yield ask("get", path, query={sizes[0]: "2", name: str(values[0])})
    page = yield ask("get", path)
    for token in _tokens(page.json):
        for parameter in method.get("parameters", ()):
            if re.search(r"token|cursor|after|before|next", parameter["name"], re.IGNORECASE):
                yield ask("get", path, query={parameter["name"]: token})
    yield ask("get", path, None, ("if-none-match", "*"))
    yield ask("get", path, query={"unheardOf": "1"})


def _tokens(answer: Any) -> list[str]:
    found = []
    for holder in (answer, *answer.values()) if isinstance(answer, dict) else ():
        for name, value in holder.items() if isinstance(holder, dict) else ():
            if isinstance(value, str) and re.search("next|token|cursor", name, re.IGNORECASE):
                found.append(value)
    return [*found[:2], "nonsense"]


def _declared_write(
    path: str, verb: str, document: Schema, method: Schema, rows: Mapping[str, list[Any]], ask: Any
) -> Flow:
    listed = re.sub(r"/\{[^}]+\}.*$", "", path).strip("/") if verb != "post" else path.strip("/")
    known: list[Any] = next(
        (found for place, found in rows.items() if place == listed and found), []
    )
    row = known[0] if known else {}
    content: dict[str, Any] = method.get("requestBody", {}).get("content", {})
    schema: Schema = next((each.get("schema", {}) for each in content.values()), {})
    made = _example(document, schema, 1, 3)
    copied = {
        each: value for each, value in row.items() if each not in {"id", "created", "createdAt"}
    }
    first = next((each for each, value in copied.items() if isinstance(value, str)), "name")
    bodies = [
        made,
        copied or made,
        {},
        {"nonsense": 1},
        row,
        {first: {"no": ["text"]}},
        {first: None},
    ]
    bodies += [{first: "changed"}, [made, made], [copied, {}], b"{", b"null"]
    for body in bodies if content or verb != "post" else [None, {}, copied]:
        yield ask(verb, path, body)
    yield ask(verb, path, {first: "changed"}, ("if-match", '"stale"'))
    yield ask(verb, path, copied, ("idempotency-key", "k1"))
    yield ask(verb, path, copied, ("idempotency-key", "k1"))
    yield ask(
        verb, path, f"{first}=form".encode(), ("content-type", "application/x-www-form-urlencoded")
    )
    if verb == "patch":
        merge = ("content-type", "application/merge-patch+json")
        yield ask(verb, path, {first: "merged", "nonsense": None}, merge)
        operations = [{"op": "replace", "path": f"/{first}", "value": "patched"}]
        json_patch = ("content-type", "application/json-patch+json")
        yield ask(verb, path, operations, json_patch)
        yield ask(
            verb, path, [*operations, {"op": "test", "path": "/nowhere", "value": 1}], json_patch
        )


def _example(document: Schema, schema: Schema, number: int, depth: int) -> Any:
    """A value of a JSON Schema."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = document.get("components", {}).get("schemas", {}).get(name, {})
    for known in ("example", "default", "const"):
        if known in schema:
            return schema[known]
    if schema.get("enum"):
        return schema["enum"][0]
    for several in ("allOf", "oneOf", "anyOf"):
        if schema.get(several):
            return _example(document, schema[several][0], number, depth)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {}) if depth else {}
        return {
            name: _example(document, each, number, depth - 1) for name, each in properties.items()
        }
    if kind == "array":
        return [_example(document, schema.get("items", {}), number, depth - 1)] if depth else []
    if kind in {"integer", "number"}:
        return max(number, schema.get("minimum", number))
    if kind == "boolean":
        return True
    forms = {
        "email": "ann@example.com",
        "date-time": TIME,
        "date": "2026-11-01",
        "uuid": f"{0:032x}",
    }
    return forms.get(schema.get("format", ""), "text" + "x" * schema.get("minLength", 0))
