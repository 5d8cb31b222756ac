"""The fixture `understudy`, as a project would use it: pytest in a process of its own."""

from pathlib import Path

import pytest

from tests.mockserver.conftest import write_suite
from tests.mockserver.testing.test_plugin import ran
from tests.tapes import ORIGIN, recorded, written

SUITE = """
import unittest
import httpx, pytest, requests

UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
TREE = UNITS + "?type=all"
pytestmark = pytest.mark.understudy("suite")

def test_clients_are_led(understudy):
    assert len(requests.get(TREE, timeout=60).json()["organizationUnits"]) == 2
    assert [one.method_id for one in understudy.requests] == ["directory.orgunits.list"]
    assert not understudy.misses

@pytest.mark.understudy(case="EC-001", clock="frozen", seed=2)
def test_the_nearest_marker_adds_to_those_above(understudy):
    assert "organizationUnits" not in httpx.get(TREE).json()
    assert understudy.now.year == 2026

@pytest.mark.understudy(faults=[{"method": "directory.*", "status": 503}])
def test_faults():
    assert httpx.get(TREE).status_code == 503

async def test_async(understudy):
    async with httpx.AsyncClient() as client:
        assert (await client.get(TREE)).status_code == 200
    assert len(understudy.requests) == 1

STUB = {"url": "a.example.com/x", "body": {"y": 1}}

@pytest.mark.understudy(suite=None, overrides=[{"http": [STUB]}])
def test_a_layer_of_its_own():
    assert httpx.get("https://a.example.com/x").json() == {"y": 1}

@pytest.mark.understudy(cassette="tape.yaml")
def test_a_cassette(understudy):
    assert httpx.get("ORIGIN/v1/units").json() == {"name": "first"}

class Units(unittest.TestCase):
    def test_in_a_class_of_unittest(self):
        assert httpx.get(TREE).status_code == 200

@pytest.mark.parametrize("number", range(4))
def test_each_has_its_own_session(understudy, number):
    httpx.post(UNITS, json={"name": "Field", "parentOrgUnitPath": "/"}).raise_for_status()
    assert len(understudy.diff["orgUnits"]["added"]) == 1

def test_fails():
    httpx.get(TREE)
    httpx.get("https://admin.googleapis.com/admin/directory/v1/users/nobody")
    assert False

@pytest.mark.understudy("nowhere")
def test_no_suite():
    pass

@pytest.mark.understudy(suit="suite")
def test_misspelt():
    pass

@pytest.mark.understudy("suite", "other")
def test_two_suites():
    pass

@pytest.mark.understudy(cassette="absent.yaml")
def test_no_cassette():
    pass
""".replace("ORIGIN", ORIGIN)


ALONE = pytest.param((), marks=pytest.mark.slow)
XDIST = pytest.param(("-n", "2"), marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=[ALONE, XDIST], ids=["one process", "xdist"])
def outcome(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("project")
    write_suite(folder / "suite")
    written(folder, [recorded()])
    (folder / "test_units.py").write_text(SUITE, encoding="utf-8")
    (folder / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers\nasyncio_mode = auto\n", encoding="utf-8"
    )
    return ran(folder, *request.param)


@pytest.mark.parametrize(
    "name",
    [
        "test_clients_are_led",
        "test_the_nearest_marker_adds_to_those_above",
        "test_faults",
        "test_async",
        "test_a_layer_of_its_own",
        "test_a_cassette",
        "Units::test_in_a_class_of_unittest",
        *(f"test_each_has_its_own_session[{number}]" for number in range(4)),
    ],
)
def test_what_passes(outcome: str, name: str) -> None:
    assert f"PASSED test_units.py::{name}" in outcome, outcome


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("test_no_suite", "nowhere: no such suite"),
        ("test_misspelt", "mock takes no 'suit'"),
        ("test_two_suites", "the marker understudy takes one suite"),
        ("test_no_cassette", "absent.yaml is not there; record it: --cassette-mode=once"),
    ],
)
def test_what_cannot_be_opened(outcome: str, name: str, says: str) -> None:
    assert f"ERROR test_units.py::{name}" in outcome
    assert says in outcome


def test_a_failure_says_what_was_asked_and_missed(outcome: str) -> None:
    assert "FAILED test_units.py::test_fails" in outcome
    assert "- understudy -" in outcome
    assert "mock: 2 requests, 1 without an answer" in outcome
    assert "fixture_gap: no 'nobody' in this session" in outcome


@pytest.mark.slow
def test_a_suite_of_the_project_needs_no_marker(tmp_path: Path) -> None:
    write_suite(tmp_path / "suite")
    (tmp_path / "pytest.ini").write_text("[pytest]\nunderstudy_suite = suite\n", encoding="utf-8")
    (tmp_path / "test_units.py").write_text(
        "import httpx\n"
        "def test_units(understudy):\n"
        "    answer = httpx.get('https://admin.googleapis.com/admin/directory/v1/customer/C01example'\n"
        "                       '/orgunits')\n"
        "    assert answer.status_code == 200\n",
        encoding="utf-8",
    )
    assert "1 passed" in ran(tmp_path)


@pytest.mark.slow
def test_a_run_may_record_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "test_live.py").write_text(
        "import pytest, requests\n"
        "@pytest.mark.understudy(cassette='tape.yaml')\n"
        "def test_live():\n"
        "    with pytest.raises(requests.ConnectionError):\n"
        "        requests.get('https://nobody.invalid/', timeout=60)\n",
        encoding="utf-8",
    )
    assert "1 passed" in ran(tmp_path, "--cassette-mode=once")
