import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.apis import APIS
from mockserver.apis.chromepolicy import API as CHROMEPOLICY
from mockserver.apis.directory import API as DIRECTORY
from mockserver.apis.generic import API as GENERIC
from mockserver.apis.monitoring import API as MONITORING
from mockserver.apis.tools import API as TOOLS
from mockserver.cli.apis import Level, documents_of, generic_methods, markdown_page, method_support
from mockserver.cli.main import app
from mockserver.errors import MockServerError
from mockserver.googleapi import Catalog


def lines(*arguments: str) -> list[str]:
    result = CliRunner().invoke(app, ["apis", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return [each for each in result.output.splitlines() if not each.startswith("Rely on: ")]


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


def test_each_method_tells_how_it_is_proven() -> None:
    rows = lines("compute:v1")
    (network,) = (row for row in rows if " compute.networks.get " in row)
    assert re.search(r"agrees in \d+ of \d+ recorded exchanges, fully in \d+", network)
    assert any("by documents only" in row for row in rows)


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
        ("calendar", "emulated calendar.events.list v3", " v9 "),
        ("drive:v3", "generic drive.drives.list v3", " v2 "),
        ("people", "emulated people.people.get v1", " v9 "),
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


SMALL_CATALOG = Catalog(preferred=CHROMEPOLICY.documents, supplements=[])
LINES = tuple(markdown_page((CHROMEPOLICY, GENERIC), SMALL_CATALOG))


def test_counts_come_first_and_add_up() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in LINES if "| " in line]
    counts = {row[0]: [int(cell) for cell in row[1:3]] for row in rows if row[1].isdecimal()}
    total = counts.pop("**total**")
    assert counts["[chromepolicy](#chromepolicy)"] == [len(CHROMEPOLICY.handlers), 5]
    assert total == [sum(column) for column in zip(*counts.values(), strict=True)]


def test_the_emulated_methods_of_an_api_are_listed_with_their_routes() -> None:
    assert "## chromepolicy" in LINES
    assert (
        "| `chromepolicy.customers.policySchemas.list` | v1 |"
        " `GET chromepolicy.googleapis.com/v1/{+parent}/policySchemas` |"
    ) in LINES
    assert not any("media.upload" in line for line in LINES)


def test_an_api_without_methods_has_no_place_on_the_page() -> None:
    assert "## generic" not in LINES


CATALOG = Catalog(
    preferred=[document for api in APIS for document in api.documents],
    supplements=[document for api in APIS for document in api.supplements],
)


def test_a_method_without_semantics_of_its_own_is_generic() -> None:
    found = {one.method_id: one for one in method_support(DIRECTORY, CATALOG)}
    assert found["directory.mobiledevices.list"].level is Level.GENERIC
    assert found["directory.users.list"].level is Level.EMULATED
    assert found["directory.users.list"].version == "directory_v1"


def test_tools_are_listed_though_they_have_no_document() -> None:
    routes = {one.method_id: one.route for one in method_support(TOOLS, CATALOG)}
    assert routes["tools.listOrgUnits"] == "POST /tools/listOrgUnits"


def test_an_apis_documents_are_those_of_discovery_and_its_own() -> None:
    assert ("monitoring", "v3") in documents_of(MONITORING)
    assert len(documents_of(MONITORING)) == len(set(documents_of(MONITORING)))


def test_all_other_documents_are_counted() -> None:
    """Every method of Discovery is emulated or generic."""
    rest, whole = generic_methods(APIS, CATALOG), generic_methods((), CATALOG)
    own = [method for api in APIS for method in method_support(api, CATALOG) if method.version]
    assert whole.methods > 25_000
    assert rest.methods < whole.methods <= rest.methods + len(own)
    assert rest.apis < whole.apis
