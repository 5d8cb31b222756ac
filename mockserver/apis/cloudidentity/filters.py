"""The CEL filter of `policies.list`, compiled once for each text and customer."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from mockserver.googleapi import ApiError, invalid, permission_denied
from mockserver.model import JsonObject

_LONGEST = 10_000
_DEEPEST = 40
_MOST_JOINED = 200
_QUOTED_WELL = re.compile(
    r"""(?:[^"']|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')*+""",
    re.DOTALL,
)
_MINE = "customers/my_customer"
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
        raise _not_a_filter()
    return _compile(text.replace(_MINE, customer) if customer else text, customer, fields)


def _is_quoted_well(text: str) -> bool:
    r"""Whether every quote has its other one; the grammar's own search for it takes for ever.

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
        raise _not_a_filter() from error
    used = _used_fields(tree, fields)
    _check_customers(tree, customer)

    def test(policy: JsonObject) -> bool:
        values = {name: json_to_cel(policy[name]) for name in used if name in policy}
        try:
            found = program.evaluate(values)
        except CELEvalError:
            return False
        except RecursionError as error:
            raise _not_a_filter() from error
        if not isinstance(found, BoolType):
            raise _not_a_filter()
        return bool(found)

    return test


@cache
def _environment() -> Any:
    import celpy

    return celpy.Environment()


def _used_fields(tree: Any, fields: frozenset[str]) -> frozenset[str]:
    used = frozenset(str(node.children[0]) for node in tree.find_data("ident"))
    if not used <= fields:
        raise _not_a_filter()
    return used


def _check_customers(tree: Any, customer: str) -> None:
    for token in tree.scan_values(lambda leaf: getattr(leaf, "type", "") == "STRING_LIT"):
        literal = str(token).lstrip("rR").strip("\"'")
        if literal.startswith("customers/") and literal != customer:
            raise permission_denied()


def _matches(text: Any, pattern: Any) -> Any:
    import re2
    from celpy import celtypes

    try:
        found = _pattern(str(pattern)).search(str(text))
    except re2.error as error:
        raise _not_a_filter() from error
    return celtypes.BoolType(found is not None)


@lru_cache(maxsize=256)
def _pattern(text: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    return re2.compile(text, options)


def _not_a_filter() -> ApiError:
    return invalid("Filter is invalid")
