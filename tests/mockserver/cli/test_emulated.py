from mockserver.apis.chromepolicy import API as CHROMEPOLICY
from mockserver.apis.generic import API as GENERIC
from mockserver.cli.apis import markdown_page
from mockserver.googleapi import Catalog

CATALOG = Catalog(preferred=CHROMEPOLICY.documents, supplements=[])
LINES = tuple(markdown_page((CHROMEPOLICY, GENERIC), CATALOG))


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
