"""Fault scripts whose method nothing has."""

import pytest

from mockserver.apis import APIS
from mockserver.model import Fault
from mockserver.snapshots.lint import FaultMethods, tools_of

METHODS = FaultMethods(APIS)


@pytest.mark.parametrize(
    "method",
    [
        "directory.orgunits.list",
        "directory.*",
        "*",
        "*.list",
        "tools.listOrgUnits",
        "tools.mine",
        "tools.*",
        "directory.chromeosdevices.list",
        "drive.files.create",
        "drive.*",
        "sheets.spreadsheets.values.[gu]*",
        "monitoring.*.query_range",
        "metadata.token",
        "*.nothing.known",
    ],
    ids=str,
)
def test_a_fault_of_any_method_there_is_is_sound(method: str) -> None:
    assert list(METHODS.problems([Fault(method=method)], ["mine"])) == []


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("directory.orgunit.list", "directory.orgunits.list"),
        ("tools.listOrgUnit", "tools.listOrgUnits"),
        ("calendar.events.lst", "did you mean 'calendar.events.list'?"),
        ("calender.events.list", "did you mean 'calendar.events.list'?"),
        ("drive.documents.*", ""),
        ("nothing.*", ""),
        ("orgunits", ""),
    ],
    ids=str,
)
def test_a_fault_that_is_never_met_is_told_with_what_is_near(method: str, hint: str) -> None:
    (problem,) = METHODS.problems([Fault(method=method, origin="faults[2]")], [])
    assert (problem.where, problem.level) == ("/faults/2", "warning")
    assert method in problem.message
    assert hint in problem.hint


def test_tools_of_a_snapshot_are_methods_too() -> None:
    assert list(tools_of({"tools": {"mine": {}}})) == ["mine"]
    assert list(tools_of({"tools": None})) == []
