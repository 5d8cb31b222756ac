"""What a Discovery method does, told from its document alone: verb, path, names and schemas."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from mockserver.apis.generic.paths import (
    custom_verb,
    is_named,
    placeholders,
    template_of,
)
from mockserver.apis.generic.shapes import id_path, is_operation, list_field, properties, wrapped
from mockserver.googleapi import Document, Method, PageRule

Verb = Literal[
    "list", "get", "create", "patch", "update", "delete",
    "poll", "operations", "forget", "cancel", "get_policy", "set_policy", "permissions", "custom",
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
_GETTER = re.compile(r"^(?:get|update|patch)([A-Z]\w*)$")
_SIZES = ("pageSize", "maxResults", "limit")
_SIZE, _LARGEST = 100, 1000


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
        page: How a list pages; None when it does not.
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
    page: PageRule | None
    named: bool

    @property
    def is_standard(self) -> bool:
        """Whether it is a standard method of the resource that its id names."""
        own = self.method.id.rpartition(".")[0].rpartition(".")[2] == self.collection
        return own and self.verb in _STORED

    @property
    def depth(self) -> int:
        """How many segments of a resource's path are below its collection."""
        return max(1, len(self.ids))


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
    siblings = _resources(document)[resource]
    item = _item(method, siblings, collection)
    list_key, _ = list_field(document, method.response, collection)
    standard = [each for name, each in siblings.items() if name in _STANDARD]
    ids = _ids([template_of(each) for each in standard or [method] if not custom_verb(each)])
    own_id = "id" if "name" in properties(document, item) else f"{singular(collection)}Id"
    if template.endswith("/{collectionId}"):
        tail = {f"create{item}": "create", f"list{item}s": "list"}.get(tail, tail)
    verb = _verb(method, tail, collection, template, listed=bool(list_key))
    return Plan(
        method=method,
        verb=verb,
        template=template,
        collection=collection,
        table=f"{method.api}:{method.version}/{collection}",
        item=item,
        list_key=list_key if verb in {"list", "operations"} else "",
        ids=ids,
        id_fields=tuple(id_path(document, item, each) for each in ids or (own_id,)),
        page=_page(method),
        named=is_named(template) or ("get" in siblings and is_named(template_of(siblings["get"]))),
    )


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
def _resources(document: Document) -> Mapping[str, dict[str, Method]]:
    """Resource to its methods by the last part of their ids."""
    found: dict[str, dict[str, Method]] = {}
    for name, method in document.methods.items():
        resource, _, tail = name.rpartition(".")
        found.setdefault(resource, {})[tail] = method
    return found


def _item(method: Method, siblings: dict[str, Method], collection: str) -> str:
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


def _ids(templates: list[str]) -> tuple[str, ...]:
    """The parameters at the end of the longest path of a resource's own."""
    best: tuple[str, ...] = ()
    for template in templates:
        found: list[str] = []
        # a name that begins a path tells the resource whole
        for segment in () if is_named(template) else reversed(template.split("/")):
            name = placeholders(segment)
            if len(name) != 1 or not segment.endswith("}"):
                break
            found.insert(0, name[0])
        if len(found) > len(best):
            best = tuple(found)
    return best


def _verb(method: Method, tail: str, collection: str, template: str, *, listed: bool) -> Verb:
    if tail in _POLICIES:
        return _POLICIES[tail]
    if is_operation(method.document, method.response) and (
        tail == "wait" or (tail == "get" and collection.casefold().endswith("operations"))
    ):
        return "poll"
    if collection.casefold().endswith("operations") and tail in _OPERATIONS:
        return _OPERATIONS[tail]
    custom = custom_verb(method)
    if method.http_method == "GET":
        return _reading(method, tail, template, listed=listed, custom=bool(custom))
    return "custom" if custom else _writing(method, tail, template)


def _reading(method: Method, tail: str, template: str, *, listed: bool, custom: bool) -> Verb:
    if listed and (tail == "list" or (custom and tail == "search")):
        return "list"
    if custom or (listed and "nextPageToken" in properties(method.document, method.response)):
        return "custom"
    if tail == "get" or (is_named(template) and template.endswith("}") and _GETTER.match(tail)):
        return "get"
    return "custom"


def _writing(method: Method, tail: str, template: str) -> Verb:
    verb = method.http_method
    if tail in _CREATES and verb in {"POST", "PUT"}:
        return "create"
    if verb == "DELETE" and (template.endswith("}") or tail == "delete"):
        return "delete"
    if tail in _CHANGES or (is_named(template) and template.endswith("}") and _GETTER.match(tail)):
        return "patch" if verb == "PATCH" else "update" if verb == "PUT" else "custom"
    return "custom"


def _page(method: Method) -> PageRule | None:
    if "pageToken" not in method.parameters:
        return None
    size = next((name for name in _SIZES if name in method.parameters), "pageSize")
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
    return wrapped(method.document, method.request, plan.item)
