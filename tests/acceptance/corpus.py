"""Requests to every method of a Discovery document, each next one made of what was answered before.

A document's flow is a generator: it yields requests and is sent answers. It makes rows, lists them
by every parameter, reads, changes and deletes them, and asks for what is wrong in between. Nothing
of the product is used: the requests are those of the document, whatever answers them.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import orjson
import yaml

Schema = Mapping[str, Any]


class Ask(NamedTuple):
    """A request; a body that is not bytes is sent as JSON."""

    verb: str
    path: str
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a value, or None where it is none."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None


Flow = Generator[Ask, Answer, None]

WORDS: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_bytes())
"""By method: what clients ask it for in the words of its API."""


TIME = "2026-11-01T00:00:00Z"
KNOWN: Mapping[str, str] = {
    "customer": "my_customer", "customerId": "my_customer", "customersId": "my_customer",
    "userId": "me", "usersId": "me", "calendarId": "primary", "zone": "us-central1-a",
    "region": "us-central1", "location": "europe-west1", "locations": "europe-west1",
    "locationsId": "europe-west1", "customers": "my_customer", "parentOrgUnitPath": "/",
    "orgUnitPath": "/", "domain": "example.com", "applicationName": "login", "userKey": "all",
}  # fmt: skip
"""Values of parameters and fields that stand for something in every world."""
_FORMS: Mapping[str, str] = {
    "date-time": TIME, "google-datetime": TIME, "google-fieldmask": "*", "google-duration": "5s",
    "date": "2026-11-01", "byte": "eA==",
}  # fmt: skip
_KEYS = ("id", "name", "email", "primaryEmail", "selfLink", "resourceId", "insertId")
_LISTS = re.compile(r"list|search|aggregatedList|lookup|query", re.IGNORECASE)
_CREATES = {"create", "insert", "add", "upload", "import"}
_GETS, _CHANGES, _REMOVES = {"get"}, {"patch", "update"}, {"delete", "remove", "trash"}
_SIZES = ("pageSize", "maxResults", "limit", "max-results")
_ROWS_MADE = 3
_MOST_FIELDS = 12
_NAMING = re.compile("name|title|id$|mail|summary|path|text|type", re.IGNORECASE)


@dataclass
class Known:
    """What the answers of a document told.

    Attributes:
        project: The project that the world holds.
        values: Values of path parameters.
        names: Full names of resources, for parameters with patterns.
    """

    project: str
    values: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def value(self, name: str, parameter: Schema) -> str:
        """What a parameter is given."""
        usual = KNOWN.get(name, "")
        if pattern := parameter.get("pattern", ""):
            fits = re.compile(pattern).fullmatch
            found = next((each for each in (*self.names, usual) if fits(each)), "")
            return found or _named(pattern, self.project)
        if name in self.values:
            return self.values[name]
        if name in {"project", "projectId", "projectsId"}:
            return self.project
        return usual or _in_query(_scalar(name, parameter, 1))


def _named(pattern: str, project: str) -> str:
    """A name as a pattern wants it: `projects/shop/topics/topics-1`."""
    if "|" in pattern:
        return pattern.partition("|")[0].strip("^$()")
    parts: list[str] = []
    for part in pattern.strip("^$").replace("[^/]+", "\0").replace(".*", "\0").split("/"):
        kind = parts[-1] if parts else ""
        if part == "\0" and not kind:
            part = "projects"
        known = project if kind == "projects" else KNOWN.get(kind, f"{kind}-1")
        parts.append(part.replace("\0", known))
    return "/".join(parts)


def _scalar(name: str, schema: Schema, number: int) -> Any:
    kind, form = schema.get("type"), schema.get("format", "")
    if values := schema.get("enum"):
        return values[min(number, len(values) - 1)]
    if kind == "boolean":
        return bool(number % 2)
    if kind in {"integer", "number"} or "int" in form:
        return str(number) if kind == "string" else number
    if form in _FORMS:
        return _FORMS[form]
    if name.endswith(("Time", "timeMin", "timeMax")):
        return TIME
    if "mail" in name.lower():
        return f"person{number}@example.com"
    return KNOWN.get(name, f"{name}-{number}")


def _in_query(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Method:
    """One method of a document."""

    def __init__(self, document: Schema, value: Schema) -> None:
        self.document, self.value = document, value
        self.parameters: Mapping[str, Schema] = value.get("parameters", {})
        self.words: Mapping[str, Any] = WORDS.get(value.get("id", ""), {})
        self.verb: str = value["httpMethod"]
        self.request: str = value.get("request", {}).get("$ref", "")
        self.placed = [each for each, one in self.parameters.items() if one["location"] == "path"]
        self.asked = [each for each, one in self.parameters.items() if one["location"] == "query"]
        order = re.findall(r"\{\+?(\w+)", value["path"])
        self.key = order[-1] if order else ""

    def ask(
        self,
        known: Known,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        *,
        key: str = "",
        etag: str = "",
    ) -> Ask:
        """A request with the required parameters, and more."""

        def fill(found: re.Match[str]) -> str:
            name = found["name"]
            own = (key or self.words.get("key", "")) if name == self.key else ""
            given = own or known.value(name, self.parameters.get(name, {}))
            return quote(given, safe="/" if found["whole"] else "")

        path = re.sub(r"\{(?P<whole>\+?)(?P<name>\w+)\*?\}", fill, self.value["path"])
        asked = {
            each: known.value(each, self.parameters[each])
            for each in self.asked
            if self.parameters[each].get("required")
        } | {**self.words.get("with", {}), **(query or {})}
        base = self.document.get("baseUrl", "").partition("://")[2]
        text = f"/{base}{path}" + (f"?{urlencode(asked, doseq=True)}" if asked else "")
        return Ask(self.verb, text, body, (("if-match", etag),) if etag else ())

    def said(self) -> list[tuple[str, str]]:
        """Parameters with values in the words of the API."""
        said = self.words.get("query", {})
        return [(name, value) for name, values in said.items() for value in values]

    def bodies(self) -> list[Any]:
        """Bodies in the words of the API."""
        return list(self.words.get("bodies", ()))

    def body(self, number: int, *, whole: bool, project: str) -> Any:
        """A body of the request's schema, or None."""
        schema = {"$ref": self.request}
        return (
            Bodies(self.document, number, project, whole).value("", schema)
            if self.request
            else None
        )


