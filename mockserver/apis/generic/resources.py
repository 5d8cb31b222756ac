"""The resources of a collection as its document describes them: found, named, made and answered.

A resource is kept by the path it is read from; what its parent is a snapshot need not tell.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from typing_extensions import override

from mockserver.apis.generic.collections import SERVED_DOCUMENTS
from mockserver.apis.generic.method_rules import Prefix, rules_of
from mockserver.apis.generic.plans import (
    ANY,
    Plan,
    body_field,
    custom_verb,
    fill_template,
    is_filled_by_callers,
    kind_of,
    limit_segments,
    may_equal,
    path_of_link,
    placeholders,
    properties,
)
from mockserver.apis.generic.selection import arrange_rows, list_query
from mockserver.apis.generic.synthesis import not_served
from mockserver.apis.generic.writes import (
    CREATE_TIMES,
    UPDATE_TIMES,
    answer_write,
    link_to,
    made_fields,
    media_fields,
    name_resource,
    time_fields,
    with_identity,
)
from mockserver.collections import LAST, Entry, Index, Store
from mockserver.collections.places import value_at, with_value
from mockserver.collections.selections import Selection
from mockserver.googleapi import (
    ApiError,
    Call,
    Resource,
    Verb,
    by_parent,
    etag,
    parent_of,
    precondition,
)
from mockserver.googleapi.collections import Found, visible_row
from mockserver.googleapi.facts import known_facts
from mockserver.googleapi.list_rules import ListCall, Order
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import World, customer_id, is_customer, project_names

_FIRST_CHILDREN: Mapping[str, tuple[str, str, str, Mapping[str, str]]] = {
    "cloudkms.projects.locations.keyRings.cryptoKeys.create": (
        "cryptoKeyVersions/1", "CryptoKeyVersion", "primary", {},
    ),
    "container.projects.locations.clusters.create": (
        "nodePools/default-pool", "NodePool", "nodePools",
        {"nodeConfig": "config", "initialNodeCount": "initialNodeCount",
         "networkConfig.subnetwork": "networkConfig.subnetwork"},
    ),
}  # fmt: skip
"""What a create makes below its resource, too: its path and schema, the field of the resource that
tells it, or several, and what it takes of the resource where that says nothing."""
_NODE_POOLS = {
    f"container:{version}/clusters": f"container:{version}/nodePools"
    for version in ("v1", "v1beta1")
}
"""Clusters to the table of their node pools, which are in them, too."""
_INSIDE: Mapping[str, tuple[str, ...]] = {
    "dns:v1/managedZones": ("changes", "resourceRecordSets"),
    "run:v2/executions": ("tasks",),
    "run:v2/jobs": ("executions", "tasks"),
    "run:v2/services": ("revisions",),
    "sqladmin:v1/instances": ("backupRuns", "databases", "users"),
    **dict.fromkeys(_NODE_POOLS, ("nodePools",)),
}
"""Collections to those of their document whose resources go with theirs."""
_WITH_ACCESS = frozenset({"storage:v1/buckets", "storage:v1/objects"})
_ACCESS = frozenset({"acl", "defaultObjectAcl", "owner"})
_SHARED_ROOT = "https://www.googleapis.com/"
"""What links of lists begin with, as recordings of Compute Engine say."""
_NAMES = ("id", "name")
_KEPT = ("id", "etag", "selfLink", "kind", "uid", "createTime", "creationTimestamp")


@lru_cache(8192)
def resource_of(plan: Plan) -> "PathResource":
    """The collection of a plan, as its document describes it."""
    document = plan.method.document
    known = properties(document, plan.item)
    answer = properties(document, plan.method.response)
    own = [place[0] for place in plan.id_fields if place]
    return PathResource(
        plan=plan,
        collection=plan.table,
        pattern="",
        list_key=plan.list_key,
        kind=kind_of(answer),
        total="totalSize" if "totalSize" in answer else "",
        page=plan.page,
        body_field=body_field(plan),
        created=time_fields(known, CREATE_TIMES),
        updated=time_fields(known, UPDATE_TIMES),
        identity=(*_KEPT, *own, *(["name"] if plan.named else ())),
        show=_without_payload
        if plan.collection == "versions"
        else _with_node_pools
        if plan.table in _NODE_POOLS
        else _without_access
        if plan.table in _WITH_ACCESS
        else None,
        inside=tuple(f"{plan.document_key}/{each}" for each in _INSIDE.get(plan.table, ())),
        has_links={"id", "selfLink"} <= answer.keys(),
        has_etags=known.get("etag", {}).get("type") == "string",
        has_base64_etags=known.get("etag", {}).get("format") == "byte",
    )


def _without_payload(_: Call, row: JsonObject) -> JsonObject:
    """What is read of a version: what was put into it is accessed by a method of its own."""
    return {name: value for name, value in row.items() if name != "payload"}


def _without_access(call: Call, row: JsonObject) -> JsonObject:
    """A bucket or object of Storage: who may use it is told to who asks for all."""
    if call.params.get("projection") == "full" or not _ACCESS.intersection(row):
        return row
    return {name: value for name, value in row.items() if name not in _ACCESS}


def _with_node_pools(call: Call, row: JsonObject) -> JsonObject:
    """A cluster with its node pools; what it says of its nodes is what the first one says."""
    name = str(row.get("selfLink") or row["name"])
    path = (path_of_link(name) or name).replace("/zones/", "/locations/")
    table = call.world.table(_NODE_POOLS[f"container:{call.version}/clusters"])
    several = [
        table.rows()[key]
        for each in project_names(call.world, path)
        for key in table.find(by_parent(1), (f"{each}/nodePools",)).row_keys()
    ]
    if not several:
        return row
    first = {"nodeConfig": several[0]["config"]} if "config" in several[0] else {}
    return {**row, "nodePools": several, **first}


@dataclass(frozen=True, kw_only=True)
class PathResource(Resource):
    """A collection of resources that are told by their paths.

    Attributes:
        plan: What the document tells.
        has_links: Whether the answer of a list tells its own path and link.
        has_etags: Whether a write gives a resource an etag.
        has_base64_etags: Whether that is bytes, as the document says, and not a quoted text.
    """

    plan: Plan
    has_links: bool
    has_etags: bool
    has_base64_etags: bool

    @property
    @override
    def depth(self) -> int:
        return self.plan.depth

    @override
    def name_in(self, call: Call) -> str:
        """The path of the resource that a call means; some APIs name it outside of their paths."""
        plan = self.plan
        path = fill_template(plan.template, call.params)
        names = placeholders(plan.template)
        if plan.is_single:
            return path
        if plan.verb == "set" and not (plan.template.endswith("}") or custom_verb(plan.method)):
            return path.rpartition("/")[0]
        if plan.template == f"{{+{names[0] if names else ''}}}":
            return limit_segments(path, plan.method.parameters[names[0]].pattern)
        if plan.template.endswith("}") or plan.method.id.endswith(".get"):
            return path
        sent = {**call.body, **call.params}
        ident = sent.get("id") or sent.get("name")
        return f"{path}/{ident}" if ident else path

    @override
    def path_in(self, call: Call) -> str:
        plan = self.plan
        path = fill_template(plan.template, with_own_customer(plan, call))
        is_row = plan.template.endswith("}") or custom_verb(plan.method)
        return path if is_row else path.rpartition("/")[0]

    @override
    def find(self, world: World, name: str) -> Found | None:
        table, names = world.table(self.collection), project_names(world, name)
        for each in names:
            row = table.get(each)
            if row is not None:
                return each, row
        several = (self._find_under(table, each) for each in names)
        return next((each for each in several if each is not None), None)

    def _find_under(self, table: Store, name: str) -> Found | None:
        """The key and the row of a path that is no key, or None.

        A parent that the snapshot did not tell is any parent, and an API that knows its resources
        by name and by number finds them by both.
        """
        parent, last = parent_of(name, self.depth), "/".join(name.split("/")[-self.depth :])
        found = self._parents_of(table, last, parent)
        if found:
            # of several parents that may be meant it is the one whose rows came first
            first = min(found, key=lambda each: self._first_entry(table, each)[1])
            key = table.first(_by_name(self.depth), (last, first)) or ""
            return key, table.rows()[key]
        if last == ANY and (several := self._known_parents(table, parent)):
            key = self._first_entry(table, several[0])[2]
            return key, table.rows()[key]
        # the one row of something of which a session has but one (`about`)
        is_single = not self.plan.ids and not self.plan.named and len(table) == 1
        if is_single and name.endswith(self.plan.collection):
            return next(iter(table.rows().items()))
        return None

    def _parents_of(self, table: Store, last: str, parent: str) -> list[str]:
        """The parents that may be the one that is meant and have a row that is called so."""
        is_open = ANY in parent.split("/")
        index = _by_name(self.depth, only_open=not is_open)
        found = [each for _, each in table.values(index, (last,), (last, LAST))]
        if not is_open and table.first(_by_name(self.depth), (last, parent)) is not None:
            found.append(parent)
        return [each for each in found if may_equal(parent, each)]

    def _first_entry(self, table: Store, parent: str) -> Entry:
        """The entry of the first row of a parent that has rows."""
        return table.find(by_parent(self.depth), (parent,)).entries(0, 1)[0]

    @override
    def missing_error(self, call: Call, name: str) -> ApiError:
        if not is_served(self.plan, call.world):
            return not_served(self.plan, call)
        error = super().missing_error(call, name)
        return known_facts(call.world, self.plan.method.api).worded(
            error, self.plan.verb, self.plan.item, call, name
        )

    @override
    def parents(self, call: Call, table: Store) -> Sequence[str]:
        named = project_names(call.world, fill_template(self.plan.template, call.params))
        found = [each for name in named for each in self._known_parents(table, name)]
        if not found and not is_served(self.plan, call.world):
            raise not_served(self.plan, call)
        return found

    def _known_parents(self, table: Store, parent: str) -> Sequence[str]:
        """The parents that may be the one that is meant, in the order of their first rows."""
        every, deep = by_parent(self.depth), ANY in parent.split("/")
        known = {each for (each,) in table.values(every if deep else _open(self.depth))}
        found = [each for each in {*known, parent} if may_equal(parent, each)]
        firsts = {each: table.find(every, (each,)) for each in found}
        filled = {each: rows.entries(0, 1)[0][1] for each, rows in firsts.items() if rows}
        return sorted(filled, key=filled.__getitem__)

    @override
    def query(self, asked: ListCall) -> tuple[Sequence[Selection], Order]:
        return list_query(self.plan, asked)

    @override
    def arrange(self, call: Call, rows: Sequence[JsonObject]) -> Sequence[JsonObject]:
        return arrange_rows(self.plan, call, rows)

    @override
    def list_head(self, call: Call) -> JsonObject:
        head = super().list_head(call)
        if not self.has_links:
            return head
        path, document = fill_template(self.plan.template, call.params), self.plan.method.document
        link = link_to(self.plan, path).replace(document.root_url, _SHARED_ROOT)
        return {**head, "id": path, "selfLink": link}

    @override
    def list_answer(
        self, call: Call, rows: Sequence[JsonObject], several: Sequence[JsonObject], token: str
    ) -> JsonObject:
        items = [row for row in several if not isinstance(row, Prefix)]
        answer = super().list_answer(call, rows, items, token)
        if not items and rules_of(self.plan.method).keeps_empty:
            answer[self.list_key] = ()
        prefixes = [row["name"] for row in several if isinstance(row, Prefix)]
        return {**answer, "prefixes": prefixes} if prefixes else answer

    @override
    def new_name(self, call: Call, given: JsonObject) -> tuple[str, JsonObject]:
        name, given = name_resource(self.plan, call, given)
        row = self.with_facts(call, name, given)
        return name, {**row, "payload": given["payload"]} if self.keeps_payload(given) else row

    def keeps_payload(self, given: JsonObject) -> bool:
        """Whether a new row is a version with something in it, which is accessed by itself."""
        return self.plan.collection == "versions" and "payload" in given

    @override
    def with_facts(self, call: Call, name: str, row: JsonObject) -> JsonObject:
        """A row with what its service is known to add to it, as far as its document has it."""
        facts = known_facts(call.world, self.plan.method.api)
        found = facts.complete(self.plan.item, call, name, row)
        known = properties(self.plan.method.document, self.plan.item).keys() | row.keys()
        return {field: value for field, value in found.items() if field in known}

    @override
    def named_row(self, name: str, given: JsonObject) -> JsonObject:
        return with_identity(self.plan, name, given)

    @override
    def completed_row(self, call: Call, row: JsonObject) -> JsonObject:
        return made_fields(self.plan, call, row)

    @override
    def changed_row(self, call: Call, before: JsonObject, after: JsonObject) -> JsonObject:
        after = {**after, **media_fields(self.plan, call)}
        count = str(before.get("metageneration", ""))
        if count.isdecimal():
            after["metageneration"] = str(int(count) + 1)
        kept = {name: each for name, each in after.items() if before.get(name) == each}
        fingerprints = [name for name in kept if name.lower().endswith("fingerprint")]
        asked = {name: each for name, each in after.items() if name not in fingerprints}
        return {
            **self.with_facts(call, self.name_in(call), asked),
            **{name: each for name, each in kept.items() if name not in fingerprints},
        }

    @override
    def write_answer(
        self, call: Call, verb: Verb, name: str, row: JsonObject | None
    ) -> JsonObject | None:
        plan = self.plan
        if verb == "create" and plan.method.id in _FIRST_CHILDREN and row is not None:
            self._put_first_children(call, name, row)
        seen = row and visible_row(self, call, row)
        return answer_write(plan, call, name, seen, gone=verb == "delete")

    def _put_first_children(self, call: Call, name: str, row: JsonObject) -> None:
        """Keep what comes along with a new resource, such as a key's first version."""
        end, item, field, taken = _FIRST_CHILDREN[self.plan.method.id]
        collection, ident = end.split("/")
        told = row.get(field) or {}
        for each in told if isinstance(told, list) else [told]:
            path = f"{name}/{collection}/{each.get('name', ident).rpartition('/')[2]}"
            own: JsonObject = {}
            for by, to in taken.items():
                found = value_at(row, tuple(by.split(".")))
                if found is not None:
                    own = with_value(own, tuple(to.split(".")), found)
            own["name"] = path if field == "primary" else path.rpartition("/")[2]
            facts = known_facts(call.world, self.plan.method.api)
            child = facts.complete(item, call, path, {**own, **each})
            call.world.put(f"{self.plan.document_key}/{collection}", path, child)

    @override
    def with_etag(self, row: JsonObject) -> JsonObject:
        return {**row, "etag": self._etag(row)} if self.has_etags else row

    @override
    def check_etag(self, row: JsonObject, tag: str) -> None:
        if tag and tag not in {row.get("etag", tag), self._etag(row)}:
            raise precondition("Precondition Failed")

    def _etag(self, row: JsonObject) -> str:
        tag = etag(row)
        return tag[1:17] if self.has_base64_etags else tag


