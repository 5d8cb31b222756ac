"""Resources and allow policies of Cloud Asset Inventory, and the query language of its searches.

`field:text` finds text as words of the field, `field=text` the whole value, a trailing `*` the
beginning of a word, and a word alone looks into every field. Source: Discovery document.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from mockserver.collections import Store
from mockserver.googleapi import (
    IAM_POLICIES,
    ApiError,
    Call,
    Comparison,
    FilterError,
    Function,
    Leaf,
    PageRule,
    Text,
    bad_fields,
    filter_test,
    list_page,
    order_rows,
    values_at,
)
from mockserver.googleapi.filter_trees import ORDERS, has_phrase
from mockserver.model import Json, JsonObject
from mockserver.state import World, find_project, parse_rfc3339, project_names, project_of_bucket

Test = Callable[[JsonObject], bool]

_WORD = re.compile(r"[A-Za-z0-9_]+")
_ANY = "*"


def query_test(text: str) -> Test | None:
    """The test that a query puts to a row; None when there is no query.

    Raises:
        ApiError: 400; the query cannot be read.
    """
    return filter_test(text, _leaf_test, _bad_query) if text.strip() else None


def _bad_query(error: FilterError) -> ApiError:
    return bad_fields([("query", f"Invalid query: {error}.")])


def _leaf_test(leaf: Leaf) -> Test:
    wanted = "" if isinstance(leaf, Function) else leaf.text
    if not isinstance(leaf, Comparison):
        searched = isinstance(leaf, Text)
        return lambda row: searched and any(has_words(text, wanted) for text in texts(row))
    field, operator = leaf.field, leaf.operator
    if operator in {"<", "<=", ">", ">="}:
        return lambda row: any(
            _meets_order(each, operator, wanted) for each in values_at(row, field)
        )
    if wanted == _ANY:
        return lambda row: bool(values_at(row, field))

    def test(row: JsonObject) -> bool:
        found = [text for each in values_at(row, field) for text in texts(each)]
        if operator == "=":
            return any(text.casefold() == wanted.casefold() for text in found)
        return any(has_words(text, wanted) for text in found) is (operator != "!=")

    return test


def has_words(text: str, wanted: str) -> bool:
    """Whether the words of a query are words of a text, side by side; `*` ends a prefix.

    >>> has_words("us-west1-b", "us-west*"), has_words("important", "port")
    (True, False)
    """
    have, want = ([word.casefold() for word in _WORD.findall(each)] for each in (text, wanted))
    if not want:
        return wanted == _ANY
    return has_phrase(have, want, prefix=wanted.endswith(_ANY))


def texts(value: Json) -> Iterator[str]:
    """Every text in a value, keys of maps too.

    Yields:
        Each text.
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif value is not None:
        yield str(value)


def _meets_order(found: Json, operator: str, wanted: str) -> bool:
    try:
        return bool(ORDERS[operator](parse_rfc3339(str(found)), _parse_moment(wanted)))
    except (ValueError, OverflowError):
        return False


def _parse_moment(text: str) -> datetime:
    """A time as queries write it: seconds since 1970, a day, or a timestamp."""
    if text.isdecimal():
        return datetime.fromtimestamp(int(text), UTC)
    return parse_rfc3339(text if "T" in text else f"{text}T00:00:00Z")


_SCOPE = re.compile(r"^(projects|folders|organizations)/[^/]+$")
_ASSET_FIELDS = (
    "name", "assetType", "resource", "iamPolicy", "orgPolicy", "accessPolicy", "osInventory",
    "ancestors", "updateTime",
)  # fmt: skip
_RESULT_FIELDS = (
    "name", "assetType", "project", "folders", "organization", "displayName", "description",
    "location", "labels", "networkTags", "kmsKeys", "createTime", "updateTime", "state",
    "additionalAttributes", "parentFullResourceName", "parentAssetType", "tags",
)  # fmt: skip
_CONTENT_FIELDS = {
    "RESOURCE": "resource",
    "IAM_POLICY": "iamPolicy",
    "ORG_POLICY": "orgPolicy",
    "ACCESS_POLICY": "accessPolicy",
    "OS_INVENTORY": "osInventory",
}


def check_scope(call: Call, parameter: str) -> str:
    """The scope that a call names.

    Raises:
        ApiError: 400 when it is no project, folder or organization.
    """
    scope = str(call.params.get(parameter, ""))
    if not _SCOPE.match(scope):
        text = "It must be projects/ID, projects/NUMBER, folders/NUMBER or organizations/NUMBER."
        raise bad_fields([(parameter, text)])
    return scope


def is_in_scope(world: World, row: JsonObject, scope: str) -> bool:
    """Whether an asset or policy is in a scope."""
    names = set(project_names(world, scope))
    places = {row.get("organization"), *row.get("folders", ()), *row.get("ancestors", ())}
    return not names.isdisjoint({*places, *project_names(world, str(row.get("project", "")))})


def search_results(table: Store) -> tuple[JsonObject, ...]:
    """All assets as a search shows them."""
    return tuple(search_result(row) for row in table.rows().values())


