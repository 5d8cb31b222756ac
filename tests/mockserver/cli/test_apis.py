from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.apis import APIS
from mockserver.apis.directory import API as DIRECTORY
from mockserver.cli.main import app
from mockserver.errors import MockServerError


def lines(*arguments: str) -> list[str]:
    result = CliRunner().invoke(app, ["apis", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output.splitlines()


def test_all_apis_are_listed_with_counts() -> None:
    head, *rows, total = lines()
    assert head.split() == ["API", "emulated", "generic", "documents"]
    assert [row.split()[0] for row in rows] == [api.name for api in APIS if api.name != "generic"]
    assert int(total.split()[1]) == sum(int(row.split()[1]) for row in rows)
    assert int(total.split()[1]) >= sum(len(api.handlers) for api in APIS)


def test_one_level_has_one_column() -> None:
    head, *_, total = lines("--level", "generic")
    assert head.split() == ["API", "generic", "documents"]
    assert len(total.split()) == 2


def test_the_methods_of_one_api_are_listed() -> None:
    *rows, count = lines("directory", "--level", "emulated")
    assert count == f"{len(DIRECTORY.handlers)} methods"
    assert {row.split()[2] for row in rows} == set(DIRECTORY.handlers)
    assert all(row.startswith("emulated") for row in rows)
    assert any(row.endswith("GET admin.googleapis.com/admin/directory/v1/users") for row in rows)


def test_columns_are_aligned_whatever_stands_in_them() -> None:
    for rows, column in ((lines(), "documents"), (lines("directory")[:-1], "POST ")):
        places = {row.find(column) for row in rows if column in row}
        assert len(places) == 1


def test_emulated_methods_come_before_generic_ones() -> None:
    levels = [row.split()[0] for row in lines("directory")[:-1]]
    assert levels == sorted(levels)
    assert set(levels) == {"emulated", "generic"}


def test_the_page_of_the_docs_has_every_emulated_method() -> None:
    told = "\n".join(lines("--markdown"))
    assert all(f"`{name}`" in told for api in APIS for name in api.handlers)


@pytest.mark.parametrize(
    ("name", "row", "others"),
    [
        ("calendar", "generic calendar.events.list v3", "emulated"),
        ("drive:v3", "generic drive.files.list v3", " v2 "),
        ("drive", "generic drive.files.list v2", "emulated"),
        ("cloudresourcemanager", "emulated cloudresourcemanager.projects.get v1", " v9 "),
    ],
)
def test_every_api_of_discovery_is_known(name: str, row: str, others: str) -> None:
    *rows, count = lines(name)
    level, method, version = row.split()
    assert [level, version, method] in [each.split()[:3] for each in rows]
    assert not any(others in each for each in rows)
    assert count == f"{len(rows)} methods"


@pytest.mark.parametrize(
    ("name", "near"), [("report", "reports"), ("calender", "calendar"), ("drive:v9", "drive:v3")]
)
def test_an_unknown_api_names_the_nearest(name: str, near: str) -> None:
    with pytest.raises(MockServerError, match=f"did you mean '{near}'"):
        CliRunner().invoke(app, ["apis", name], catch_exceptions=False)


def test_the_methods_that_a_suite_declares_are_listed() -> None:
    suite = str(Path(__file__).parents[3] / "fixtures" / "travel")
    *rows, total = lines("--fixtures", suite)
    assert rows[0].split() == ["travel.flights.list", "GET", "api.travel.example.com/v1/flights"]
    assert total == f"{len(rows)} methods"
    with pytest.raises(MockServerError, match="declares no API 'travl'"):
        lines("travl", "--fixtures", suite)