_CUSTOMERS = frozenset({"customer", "customerId"})


def with_own_customer(plan: Plan, call: Call) -> JsonMapping:
    """The parameters of a call, with the session's customer for `my_customer` in its path."""
    own = {
        name: customer_id(call.world)
        for name in _CUSTOMERS.intersection(placeholders(plan.template))
        if is_customer(call.world, str(call.params.get(name)))
    }
    return {**call.params, **own}


def holds_nothing(plan: Plan, world: World) -> bool:
    """Whether a session holds nothing of a plan's document: neither given nor written."""
    key = plan.document_key
    if key in world.table(SERVED_DOCUMENTS):
        return False
    return not any(name.startswith(f"{key}/") for name in world.names())


def is_served(plan: Plan, world: World) -> bool:
    """Whether a session can tell which resources of a plan there are.

    What callers make is not there before they do; what a service has by itself (zones, types of
    machines) only what the session holds of its document tells.
    """
    return is_filled_by_callers(plan) or not holds_nothing(plan, world)


@cache
def _open(depth: int) -> Index:
    """Rows whose parents may be several, by those parents."""

    def parents(key: str, _: JsonObject) -> Iterable[tuple[str]]:
        parent = parent_of(key, depth)
        return ((parent,),) if ANY in parent.split("/") else ()

    return Index(parents)


@cache
def _by_name(depth: int, *, only_open: bool = False) -> Index:
    """Rows by what the end of a path may call them, and by their parents.

    They are called by their ids and names, and by the ends of their keys.

    Args:
        depth: How many segments of a key are below its parent.
        only_open: Whether only those are meant whose parents may be several.
    """

    def names(key: str, row: JsonObject) -> Iterable[tuple[str, str]]:
        parts, parent = key.split("/"), parent_of(key, depth)
        if only_open and ANY not in parent.split("/"):
            return ()
        ends = ["/".join(parts[-size:]) for size in range(1, min(depth + 1, len(parts)))]
        called = dict.fromkeys([*(str(row[name]) for name in _NAMES if name in row), *ends])
        return ((each, parent) for each in called)

    return Index(names)