class Bodies(NamedTuple):
    """What bodies are made of.

    Attributes:
        document: The document that holds the schemas.
        number: Tells rows apart.
        project: A project that the world holds.
        whole: Whether most fields are given, or those alone that name things.
    """

    document: Schema
    number: int
    project: str
    whole: bool

    def value(self, name: str, schema: Schema, depth: int = 2) -> Any:
        """A value of a schema; None where it is left out."""
        if "$ref" in schema:
            return self._object(schema["$ref"], depth - 1) if depth > 0 else None
        if schema.get("type") == "array":
            inner = self.value(name, schema["items"], depth - 1) if depth > 0 else None
            return None if inner is None else [inner]
        if schema.get("type") == "object":
            return {"team": f"t{self.number}"} if name in {"labels", "annotations"} else None
        if schema.get("type") == "any":
            return None
        return self.project if name == "projectId" else _scalar(name, schema, self.number)

    def _object(self, name: str, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for each, schema in self.document["schemas"].get(name, {}).get("properties", {}).items():
            about = schema.get("description", "")
            if schema.get("readOnly") or about.startswith("Output only") or each == "kind":
                continue
            if not (self.whole or _NAMING.search(each) or "Required" in about):
                continue
            value = self.value(each, schema, depth)
            if value is not None:
                made[each] = value
            if len(made) == _MOST_FIELDS:
                break
        return made


class Node:
    """A resource of a document with its methods."""

    def __init__(
        self, document: Schema, path: tuple[str, ...], methods: Mapping[str, Schema]
    ) -> None:
        self.path = path
        self.methods = {name: Method(document, each) for name, each in methods.items()}
        self.rows: list[Mapping[str, Any]] = []

    def some(self, names: set[str]) -> list[Method]:
        return [each for name, each in self.methods.items() if name in names]

    def lists(self) -> list[Method]:
        return [
            each for name, each in self.methods.items() if _LISTS.match(name) and each.verb == "GET"
        ]

    def others(self) -> list[tuple[str, Method]]:
        known = _CREATES | _GETS | _CHANGES | _REMOVES
        lists = self.lists()
        return [(n, m) for n, m in self.methods.items() if n not in known and m not in lists]

    def own_ids(self, method: Method) -> list[str]:
        """Parameters by which the caller gives a new row its id: `topicId` of `topics`."""
        return [
            each
            for each in method.asked
            if each.endswith("Id") and each[:-2] and each[:-2].lower() in self.path[-1].lower()
        ]

    def learn(self, known: Known, rows: Sequence[Any]) -> None:
        """Take the keys of rows, for this node's methods and those below it."""
        self.rows += [each for each in rows if isinstance(each, dict)][:5]
        for row in self.rows:
            link = str(row.get("selfLink", "")).partition("/projects/")[2]
            for name in (row.get("name"), link and f"projects/{link}"):
                if isinstance(name, str) and "/" in name and name not in known.names:
                    known.names.append(name)
        for method in self.some(_GETS | _CHANGES | _REMOVES):
            keys = self.keys(method)
            if keys and not method.parameters[method.key].get("pattern"):
                known.values.setdefault(method.key, keys[0])

    def learn_created(
        self, method: Method, known: Known, answer: Mapping[str, Any], ids: Mapping[str, str]
    ) -> None:
        """Take the key of a row that was created, also where an operation is answered."""
        row = answer.get("response", answer)
        if "targetLink" in row:
            row = {"name": row["targetLink"].rpartition("/")[2]}
        self.learn(known, [row])
        if ids and method.key:
            parent = known.value(method.key, method.parameters[method.key])
            known.names.append(f"{parent}/{self.path[-1]}/{next(iter(ids.values()))}")

    def keys(self, method: Method) -> list[str]:
        """What may be the key of the first row, likeliest first."""
        if not self.rows or not method.key:
            return []
        row = self.rows[0]
        fields = (method.key, self.path[-1].rstrip("s") + "Id", *_KEYS)
        texts = [str(row[each]) for each in fields if isinstance(row.get(each), str | int)]
        texts = [each.rpartition("/")[2] if "://" in each else each for each in texts]
        fits = re.compile(method.parameters[method.key].get("pattern", ".*")).fullmatch
        return list(dict.fromkeys(each for each in texts if fits(each)))


def nodes_of(document: Schema) -> list[Node]:
    """Every resource, those nearer to the root first."""

    def walk(holder: Schema, path: tuple[str, ...]) -> Iterator[Node]:
        if "methods" in holder:
            yield Node(document, path or ("",), holder["methods"])
        for name, each in holder.get("resources", {}).items():
            yield from walk(each, (*path, name))

    return sorted(walk(document, ()), key=lambda node: len(node.path))


def document_of(methods: Sequence[Mapping[str, Any]]) -> Schema:
    """Methods, as the control API lists them, as a document; it says nothing of bodies."""
    resources: dict[str, Any] = {}
    for each in methods:
        parameters = {
            one["name"]: {**one, "location": one["in"], "enum": one["enum"] or None}
            for one in each["parameters"]
        }
        _, *path, name = each["id"].split(".")
        resource = resources.setdefault(".".join(path), {"methods": {}})
        resource["methods"][name] = {
            "id": each["id"], "httpMethod": each["verb"], "parameters": parameters,
            "path": f"{each['host']}/{each['path']}",
        }  # fmt: skip
    return {"baseUrl": "https://", "schemas": {}, "resources": resources}


def rows_in(answer: Any) -> list[Any]:
    """The rows of a list: the first array of objects, or those of a map of such."""
    if not isinstance(answer, dict):
        return []
    for value in answer.values():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return value
    for value in answer.values():
        if isinstance(value, dict) and (found := [r for v in value.values() for r in rows_in(v)]):
            return found
    return []


def flow(document: Schema, project: str, *, dense: bool) -> Flow:
    """All requests to a document.

    Args:
        document: It.
        project: A project that the world holds.
        dense: Whether every parameter is sent with every value, or a few in turn.
    """
    known = Known(project)
    nodes = nodes_of(document)
    for node in nodes:
        yield from _make_rows(node, known, _ROWS_MADE if dense else 2)
    for number, node in enumerate(nodes):
        yield from _read_rows(node, known, number, dense=dense)
        yield from _change_rows(node, known, dense=dense)
        for name, method in node.others():
            body = method.body(1, whole=True, project=known.project)
            for each in (*method.bodies(), body):
                yield method.ask(known, each)
            for said, value in method.said():
                yield method.ask(known, body, {said: value})
            if dense:
                yield method.ask(known, {"nonsense": name} if method.request else None)
                yield method.ask(known, body, key="unknown-1")
    for node in reversed(nodes):
        for method in node.some(_REMOVES):
            if dense:
                yield method.ask(known, key="unknown-1")
                yield method.ask(known, etag='"stale"')
            yield method.ask(known)
            yield method.ask(known)
        for method in islice(node.lists(), None if dense else 1):
            yield method.ask(known)


def listings(document: Schema, project: str) -> Iterator[Ask]:
    """Every list of a document, as a client asks first."""
    known = Known(project)
    for node in nodes_of(document):
        for method in node.lists():
            yield method.ask(known)


def _make_rows(node: Node, known: Known, rows: int) -> Flow:
    for method in node.some(_CREATES):
        bodies = [(f"w{number}", body) for number, body in enumerate(method.bodies())]
        for number in (*range(1, rows + 1), 1):  # the last is there already
            body = method.body(number, whole=number == rows, project=known.project)
            bodies.append((str(number), body))
        for name, body in bodies:
            ids = {each: f"{each[:-2].lower()}-{name}" for each in node.own_ids(method)}
            answer = yield method.ask(known, body, ids)
            if answer.status < 300 and isinstance(answer.json, dict):
                node.learn_created(method, known, answer.json, ids)
    for method in node.lists():
        answer = yield method.ask(known)
        node.learn(known, rows_in(answer.json))


def _read_rows(node: Node, known: Known, number: int, *, dense: bool) -> Flow:
    for method in node.some(_GETS):
        for key in islice(node.keys(method), None if dense else 1):
            answer = yield method.ask(known, key=key)
            if answer.status == 200:
                if not method.parameters[method.key].get("pattern"):
                    known.values[method.key] = key
                break
        yield method.ask(known, key="unknown-1")
        if dense:
            yield method.ask(known, query={"fields": "name,id,etag"})
            yield method.ask(known, query={"fields": "nonsense("})
            yield method.ask(known, etag='"stale"')
            for name in method.asked:
                for value in islice(_values(node, name, method.parameters[name], dense), 2):
                    yield method.ask(known, query={name: value})
        for name, value in method.said():
            yield method.ask(known, query={name: value})
    for method in node.lists():
        yield from _list_rows(node, method, known, None if dense else number)


def _list_rows(node: Node, method: Method, known: Known, some: int | None) -> Flow:
    """A list by its parameters: by all values, or by a few that a number chooses."""
    sent = [
        (name, value)
        for name in method.asked
        for value in _values(node, name, method.parameters[name], some is None)
    ]
    if some is not None:  # in turn, so that all are sent to some method
        sent = [sent[(7 * some + 3 * each) % len(sent)] for each in range(min(3, len(sent)))]
    for name, value in dict.fromkeys((*method.said(), *sent)):
        yield method.ask(known, query={name: value})
    size = next((each for each in _SIZES if each in method.asked), "")
    if size:
        page = yield method.ask(known, query={size: 1})
        for _ in range(3 if some is None else 1):
            token = page.json.get("nextPageToken") if isinstance(page.json, dict) else None
            if not token or "pageToken" not in method.asked:
                break
            page = yield method.ask(known, query={size: 1, "pageToken": token})
    if some is None:
        yield method.ask(known, query={"unheardOf": "1"})
        yield method.ask(known, query={"fields": f"nextPageToken,{node.path[-1]}(name,id)"})


def _values(node: Node, name: str, parameter: Schema, dense: bool) -> Iterator[str]:
    row = node.rows[0] if node.rows else {}
    texts = [(each, value) for each, value in sorted(row.items()) if isinstance(value, str)][:4]
    if name in _SIZES:
        yield from ("2", "0", "-1", "abc", "100000")
    elif name == "pageToken":
        yield from ("nonsense", "MQ==")
    elif name in {"orderBy", "sortField"}:
        for each, _ in texts:
            yield from (each, f"{each} desc", f"{each},name")
        yield "nonsense desc"
    elif name in {"filter", "query", "q"}:
        for each, value in texts:
            word = value.rpartition("/")[2][:40]
            yield from (f'{each}="{value}"', f'{each} != "{value}"', f"{each}:{word}", word)
            yield f"{each} eq {word}"
            yield f'{each}="{value}" OR name:x*'
        yield from ("name:*", "((", 'nonsense="1"')
    elif values := parameter.get("enum"):
        yield from (*values[: 6 if dense else 2], "WRONG")
    elif parameter.get("type") == "boolean":
        yield from ("true", "false", "perhaps")
    else:
        if name in row and isinstance(row[name], str | int):
            yield str(row[name])
        yield _in_query(_scalar(name, parameter, 1))
        if parameter.get("type") in {"integer", "number"}:
            yield "abc"


def _change_rows(node: Node, known: Known, *, dense: bool) -> Flow:
    for method in node.some(_CHANGES):
        for each in method.bodies():
            yield method.ask(known, each)
        body = method.body(4, whole=False, project=known.project) or {}
        body = {each: value for each, value in body.items() if each not in {"id", "name"}}
        first = next(iter(body), "name")
        mask = {"updateMask": first} if "updateMask" in method.asked else {}
        yield method.ask(known, body, mask)
        yield method.ask(known, body, mask, key="unknown-1")
        if mask:
            yield method.ask(known, body, {"updateMask": "nonsense"})
        if dense:
            yield method.ask(known, method.body(5, whole=True, project=known.project))
            yield method.ask(known, body, mask, etag='"stale"')
            yield method.ask(known, {**body, "etag": '"stale"'}, mask)
            yield method.ask(known, {"nonsense": 1})
            yield method.ask(known, {first: {"nonsense": [1]}})
            yield method.ask(known, b"[1]")
            for each in node.some(_GETS)[:1]:
                answer = yield each.ask(known)
                row = answer.json if isinstance(answer.json, dict) else {}
                yield method.ask(known, body, mask, etag=str(row.get("etag", "")))
                yield method.ask(known, dict(sorted({**row, **body}.items())), mask)
