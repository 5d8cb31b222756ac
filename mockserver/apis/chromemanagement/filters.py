"""Which browsers a filter or query means, and in which order they are listed."""

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from mockserver.apis.chromemanagement.state import installed_versions, path_of, unit_of
from mockserver.googleapi import (
    Comparison,
    FilterError,
    Function,
    Leaf,
    bad_fields,
    holds,
    leaves,
    not_emulated,
    parse_filter,
)
from mockserver.model import Json, JsonObject
from mockserver.state import OrgTree, parse_rfc3339

Test = Callable[[JsonObject], bool]

_FIELDS: Mapping[str, str] = {
    "browser_permanent_id": "deviceId",
    "device_id": "deviceId",
    "id": "deviceId",
    "virtual_device_id": "virtualDeviceId",
    "os_platform": "osPlatform",
    "os_architecture": "osArchitecture",
    "arch": "osArchitecture",
    "os_version": "osVersion",
    "os_platform_version": "osPlatformVersion",
    "machine_name": "machineName",
    "annotated_location": "annotatedLocation",
    "location": "annotatedLocation",
    "annotated_user": "annotatedUser",
    "user": "annotatedUser",
    "annotated_asset_id": "annotatedAssetId",
    "asset_id": "annotatedAssetId",
    "annotated_note": "annotatedNotes",
    "annotated_notes": "annotatedNotes",
    "note": "annotatedNotes",
    "last_device_user": "lastDeviceUser",
    "extension_count": "extensionCount",
    "num_extensions": "extensionCount",
    "policy_count": "policyCount",
    "num_policies": "policyCount",
    "device_id_collision": "deviceIdCollision",
}
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
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def browser_test(text: str, tree: OrgTree, field: str = "filter") -> Test:
    """The test that a filter puts to a browser.

    `=` compares whole texts, `:` finds a part, `*` stands for anything; neither minds case. Source:
    Discovery document.

    Raises:
        ApiError: 400; not a filter, or a field that cannot be filtered by. 501 for `in_group`.
    """
    try:
        tree_of_text = parse_filter(text)
    except FilterError as error:
        raise bad_fields([(field, f"Invalid filter: {error}.")]) from error
    for leaf in leaves(tree_of_text):
        _check_comparison(leaf, field)
    return lambda row: holds(tree_of_text, lambda leaf: _meets_leaf(leaf, row, tree))


def _check_comparison(leaf: Leaf, field: str) -> None:
    if isinstance(leaf, Function):
        raise not_emulated(f"{leaf.name}() in a filter of browsers")
    if not isinstance(leaf, Comparison):
        return
    name = _snake_case(leaf.field)
    if name in _TIMES:
        try:
            parse_rfc3339(leaf.text)
        except ValueError as error:
            raise bad_fields([(field, f"Invalid timestamp '{leaf.text}'.")]) from error
    elif name not in _FIELDS and name not in _COMPUTED:
        raise bad_fields([(field, f"Invalid filter field '{leaf.field}'.")])


def _snake_case(name: str) -> str:
    return _CAMEL.sub(r"_\1", name).lower()


def _meets_leaf(leaf: Leaf, row: JsonObject, tree: OrgTree) -> bool:
    if not isinstance(leaf, Comparison):
        words = [text for name in _FIELDS for text in _texts_of(name, row, tree)]
        sought = getattr(leaf, "text", "").casefold()
        return any(sought in text for text in [*words, *_texts_of("browser_version", row, tree)])
    name = _snake_case(leaf.field)
    if name in _TIMES:
        return _meets_time(leaf, row.get(_TIMES[name]))
    found = any(_matches_text(leaf, text) for text in _texts_of(name, row, tree))
    return not found if leaf.operator == "!=" else found


def _meets_time(leaf: Comparison, value: Json) -> bool:
    if not isinstance(value, str):
        return False
    when, limit = parse_rfc3339(value), parse_rfc3339(leaf.text)
    match leaf.operator:
        case "<" | "<=":
            return when <= limit if leaf.operator == "<=" else when < limit
        case ">" | ">=":
            return when >= limit if leaf.operator == ">=" else when > limit
        case _:
            return when == limit


def _matches_text(leaf: Comparison, text: str) -> bool:
    wanted = leaf.text.casefold()
    if "*" in wanted:
        return fnmatchcase(text, wanted)
    if leaf.operator == ":":
        return wanted in text
    if leaf.operator in {"<", "<=", ">", ">="} and text.isdigit() and wanted.isdigit():
        sign = (int(text) > int(wanted)) - (int(text) < int(wanted))
        return {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[leaf.operator]
    return text == wanted


def _texts_of(name: str, row: JsonObject, tree: OrgTree) -> list[str]:
    if name == "browser_version":
        found: Sequence[Json] = installed_versions(row)
    elif name == "browser_version_channel":
        found = [item.get("channel", "") for item in row.get("browsers", ())]
    elif name == "org_unit_id":
        found = [unit_of(tree, row)]
    elif name == "org_unit_path":
        found = [path_of(tree, unit_of(tree, row))]
    else:
        found = [row.get(_FIELDS[name], "")]
    return [str(item).casefold() for item in found if item not in {"", None}]


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
