from typing import Any

import pytest

from mockserver.capture.google.plans import ReferenceFailureError, fill_references, references_in

KNOWN: dict[str, Any] = {
    "now": "2026-11-20T09:00:00Z",
    "unit": {"orgUnitId": "id:03ph2", "name": "Eng", "n": 3, "live": True},
    "orgUnits": {"organizationUnits": [{"orgUnitId": "id:1"}, {"orgUnitId": "id:2"}, {}]},
    "pages": [{"items": [1, 2]}, {}, {"items": [3]}],
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("${unit}", KNOWN["unit"]),
        ("${unit.orgUnitId}", "id:03ph2"),
        ("${unit.orgUnitId|tail}", "03ph2"),
        ("orgunits/${unit.orgUnitId|tail}", "orgunits/03ph2"),
        ("${unit.name}-${unit.n}-${unit.live}", "Eng-3-true"),
        ("${orgUnits.organizationUnits[1].orgUnitId}", "id:2"),
        ("${orgUnits.organizationUnits[*].orgUnitId}", ["id:1", "id:2"]),
        ("${orgUnits.organizationUnits[*].orgUnitId|tail}", ["1", "2"]),
        ("${pages[*].items[*]}", [1, 2, 3]),
        ("${pages[0].nothing[*]}", []),
        ("${now}", "2026-11-20T09:00:00Z"),
        ("${now-7d}", "2026-11-13T09:00:00.000Z"),
        ("${unit.name-1d}", None),  # a dash is part of a field's name
        ("${now+90s}", "2026-11-20T09:01:30.000Z"),
    ],
    ids=str,
)
def test_references_are_followed(text: str, value: object) -> None:
    assert fill_references(text, KNOWN) == value


def test_references_inside_of_objects_and_lists_are_followed() -> None:
    given = {"a": ["${unit.name}", 1], "b": {"c": "${unit.n}"}, "d": None}
    assert fill_references(given, KNOWN) == {"a": ["Eng", 1], "b": {"c": 3}, "d": None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${nobody}", "nothing is called 'nobody'"),
        ("${}", "is no reference"),
        ("${unit id}", "is no reference"),
        ("x ${unit}", "is an object and stands inside of a text"),
        ("x ${pages}", "is a list"),
        ("x ${unit.missing}", "is nothing"),
        ("${unit.name.more}", "leads nowhere"),
        ("${pages[9]}", "leads nowhere"),
        ("${unit+1d}", "not an RFC 3339"),
    ],
    ids=str,
)
def test_references_that_lead_nowhere_say_why(text: str, said: str) -> None:
    with pytest.raises(ReferenceFailureError, match=said):
        fill_references(text, KNOWN)


def test_names_are_told_with_their_places() -> None:
    found = list(references_in({"a": ["${x.y}", "${now-1d} and ${z}"], "b": "${ bad }"}))
    assert found == [(("a", 0), "x"), (("a", 1), "now"), (("a", 1), "z"), (("b",), "${ bad }")]
