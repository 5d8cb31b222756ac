"""Rows of collections as reads of the live service answered them: their tables, their keys."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl

from mockserver.apis.generic.methods import full_name_of_policy
from mockserver.apis.generic.plans import Plan, fill_template, list_field, path_of_link, plan_of
from mockserver.apis.generic.snapshot import find_collection
from mockserver.collections.places import value_at
from mockserver.googleapi import IAM_POLICIES, Method
from mockserver.googleapi.iam import full_name_of_resource
from mockserver.model import JsonObject

Row = tuple[str, str, JsonObject]
"""A table, a key there and the row."""

_OF_THE_CALLER = frozenset({"me", "my_customer"})
"""Names in paths that mean whoever asks, and tell of nobody."""
_FILTERS = frozenset({"q", "query", "filter"})
_EQUAL = re.compile(r"""(\w+) ?= ?["']([^"']*)["']""")


def is_read(method: Method) -> bool:
    """Whether a method's answers hold resources of a collection."""
    return plan_of(method).verb in {"get", "list"} or bool(_further_list(plan_of(method)))


def collection_of(method: Method) -> tuple[str, str]:
    """The document and the collection that a method is about, as `resources` name them."""
    plan = plan_of(method)
    return plan.document_key, plan.collection


def _further_list(plan: Plan) -> str:
    """The field with the resources in answers of another list than the usual (`listForProduct`).

    A list of something else tells none: the nodes of `nodeGroups.listNodes` are no groups.
    """
    method = plan.method
    if plan.verb != "custom" or not method.id.rpartition(".")[2].startswith("list"):
        return ""
    field, item = list_field(method.document, method.response, plan.collection)
    return field if item == plan.item else ""


def with_path(method: Method, captures: Mapping[str, str], row: JsonObject) -> JsonObject:
    """A row with the parameters of its path that only the path tells."""
    plan = plan_of(method)
    meaning = find_collection(plan.document_key, plan.collection)
    if meaning is None or "selfLink" in row or "/" in str(row.get("name", "")):
        return row
    above = {name: value for name, value in captures.items()
             if name in meaning.path_parameters and name not in plan.ids
             and value not in _OF_THE_CALLER}  # fmt: skip
    return {**above, **row}


def rows_of(
    method: Method, captures: Mapping[str, str], answer: JsonObject, query: str
) -> Iterator[Row]:
    """The rows that a read of a Google API answers.

    Yields:
        Each row with its table and key.
    """
    plan = plan_of(method)
    path = fill_template(plan.template, captures)
    if plan.verb == "get" and answer:
        yield plan.table, path, answer
    elif plan.verb == "get_policy" and answer.get("bindings"):
        name = full_name_of_resource(full_name_of_policy(plan, captures))
        yield IAM_POLICIES, name, {"resource": name, "policy": answer}
    elif plan.verb == "custom" and (path := path_of_link(str(answer.get("selfLink", "")))):
        # another name of it: the newest of a family, whatever its family is called today
        own = {name: captures[name] for name in ("family",) if name in captures}
        yield plan.table, path, {**answer, **own}
    elif listed := plan.list_key if plan.verb == "list" else _further_list(plan):
        items = answer.get(listed)
        asked = [value for name, value in parse_qsl(query) if name in _FILTERS]
        implied = dict(_EQUAL.findall(asked[0])) if asked and " or " not in asked[0] else {}
        for item in items if isinstance(items, list) else ():
            key = _key(plan, path, item) if isinstance(item, dict) else ""
            if key:
                yield plan.table, key, {**implied, **item}


def _key(plan: Plan, path: str, item: JsonObject) -> str:
    name = item.get("name")
    if plan.named and isinstance(name, str) and "/" in name:
        return name
    parts = [value_at(item, place) or item.get("id") or name for place in plan.id_fields if place]
    if not parts or not all(isinstance(each, str | int) for each in parts):
        return ""
    return "/".join([path, *(str(each).replace("/", "%2F") for each in parts)])
