"""Methods of Cloud Asset Inventory, over its resources and allow policies.

In the language of searches, `field:text` finds text as words of the field, `field=text` the whole
value, a trailing `*` the beginning of a word, and a word alone looks into every field. Source:
Discovery document.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from mockserver.apis.cloudasset import ASSETS, HISTORY
from mockserver.collections import Index, Store
from mockserver.googleapi import (
    IAM_POLICIES,
    ApiError,
    Call,
    Comparison,
    FilterError,
    Function,
    Handler,
    Leaf,
    PageRule,
    Text,
    bad_fields,
    each_of,
    filter_test,
    get_operation,
    list_page,
    order_rows,
    read_update_mask,
    values_at,
)
from mockserver.googleapi.filter_trees import ORDERS, has_phrase
from mockserver.model import Json, JsonObject
from mockserver.state import (
    World,
    find_project,
    parse_rfc3339,
    project_names,
    project_of_bucket,
    rfc3339,
)

_Test = Callable[[JsonObject], bool]

_WORD = re.compile(r"[A-Za-z0-9_]+")
_ANY = "*"


def query_test(text: str) -> _Test | None:
    """The test that a query puts to a row; None when there is no query.

    Raises:
        ApiError: 400; the query cannot be read.
    """
    return filter_test(text, _leaf_test, _bad_query) if text.strip() else None


def _bad_query(error: FilterError) -> ApiError:
    return bad_fields([("query", f"Invalid query: {error}.")])


def _leaf_test(leaf: Leaf) -> _Test:
    wanted = "" if isinstance(leaf, Function) else leaf.text
    if not isinstance(leaf, Comparison):
        searched = isinstance(leaf, Text)
        return lambda row: searched and any(has_words(text, wanted) for text in _texts(row))
    field, operator = leaf.field, leaf.operator
    if operator in {"<", "<=", ">", ">="}:
        return lambda row: any(
            _meets_order(each, operator, wanted) for each in values_at(row, field)
        )
    if wanted == _ANY:
        return lambda row: bool(values_at(row, field))

    def test(row: JsonObject) -> bool:
        found = [text for each in values_at(row, field) for text in _texts(each)]
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


def _texts(value: Json) -> Iterator[str]:
    """Every text in a value, keys of maps too.

    Yields:
        Each text.
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
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


def _check_scope(call: Call, parameter: str) -> str:
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


def _search_results(table: Store) -> tuple[JsonObject, ...]:
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


def _asset_with_content(row: JsonObject, content: str) -> JsonObject:
    """An asset as `assets.list` shows it, with the content that is asked for.

    Raises:
        ApiError: 400 for a content type there is not.
    """
    if content not in {"", "CONTENT_TYPE_UNSPECIFIED", "RELATIONSHIP", *_CONTENT_FIELDS}:
        raise bad_fields([("content_type", f"Invalid content type '{content}'.")])
    wanted = _CONTENT_FIELDS.get(content)
    hidden = set(_CONTENT_FIELDS.values()) - {wanted}
    return {name: row[name] for name in _ASSET_FIELDS if name in row and name not in hidden}


def _rows_of_types(rows: Sequence[JsonObject], types: Sequence[str]) -> Sequence[JsonObject]:
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


def _search_policies(call: Call) -> JsonObject:
    """Answers `searchAllIamPolicies`: policies with their bindings that meet the query.

    Raises:
        ApiError: 400 for a scope, query or type that cannot be.
    """
    scope = _check_scope(call, "scope")
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
    found: Sequence[JsonObject] = _rows_of_types(rows, call.params.get("assetTypes", ()))
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


_SEARCH_PAGES = PageRule(default=100, maximum=500)
_LIST_PAGES = PageRule(default=100, maximum=1000)
_MOST_NAMES = 100
_SORTABLE = frozenset({
    "name", "assetType", "project", "displayName", "description", "location", "createTime",
    "updateTime", "state", "parentFullResourceName", "parentAssetType",
})  # fmt: skip


