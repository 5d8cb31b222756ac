"""Answers `entries.list` and `logs.list`.

Source: Discovery document; Logging query language reference.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from heapq import merge
from itertools import groupby

from mockserver.apis.logging.parents import Source, known_parent, sources
from mockserver.apis.logging.query import Entry, Filter, compile_query, parse_query
from mockserver.apis.logging.state import (
    LOG_ENTRIES,
    in_session_time,
    matching,
    timeline,
)
from mockserver.googleapi import (
    Call,
    PageRule,
    forgives,
    invalid,
    page,
    page_of,
)
from mockserver.googleapi.profiles import OR_AND
from mockserver.model import JsonObject
from mockserver.state import Table, World

_MISMATCH = "page_token doesn't match arguments from the request"
_PAGES = PageRule(default=50, maximum=1000, mismatch=_MISMATCH)
_ORDERS = {"": False, "timestamp": False, "timestamp asc": False, "timestamp desc": True}


def list_entries(call: Call) -> JsonObject:
    """Entries that a filter holds for, in order of time; ties by insert id in either order.

    Raises:
        ApiError: 400 for the filter, the order, a negative page size or a token of another query;
            403 and 404 for what is read from.
    """
    body = call.body
    several = sources(call.world, asked_names(body))
    order = str(body.get("orderBy") or "")
    if " ".join(order.split()) not in _ORDERS:
        text = f"Invalid order '{order}': it must be 'timestamp asc' or 'timestamp desc'."
        raise invalid(text, location="orderBy")
    descending = _ORDERS[" ".join(order.split())]
    _, shift = call.world.unshifted(LOG_ENTRIES)
    asked = query_filter(call, str(body.get("filter") or ""), shift)
    found = find_entries(call.world, several, asked, descending=descending)
    entries, token = page_of(call, found, _PAGES)
    answer: JsonObject = {}
    if entries:
        answer["entries"] = in_session_time(call.world, entries)
    if token:
        answer["nextPageToken"] = token
    return answer


def asked_names(body: JsonObject) -> list[str]:
    """Resource names of a request, those of the old `projectIds` too."""
    projects = [f"projects/{each}" for each in body.get("projectIds") or ()]
    return [*(body.get("resourceNames") or ()), *projects]


def query_filter(call: Call, text: str, shift: timedelta) -> Filter:
    """The filter of a call.

    The lenient profile reads AND before OR, as most languages do; where that makes a difference it
    is journalled.

    Raises:
        ApiError: 400; not in the query language.
    """
    or_first = call.profile != "lenient"
    found = compile_query(text, shift, or_first=or_first)
    if not or_first and parse_query(text, or_first=False) != parse_query(text, or_first=True):
        forgives(call, OR_AND)
    return found


def find_entries(
    world: World, several: Sequence[Source], asked: Filter, *, descending: bool = False
) -> Iterator[Entry]:
    """Entries of all sources that a filter holds for, looked for as they are asked for."""
    found = [_of_source(world, source, asked, descending=descending) for source in several]
    if len(found) == 1:
        return iter(found[0])
    merged = merge(*found, key=_latest_first if descending else _earliest_first)
    # two views may show the same entry; equal entries are side by side
    return (next(same) for _, same in groupby(merged, key=lambda entry: entry.key))


def _of_source(world: World, source: Source, asked: Filter, *, descending: bool) -> Iterable[Entry]:
    span = timeline(world, source.parent).between(asked.start, asked.end, descending=descending)
    found = matching(asked, span)
    return found if source.test is None else filter(source.test, found)


def _earliest_first(entry: Entry) -> tuple[int, str]:
    return entry.ns, entry.row["insertId"]


def _latest_first(entry: Entry) -> tuple[int, str]:
    return -entry.ns, entry.row["insertId"]


def list_logs(call: Call) -> JsonObject:
    """Names of the logs that have entries, in order; a negative page size counts as none.

    Raises:
        ApiError: 400 for a token of another query, 403 and 404 for what is read from.
    """
    if int(call.params.get("pageSize") or 0) < 0:
        del call.params["pageSize"]
    names: set[str] = set()
    views = call.params.get("resourceNames") or ()
    parent = known_parent(call.world, "/".join(call.params["parent"].split("/")[:2]))
    names.update(call.world.table(LOG_ENTRIES).derived(_log_names).get(parent, ()))
    several = sources(call.world, views) if views else ()
    for source in several:
        entries = timeline(call.world, source.parent).entries
        names.update(
            entry.row["logName"] for entry in entries if source.test is None or source.test(entry)
        )
    shown, token = page(call, sorted(names), _PAGES)
    answer: JsonObject = {}
    if shown:
        answer["logNames"] = list(shown)
    if token:
        answer["nextPageToken"] = token
    return answer


def _log_names(table: Table) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in table.rows().values():
        name = row["logName"]
        found.setdefault(name.partition("/logs/")[0], set()).add(name)
    return {parent: frozenset(names) for parent, names in found.items()}
