"""Locations of the newer APIs: those that a session's resources are in, and `global`."""

from collections.abc import Iterable
from functools import partial

from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.errors import not_found
from mockserver.googleapi.paging import PageRule, page
from mockserver.googleapi.rowfilters import filter_of
from mockserver.model import JsonObject
from mockserver.state import project_names

_PAGES = PageRule(default=100, maximum=1000)
_GLOBAL = "global"


def list_locations(collections: Iterable[str]) -> Handler:
    """Answers `locations.list` of an API that keeps its resources in these collections."""
    return partial(_list, tuple(collections))


def get_location(collections: Iterable[str]) -> Handler:
    """Answers `locations.get` of an API that keeps its resources in these collections."""
    return partial(_get, tuple(collections))


def _list(collections: tuple[str, ...], call: Call) -> JsonObject:
    parent = str(call.params["name"])
    rows = [_location(parent, place) for place in _places(collections, call, parent)]
    test = filter_of(call)
    found, token = page(call, [row for row in rows if test is None or test(row)], _PAGES)
    answer: JsonObject = {"locations": list(found)} if found else {}
    return {**answer, **({"nextPageToken": token} if token else {})}


def _get(collections: tuple[str, ...], call: Call) -> JsonObject:
    name = str(call.params["name"])
    parent, _, place = name.rpartition("/locations/")
    if place not in _places(collections, call, parent):
        raise not_found(asked=name)
    return _location(parent, place)


def _places(collections: tuple[str, ...], call: Call, parent: str) -> list[str]:
    found = {_GLOBAL}
    for prefix in (f"{each}/locations/" for each in project_names(call.world, parent)):
        for collection in collections:
            for name in call.world.table(collection).rows():
                if name.startswith(prefix):
                    found.add(name.removeprefix(prefix).partition("/")[0])
    return sorted(found)


def _location(parent: str, place: str) -> JsonObject:
    return {"name": f"{parent}/locations/{place}", "locationId": place}
