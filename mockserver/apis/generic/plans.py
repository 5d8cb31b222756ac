"""What a Discovery method does, derived from its document alone: verb, path, names and schemas.

A resource is kept by the path it is read from (`files/1a`, `projects/p/secrets/s`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from sys import maxsize
from typing import Literal
from urllib.parse import urlsplit

from mockserver.googleapi import Document, Method, PageRule
from mockserver.model import Json, JsonMapping

_ALWAYS = re.compile(r"[Aa]lways,? [`*\"']?(\w+#\w+)")
_NOT_ITEMS = frozenset(
    {"unreachable", "warnings", "errors", "missingZones", "unreachableLocations"}
)


def schema_of(document: Document, name: str | None) -> JsonMapping:
    """A schema by name; an empty one for None and for a name there is not."""
    return document.schemas.get(name or "", {})


def properties(document: Document, name: str | None) -> Mapping[str, JsonMapping]:
    """The properties of a schema."""
    found: Mapping[str, JsonMapping] = schema_of(document, name).get("properties", {})
    return found


def kind_of(known: Mapping[str, JsonMapping]) -> str:
    """What `kind` always says in a schema with these properties; empty where nothing tells.

    >>> kind_of({"kind": {"description": "This is always `sql#usersList`."}})
    'sql#usersList'
    """
    spec = known.get("kind", {})
    found = _ALWAYS.search(str(spec.get("description", "")))
    return str(spec.get("default") or (found[1] if found else ""))


def is_operation(document: Document, name: str | None) -> bool:
    """Whether a schema is a long-running operation, in the newer or in an older form."""
    return is_new_operation(document, name) or is_old_operation(document, name)


def is_new_operation(document: Document, name: str | None) -> bool:
    """Whether a schema is `google.longrunning.Operation`."""
    return {"done", "response", "metadata"} <= properties(document, name).keys()


def is_old_operation(document: Document, name: str | None) -> bool:
    """Whether a schema is an operation as Compute Engine, Cloud SQL and others have it."""
    found = properties(document, name)
    if not (name or "").endswith("Operation") or "status" not in found:
        return False
    return bool({"targetLink", "targetId", "operationType", "startTime"} & found.keys())


def list_field(document: Document, response: str | None, collection: str) -> tuple[str, str]:
    """The field of a list's answer that holds the items, and their schema; empty for none.

    Args:
        document: The document.
        response: Name of the answer's schema.
        collection: The collection's name, which decides between several fields.
    """
    found = {
        name: str(spec["items"].get("$ref", ""))
        for name, spec in properties(document, response).items()
        if spec.get("type") == "array" and name not in _NOT_ITEMS and _is_object(spec["items"])
    }
    for name in (collection, "items"):
        if name in found:
            return name, found[name]
    if len(found) == 1 or "nextPageToken" in properties(document, response):
        return next(iter(found.items()), ("", ""))
    return "", ""


def _is_object(spec: JsonMapping) -> bool:
    return "$ref" in spec or "properties" in spec


def wrapping_field(document: Document, schema: str | None, item: str) -> str:
    """The property of a schema that is an item, or an empty string: `topic` of a request."""
    for name, spec in properties(document, schema).items():
        if spec.get("$ref") == item:
            return name
    return ""


def id_path(document: Document, item: str, parameter: str) -> tuple[str, ...]:
    """The path of fields that hold the id of a path parameter; empty where there is none.

    >>> from mockserver.googleapi import parse_document
    >>> raw = {"name": "a", "version": "v1", "rootUrl": "https://a.example.com/"}
    >>> item = {"properties": {"id": {"type": "string"}, "name": {"type": "string"}}}
    >>> document = parse_document({**raw, "schemas": {"File": item}})
    >>> id_path(document, "File", "fileId"), id_path(document, "File", "instance")
    (('id',), ('name',))
    """
    found = properties(document, item)
    for name, spec in found.items():
        if name.endswith("Reference") and parameter in properties(document, spec.get("$ref")):
            return (name, parameter)
    names = ["id", "name"] if parameter.casefold().endswith("id") else ["name", "id"]
    # the `address` of an address is no name of it
    own = () if parameter.casefold() == item.casefold() else (parameter,)
    for name in (*own, *names, parameter, parameter.removesuffix("Id")):
        if _is_plain(found.get(name, {})):
            return (name,)
    if _is_plain(properties(document, found.get("metadata", {}).get("$ref")).get("name", {})):
        return ("metadata", "name")
    return next(((name,) for name in _similar_fields(found, parameter)), ())


def _is_plain(spec: JsonMapping) -> bool:
    return spec.get("type") in {"string", "integer"}


def _similar_fields(found: Mapping[str, JsonMapping], parameter: str) -> Iterator[str]:
    """Fields with names similar to a parameter's: `ruleName` for `responsePolicyRule`.

    Yields:
        Their names, the likeliest first.
    """
    meant = parameter.casefold()
    plain = [name for name, spec in found.items() if _is_plain(spec)]
    yield from (name for name in plain if meant.endswith(name.casefold()) and len(name) > 2)
    stems = {meant, meant.removesuffix("key"), meant.removesuffix("id")}
    for end in ("Id", "Name"):
        own = [name for name in plain if name.endswith(end) and len(name) > len(end)]
        yield from (
            name
            for name in own
            if any(stem.endswith(name.removesuffix(end).casefold()) for stem in stems)
        )


_VERSION = re.compile(r"^(?:[\w.-]+/)*?v\d+\w*(?:/|$)")
_PLACEHOLDER = re.compile(r"\{(\+?)([\w.]+)\}")
_VERB = re.compile(r":[A-Za-z]\w*$")
ANY = "-"
"""Stands for a part of a path that a snapshot does not tell."""


def template_of(method: Method) -> str:
    """A method's path below its version, without a custom verb.

    The path `drive/v3/files/{fileId}` is the template `files/{fileId}`.
    """
    path = method.path.removeprefix(method.document.service_path)
    return _VERB.sub("", _VERSION.sub("", path, count=1))


def custom_verb(method: Method) -> str:
    """The verb after the colon of a path, or an empty string."""
    found = _VERB.search(method.path)
    return found.group()[1:] if found else ""


def placeholders(template: str) -> tuple[str, ...]:
    """The parameters of a template, in order.

    >>> placeholders("projects/{project}/zones/{+zone}")
    ('project', 'zone')
    """
    return tuple(hit[2] for hit in _PLACEHOLDER.finditer(template))


def uses_resource_names(template: str) -> bool:
    """Whether a template starts with a resource name, as those of the newer APIs do."""
    return template.startswith("{+")


def fill_template(template: str, params: Mapping[str, Json]) -> str:
    """A template with its parameters; a part that is not known is `-`.

    A slash inside a plain parameter stays within its segment.

    >>> fill_template("b/{bucket}/o/{object}", {"bucket": "a", "object": "x/y"})
    'b/a/o/x%2Fy'
    """

    def value(hit: re.Match[str]) -> str:
        text = str(params.get(hit[2], ANY))
        return text if hit[1] else quote_segment(text)

    return _PLACEHOLDER.sub(value, template)


def quote_segment(name: str) -> str:
    """A name as one segment of a path.

    >>> quote_segment("nginx/requests")
    'nginx%2Frequests'
    """
    return name.replace("/", "%2F")


def limit_segments(path: str, pattern: str) -> str:
    """A path of as many segments as its pattern has; slashes beyond them are of the last one.

    >>> limit_segments("projects/p/metrics/nginx/requests", "^projects/[^/]+/metrics/[^/]+$")
    'projects/p/metrics/nginx%2Frequests'
    """
    if not pattern.endswith("[^/]+$") or ".*" in pattern:
        return path
    count = pattern.replace("[^/]", "").count("/")
    *above, last = path.split("/", count)
    return "/".join([*above, quote_segment(last)])


def path_of_link(link: str) -> str:
    """The path below the version in a `selfLink`, or an empty string.

    >>> path_of_link("https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/i")
    'projects/p/zones/z/instances/i'
    """
    path = urlsplit(link).path.lstrip("/")
    found = _VERSION.match(path)
    return path[found.end() :] if found else ""


def may_equal(path: str, other: str) -> bool:
    """Whether two paths can be the same one, where `-` on either side is anything.

    At the beginning it is any parent, of however many segments.

    >>> may_equal("calendars/primary/events", "calendars/-/events")
    True
    >>> may_equal("projects/p/sinks", "-/sinks")
    True
    """
    if path == other:
        return True
    one, two = path.split("/"), other.split("/")
    if one[0] == ANY:
        two = two[max(0, len(two) - len(one)) :]
    elif two[0] == ANY:
        one = one[max(0, len(one) - len(two)) :]
    return len(one) == len(two) and all(
        left == right or ANY in {left, right} for left, right in zip(one, two, strict=True)
    )


Verb = Literal[
    "list", "get", "create", "patch", "update", "delete",
    "set", "start", "poll", "operations", "forget", "cancel",
    "get_policy", "set_policy", "permissions", "watch", "unwatch", "custom",
]  # fmt: skip

_STORED = frozenset({"list", "get", "create", "patch", "update", "delete"})
_CREATES = frozenset({"create", "insert", "add"})
_STANDARD = frozenset({"get", "delete", "patch", "update"})
_CHANGES = frozenset({"update", "patch"})
_POLICIES: dict[str, Verb] = {
    "getIamPolicy": "get_policy",
    "setIamPolicy": "set_policy",
    "testIamPermissions": "permissions",
}
_OPERATIONS: dict[str, Verb] = {"list": "operations", "delete": "forget", "cancel": "cancel"}
_GETTER = re.compile(r"^(?:get|update|patch)(?!(?:FromFamily|Namespaced|Rule)$)([A-Z]\w*)$")
_SETTER = re.compile(r"^set[A-Z]\w*$")
_CREATE_AS = re.compile(r"^create[a-z]+$")
_PART = re.compile(r"^(?:add|remove)[A-Z]\w*$")
ACTIONS: Mapping[str, tuple[str, ...]] = {
    "enable": ("ENABLED", "ACTIVE"),
    "disable": ("DISABLED", "INACTIVE"),
    "destroy": ("DESTROY_SCHEDULED", "DESTROYED"),
    "restore": ("DISABLED",),
    "undelete": ("ACTIVE",),
    "pause": ("PAUSED",),
    "resume": ("ENABLED", "ACTIVE", "RUNNING"),
    "start": ("RUNNING", "ACTIVE"),
    "stop": ("TERMINATED", "STOPPED"),
    "suspend": ("SUSPENDED",),
}
"""Methods that bring a resource into a state: the likeliest comes first."""
STATELESS = frozenset({"serviceusage.services.generateServiceIdentity"})
"""Methods that only answer an operation: nothing that they do can be read."""
_VERSIONED = {"addVersion": "versions"}
"""Methods that make a resource below the one that they are of."""
_DEPTHS = {"TagBinding": 3}
"""Schemas whose resources are named by several segments: a resource, `tagValues` and a value."""
_SIZES = ("pageSize", "maxResults", "max-results", "limit")
_SIZE, _LARGEST = 100, 1000


_ONE_WORLD = {"dns:v1beta2": "dns:v1", "sqladmin:v1beta4": "sqladmin:v1"}
"""Documents of older versions to the one whose resources they show, as recordings mix them."""


def shared_key(document_key: str) -> str:
    """The document whose tables hold the resources of a document: itself for most.

    >>> shared_key("dns:v1beta2"), shared_key("drive:v3")
    ('dns:v1', 'drive:v3')
    """
    return _ONE_WORLD.get(document_key, document_key)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What a method does with which collection.

    Attributes:
        method: The method.
        verb: What it does; `custom` is anything that conventions do not tell.
        template: Its path below the version.
        collection: The collection's name, `files`.
        table: The table that holds it, `drive:v3/files`.
        item: Name of the schema of its resources, or an empty string.
        list_key: Field of a list's answer with the items.
        ids: Path parameters that tell a resource from others of its parent, last ones of the path.
        id_fields: Where a resource says them.
        page: How a list pages.
        named: Whether resources are told by their full names.
    """

    method: Method
    verb: Verb
    template: str
    collection: str
    table: str
    item: str
    list_key: str
    ids: tuple[str, ...]
    id_fields: tuple[tuple[str, ...], ...]
    page: PageRule
    named: bool

    @property
    def document_key(self) -> str:
        """How a snapshot names its document, `drive:v3`."""
        return self.table.partition("/")[0]

    @property
    def is_standard(self) -> bool:
        """Whether it is a standard method of the resource that its id names."""
        own = self.method.id.rpartition(".")[0].rpartition(".")[2] == self.collection
        return own and self.verb in _STORED

    @property
    def is_single(self) -> bool:
        """Whether it is about something of which a parent always has one."""
        return (
            self.verb in {"get", "patch", "update"}
            and self.named
            and not self.template.endswith("}")
            and bool(_GETTER.match(self.method.id.rpartition(".")[2]))
        )

    @property
    def depth(self) -> int:
        """How many segments of a resource's path are below its collection."""
        return _DEPTHS.get(self.item, max(1, len(self.ids)))


