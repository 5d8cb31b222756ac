"""Enums as numbers, which `$alt=json;enum-encoding=int` asks for.

Discovery documents list the values of an enum and not their numbers. Those here were compared with
the message classes of Google's client libraries; elsewhere names stay, which clients read as well.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from mockserver.googleapi.discovery import Method, is_free_form
from mockserver.model import Json, JsonMapping, JsonObject

_COMPARED = frozenset({
    ("cloudresourcemanager", "v3"), ("cloudtrace", "v1"), ("cloudtrace", "v2"),
    ("clouderrorreporting", "v1beta1"), ("logging", "v2"), ("monitoring", "v1"),
    ("monitoring", "v3"),
})  # fmt: skip
"""Documents whose numbers are known: those below, and all others count from 0."""

_NUMBERS: Mapping[str, tuple[int, ...]] = {
    "DEFAULT DEBUG INFO NOTICE WARNING ERROR CRITICAL ALERT EMERGENCY": tuple(range(0, 900, 100)),
    "LAUNCH_STAGE_UNSPECIFIED UNIMPLEMENTED PRELAUNCH EARLY_ACCESS ALPHA BETA GA DEPRECATED": (
        0, 6, 7, 1, 2, 3, 4, 5,
    ),
    "REDUCE_NONE REDUCE_MEAN REDUCE_MIN REDUCE_MAX REDUCE_SUM REDUCE_STDDEV REDUCE_COUNT "
    "REDUCE_COUNT_TRUE REDUCE_COUNT_FALSE REDUCE_FRACTION_TRUE REDUCE_PERCENTILE_99 "
    "REDUCE_PERCENTILE_95 REDUCE_PERCENTILE_50 REDUCE_PERCENTILE_05": (
        *range(8), 15, *range(8, 13),
    ),
    "ALIGN_NONE ALIGN_DELTA ALIGN_RATE ALIGN_INTERPOLATE ALIGN_NEXT_OLDER ALIGN_MIN ALIGN_MAX "
    "ALIGN_MEAN ALIGN_COUNT ALIGN_SUM ALIGN_STDDEV ALIGN_COUNT_TRUE ALIGN_COUNT_FALSE "
    "ALIGN_FRACTION_TRUE ALIGN_PERCENTILE_99 ALIGN_PERCENTILE_95 ALIGN_PERCENTILE_50 "
    "ALIGN_PERCENTILE_05 ALIGN_PERCENT_CHANGE": (
        *range(5), *range(10, 17), 24, *range(17, 22), 23,
    ),
    "NOTIFICATION_PROMPT_UNSPECIFIED OPENED CLOSED": (0, 1, 3),
    "STATUS_CLASS_UNSPECIFIED STATUS_CLASS_1XX STATUS_CLASS_2XX STATUS_CLASS_3XX STATUS_CLASS_4XX "
    "STATUS_CLASS_5XX STATUS_CLASS_ANY": (0, 100, 200, 300, 400, 500, 1000),
    "CHECKER_TYPE_UNSPECIFIED STATIC_IP_CHECKERS VPC_CHECKERS": (0, 1, 3),
    "COLOR_UNSPECIFIED YELLOW RED": (0, 4, 6),
}  # fmt: skip
"""Enums that do not count from 0, by their values in the documents' order."""


def enum_name(names: Sequence[str], number: int) -> str | None:
    """The value of an enum with a number, or None when it has no such value.

    >>> enum_name(("A", "B"), 1), enum_name(("COLOR_UNSPECIFIED", "YELLOW", "RED"), 6)
    ('B', 'RED')
    """
    numbers = _numbers(tuple(names))
    return next((name for name, own in numbers.items() if own == number), None)


def with_enum_numbers(body: JsonObject, method: Method) -> JsonObject:
    """An answer with numbers for its enums, where the method's document is one whose are known."""
    document = method.document
    schema = document.schemas.get(method.response or "")
    if (document.name, document.version) not in _COMPARED or schema is None:
        return body
    written: JsonObject = _written(body, schema, document.schemas)
    return written


@lru_cache(1024)
def _numbers(names: tuple[str, ...]) -> Mapping[str, int]:
    known = _NUMBERS.get(" ".join(names))
    return dict(zip(names, known or range(len(names)), strict=True))


def _written(value: Json, schema: JsonMapping | None, schemas: Mapping[str, JsonMapping]) -> Json:
    if schema is not None and "$ref" in schema:
        schema = schemas[schema["$ref"]]
    if schema is None or (schema.get("type") == "object" and is_free_form(schema)):
        return value
    if isinstance(value, list):
        return [_written(each, schema.get("items"), schemas) for each in value]
    if isinstance(value, dict):
        fields, rest = schema.get("properties", {}), schema.get("additionalProperties")
        return {
            name: _written(each, fields.get(name, rest), schemas) for name, each in value.items()
        }
    if "enum" in schema and isinstance(value, str):
        return _numbers(tuple(schema["enum"])).get(value, value)
    return value
