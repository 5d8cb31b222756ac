from base64 import b64encode

import pytest

from mockserver.apis.firestore.paths import check_id, field_path, read_document_name
from mockserver.apis.firestore.values import rank_of, stored_value, value_of_json
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject


def vector(*numbers: float) -> JsonObject:
    items: list[Json] = [*numbers]
    return value_of_json({"__type__": "__vector__", "value": items})


ROOT = "projects/p/databases/d/documents"
IN_ORDER: list[JsonObject] = [
    {"nullValue": None},
    {"booleanValue": False},
    {"booleanValue": True},
    {"doubleValue": "NaN"},
    {"doubleValue": "-Infinity"},
    {"integerValue": "-9223372036854775808"},
    {"doubleValue": -0.5},
    {"integerValue": "0"},
    {"integerValue": "9007199254740992"},
    {"integerValue": "9007199254740993"},  # which no double is
    {"doubleValue": "Infinity"},
    {"timestampValue": "2026-03-01T09:00:00Z"},
    {"timestampValue": "2026-03-01T09:00:00.000001Z"},
    {"timestampValue": "2026-03-01T09:00:00.5Z"},
    {"stringValue": ""},
    {"stringValue": "Z"},
    {"stringValue": "a"},
    {"stringValue": "￿"},
    {"stringValue": "😀"},  # behind it in UTF-8, before it in UTF-16
    {"bytesValue": ""},
    {"bytesValue": b64encode(b"\x7f").decode()},
    {"bytesValue": b64encode(b"\x80").decode()},
    {"referenceValue": f"{ROOT}/c/__id2__"},
    {"referenceValue": f"{ROOT}/c/__id10__"},
    {"referenceValue": f"{ROOT}/c/a"},
    {"referenceValue": f"{ROOT}/c/a/d/b"},
    {"referenceValue": f"{ROOT}/c/a!"},
    {"geoPointValue": {"latitude": -1.0, "longitude": 5.0}},
    {"geoPointValue": {"latitude": 1.0, "longitude": -5.0}},
    {"arrayValue": {}},
    value_of_json([1, 2]),
    value_of_json([1, 2, 0]),
    value_of_json([2]),
    vector(9),
    vector(1, 2),
    vector(1, 3),
    {"mapValue": {}},
    value_of_json({"a": 1}),
    value_of_json({"a": 1, "b": 0}),
    value_of_json({"a": 2}),
    value_of_json({"b": 0}),
]


def test_values_of_all_types_have_one_order() -> None:
    ranks = [rank_of(each) for each in IN_ORDER]
    assert sorted(ranks) == ranks
    assert len(set(ranks)) == len(ranks)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"integerValue": "1"}, {"doubleValue": 1.0}),
        ({"doubleValue": -0.0}, {"integerValue": "0"}),
        (
            {"timestampValue": "2026-03-01T09:00:00Z"},
            {"timestampValue": "2026-03-01T09:00:00.0Z"},
        ),
    ],
)
def test_equal_values_of_several_forms(one: JsonObject, other: JsonObject) -> None:
    assert rank_of(one) == rank_of(other)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({}, "a value without a type"),
        ({"functionValue": {}}, "of the type functionValue"),
        (value_of_json([[1]]), "an array value in an array value"),
        ({"mapValue": {"fields": {"": {"nullValue": None}}}}, "Property name is empty"),
        ({"geoPointValue": {"latitude": 91}}, "latitude must be between"),
        ({"geoPointValue": {"longitude": -181}}, "longitude must be between"),
        ({"referenceValue": f"{ROOT}/c"}, "names no document"),
        ({"referenceValue": "x"}, 'Invalid resource name "x"'),
    ],
)
def test_what_no_document_holds(value: JsonObject, says: str) -> None:
    with pytest.raises(ApiError, match=says):
        stored_value(value)


def test_maps_are_not_nested_forever() -> None:
    value: JsonObject = {"nullValue": None}
    for _ in range(22):
        value = {"mapValue": {"fields": {"a": value}}}
    with pytest.raises(ApiError, match="nested too deeply"):
        stored_value(value)


@pytest.mark.parametrize("path", ["", "a.", ".a", "a..b", "a b", "`a", "`a`b", "1a", "a.`"])
def test_what_is_no_path_of_fields(path: str) -> None:
    with pytest.raises(ApiError, match="Invalid property path"):
        field_path(path)


def test_paths_may_hold_anything_in_backticks() -> None:
    assert field_path(r"`a\`b\\c`.`1`._d") == ("a`b\\c", "1", "_d")


@pytest.mark.parametrize("ident", ["", ".", "..", "a/b", "__x__", "a" * 1501])
def test_what_nothing_is_called(ident: str) -> None:
    with pytest.raises(ApiError, match="is invalid"):
        check_id(ident)


def test_a_name_of_a_collection_is_none_of_a_document() -> None:
    assert read_document_name(f"{ROOT}/c/__id7__") == ROOT
    for name in (ROOT, f"{ROOT}/c", f"{ROOT}/c/d/e", f"{ROOT}/c/", f"{ROOT}x/c/d"):
        with pytest.raises(ApiError, match=r"(?i)invalid"):
            read_document_name(name)
