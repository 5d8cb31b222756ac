"""Which policy schemas a request means: the filters of `resolve` and of `policySchemas.list`."""

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import translate

from mockserver.apis.chromepolicy.schemas import additional_keys, namespace
from mockserver.googleapi import (
    Comparison,
    FilterError,
    Function,
    Leaf,
    Text,
    bad_fields,
    holds,
    leaves,
    parse_filter,
)
from mockserver.model import JsonObject

_SCHEMA_FILTER = re.compile(r"^[A-Za-z]\w*(?:\.\w+)+\.(?:\w|\*)+$")


def is_schema_filter(text: str) -> bool:
    """Whether text is a schema's full name, or one with wildcards in its leaf only.

    Source: Chrome Policy reference.

    >>> [is_schema_filter(name) for name in ("chrome.users.*", "chrome.*", "*", "a.b.C,a.b.D")]
    [True, False, False, False]
    """
    return _SCHEMA_FILTER.match(text) is not None


def matching_schemas(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known schemas that a schema filter names; a wildcard stays within one namespace."""
    if "*" not in text:
        return tuple(name for name in known if name == text)
    leaf = re.compile(translate(text.rpartition(".")[2]))
    space = namespace(text)
    return tuple(
        name
        for name in known
        if namespace(name) == space and leaf.match(name.rpartition(".")[2]) is not None
    )


def schema_test(text: str) -> Callable[[JsonObject], bool]:
    """The test that a filter of `policySchemas.list` puts to a schema.

    Source: Chrome Policy guide, "List policy schemas". Texts of refusals are not verified against
    the live API.

    Raises:
        ApiError: 400; not a filter, or a field that cannot be filtered by.
    """
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise bad_fields([("filter", f"Invalid filter: {error}.")]) from error
    for leaf in leaves(tree):
        name = _field(leaf)
        if name not in _TESTS:
            raise bad_fields([("filter", f"Invalid filter field '{name}'.")])
    return lambda schema: holds(tree, lambda leaf: _holds(leaf, schema))


def _field(leaf: Leaf) -> str:
    if isinstance(leaf, Comparison):
        return leaf.field.casefold().replace("_", "")
    return leaf.name if isinstance(leaf, Function) else ""


def _holds(leaf: Leaf, schema: JsonObject) -> bool:
    wanted = leaf.text.casefold() if isinstance(leaf, Comparison | Text) else ""
    same = _TESTS[_field(leaf)](wanted, schema)
    return not same if isinstance(leaf, Comparison) and leaf.operator == "!=" else same


def _name(schema: JsonObject) -> str:
    return str(schema.get("schemaName", "")).casefold()


def _description(schema: JsonObject) -> str:
    return str(schema.get("policyDescription", "")).casefold()


def _of_fields(schema: JsonObject, *names: str) -> list[str]:
    return [
        str(item[name]).casefold()
        for item in schema.get("fieldDescriptions", ())
        for name in names
        if name in item
    ]


def _stage(schema: JsonObject) -> str:
    stage = schema.get("policyApiLifecycle", {}).get("policyApiLifecycleStage", "")
    return str(stage).casefold()


_TESTS: Mapping[str, Callable[[str, JsonObject], bool]] = {
    "": lambda text, schema: text in _name(schema) or text in _description(schema),
    "name": lambda text, schema: text in _name(schema),
    "namespace": lambda text, schema: text == namespace(_name(schema)),
    "description": lambda text, schema: text in _description(schema),
    "accessrestrictions": lambda text, schema: any(
        text in str(item).casefold() for item in schema.get("accessRestrictions", ())
    ),
    "policyapilifecycle": lambda text, schema: text == _stage(schema),
    "fielddescriptions.field": lambda text, schema: text in _of_fields(schema, "field", "name"),
    "fielddescriptions.inputconstraint": lambda text, schema: (
        text in _of_fields(schema, "inputConstraint")
    ),
    "fielddescriptions.description": lambda text, schema: any(
        text in item for item in _of_fields(schema, "description", "fieldDescription")
    ),
    "additionaltargetkeys": lambda text, schema: (
        text in [name.casefold() for name in additional_keys(schema)]
    ),
}
"""Filter field, without case and underscores, to its test; the empty one is a bare literal's."""
