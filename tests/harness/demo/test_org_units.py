import pytest

from harness.demo.org_units import OrgUnits, speaks_of_org_unit

PATHS = ["/", "/Sales", "/Sales/EMEA", "/Support", "/Support/Contractors"]
UNITS = OrgUnits(
    tuple(
        {"id": f"03{number}", "path": path, "parent": path.rpartition("/")[0] or "/"}
        for number, path in enumerate(PATHS)
    )
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Off for Sales, still on in EMEA", "/Sales/EMEA"),
        ("What about /Sales?", "/Sales"),
        ("Is Contractors affected?", "/Support/Contractors"),
        ("please support me", None),
        ("The Salesforce connector", None),
    ],
)
def test_the_deepest_org_unit_that_a_text_names_is_meant(text: str, expected: str | None) -> None:
    found = UNITS.named_in(text)
    assert (found and found["path"]) == expected


def test_ids_become_paths_with_any_prefix() -> None:
    assert [UNITS.path(name) for name in ("031", "orgunits/032", "09")] == [
        "/Sales",
        "/Sales/EMEA",
        "09",
    ]


def test_a_unit_knows_its_parent() -> None:
    parent = UNITS.parent(UNITS.rows[2])
    assert parent is not None
    assert parent["path"] == "/Sales"
    assert UNITS.root["path"] == "/"


@pytest.mark.parametrize(("text", "expected"), [("the Marketing OU", True), ("you", False)])
def test_a_text_may_speak_of_some_org_unit(text: str, expected: bool) -> None:
    assert speaks_of_org_unit(text) is expected
