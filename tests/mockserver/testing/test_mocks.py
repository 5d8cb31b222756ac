"""A session for a test: what it starts from, what it tells, how it ends."""

import os
import unittest
from pathlib import Path
from typing import Any

import httpx
import pytest
from typing_extensions import override

from mockserver.errors import MockServerError
from mockserver.testing import Mock, current_mock, mock
from tests.mockserver.conftest import write_suite
from tests.tapes import ORIGIN, recorded, written

UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
TREE = f"{UNITS}?type=all"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


def add_unit(name: str = "Field") -> None:
    httpx.post(UNITS, json={"name": name, "parentOrgUnitPath": "/"}).raise_for_status()


def test_what_was_asked_and_changed_is_told_during_and_after(suite: Path) -> None:
    with mock(suite) as world:
        add_unit()
        during = (world.requests, world.diff, set(world.state("orgUnits")))
        assert current_mock() is world
        assert world.report().id == world.id
        assert world.base_url.endswith(f"/s/{world.id}")
    assert during == (world.requests, world.diff, {"orgUnits"})
    assert world.requests[0].method_id == "directory.orgunits.insert"
    assert world.misses == ()
    assert world.journal.bodies
    assert world.report().diff == world.diff
    with pytest.raises(MockServerError, match="not open"):
        world.state()
    with pytest.raises(MockServerError, match="no mock is open"):
        current_mock()


def test_a_case_and_a_clock_are_what_the_session_starts_from(suite: Path) -> None:
    with mock(suite, case="EC-001", clock="frozen:2026-01-02T03:04:05Z", seed=3) as world:
        assert "organizationUnits" not in httpx.get(TREE).json()
        assert world.now.isoformat() == "2026-01-02T03:04:05+00:00"
        world.advance(60)
        assert world.now.minute == 5
        with pytest.raises(MockServerError, match="clock"):
            world.advance(-1)


def test_faults_are_set_met_and_cleared(suite: Path) -> None:
    with mock(suite, faults=[{"method": "directory.*", "status": 503, "times": 1}]) as world:
        assert [httpx.get(TREE).status_code for _ in range(2)] == [503, 200]
        world.add_fault(method="directory.orgunits.list", status=429)
        assert httpx.get(TREE).status_code == 429
        world.clear_faults()
        assert httpx.get(TREE).status_code == 200
        assert "-> 503 (directory.orgunits.list, fault directory.*)" in world.summary()


def test_a_session_goes_back_to_its_beginning(suite: Path) -> None:
    with mock(suite) as world:
        add_unit()
        world.reset()
        assert len(httpx.get(TREE).json()["organizationUnits"]) == 2


def test_the_environment_is_that_of_the_session_and_then_as_it_was(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "mine")
    monkeypatch.delenv("MOCK_SESSION", raising=False)
    with mock(suite) as world:
        assert os.environ["MOCK_SESSION"] == world.id
        assert os.environ["GOOGLE_OAUTH_ACCESS_TOKEN"] == world.token
        base = os.environ["GOOGLE_API_BASE_URL"]
        assert httpx.get(f"{base}/{TREE.removeprefix('https://')}").status_code == 200
        assert httpx.get(f"{os.environ['TOOLS_BASE_URL']}").status_code == 200
        file = Path(os.environ["GOOGLE_APPLICATION_CREDENTIALS"])
        assert file.exists()
    assert not file.exists()
    assert "MOCK_SESSION" not in os.environ
    assert os.environ["GOOGLE_CLOUD_PROJECT"] == "mine"
    with mock(suite, environment=False):
        assert "MOCK_SESSION" not in os.environ


def test_a_function_has_a_session_for_each_call(suite: Path) -> None:
    sessions = []

    @mock(suite)
    def add(name: str) -> int:
        add_unit(name)
        sessions.append(current_mock())
        return len(current_mock().requests)

    assert [add("a"), add("b")] == [1, 1]
    assert sessions[0] is not sessions[1]
    assert add.__name__ == "add"


async def test_a_coroutine_has_one_too(suite: Path) -> None:
    @mock(suite)
    async def add() -> int:
        async with httpx.AsyncClient() as client:
            await client.get(TREE)
        return len(current_mock().requests)

    assert await add() == 1
    async with mock(suite) as world:
        assert world is current_mock()