@lru_cache(8192)
def plan_of(method: Method) -> Plan:
    """What a method does."""
    document = method.document
    resource, _, tail = method.id.rpartition(".")
    getter = _GETTER.match(tail)
    collection = resource.rpartition(".")[2]
    if getter and not custom_verb(method):
        collection = getter[1][0].lower() + getter[1][1:]
    template = template_of(method)
    by_resource = _methods_by_resource(document)
    siblings = by_resource[resource]
    if tail in _VERSIONED and f"{resource}.{_VERSIONED[tail]}" in by_resource:
        collection = _VERSIONED[tail]
        siblings = by_resource[f"{resource}.{collection}"]
        template = f"{template}/{collection}"
    item = _item_schema(method, siblings, collection)
    list_key, _ = list_field(document, method.response, collection)
    standard = [each for name, each in siblings.items() if name in _STANDARD]
    ids = _id_parameters(
        [template_of(each) for each in standard or [method] if not custom_verb(each)]
    )
    own_id = "id" if "name" in properties(document, item) else f"{singular(collection)}Id"
    if template.endswith("/{collectionId}"):
        tail = {f"create{item}": "create", f"list{item}s": "list"}.get(tail, tail)
    verb = _find_verb(method, tail, collection, template, listed=bool(list_key))
    if verb in _CHANGES and not _is_resource(document, method.request, item):
        verb = "set"
    if tail in ACTIONS and method.http_method == "POST" and _has_state(document, item):
        verb = "set"
    return Plan(
        method=method,
        verb=verb,
        template=template,
        collection=collection,
        table=f"{shared_key(f'{method.api}:{method.version}')}/{collection}",
        item=item,
        list_key=list_key if verb in {"list", "operations"} else "",
        ids=ids,
        id_fields=tuple(id_path(document, item, each) for each in ids or (own_id,)),
        page=_page_rule(method),
        named=uses_resource_names(template)
        or any(
            uses_resource_names(template_of(siblings[each]))
            for each in ("get", "delete")
            if each in siblings
        ),
    )


