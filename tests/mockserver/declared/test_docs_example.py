"""The example of the page of declared APIs, served as a reader would."""

import re
from pathlib import Path

from mockserver.declared.checks import findings
from mockserver.declared.files import parsed_declaration
from mockserver.storage.untrusted_yaml import load_yaml
from tests.documents import PAGES
from tests.mockserver.declared.worlds import declared

PAGE = PAGES["declared-apis"]


def blocks() -> list[str]:
    return re.findall(r"```(?:yaml|json)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


def test_the_shapes_of_the_page_are_collections() -> None:
    shapes = [text for text in blocks()[2:] if re.match(r"\w+:\n  (path|key):", text)]
    assert len(shapes) > 3
    for text in shapes:
        raw = {"api": "shop", "collections": load_yaml(text, "x")}
        file, problems = parsed_declaration(raw, PAGE)
        assert file is not None, problems
        assert list(findings([file.declaration], taken=(), trusted=False)) == []


async def test_the_example_of_the_page_is_served(tmp_path: Path) -> None:
    files = ("apis/travel.yaml", "base/travel.json")
    for text, name in zip(blocks()[:2], files, strict=True):
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
