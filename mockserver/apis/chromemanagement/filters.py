"""Which browsers a filter or query means, and in which order they are listed."""

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial

from mockserver.apis.chromemanagement.state import installed_versions, path_of, unit_of
from mockserver.collections import LAST, Index, Store
from mockserver.collections.selections import ByIndex, Selection, Without
from mockserver.googleapi import (
    ApiError,
    Comparison,
    FilterError,
    Function,
    Leaf,
    bad_fields,
    not_emulated,
    parse_filter,
    tree_test,
)
from mockserver.googleapi.filter_trees import ORDERS, tree_selection
from mockserver.googleapi.scalars import camel_case
from mockserver.model import Json, JsonObject
from mockserver.state import OrgTree, parse_rfc3339

Test = Callable[[JsonObject], bool]

_OWN = (
    "virtual_device_id os_platform os_architecture os_version os_platform_version machine_name "
    "annotated_location annotated_user annotated_asset_id annotated_notes last_device_user "
    "extension_count policy_count device_id_collision device_id"
)
_FIELDS: Mapping[str, str] = {name: camel_case(name) for name in _OWN.split()} | {
    "browser_permanent_id": "deviceId", "id": "deviceId", "arch": "osArchitecture",
    "location": "annotatedLocation", "user": "annotatedUser", "asset_id": "annotatedAssetId",
    "annotated_note": "annotatedNotes", "note": "annotatedNotes",
    "num_extensions": "extensionCount", "num_policies": "policyCount",
}  # fmt: skip
"""Filter field to the row's field; the older API's names of the same fields beside the newer."""

_TIMES: Mapping[str, str] = {
    "last_activity_time": "lastActivityTime",
    "last_activity": "lastActivityTime",
    "last_policy_fetch_time": "lastPolicyFetchTime",
    "last_registration_time": "lastRegistrationTime",
    "last_status_report_time": "lastStatusReportTime",
}
_COMPUTED = frozenset(
    {"org_unit_path", "org_unit_id", "browser_version", "browser_version_channel"}
)
_ORDERED = {sign: ORDERS[sign] for sign in ("<", "<=", ">", ">=")}
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def browser_selection(store: Store, text: str, tree: OrgTree, field: str = "filter") -> Selection:
    """The browsers that a filter means; equal texts are looked up.

    `=` compares whole texts, `:` finds a part, `*` stands for anything; neither minds case. Source:
    Discovery document.

    Raises:
        ApiError: 400; not a filter, or a field that cannot be filtered by. 501 for `in_group`.
    """
    try:
        parsed = parse_filter(text)
    except FilterError as error:
        raise bad_filter(error, field) from error
    leaf_test = partial(_leaf_test, tree, field)
    tree_test(parsed, leaf_test)
    return tree_selection(parsed, store, leaf_test, partial(_look_up, store), f"{field} {text}")


def _look_up(store: Store, leaf: Leaf) -> Selection | None:
    if not isinstance(leaf, Comparison) or leaf.operator not in {"=", "!="}:
        return None
    index, wanted = _BY_TEXT.get(_snake_case(leaf.field)), (leaf.text.casefold(),)
    if index is None or "*" in leaf.text:
        return None
    found = ByIndex(store, index, [(wanted, (*wanted, LAST))], words=f"{leaf.field} = {leaf.text}")
    return found if leaf.operator == "=" else Without(store, found)


def bad_filter(error: FilterError, field: str = "filter") -> ApiError:
    """400 for a text that is not in the language of filters."""
    return bad_fields([(field, f"Invalid filter: {error}.")])


def _leaf_test(tree: OrgTree, field: str, leaf: Leaf) -> Test:
    if isinstance(leaf, Function):
        raise not_emulated(f"{leaf.name}() in a filter of browsers")
    wanted = leaf.text.casefold()
    if not isinstance(leaf, Comparison):
        names = (*_FIELDS, "browser_version")
        return lambda row: any(
            wanted in text for name in names for text in _texts_of(name, row, tree)
        )
    name, operator = _snake_case(leaf.field), leaf.operator
    if name in _TIMES:
        return _time_test(_TIMES[name], leaf, field)
    if name not in _FIELDS and name not in _COMPUTED:
        raise bad_fields([(field, f"Invalid filter field '{leaf.field}'.")])
    return lambda row: (
        any(_matches_text(operator, wanted, text) for text in _texts_of(name, row, tree))
        is (operator != "!=")
    )


def _snake_case(name: str) -> str:
    return _CAMEL.sub(r"_\1", name).lower()


def _time_test(name: str, leaf: Comparison, field: str) -> Test:
    try:
        limit = parse_rfc3339(leaf.text)
    except ValueError as error:
        raise bad_fields([(field, f"Invalid timestamp '{leaf.text}'.")]) from error
    compare = _ORDERED.get(leaf.operator, ORDERS["="])
    return lambda row: isinstance(row.get(name), str) and compare(parse_rfc3339(row[name]), limit)


def _matches_text(operator: str, wanted: str, text: str) -> bool:
    if "*" in wanted:
        return fnmatchcase(text, wanted)
    if operator == ":":
        return wanted in text
    if operator in _ORDERED and text.isdigit() and wanted.isdigit():
        return bool(_ORDERED[operator](int(text), int(wanted)))
    return text == wanted


def _texts_of(name: str, row: JsonObject, tree: OrgTree) -> list[str]:
    if name == "org_unit_id":
        return _texts([unit_of(tree, row)])
    if name == "org_unit_path":
        return _texts([path_of(tree, unit_of(tree, row))])
    return _own_texts(name, row)


def _own_texts(name: str, row: JsonObject) -> list[str]:
    if name == "browser_version":
        return _texts(installed_versions(row))
    if name == "browser_version_channel":
        return _texts([item.get("channel", "") for item in row.get("browsers", ())])
    return _texts([row.get(_FIELDS[name], "")])


def _texts(values: Sequence[Json]) -> list[str]:
    return [str(item).casefold() for item in values if item not in {"", None}]


def _text_index(name: str) -> Index:
    return Index(lambda _, row: dict.fromkeys((text,) for text in _own_texts(name, row)))


_BY_TEXT = {name: _text_index(name) for name in (*_FIELDS, *_COMPUTED) if "org_unit" not in name}
"""Browsers by the texts of a field."""


def order_browsers(rows: Sequence[JsonObject], text: str, tree: OrgTree) -> Sequence[JsonObject]:
    """Browsers in the order that `orderBy` asks for, by id when it is empty.

    Raises:
        ApiError: 400; a field that browsers cannot be ordered by.
    """
    result = list(rows)
    for part in reversed([part.strip() for part in text.split(",") if part.strip()]):
        name, _, direction = part.partition(" ")
        key = _snake_case(name)
        if key not in _FIELDS and key not in _TIMES and key not in _COMPUTED:
            raise bad_fields([("order_by", f"Invalid order_by field '{name}'.")])
        result.sort(key=lambda row: _sort_key(key, row, tree), reverse=direction.strip() == "desc")
    return result


def _sort_key(name: str, row: JsonObject, tree: OrgTree) -> tuple[int, str]:
    if name in _TIMES:
        return 0, str(row.get(_TIMES[name], ""))
    text = next(iter(_texts_of(name, row, tree)), "")
    return (int(text), "") if text.isdigit() else (0, text)
