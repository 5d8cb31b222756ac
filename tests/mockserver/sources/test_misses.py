"""Why a request found no answer, and what is near."""

from datetime import UTC, datetime

import pytest

from mockserver.apis import APIS
from mockserver.apis.directory import API as DIRECTORY
from mockserver.collections import Store
from mockserver.googleapi import Api, ApiError, LazyHandlers, not_emulated
from mockserver.model import JsonObject, Miss
from mockserver.routing import Routes
from mockserver.sources.misses import Misses
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)

NOW = datetime(2026, 3, 2, tzinfo=UTC)
ROUTES = Routes(APIS)
MISSES = Misses(ROUTES)
USER = ROUTES.find(b"", "GET", b"/admin/directory/v1/users/x")


def world(**tables: dict[str, JsonObject]) -> World:
    base = Base(
        tables={name: Store(rows) for name, rows in tables.items()}, times={}, captured_at=NOW
    )
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(0), session="s1")


WORLD = world(
    users={
        "1": {"id": "1", "primaryEmail": "ada@example.com", "name": {"fullName": "Ada L."}},
        "2": {"id": "2"},
    }
)


def miss_of(error: ApiError, **params: object) -> Miss | None:
    return MISSES.of_error(error, USER, dict(params), WORLD)


def test_a_404_names_the_nearest_resource_and_the_parameter_that_missed() -> None:
    found = miss_of(ApiError(404, "Resource Not Found"), userKey="adda@example.com", maxResults=5)
    assert found == Miss(
        blame="fixture_gap", reason="Resource Not Found", nearest="ada@example.com",
        differs=("userKey",),
    )  # fmt: skip


def test_a_miss_loads_no_other_api() -> None:
    """All of them took a process a second, and everybody who asked it meanwhile waited."""
    other = Api("gmail", documents=(("gmail", "v1"),), handlers=LazyHandlers("not.there"))
    routes = Routes((DIRECTORY, other))
    user = routes.find(b"", "GET", b"/admin/directory/v1/users/x")
    found = Misses(routes).of_error(
        ApiError(404, "x"), user, {"userKey": "adda@example.com"}, WORLD
    )
    assert found is not None
    assert found.nearest == "ada@example.com"


@pytest.mark.parametrize(
    "key",
    ["grace.hopper", "2", "{'fullName': 'Ada'}"],
    ids=["nothing alike", "there already", "a part that no one asks by"],
)
def test_what_is_not_near_is_not_named(key: str) -> None:
    found = miss_of(ApiError(404, "Not Found"), userKey=key)
    assert found == Miss(blame="fixture_gap", reason="Not Found")


def test_the_handler_s_own_word_is_kept_and_completed() -> None:
    own = Miss(blame="agent_error", reason="no such user")
    found = miss_of(ApiError(404, "x", miss=own), userKey="ada@example.org")
    assert found is not None
    assert (found.blame, found.nearest) == ("agent_error", "ada@example.com")

    complete = own.model_copy(update={"nearest": "bob"})
    assert miss_of(ApiError(404, "x", miss=complete), userKey="ada@example.org") is complete


def test_a_400_is_the_agent_s_own_fault() -> None:
    found = miss_of(ApiError(400, "Invalid value\nand more"))
    assert found == Miss(blame="agent_error", reason="Invalid value")


def test_other_errors_are_no_misses_of_their_own() -> None:
    assert miss_of(ApiError(409, "Duplicate")) is None
    emulated = miss_of(not_emulated("a.b"))
    assert emulated is not None
    assert emulated.blame == "not_emulated"


def test_of_many_rows_those_beside_the_name_are_compared() -> None:
    rows: dict[str, JsonObject] = {f"user{n:05}": {"id": f"user{n:05}"} for n in range(3000)}
    found = MISSES.of_error(ApiError(404, "x"), USER, {"userKey": "user02999x"}, world(users=rows))
    assert found is not None
    assert found.nearest == "user02999"


@pytest.mark.parametrize(
    ("host", "verb", "path", "nearest", "differs"),
    [
        ("admin.googleapis.com", "GET", "/admin/directory/v1/user",
         "GET admin.googleapis.com/admin/directory/v1/users", "path"),
        ("", "GET", "/admin/directory/v1/user", "GET /admin/directory/v1/users", "path"),
        ("admin.googleapis.com", "GET", "/qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", "",
         "path"),
    ],
)  # fmt: skip
def test_an_unknown_route_names_the_nearest(
    host: str, verb: str, path: str, nearest: str, differs: str
) -> None:
    found = MISSES.of_unknown_route(ROUTES.find(host.encode(), verb, path.encode()))
    assert found.blame == "agent_error"
    assert (found.nearest, found.differs) == (nearest, (differs,))
    assert found.reason.startswith("no method at GET ")


@pytest.mark.parametrize("host", ["admin.googleapis.com", "127.0.0.1"])
def test_a_wrong_verb_names_the_right_ones(host: str) -> None:
    path = b"/admin/directory/v1/customer/my_customer/orgunits"
    found = MISSES.of_unknown_route(ROUTES.find(host.encode(), "DELETE", path))
    assert found.differs == ("method",)
    assert found.reason.endswith("; it answers GET, POST")


def test_a_token_in_an_unknown_path_is_not_told() -> None:
    found = MISSES.of_unknown_route(ROUTES.find(b"", "GET", b"/v1/ya29.a0Af/x"))
    assert found.reason == "no method at GET /v1/[redacted]/x"
