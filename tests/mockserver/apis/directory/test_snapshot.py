from mockserver.apis.directory import API
from mockserver.apis.directory.snapshot import import_snapshot
from mockserver.googleapi import Import
from tests.mockserver.apis.directory.conftest import RAW


def imported(**raw: object) -> Import:
    found = Import(raw=raw, customer="C0example")
    import_snapshot(found)
    return found


def test_an_empty_snapshot_still_has_a_customer_a_root_and_a_domain() -> None:
    found = imported()
    assert found.problems == []
    assert found.tables["customer"]["customer"]["customerDomain"] == "example.com"
    assert [unit["orgUnitPath"] for unit in found.tables["orgUnits"].values()] == ["/"]
    assert list(found.tables["domains"]) == ["example.com"]
    assert [pointer for pointer, _ in found.changes] == ["/customer", "/orgUnits", "/domains"]


def test_the_same_snapshot_gives_the_same_tables() -> None:
    assert imported(**RAW).tables == imported(**RAW).tables


def test_what_an_export_says_is_kept() -> None:
    found = imported(**RAW)
    assert found.problems == []
    assert [pointer for pointer, _ in found.changes] == ["/customer"]


def test_a_customer_that_is_no_object_is_a_problem() -> None:
    assert imported(customer=["C0x"]).problems[0].where == "/customer"


def test_a_domain_without_a_name_is_a_problem() -> None:
    assert imported(domains=[{}]).problems[0].where == "/domains/0/domainName"


def test_every_table_is_a_collection_that_may_be_written_down() -> None:
    assert set(imported().tables) == {collection.name for collection in API.collections}