def search_result(row: JsonObject) -> JsonObject:
    """An asset as `searchAllResources` shows it: its own fields, and fields found in its data.

    Source: Discovery document.
    """
    resource: JsonObject = row.get("resource", {})
    data: JsonObject = resource.get("data", {})
    places = row.get("ancestors", ())
    told: JsonObject = {
        "project": _first_with_prefix(places, "projects/"),
        "folders": [each for each in places if each.startswith("folders/")],
        "organization": _first_with_prefix(places, "organizations/"),
        "displayName": data.get("displayName")
        or data.get("name")
        or row["name"].rpartition("/")[2],
        "description": data.get("description"),
        "location": resource.get("location"),
        "labels": data.get("labels"),
        "createTime": data.get("createTime") or data.get("creationTimestamp"),
        "state": data.get("state") or data.get("status"),
        "parentFullResourceName": resource.get("parent"),
    }
    if isinstance(told["displayName"], str) and "/" in told["displayName"]:
        told["displayName"] = told["displayName"].rpartition("/")[2]
    found = {**{name: value for name, value in told.items() if _is_text(value)}, **row}
    return {name: found[name] for name in _RESULT_FIELDS if name in found}


def _is_text(value: Json) -> bool:
    """Whether a value can be shown: statuses of some resources are objects."""
    return bool(value) and isinstance(value, str | list | dict)


def _first_with_prefix(names: Sequence[str], prefix: str) -> str:
    return next((name for name in names if name.startswith(prefix)), "")


def asset_with_content(row: JsonObject, content: str) -> JsonObject:
    """An asset as `assets.list` shows it, with the content that is asked for.

    Raises:
        ApiError: 400 for a content type there is not.
    """
    if content not in {"", "CONTENT_TYPE_UNSPECIFIED", "RELATIONSHIP", *_CONTENT_FIELDS}:
        raise bad_fields([("content_type", f"Invalid content type '{content}'.")])
    wanted = _CONTENT_FIELDS.get(content)
    hidden = set(_CONTENT_FIELDS.values()) - {wanted}
    return {name: row[name] for name in _ASSET_FIELDS if name in row and name not in hidden}


def rows_of_types(rows: Sequence[JsonObject], types: Sequence[str]) -> Sequence[JsonObject]:
    """The rows of some asset types; a type may be a regular expression of RE2.

    Raises:
        ApiError: 400 for an expression that is none.
    """
    if not types:
        return rows
    tests = [_type_pattern(each) for each in types]
    return [row for row in rows if any(test.fullmatch(row.get("assetType", "")) for test in tests)]


def _type_pattern(text: str) -> re.Pattern[str]:
    import re2

    try:
        found: re.Pattern[str] = re2.compile(text)
    except re2.error as error:
        raise ApiError(400, f"Invalid asset type '{text[:200]}'.") from error
    return found


def project_of(world: World, name: str) -> str:
    """The project of a full resource name by number, `projects/42`, or an empty string."""
    _, found, rest = name.partition("/projects/")
    row = find_project(world, rest.partition("/")[0]) if found else None
    return str(row["name"]) if row else ""


_PAGES = PageRule(default=100, maximum=500)


def search_policies(call: Call) -> JsonObject:
    """Answers `searchAllIamPolicies`: policies with their bindings that meet the query.

    Raises:
        ApiError: 400 for a scope, query or type that cannot be.
    """
    scope = check_scope(call, "scope")
    test = query_test(str(call.params.get("query", "")))
    rows: list[JsonObject] = []
    for given in call.world.table(IAM_POLICIES).rows().values():
        row = _with_project(call.world, given)
        if not is_in_scope(call.world, row, scope):
            continue
        bindings = row["policy"].get("bindings", ())
        kept = [each for each in bindings if test is None or test(_binding_fields(row, each))]
        if kept:
            rows.append({**row, "policy": {**row["policy"], "bindings": kept}})
    found: Sequence[JsonObject] = rows_of_types(rows, call.params.get("assetTypes", ()))
    return list_page(call, "results", order_rows(call, found, "resource"), _PAGES)


def _with_project(world: World, row: JsonObject) -> JsonObject:
    """A policy with the project of its resource, where the snapshot does not tell it."""
    if "project" in row or "organization" in row or "folders" in row:
        return row
    resource = str(row["resource"])
    project = project_of(world, resource)
    if project:
        return {**row, "project": project}
    tail = resource.partition(".googleapis.com/")[2]
    bucket = project_of_bucket(world, tail) if resource.startswith("//storage.") else None
    if bucket is not None:
        return {**row, "project": str(bucket["name"])}
    kind = tail.partition("/")[0]
    if kind == "organizations":
        return {**row, "organization": tail}
    return {**row, "folders": [tail]} if kind == "folders" else row


def _binding_fields(row: JsonObject, binding: JsonObject) -> JsonObject:
    """What one binding can be found by."""
    members = binding.get("members", ())
    return {
        "resource": row["resource"],
        "project": row.get("project", ""),
        "policy": {"role": {"name": binding.get("role", "")}, "members": members},
        "roles": [binding.get("role", "")],
        "memberTypes": [str(member).partition(":")[0] for member in members],
    }
