"""The emulated APIs inside a test."""

from pathlib import Path

import httpx

from mockserver.model import SessionSpec
from mockserver.testing import EmulatorTransport
from tests.mockserver.conftest import write_suite

UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits?type=all"


def test_a_client_asks_an_api_by_its_own_address(tmp_path: Path) -> None:
    transport = EmulatorTransport(write_suite(tmp_path / "suite"))
    with httpx.Client(transport=transport) as client:
        answers = [client.get(UNITS) for _ in range(2)]
    assert [len(answer.json()["organizationUnits"]) for answer in answers] == [2, 2]
    assert len(transport.session.journal) == 2


async def test_an_asynchronous_client_asks_in_its_own_loop(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    transport = EmulatorTransport(suite, SessionSpec(case="EC-001"))
    async with httpx.AsyncClient(transport=transport) as client:
        assert "organizationUnits" not in (await client.get(UNITS)).json()
    transport.close()