@lru_cache(4096)
def is_filled_by_callers(plan: Plan) -> bool:
    """Whether callers make the resources of a plan's collection, or what they are below."""
    every = _filled_by_callers(plan.method.document)
    above = placeholders(plan.template)
    whole = plan.template
    if plan.template.startswith("{+") and above:
        whole = plan.method.parameters[above[0]].pattern.strip("^$").replace("[^/]+", "{}")
    parts = whole.split("/")
    named = {one for one, after in pairwise(parts) if after.startswith("{")}
    return not every.isdisjoint({plan.collection, *named})


_MADE_BY_USE: Mapping[str, frozenset[str]] = {
    "alertcenter": frozenset({"alerts"}),
    "chat": frozenset({"spaceEvents", "items"}),
    "chromemanagement": frozenset({"events", "users", "profiles"}),
    "cloudidentity": frozenset({"userinvitations"}),
    "container": frozenset({"usableSubnetworks"}),
    "logging": frozenset({"recentQueries"}),
    "meet": frozenset({"conferenceRecords"}),
    "serviceusage": frozenset({"services"}),
}
"""Collections by the names of their documents that are empty until somebody uses the service."""


@lru_cache(256)
def _filled_by_callers(document: Document) -> frozenset[str]:
    every = (plan_of(method) for method in document.methods.values())
    made = frozenset(each.collection for each in every if each.verb == "create")
    return made | _MADE_BY_USE.get(document.name, frozenset())


