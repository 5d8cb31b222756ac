"""What was there before a recording began, as its reads tell: what was read and not made in it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit
from zlib import crc32

from mockserver.apis import generic
from mockserver.apis.generic.answered_rows import Row, rows_of
from mockserver.capture.snapshots import SnapshotMaker
from mockserver.collections.places import place_of, value_at, with_value
from mockserver.declared.catalog import DeclaredRoute
from mockserver.googleapi import Api
from mockserver.messages import read_json, read_json_object
from mockserver.model import Cassette, Interaction, Json, JsonObject
from mockserver.routing import Routes

READS = frozenset({"GET", "HEAD"})
"""Methods that change nothing."""
_GOOGLE = (".googleapis.com", ".google.com")
_NAMING = ("id", "name")
"""How parameters end that name what a write makes."""
_MADE_BY_BODY = ("id", "name", "selflink", "target", "targetlink", "number", "email")
"""How members of a write's body and answer end that name what it makes."""
_CONTAINER = re.compile(r"\b(projects|folders|organizations)/([A-Za-z0-9_:.-]{2,63})")
_NUMBERED = re.compile(r"\bprojects/(\d{6,})")
_V1 = {"projectId": "projectId", "lifecycleState": "state", "name": "displayName",
       "createTime": "createTime", "labels": "labels"}  # fmt: skip


class Found(NamedTuple):
    """What was there.

    Attributes:
        layer: Of emulated APIs, as an override has it.
        rows: Of every other Google API, and the projects and folders that all of it is in.
    """

    layer: JsonObject
    rows: Sequence[Row]


class Seeds:
    """Finds what was there before a recording began.

    Args:
        apis: The emulated APIs.
        routes: What requests mean.
    """

    def __init__(self, apis: Sequence[Api], routes: Routes) -> None:
        self._routes = routes
        self._emulated = frozenset(name for api in apis for name in api.handlers)
        self._captured = frozenset(name for api in apis for name in api.captures())
        self._imported = frozenset(name for api in apis for name in api.reads)
        self._maker = SnapshotMaker(apis, routes.catalog)

    def find(self, interactions: Sequence[Interaction]) -> Found:
        """What the reads of a recording tell that nothing in it made before."""
        made: dict[str, int] = {}
        known: set[str] = set()
        begun = ""
        emulated: list[Interaction] = []
        rows: list[Row] = []
        served: dict[str, set[str]] = {}
        for number, each in enumerate(interactions):
            request, response = each.request, each.response
            url = urlsplit(request.url)
            route = self._routes.find(
                url.netloc.encode("latin-1", "replace"),
                request.method,
                url.path.encode("latin-1", "replace"),
            )
            if route.method is not None and route.method_id not in self._emulated:
                plan = generic.plan_of(route.method)
                served.setdefault(plan.document_key, set()).add(plan.collection)
            if request.method not in READS:
                begun = request.method
                if response.status < 400 and (request.method != "PUT" or url.path not in known):
                    made = dict.fromkeys(_made_by(each), number) | made
                continue
            if response.status >= 300 or not response.body:
                if response.status == 404:  # what is there later was made meanwhile
                    made.setdefault(last_part(url.path), number)
                continue
            answer = read_json_object(response.body)
            made_by_operation = answer.get("response") if answer.get("done") is True else None
            if begun == "POST" and isinstance(made_by_operation, dict):
                made.setdefault(last_part(str(made_by_operation.get("name", ""))), number)
            if route.declared is not None:
                rows += (row for row in declared_rows(route.declared, read_json(response.body)[0])
                         if last_part(row[1]) not in made)  # fmt: skip
            if route.method is None or url.path in known:
                continue
            known.add(url.path)
            if route.method_id not in self._captured and (
                generic.plan_of(route.method).table not in self._imported
            ):
                answered = rows_of(route.method, route.captures, answer, url.query)
                found = [*answered, *self._linked_rows(answer)]
                rows += (row for row in found if last_part(row[1]) not in made)
            elif last_part(url.path) not in made:
                emulated.append(each)
        layer = self._maker.make(Cassette("", tuple(emulated))).raw if emulated else {}
        around = self._around(interactions, made)
        return Found(layer, [*_served(served), *_containers(interactions, made), *rows, *around])

    def _linked_rows(self, answer: JsonObject) -> Iterator[Row]:
        """The rows of a list over several places, which tell their tables by their links.

        Yields:
            Each row with its table and key.
        """
        places = answer.get("items")
        for place in places.values() if isinstance(places, dict) else ():
            for several in place.values() if isinstance(place, dict) else ():
                for row in several if isinstance(several, list) else ():
                    url = urlsplit(str(row.get("selfLink", "")) if isinstance(row, dict) else "")
                    host, path = (part.encode("latin-1", "replace") for part in url[1:3])
                    route = self._routes.find(host, "GET", path)
                    if route.method is not None:
                        yield from rows_of(route.method, route.captures, row, "")

    def _around(
        self, interactions: Sequence[Interaction], made: Mapping[str, int]
    ) -> Iterator[Row]:
        """The rows around those of a declared API that a recording asked for, and did not make.

        Yields:
            Each row with its table and key.
        """
        for each in interactions:
            url = urlsplit(each.request.url)
            host, path = (part.encode("latin-1", "replace") for part in (url.netloc, url.path))
            route = self._routes.find(host, each.request.method, path)
            if route.declared is not None and each.response.status < 300:
                for row in _rows_around(route.declared):
                    if last_part(row[1]) not in made:
                        yield row


