"""Policies as a session holds them, and the CEL filter of `policies.list`."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

from mockserver.apis.cloudidentity import POLICIES
from mockserver.collections import LAST, Index
from mockserver.googleapi import ApiError, bare_org_unit, invalid, permission_denied
from mockserver.model import JsonObject
from mockserver.state import RULE_TYPE, World, org_tree, rfc3339, unit_of_query, unit_query
from mockserver.stubs import compile_pattern

SETTINGS = "settings/"


def setting_type(name: str) -> str:
    """A setting's type with its `settings/` prefix.

    >>> setting_type("rule.dlp"), setting_type("settings/rule.dlp")
    ('settings/rule.dlp', 'settings/rule.dlp')
    """
    return name if name.startswith(SETTINGS) or not name else f"{SETTINGS}{name}"


def is_rule(kind: str) -> bool:
    """Whether many policies of this setting type may stand side by side, as rules do."""
    return kind.startswith((f"{SETTINGS}rule.", f"{SETTINGS}detector."))


def generated_name(text: str) -> str:
    """A policy name for what has none, always the same for the same text.

    >>> generated_name("No cards")
    'policies/ak005e131b79adb122'
    """
    return "policies/ak" + sha256(text.encode()).hexdigest()[:16]


def complete_query(query: JsonObject, root: str) -> JsonObject:
    """A policy query with both its forms: the CEL text, and the org unit that it means.

    Args:
        query: `query`, `orgUnit` or `group`, as given.
        root: Bare id of the root org unit, for a query that says nothing.
    """
    unit = bare_org_unit(str(query.get("orgUnit", ""))) or unit_of_query(query.get("query", ""))
    if not unit and not query.get("group") and not query.get("query"):
        unit = root
    whole = dict(query)
    if unit:
        whole["orgUnit"] = f"orgUnits/{unit}"
        whole.setdefault("query", unit_query(unit))
    elif query.get("group") and not query.get("query"):
        group = str(query["group"]).rpartition("/")[2]
        whole["query"] = f"entity.groups.exists(group, group.group_id == groupId('{group}'))"
    return whole


def next_sort_order(world: World, kind: str) -> float:
    """The sort order after all policies of the same setting type."""
    table = world.table(POLICIES)
    found = table.between(_BY_ORDER, (kind,), (kind, LAST))
    latest: float = found.entries(len(found) - 1)[0][0][1] if found else 0.0
    return latest + 1


def conflicting_policy(world: World, kind: str, query: JsonObject) -> str:
    """The name of a policy that already configures a setting for the same entities, or empty."""
    if is_rule(kind):
        return ""
    return world.table(POLICIES).first(_BY_QUERY, _configured(kind, query)) or ""


def _type_of(policy: JsonObject) -> str:
    return str(policy.get("setting", {}).get("type"))


def _configured(kind: str, query: JsonObject) -> tuple[str, bool, str]:
    """What a policy configures, and for which entities."""
    text = query.get("query")
    return kind, text is None, str(text)


_BY_ORDER = Index(
    lambda _, row: ((_type_of(row), float(row.get("policyQuery", {}).get("sortOrder", 0))),)
)
_BY_QUERY = Index(lambda _, row: (_configured(_type_of(row), row.get("policyQuery", {})),))


def is_org_unit(world: World, resource: str) -> bool:
    """Whether `orgUnits/03...` is an org unit of the session."""
    return resource.removeprefix("orgUnits/") in org_tree(world).by_id


def with_rule_times(
    world: World, setting: JsonObject, before: JsonObject | None = None
) -> JsonObject:
    """A setting; the value of a DLP rule gets its times of creation and change."""
    if setting.get("type") != RULE_TYPE:
        return setting
    now = rfc3339(world.clock.now())
    made = (before or {}).get("createTime", now)
    return {**setting, "value": {**setting["value"], "createTime": made, "updateTime": now}}


_LONGEST = 10_000
_DEEPEST = 40
_MOST_JOINED = 200
_QUOTED_WELL = re.compile(r"""(?:[^"']|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')*+""", re.DOTALL)
_MY_CUSTOMER = "customers/my_customer"
_FIELDS = frozenset({"customer", "name", "type", "setting", "policyQuery"})

Test = Callable[[JsonObject], bool]


def policy_test(text: str, customer: str) -> Test:
    """The test that a filter puts to a policy.

    `matches` finds its expression anywhere in the text, on RE2. A field that a policy does not have
    makes the filter false for it. Source: Discovery document; the message of the refusal was met
    live.

    Args:
        text: The filter.
        customer: The session's customer, `customers/C...`; `customers/my_customer` means it too.

    Raises:
        ApiError: 400 when the text is no CEL filter, 403 when it asks for another customer. The
            test raises the 400 too, for what shows only on a value.
    """
    return cel_test(text, customer, _FIELDS)


def cel_test(text: str, customer: str, fields: frozenset[str]) -> Test:
    """The test that a filter puts to the values of some fields.

    Args:
        text: The filter.
        customer: The session's customer, `customers/C...`; empty where none is asked for.
        fields: The fields that it may use.

    Raises:
        ApiError: As for `policy_test`.
    """
    joined = sum(text.count(sign) for sign in ("&&", "||", "?"))
    too_deep = text.count("(") + text.count("[") > _DEEPEST
    if len(text) > _LONGEST or too_deep or joined > _MOST_JOINED or not _is_quoted_well(text):
        raise _bad_filter()
    return _compile(text.replace(_MY_CUSTOMER, customer) if customer else text, customer, fields)


def _is_quoted_well(text: str) -> bool:
    r"""Whether quotes come in pairs; the grammar's own search takes exponential time.

    >>> _is_quoted_well(r"a == 'it\'s'"), _is_quoted_well(r'a == "\"')
    (True, False)
    """
    return _QUOTED_WELL.fullmatch(text) is not None and '"""' not in text and "'''" not in text


@lru_cache(maxsize=256)
def _compile(text: str, customer: str, fields: frozenset[str]) -> Test:
    # imported here: takes a tenth of a second, and most sessions never filter
    from celpy.adapter import json_to_cel
    from celpy.celparser import CELParseError
    from celpy.celtypes import BoolType
    from celpy.evaluation import CELEvalError

    try:
        tree = _environment().compile(text)
        program = _environment().program(tree, functions={"matches": _matches})
    except (CELParseError, CELEvalError, RecursionError) as error:
        raise _bad_filter() from error
    used = _used_fields(tree, fields)
    _check_customers(tree, customer)

    def test(policy: JsonObject) -> bool:
        values = {name: json_to_cel(policy[name]) for name in used if name in policy}
        try:
            found = program.evaluate(values)
        except CELEvalError:
            return False
        except RecursionError as error:
            raise _bad_filter() from error
        if not isinstance(found, BoolType):
            raise _bad_filter()
        return bool(found)

    return test


@cache
def _environment() -> Any:
    import celpy

    return celpy.Environment()


def _used_fields(tree: Any, fields: frozenset[str]) -> frozenset[str]:
    used = frozenset(str(node.children[0]) for node in tree.find_data("ident"))
    if not used <= fields:
        raise _bad_filter()
    return used


def _check_customers(tree: Any, customer: str) -> None:
    for token in tree.scan_values(lambda leaf: getattr(leaf, "type", "") == "STRING_LIT"):
        literal = str(token).lstrip("rR").strip("\"'")
        if literal.startswith("customers/") and literal != customer:
            raise permission_denied()


def _matches(text: Any, pattern: Any) -> Any:
    from celpy import celtypes

    try:
        found = compile_pattern(str(pattern)).search(str(text))
    except ValueError as error:
        raise _bad_filter() from error
    return celtypes.BoolType(found is not None)


def _bad_filter() -> ApiError:
    return invalid("Filter is invalid")