def _is_resource(document: Document, request: str | None, item: str) -> bool:
    """Whether a request's body is a resource, or has it in a field."""
    return request in {None, item} or not item or bool(wrapping_field(document, request, item))


def _has_state(document: Document, item: str) -> bool:
    known = properties(document, item)
    return "disabled" in known or "enum" in known.get("state", {})


def singular(collection: str) -> str:
    """The name of one resource of a collection.

    >>> singular("secrets"), singular("policies"), singular("indexes"), singular("access")
    ('secret', 'policy', 'index', 'access')
    """
    if collection.endswith("ies"):
        return f"{collection[:-3]}y"
    if collection.endswith(("sses", "xes", "ches", "shes")):
        return collection[:-2]
    return collection if collection.endswith("ss") else collection.removesuffix("s")


@lru_cache(256)
def _methods_by_resource(document: Document) -> Mapping[str, dict[str, Method]]:
    """Resource to its methods by the last part of their ids."""
    found: dict[str, dict[str, Method]] = {}
    for name, method in document.methods.items():
        resource, _, tail = name.rpartition(".")
        found.setdefault(resource, {})[tail] = method
    return found


def _item_schema(method: Method, siblings: dict[str, Method], collection: str) -> str:
    """The schema of a collection's resources, as its standard methods tell it."""
    document = method.document
    tail = method.id.rpartition(".")[2]
    if _GETTER.match(tail) and method.response:
        return "" if is_operation(document, method.response) else method.response
    if "get" in siblings and siblings["get"].response:
        return siblings["get"].response
    if "list" in siblings:
        _, item = list_field(document, siblings["list"].response, collection)
        if item:
            return item
    for name in ("create", "insert", "patch", "update"):
        found = siblings[name].request if name in siblings else None
        if found and not found.endswith("Request"):
            return found
    answered = method.response or ""
    return "" if is_operation(document, answered) else answered


