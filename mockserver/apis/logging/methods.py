"""Methods of Cloud Logging: entries listed and tailed, logs, and monitored resource types.

Source: Discovery document; Logging query language reference; the list of monitored resources.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from heapq import merge
from itertools import groupby
from typing import cast

import orjson

from mockserver.apis.logging.collections import LOG_ENTRIES
from mockserver.apis.logging.query.compiler import Entry, EntryFilter, compile_query
from mockserver.apis.logging.query.language import parse_query
from mockserver.apis.logging.query.values import duration_ns
from mockserver.apis.logging.state import (
    BY_LOG,
    QuerySource,
    delete_log,
    entries_of,
    entries_since,
    in_session_time,
    known_parent,
    latest_number,
    matching_entries,
    parent_of_log,
    sources,
    write_entries,
)
from mockserver.collections import text_range
from mockserver.collections.query import is_explaining
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    forgives,
    invalid,
    list_answer,
    list_page,
    page,
)
from mockserver.googleapi.profiles import OR_AND
from mockserver.model import JsonObject
from mockserver.state import PROJECTS, World

DESCRIPTORS = "monitoredResourceDescriptors"
_DESCRIPTOR_PAGES = PageRule(default=1000, maximum=1000)

_K8S_LABELS = ("project_id", "location", "cluster_name")
_RESOURCE_TYPES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "audited_resource": ("Audited Resource", ("project_id", "service", "method")),
    "cloud_function": ("Cloud Function", ("project_id", "function_name", "region")),
    "cloud_run_job": ("Cloud Run Job", ("project_id", "job_name", "location")),
    "cloud_run_revision": (
        "Cloud Run Revision",
        ("project_id", "service_name", "revision_name", "location", "configuration_name"),
    ),
    "cloudsql_database": ("Cloud SQL Database", ("project_id", "database_id", "region")),
    "dataflow_step": ("Dataflow Step", ("project_id", "job_id", "step_id", "job_name", "region")),
    "gae_app": ("GAE Application", ("project_id", "module_id", "version_id", "zone")),
    "gce_instance": ("VM Instance", ("project_id", "instance_id", "zone")),
    "gcs_bucket": ("GCS Bucket", ("project_id", "bucket_name", "location")),
    "generic_node": ("Generic Node", ("project_id", "location", "namespace", "node_id")),
    "generic_task": ("Generic Task", ("project_id", "location", "namespace", "job", "task_id")),
    "global": ("Global", ("project_id",)),
    "http_load_balancer": (
        "Cloud HTTP Load Balancer",
        ("project_id", "forwarding_rule_name", "url_map_name", "target_proxy_name", "zone"),
    ),
    "k8s_cluster": ("Kubernetes Cluster", _K8S_LABELS),
    "k8s_container": (
        "Kubernetes Container",
        (*_K8S_LABELS, "namespace_name", "pod_name", "container_name"),
    ),
    "k8s_node": ("Kubernetes Node", (*_K8S_LABELS, "node_name")),
    "k8s_pod": ("Kubernetes Pod", (*_K8S_LABELS, "namespace_name", "pod_name")),
    "project": ("Project", ("project_id",)),
    "pubsub_subscription": ("Pub/Sub Subscription", ("project_id", "subscription_id")),
    "pubsub_topic": ("Pub/Sub Topic", ("project_id", "topic_id")),
    "service_account": ("Service Account", ("project_id", "email_id", "unique_id")),
}


def list_descriptors(call: Call) -> JsonObject:
    """Answers `monitoredResourceDescriptors.list`, by type and without names.

    Raises:
        ApiError: 400 for a negative page size or a token of another query.
    """
    given = call.world.table(DESCRIPTORS).rows().values()
    by_type = {str(row.get("type", "")): row for row in given} or _BUILT_IN
    rows = [by_type[kind] for kind in sorted(by_type)]

    def show(row: JsonObject) -> JsonObject:
        return {key: each for key, each in row.items() if key != "name"}

    return list_page(call, "resourceDescriptors", rows, _DESCRIPTOR_PAGES, show)


def _descriptor(kind: str) -> JsonObject:
    title, labels = _RESOURCE_TYPES[kind]
    return {
        "type": kind,
        "displayName": title,
        "description": f"{title}, as log entries name it.",
        "labels": [{"key": label, "description": label.replace("_", " ")} for label in labels],
    }


_BUILT_IN = {kind: _descriptor(kind) for kind in _RESOURCE_TYPES}


_LONGEST_WINDOW_NS = 60 * 10**9
_WINDOW_NS = 2 * 10**9


def tail_entries(call: Call) -> Iterator[JsonObject]:
    """Batches of the entries that are written after this call, oldest first within a batch.

    Each step answers at once with what is new since the last one, `{}` when nothing is; whoever
    streams it waits `buffer_window_s` between steps. It never ends by itself.

    Raises:
        ApiError: 400, 403 or 404, before the first batch, as `entries.list` does; 400 for a buffer
            window that is not between 0 and 60 seconds.
    """
    buffer_window_s(call)
    several = sources(call.world, resource_names(call.body))
    asked = query_filter(call, str(call.body.get("filter") or ""), timedelta(0))
    return _new_batches(call.world, several, asked)


def buffer_window_s(call: Call) -> float:
    """How long entries are gathered before they are sent, in seconds; two by default.

    Raises:
        ApiError: 400; not a duration between 0 and 60 seconds.
    """
    text = str(call.body.get("bufferWindow") or "")
    try:
        found = duration_ns(text) if text else _WINDOW_NS
    except ValueError:
        found = -1
    if not 0 <= found <= _LONGEST_WINDOW_NS:
        raise invalid(f"Invalid buffer window: '{text}'.", location="bufferWindow")
    return found / 10**9


def _new_batches(
    world: World, several: tuple[QuerySource, ...], entry_filter: EntryFilter
) -> Iterator[JsonObject]:
    seen = latest_number(world)
    while True:
        # what a session gains it has written, so its table is in session time
        seen, gained = entries_since(world, seen)
        entries = [entry.row for entry in gained if _is_wanted(entry, several, entry_filter)]
        yield {"entries": entries} if entries else {}


def _is_wanted(entry: Entry, several: Sequence[QuerySource], asked: EntryFilter) -> bool:
    parent = parent_of_log(entry.row["logName"])
    is_seen = any(
        each.parent == parent and (each.test is None or each.test(entry)) for each in several
    )
    return is_seen and asked.start <= entry.ns < asked.end and (asked.always or asked.holds(entry))


_MISMATCH = "page_token doesn't match arguments from the request"
_PAGES = PageRule(default=50, maximum=1000, mismatch=_MISMATCH)
_ORDERS = {"": False, "timestamp": False, "timestamp asc": False, "timestamp desc": True}


def list_entries(call: Call) -> JsonObject:
    """Entries that a filter holds for, in order of time; ties by insert id in either order.

    Raises:
        ApiError: 400 for the filter, the order, a negative page size or a token of another query;
            403 and 404 for what is read from.
    """
    # what is forgiven is told each time
    known = None if call.profile == "lenient" or is_explaining() else _known_list(call)
    if known is not None:
        return known
    return _list_entries(call, sources(call.world, resource_names(call.body)))


def _known_list(call: Call) -> JsonObject | None:
    """The answer of a list, for all sessions that share entries and projects, until a write.

    None for a list that reads a view, which shows what other tables say.
    """
    stored, shift = call.world.stored_table(LOG_ENTRIES)
    projects = call.world.table(PROJECTS).derived(_version)

    def build() -> JsonObject | None:
        several = sources(call.world, resource_names(call.body))
        is_view = any(each.test for each in several)
        return None if is_view else _list_entries(call, several)

    asked = orjson.dumps((call.params, call.body))
    return stored.remembered(("entries.list", asked, shift, call.profile, projects), build)


def _version(table: object) -> object:
    """What a table has until it is changed."""
    return object()


def _list_entries(call: Call, several: Sequence[QuerySource]) -> JsonObject:
    body = call.body
    order = str(body.get("orderBy") or "")
    if " ".join(order.split()) not in _ORDERS:
        text = f"Invalid order '{order}': it must be 'timestamp asc' or 'timestamp desc'."
        raise invalid(text, location="orderBy")
    descending = _ORDERS[" ".join(order.split())]
    _, shift = call.world.stored_table(LOG_ENTRIES)
    asked = query_filter(call, str(body.get("filter") or ""), shift)
    found = find_entries(call.world, several, asked, descending=descending)
    entries, token = page(call, found, _PAGES)
    return list_answer("entries", in_session_time(call.world, entries), token)


def resource_names(body: JsonObject) -> list[str]:
    """Resource names of a request, those of the old `projectIds` too."""
    projects = [f"projects/{each}" for each in body.get("projectIds") or ()]
    return [*(body.get("resourceNames") or ()), *projects]


def query_filter(call: Call, text: str, shift: timedelta) -> EntryFilter:
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
    world: World,
    several: Sequence[QuerySource],
    entry_filter: EntryFilter,
    *,
    descending: bool = False,
) -> Iterator[Entry]:
    """Entries of all sources that a filter holds for, looked for as they are asked for."""
    found = [
        _entries_of_source(world, source, entry_filter, descending=descending) for source in several
    ]
    if len(found) == 1:
        return iter(found[0])
    sign = -1 if descending else 1
    merged = merge(*found, key=lambda entry: (sign * entry.ns, entry.row["insertId"]))
    # two views may show the same entry; equal entries are side by side
    return (next(same) for _, same in groupby(merged, key=lambda entry: entry.key))


def _entries_of_source(
    world: World, source: QuerySource, entry_filter: EntryFilter, *, descending: bool
) -> Iterable[Entry]:
    stored, _ = world.stored_table(LOG_ENTRIES)
    span = entries_of(
        stored, source.parent, entry_filter.start, entry_filter.end, descending=descending
    )
    found = matching_entries(entry_filter, span)
    return found if source.test is None else filter(source.test, found)


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
    names.update(call.world.table(LOG_ENTRIES).values(BY_LOG, *text_range(f"{parent}/logs/")))
    several = sources(call.world, views) if views else ()
    for source in several:
        entries = entries_of(call.world.stored_table(LOG_ENTRIES)[0], source.parent)
        names.update(
            entry.row["logName"] for entry in entries if source.test is None or source.test(entry)
        )
    return list_page(call, "logNames", sorted(names), _PAGES)


_OWNERS = ("", "projects.", "folders.", "organizations.", "billingAccounts.")
_BUCKET_OWNERS = ("projects.", "folders.", "organizations.", "billingAccounts.")

HANDLERS: Mapping[str, Handler] = {
    "logging.entries.list": list_entries,
    "logging.entries.write": write_entries,
    "logging.entries.tail": cast("Handler", tail_entries),
    "logging.monitoredResourceDescriptors.list": list_descriptors,
    **{f"logging.{owner}logs.list": list_logs for owner in _OWNERS},
    **{f"logging.{owner}logs.delete": delete_log for owner in _OWNERS},
    **{f"logging.{owner}locations.buckets.views.logs.list": list_logs for owner in _BUCKET_OWNERS},
}
