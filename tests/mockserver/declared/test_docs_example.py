"""The example of the page of declared APIs, served as a reader would."""

import re
from pathlib import Path

from tests.mockserver.declared.worlds import declared

PAGE = Path(__file__).parents[3] / "docs" / "declared-apis.md"


async def test_the_example_of_the_page_is_served(tmp_path: Path) -> None:
    blocks = re.findall(r"```(?:yaml|json)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    for text, name in zip(blocks, ("apis/travel.yaml", "base/travel.json"), strict=True):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(text.replace("# base/travel.json\n", ""), encoding="utf-8")
    async with declared(tmp_path, url="/api.travel.example.com/v1") as travel:
        key = {"X-Api-Key": travel.session.token}
        flights = await travel.ask("GET", "/flights?from=ZRH&maxPrice=150", headers=key)
        assert [flight["id"] for flight in flights.json()] == ["EX1"]
        made = await travel.ask("POST", "/bookings", json={"flightId": "EX1"}, headers=key)
        assert made.json() == {"id": "B1", "status": "confirmed", "flightId": "EX1"}
        cancelled = await travel.ask("POST", "/bookings/B1/cancel", headers=key)
        assert cancelled.json()["status"] == "cancelled"
        verdict = travel.application.dispatcher.routes.catalog
        assert verdict.is_host("api.travel.example.com")