def _search_resources(call: Call) -> JsonObject:
    """Answers `searchAllResources`.

    Raises:
        ApiError: 400 for a scope, query, type or order that cannot be.
    """
    scope = _check_scope(call, "scope")
    test = query_test(str(call.params.get("query", "")))
    rows: Sequence[JsonObject] = [
        row
        for row in call.world.table(ASSETS).derived(_search_results)
        if is_in_scope(call.world, row, scope) and (test is None or test(row))
    ]
    rows = _rows_of_types(rows, call.params.get("assetTypes", ()))
    _check_order(str(call.params.get("orderBy", "")))
    fields = [path[0] for path in read_update_mask(str(call.params.get("readMask", "")))]
    rows = order_rows(call, rows, "name")
    return list_page(
        call, "results", rows, _SEARCH_PAGES, lambda row: _apply_read_mask(row, fields)
    )


def _check_order(text: str) -> None:
    for term in text.split(","):
        name = term.strip().partition(" ")[0]
        if name and name not in _SORTABLE:
            raise bad_fields([("order_by", f"The field '{name}' cannot be sorted by.")])


def _apply_read_mask(row: JsonObject, fields: Sequence[str]) -> JsonObject:
    if not fields or "*" in fields:
        return row
    return {name: value for name, value in row.items() if name in fields}


def _list_assets(call: Call) -> JsonObject:
    """Answers `assets.list`.

    Raises:
        ApiError: 400 for a parent, type or content that cannot be.
    """
    parent = _check_scope(call, "parent")
    content = str(call.params.get("contentType", ""))
    if call.params.get("relationshipTypes"):
        text = "It may be given with the content type RELATIONSHIP only, which no snapshot has."
        raise bad_fields([("relationship_types", text)])
    rows = (
        row
        for row in each_of(call.world.table(ASSETS).in_order())
        if is_in_scope(call.world, row, parent)
    )
    types = call.params.get("assetTypes", ())
    found = _rows_of_types(list(rows), types) if types else rows
    head = {"readTime": str(call.params.get("readTime") or rfc3339(call.world.clock.now()))}
    return list_page(
        call, "assets", found, _LIST_PAGES, lambda row: _asset_with_content(row, content), head
    )


def _get_history(call: Call) -> JsonObject:
    """Answers `batchGetAssetsHistory`: the snapshot's history, or the asset as it is now.

    Raises:
        ApiError: 400 for more than 100 names, or a window without a beginning.
    """
    parent = _check_scope(call, "parent")
    names = list(call.params.get("assetNames", ()))
    if len(names) > _MOST_NAMES:
        raise bad_fields([("asset_names", f"At most {_MOST_NAMES} names may be asked for.")])
    start, end = (
        str(call.params.get(f"readTimeWindow.{name}", "")) for name in ("startTime", "endTime")
    )
    if not start:
        raise bad_fields([("read_time_window.start_time", "The start time is required.")])
    content = str(call.params.get("contentType", ""))
    found = [
        {**row, "asset": _asset_with_content(row["asset"], content)}
        for name in names
        for row in _asset_windows(call, parent, name)
        if _overlaps(row["window"], start, end)
    ]
    return {"assets": found} if found else {}


def _asset_windows(call: Call, parent: str, name: str) -> Sequence[JsonObject]:
    told = call.world.table(HISTORY).find(_BY_ASSET, name)
    asset = call.world.table(ASSETS).get(name)
    if told or asset is None or not is_in_scope(call.world, asset, parent):
        return told
    return [{"window": {"startTime": asset.get("updateTime", "")}, "asset": asset}]


_BY_ASSET = Index(lambda _, row: (str(row["asset"]["name"]),))


def _overlaps(window: JsonObject, start: str, end: str) -> bool:
    begins, ends = window.get("startTime"), window.get("endTime")
    if end and begins and parse_rfc3339(begins) >= parse_rfc3339(end):
        return False
    return not ends or parse_rfc3339(ends) > parse_rfc3339(start)


HANDLERS: Mapping[str, Handler] = {
    "cloudasset.searchAllResources": _search_resources,
    "cloudasset.searchAllIamPolicies": _search_policies,
    "cloudasset.assets.list": _list_assets,
    "cloudasset.batchGetAssetsHistory": _get_history,
    "cloudasset.operations.get": get_operation,
}