def _served(collections: Mapping[str, set[str]]) -> Iterator[Row]:
    """What the world of a recording holds: all collections that it asks about, if only empty ones.

    Yields:
        A row for each document.
    """
    for key, names in collections.items():
        yield generic.SERVED_DOCUMENTS, key, {"collections": sorted(names)}


def _made_by(write: Interaction) -> Iterator[str]:
    """The names that a write may have made: what it says beside the path that it is below.

    Yields:
        Each name; some of them are no names.
    """
    url = urlsplit(write.request.url)
    path = unquote(url.path)
    if write.request.method not in {"POST", "PUT"}:
        return
    around = set(re.split(r"[/:]", path if ":" in path else path.rpartition("/")[0]))
    texts = [value for name, value in parse_qsl(url.query) if name.lower().endswith(_NAMING)]
    if write.request.method == "PUT" and write.response.status == 201:
        texts.append(path)
    for body in (write.request.body, write.response.body):
        texts += _names(read_json(body)[0])
    for text in texts:
        name = last_part(text)
        if name and name not in around:
            yield name


def _names(value: Json) -> Iterator[str]:
    """What the members of a body that name something say; parents are there before.

    Yields:
        Each text.
    """
    if isinstance(value, list):
        for each in value:
            yield from _names(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, str | int) and name.lower().endswith(_MADE_BY_BODY):
                yield str(each)
            elif name != "parent":
                yield from _names(each)


def declared_rows(route: DeclaredRoute, answer: Json) -> Iterator[Row]:
    """The rows that a read of a declared API answers.

    Yields:
        Each row with its table and key.
    """
    operation = route.operation
    if operation is None or operation.kind not in {"get", "list"}:
        return
    found = route.api.rows[operation.collection]
    parents = [place_of(each.field) for each in found.collection.parents]
    captures = route.captures if operation.kind == "list" else route.captures[:-1]
    for row in _rows_in(answer, found.declared.key, is_list=operation.kind == "list"):
        for field, above in zip(parents, captures, strict=False):
            if value_at(row, field) is None:
                row = with_value(row, field, above)
        with suppress(LookupError, TypeError, ValueError):
            yield found.table, found.collection.key_of(row), row


def _rows_around(route: DeclaredRoute) -> Iterator[Row]:
    """The rows that a path of a declared API names around what it is about: they were there.

    Yields:
        Each with its table and key, outermost first; nothing is known of it but its keys.
    """
    operation = route.operation
    if operation is None or operation.collection not in route.api.rows:
        return
    above: JsonObject = {}
    parents = route.api.rows[operation.collection].collection.parents
    for parent, name in zip(parents, route.captures, strict=False):
        if parent.collection in route.api.rows:
            outer = route.api.rows[parent.collection]
            key = int(name) if outer.collection.key_is_number and name.isdecimal() else name
            row = with_value(above, outer.collection.key_place, key)
            with suppress(LookupError, TypeError, ValueError):
                yield outer.table, outer.collection.key_of(row), row
        above = with_value(above, place_of(parent.field), name)


