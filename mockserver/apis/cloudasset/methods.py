"""Methods of Cloud Asset Inventory: Discovery id to handler."""

from collections.abc import Mapping, Sequence

from mockserver.apis.cloudasset import ASSETS, HISTORY
from mockserver.apis.cloudasset.state import (
    asset_with_content,
    check_scope,
    is_in_scope,
    query_test,
    rows_of_types,
    search_policies,
    search_results,
)
from mockserver.collections import Index
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    bad_fields,
    each_of,
    get_operation,
    list_page,
    order_rows,
    read_update_mask,
)
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339, rfc3339

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
    scope = check_scope(call, "scope")
    test = query_test(str(call.params.get("query", "")))
    rows: Sequence[JsonObject] = [
        row
        for row in call.world.table(ASSETS).derived(search_results)
        if is_in_scope(call.world, row, scope) and (test is None or test(row))
    ]
    rows = rows_of_types(rows, call.params.get("assetTypes", ()))
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
    parent = check_scope(call, "parent")
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
    found = rows_of_types(list(rows), types) if types else rows
    head = {"readTime": str(call.params.get("readTime") or rfc3339(call.world.clock.now()))}
    return list_page(
        call, "assets", found, _LIST_PAGES, lambda row: asset_with_content(row, content), head
    )


def _get_history(call: Call) -> JsonObject:
    """Answers `batchGetAssetsHistory`: the snapshot's history, or the asset as it is now.

    Raises:
        ApiError: 400 for more than 100 names, or a window without a beginning.
    """
    parent = check_scope(call, "parent")
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
        {**row, "asset": asset_with_content(row["asset"], content)}
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
    "cloudasset.searchAllIamPolicies": search_policies,
    "cloudasset.assets.list": _list_assets,
    "cloudasset.batchGetAssetsHistory": _get_history,
    "cloudasset.operations.get": get_operation,
}
