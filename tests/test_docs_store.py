"""What docs/reference/store.md says is held against the code."""

from harness.server.routes import ROUTES
from harness.server.run_queue import MOST_KEPT
from harness.server.schemas import RunOrder
from harness.server.settings import MAX_BODY_BYTES
from harness.storage.index.database import metadata
from tests.documents import DOCS, code_in, first_column, section


def test_the_routes_are_those_there_are() -> None:
    told = first_column(section("store", "## REST"), "Route")
    assert told == [f"{route.verb} {route.path}" for route in ROUTES]


def test_every_field_of_an_order_is_named() -> None:
    assert set(first_column(section("store", "## REST"), "Field")) == set(RunOrder.model_fields)


def test_the_tables_and_limits_are_those_of_the_code() -> None:
    assert set(metadata.tables) - {"index_version"} <= set(
        code_in(section("store", "## The index"))
    )
    assert f"{MAX_BODY_BYTES >> 20} MiB" in DOCS["store"]
    assert f"{MOST_KEPT:,}" in DOCS["store"]