def _rows_in(answer: Json, key: str, *, is_list: bool) -> Iterator[JsonObject]:
    """The rows of an answer: itself or its items, or those of a member of its envelope.

    Yields:
        Those that have a key.
    """
    inside = list(answer.values()) if isinstance(answer, dict) else []
    for each in [answer, *inside]:
        rows = each if is_list and isinstance(each, list) else [] if is_list else [each]
        found = [row for row in rows
                 if isinstance(row, dict) and value_at(row, place_of(key)) is not None]  # fmt: skip
        yield from found
        if found:
            return


def _containers(interactions: Sequence[Interaction], made: Mapping[str, int]) -> Iterator[Row]:
    """The projects, folders and organizations of Google that requests name and nothing made.

    Yields:
        Each as a row of Resource Manager.
    """
    told: dict[str, JsonObject] = {}
    named: dict[tuple[str, str], int] = {}
    number = ""
    for place, each in enumerate(interactions):
        url = urlsplit(each.request.url)
        if not (url.hostname or "").endswith(_GOOGLE) or each.response.status >= 400:
            continue
        for found in (
            *_CONTAINER.findall(unquote(url.path)),
            *_CONTAINER.findall(each.request.body.decode("utf-8", "ignore")),
            *_parent(read_json_object(each.request.body).get("parent")),
        ):
            named.setdefault(found, place)
        answer = read_json_object(each.response.body)
        listed = answer.get("projects")
        for one in (answer, *(listed if isinstance(listed, list) else ())):
            if isinstance(one, dict) and {"projectNumber", "projectId"} <= one.keys():
                told.setdefault(str(one["projectId"]), one)
                named.setdefault(("projects", str(one["projectId"])), place)
        if not number and (hit := _NUMBERED.search(each.response.body.decode("utf-8", "ignore"))):
            number = hit[1]
    numbers = {str(each["projectNumber"]) for each in told.values()}
    for (kind, part), first in named.items():
        name = part.partition(":")[0]
        if made.get(name, first + 1) <= first:
            continue
        if name in numbers or (kind == "projects" and name == number):
            continue
        if kind != "projects":
            row: JsonObject = {"name": f"{kind}/{name}", "displayName": name, "state": "ACTIVE"}
            yield kind, f"{kind}/{name}", row
            continue
        known = told.get(name, {})
        own = str(known.get("projectNumber") or number or 10**11 + crc32(name.encode()))
        number = "" if own == number else number
        yield kind, f"{kind}/{own}", _project(name, own, known)


def _parent(parent: Json) -> Iterator[tuple[str, str]]:
    """The parent of a project as version 1 of Resource Manager names it.

    Yields:
        Its collection and id, where it is one.
    """
    if isinstance(parent, dict) and {"type", "id"} <= parent.keys():
        yield f"{parent['type']}s", str(parent["id"])


def _project(name: str, number: str, v1: Mapping[str, Json]) -> JsonObject:
    row: JsonObject = {"name": f"projects/{number}", "projectId": name, "state": "ACTIVE"}
    row |= {own: v1[old] for old, own in _V1.items() if old in v1}
    for parent in _parent(v1.get("parent")):
        row["parent"] = "/".join(parent)
    return row


def polls_of(interactions: Sequence[Interaction]) -> Mapping[int, int]:
    """How long operations took: how often each that a write began was read before it was done.

    Returns:
        For the place of each write that begins an operation, the number of reads until it is done.
    """
    found: dict[int, int] = {}
    begun: int | None = None
    for place, each in enumerate(interactions):
        answer = read_json_object(each.response.body) if each.response.status < 400 else {}
        if each.request.method not in READS:
            begun = None
            if _is_operation(answer):
                found[place] = int(_is_pending(answer))
                begun = place if found[place] else None
        elif begun is not None and _is_operation(answer):
            if _is_pending(answer):
                found[begun] += 1
            else:
                begun = None
    return found


def _is_operation(answer: JsonObject) -> bool:
    kind = str(answer.get("kind", ""))
    name = str(answer.get("name", ""))
    return (
        answer.get("done") is True
        or "operationType" in answer
        or kind.endswith("#operation")
        or "operations/" in name
    )


def _is_pending(answer: JsonObject) -> bool:
    if "status" in answer and "done" not in answer:
        return answer["status"] in {"PENDING", "RUNNING"}
    return not answer.get("done") and not {"response", "error"} & answer.keys()


def last_part(path: str) -> str:
    """The name at the end of a path, without what is done with it.

    >>> last_part("v1/projects/shop%2Dprod:getIamPolicy")
    'shop-prod'
    """
    return unquote(path).rpartition("/")[2].partition(":")[0]