def _id_parameters(templates: list[str]) -> tuple[str, ...]:
    """The parameters at the end of the longest path of a resource's own."""
    best: tuple[str, ...] = ()
    for template in templates:
        found: list[str] = []
        # a name that begins a path tells the resource whole
        for segment in () if uses_resource_names(template) else reversed(template.split("/")):
            name = placeholders(segment)
            if len(name) != 1 or not segment.endswith("}"):
                break
            found.insert(0, name[0])
        if len(found) > len(best):
            best = tuple(found)
    return best


def _find_verb(method: Method, tail: str, collection: str, template: str, *, listed: bool) -> Verb:
    if method.id in STATELESS:
        return "start"
    if method.request == "Channel":
        return "watch" if method.response else "unwatch"
    if tail in _POLICIES:
        return _POLICIES[tail]
    if is_operation(method.document, method.response) and (
        tail == "wait" or (tail == "get" and collection.casefold().endswith("operations"))
    ):
        return "poll"
    if collection.casefold().endswith("operations") and tail in _OPERATIONS:
        return _OPERATIONS[tail]
    if method.http_method == "GET":
        return _reading_verb(
            method, tail, template, listed=listed, custom=bool(custom_verb(method))
        )
    return _custom_verb(method, tail, template) or _writing_verb(method, tail, template)


def _custom_verb(method: Method, tail: str, template: str) -> Verb | None:
    """What the name of a method says beside the standard ones; `custom` for what nobody knows."""
    is_part = template.endswith(f"/{tail}") and _PART.match(tail)
    is_post = method.http_method == "POST"
    if tail in _VERSIONED or (is_post and custom_verb(method) and _CREATE_AS.match(tail)):
        return "create"
    if is_post and tail.startswith("delete") and template.endswith("}"):
        return "delete"
    if is_post and "}" in template and (is_part or _SETTER.match(tail)):
        return "set"
    return "custom" if custom_verb(method) else None


def _reading_verb(method: Method, tail: str, template: str, *, listed: bool, custom: bool) -> Verb:
    if listed and (tail == "list" or (custom and tail == "search")):
        return "list"
    if custom or (listed and "nextPageToken" in properties(method.document, method.response)):
        return "custom"
    if tail == "get" or (uses_resource_names(template) and _GETTER.match(tail)):
        return "get"
    return "custom"


def _writing_verb(method: Method, tail: str, template: str) -> Verb:
    verb = method.http_method
    if tail in _CREATES and verb in {"POST", "PUT"}:
        return "create"
    if verb == "DELETE" and (template.endswith("}") or tail == "delete"):
        return "delete"
    if tail in _CHANGES or (uses_resource_names(template) and _GETTER.match(tail)):
        return "patch" if verb == "PATCH" else "update" if verb == "PUT" else "custom"
    return "custom"


def _page_rule(method: Method) -> PageRule:
    size = next((name for name in _SIZES if name in method.parameters), "pageSize")
    if "pageToken" not in method.parameters:
        return PageRule(default=maxsize, maximum=maxsize, size=size, token="")
    given = method.parameters.get(size)
    default = given.default if given and given.default else ""
    largest = given.maximum if given and given.maximum else _LARGEST
    usual = int(default) if default.isdecimal() else _SIZE
    return PageRule(default=min(usual or _SIZE, largest), maximum=max(largest, 1), size=size)


def body_field(plan: Plan) -> str:
    """The field of a request's body that holds the resource; empty when the body is one."""
    method = plan.method
    if method.request is None or method.request == plan.item:
        return ""
    return wrapping_field(method.document, method.request, plan.item)
