"""What was there before a recording began, as its reads tell: what was read and not made in it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import orjson

from mockserver.apis import generic
from mockserver.apis.generic.plans import fill_template
from mockserver.capture.snapshots import SnapshotMaker
from mockserver.collections.places import value_at
from mockserver.googleapi import Api
from mockserver.model import Cassette, Interaction, Json, JsonObject
from mockserver.routing import Route, Routes

_READS = frozenset({"GET", "HEAD"})
_WORDS = re.compile(r"[\w.~-]+")


class Found(NamedTuple):
    """What was there.

    Attributes:
        layer: Of emulated APIs, as an override has it.
        rows: Of every other Google API: table, key, resource.
    """

    layer: JsonObject
    rows: Sequence[tuple[str, str, JsonObject]]


class Seeds:
    """Finds what was there before a recording began.

    Args:
        apis: The emulated APIs.
        routes: What requests mean.
    """

    def __init__(self, apis: Sequence[Api], routes: Routes) -> None:
        self._routes = routes
        self._emulated = frozenset(name for api in apis for name in api.handlers)
        self._maker = SnapshotMaker(apis, routes.catalog)

    def find(self, interactions: Sequence[Interaction]) -> Found:
        """What the reads of a recording tell that nothing in it made before."""
        written: set[str] = set()
        known: set[str] = set()
        emulated: list[Interaction] = []
        rows: list[tuple[str, str, JsonObject]] = []
        for each in interactions:
            request, response = each.request, each.response
            url = urlsplit(request.url)
            if request.method not in _READS:
                if response.status < 400:
                    written.update(_WORDS.findall(unquote(url.path + "?" + url.query)))
                    written.update(_WORDS.findall(request.body.decode("utf-8", "ignore")))
                    written.update(_WORDS.findall(response.body.decode("utf-8", "ignore")))
                continue
            if response.status >= 300 or not response.body:
                if response.status == 404:  # what is there later was made meanwhile
                    written.update(_WORDS.findall(unquote(url.path).rpartition("/")[2]))
                continue
            route = self._routes.find(url.netloc.encode("latin-1", "replace"), "GET",
                                      url.path.encode("latin-1", "replace"))  # fmt: skip
            if route.method is None or url.path in known:
                continue
            known.add(url.path)
            answer = _object(response.body)
            if route.method_id in self._emulated:
                if _last(url.path) not in written:
                    emulated.append(each)
            else:
                rows += (row for row in _rows(route, answer) if _last(row[1]) not in written)
        layer = self._maker.make(Cassette("", tuple(emulated))).raw if emulated else {}
        return Found(layer, rows)


def _rows(route: Route, answer: JsonObject) -> Iterator[tuple[str, str, JsonObject]]:
    assert route.method is not None  # noqa: S101  (only routes with one are asked about)
    plan = generic.plan_of(route.method)
    path = fill_template(plan.template, route.captures)
    if plan.verb == "get" and answer:
        yield plan.table, path, answer
    elif plan.verb == "list":
        items = answer.get(plan.list_key)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                key = _key(plan, path, item)
                if key:
                    yield plan.table, key, item


def _key(plan: generic.Plan, path: str, item: JsonObject) -> str:
    name = item.get("name")
    if plan.named and isinstance(name, str) and "/" in name:
        return name
    parts = [value_at(item, place) or item.get("id") or name for place in plan.id_fields if place]
    if not parts or not all(isinstance(each, str | int) for each in parts):
        return ""
    return "/".join([path, *(str(each).replace("/", "%2F") for each in parts)])


def _last(path: str) -> str:
    found = _WORDS.findall(unquote(path).rpartition("/")[2])
    return found[0] if found else ""


def _object(body: bytes) -> JsonObject:
    try:
        found: Json = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