def test_each_test_of_a_class_has_a_session(suite: Path) -> None:
    @mock(suite)
    class Units(unittest.TestCase):
        @override
        def setUp(self) -> None:
            add_unit("from setUp")

        def test_one(self) -> None:
            assert len(current_mock().requests) == 1

        def test_other(self) -> None:
            assert len(current_mock().requests) == 1
            assert httpx.get("https://admin.googleapis.com/nothing").status_code == 200

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Units).run(result)
    assert (result.testsRun, len(result.failures), result.errors) == (2, 1, [])

    @mock(suite)
    class Plain:
        helper = 1

        def test_it(self) -> Mock:
            return current_mock()

    assert Plain().test_it() is not None


def test_an_error_tells_what_was_asked_and_missed(suite: Path) -> None:
    with pytest.raises(AssertionError) as raised, mock(suite):
        _ask_in_vain()
    assert raised.value.__notes__ == [
        "mock: 4 requests, 3 without an answer\n"
        "  1. GET admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
        " -> 200 (directory.orgunits.list, state)\n"
        "  2. GET admin.googleapis.com/admin/directory/v1/users/nobody -> 404"
        " (directory.users.get, state, 3 times)\n"
        "     fixture_gap: no 'nobody' in this session"
    ]


def _ask_in_vain() -> None:
    httpx.get(TREE)
    for _ in range(3):
        httpx.get("https://admin.googleapis.com/admin/directory/v1/users/nobody")
    raise AssertionError("no such user")


def test_long_journals_are_told_by_their_end(suite: Path) -> None:
    with mock(suite) as world, httpx.Client() as client:
        for number in range(60):
            client.get(f"https://admin.googleapis.com/admin/directory/v1/users/{number}")
        lines = world.summary().splitlines()
    assert lines[1] == "  ... 10 lines before"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"suit": "x"}, "mock takes no 'suit'"),
        ({"clock": "sundial"}, "clock='sundial'"),
        ({"faults": [{"status": 500}]}, "faults.0.method"),
        ({"overrides": "one"}, "overrides='one': give a list"),
        ({"record": "sometimes"}, "known are none, once"),
        ({"record": "once"}, "cassette=FILE"),
    ],
)
def test_options_that_make_no_session_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(MockServerError) as raised:
        mock(None, **options)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("folder", "options", "says"),
    [
        ("nowhere", {}, "no such suite"),
        ("suite", {"case": "EC-999"}, "EC-999"),
        ("suite", {"cassette": "nowhere.yaml"}, "no such cassette"),
        ("suite", {"cassettes": ["nowhere"]}, "no cassette 'nowhere'"),
    ],
)
def test_what_cannot_be_opened_says_so_and_leaves_nothing_behind(
    suite: Path, folder: str, options: dict[str, Any], says: str
) -> None:
    before = httpx.HTTPTransport.handle_request
    with pytest.raises(MockServerError) as raised:
        mock(suite.parent / folder, **options).start()
    assert says in str(raised.value)
    assert httpx.HTTPTransport.handle_request is before


def test_a_mock_is_opened_once_at_a_time(suite: Path) -> None:
    world = mock(suite).start()
    with pytest.raises(MockServerError, match="open already"):
        world.start()
    with pytest.raises(MockServerError, match=r"fault: (kind|method)"):
        world.add_fault(kind="gremlin")
    world.stop()
    world.stop()


def test_a_cassette_answers_its_hosts_and_the_suite_the_others(suite: Path, tmp_path: Path) -> None:
    tape = written(tmp_path, [recorded(), recorded(path="/v1/other")])
    with mock(suite, cassette=tape) as world:
        assert httpx.get(f"{ORIGIN}/v1/units").json() == {"name": "first"}
        assert httpx.get(TREE).status_code == 200
        left = "not played: GET https://api.example.com/v1/other (#2 of tape.yaml)"
        assert left in world.summary()
        assert httpx.get(f"{ORIGIN}/v1/never").status_code == 424
    assert [one.source for one in world.requests] == ["cassette", "state", "none"]
    assert world.requests[0].host == "api.example.com"


@pytest.mark.slow
def test_servers_are_shared_and_old_ones_closed(tmp_path: Path) -> None:
    from mockserver.testing import mocks

    for number in range(mocks._MOST_SERVERS + 2):
        with mock(write_suite(tmp_path / str(number))):
            pass
    assert len(mocks._servers) <= mocks._MOST_SERVERS
