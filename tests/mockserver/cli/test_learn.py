"""Declared APIs that are made of recordings, served and asked the same again."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from typer.testing import CliRunner

from mockserver.cassettes.files import write_cassette
from mockserver.cli.main import app
from mockserver.errors import MockServerError
from mockserver.http.application import Application
from mockserver.model import Cassette, Interaction, SessionSpec
from mockserver.settings import Settings
from mockserver.state import parse_rfc3339
from tests.mockserver.verify.test_tool_state import SHOP
from tests.mockserver.verify.test_tool_state import call as tool_call
from tests.recordings import interaction

HOST = "api.depot.example.com"
AT = "2026-03-02T08:00:00Z"
KEY = ("X-Api-Key", "redacted-key-1")
CARRIERS = [{"code": code, "name": name, "express": code == "NRD"}
            for code, name in (("NRD", "Nordfracht"), ("ALP", "Alpenpost"))]  # fmt: skip
PARCELS = [
    {"id": f"PX{1000 + n}", "status": status, "carrierCode": code, "weight": weight,
     "to": {"city": city, "email": f"user-{n}@example.com"},
     "createdAt": f"2026-03-01T0{n}:00:00Z"}
    for n, (status, code, weight, city) in enumerate([
        ("stored", "NRD", 2.5, "Chur"), ("sent", "ALP", 0.4, "Bern"), ("sent", "NRD", 7, "Chur"),
        ("stored", "ALP", 12, "Genf"), ("lost", "NRD", 3.2, "Bern"),
    ])
]  # fmt: skip
EVENTS = {n: [{"id": 10 * n + k, "kind": kind} for k, kind in enumerate(("taken", "sorted"))]
          for n in (1, 2)}  # fmt: skip


def call(path: str, answer: Any, *, link: str = "", **how: Any) -> Interaction:
    """A call of the API with its key; `link` is the URL of the next page."""
    made = interaction(f"https://{HOST}/v2{path}", answer, at=AT, **how)
    more = (("Link", f'<https://{HOST}/v2{link}>; rel="next"'),) if link else ()
    return replace(
        made,
        request=replace(made.request, headers=(*made.request.headers, KEY)),
        response=replace(made.response, headers=(*made.response.headers, *more)),
    )


def page(rows: Sequence[Any], total: int) -> dict[str, Any]:
    return {"parcels": list(rows), "total": total}


END = {"next_cursor": None, "has_more": False}
READS = [
    call("/carriers", CARRIERS),
    call("/carriers/NRD", CARRIERS[0]),
    call("/parcels", page(PARCELS[:2], 5), link="/parcels?page=2"),
    call("/parcels?page=2", page(PARCELS[2:4], 5), link="/parcels?page=3"),
    call("/parcels?page=3", page(PARCELS[4:], 5)),
    call("/parcels?per_page=3", page(PARCELS[:3], 5), link="/parcels?per_page=3&page=2"),
    call("/parcels?status=sent", page(PARCELS[1:3], 2)),
    call("/parcels?carrier=NRD&per_page=5", page(PARCELS[::2], 3)),
    call("/parcels?lighter=3&per_page=5", page(PARCELS[:2], 2)),
    call("/parcels?sort=weight&per_page=2", page([PARCELS[1], PARCELS[0]], 5),
         link="/parcels?sort=weight&per_page=2&page=2"),
    call("/parcels/PX1001", PARCELS[1]),
    call("/parcels/PX1001/events", EVENTS[1]),
    call("/parcels/PX1002/events", EVENTS[2]),
    call("/parcels/PX1002/events/21", EVENTS[2][1]),
    call("/parcels/PX9", {"error": {"status": 404, "message": "There is no parcel PX9."}},
         status=404),
    call("/opening?day=sunday", {"open": False}),
    call("/opening?day=monday", {"open": True, "from": "08:00"}),
]  # fmt: skip
NEW = {"carrierCode": "ALP", "weight": 1, "to": {"city": "Sion", "email": "user-9@example.com"}}
WRITES = [
    call("/parcels", {"id": "PX1005", "status": "stored", **NEW, "createdAt": AT}, verb="POST",
         body=NEW, status=201),
    call("/parcels/PX1000/send", {**PARCELS[0], "status": "sent"}, verb="POST"),
    call("/parcels/PX1003", None, verb="DELETE", status=204),
    call("/quotes", {"price": 9.5}, verb="POST", body={"weight": 1}),
    call("/parcels/PX1000", {**PARCELS[0], "status": "sent"}),
]  # fmt: skip


def recorded(folder: Path, *interactions: Interaction, name: str = "depot.yaml") -> Path:
    write_cassette(Cassette(name, tuple(interactions)), folder / name)
    return folder / name


def learn(folder: Path, *options: str, of: str = "depot.yaml") -> str:
    """What the command prints."""
    arguments = [
        "learn",
        "--cassette",
        str(folder / of),
        "--suite",
        str(folder / "suite"),
        *options,
    ]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    if isinstance(result.exception, MockServerError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def body_of(content: bytes) -> Any:
    """A body without the milliseconds of timestamps."""
    return json.loads(content.replace(b".000Z", b"Z")) if content else None


def declaration(suite: Path) -> Any:
    return yaml.safe_load((suite / "apis" / "depot.yaml").read_text(encoding="utf-8"))


async def test_what_was_learned_answers_the_recorded_reads_equally(tmp_path: Path) -> None:
    other = interaction("https://other.example.com/x", {"a": 1}, at=AT)
    recorded(tmp_path, *READS, *WRITES, other)
    suite = tmp_path / "suite"
    told = await asyncio.to_thread(learn, tmp_path)
    assert "22 of 23 recorded calls" in told
    assert f"{len(READS)} of {len(READS)} recorded reads" in told
    assert "not served: POST /v2/quotes" in told

    application = Application(Settings(fixtures=suite), real=lambda: parse_rfc3339(AT))
    session = application.sessions.open(SessionSpec(id="s1", clock=f"frozen:{AT}"))
    transport = httpx.ASGITransport(application)
    headers = {"X-Api-Key": session.token, "X-Mock-Session": "s1"}
    async with httpx.AsyncClient(
        transport=transport, base_url=f"http://{HOST}", headers=headers
    ) as client:
        for each in (*READS, *WRITES):
            url = each.request.url.removeprefix(f"https://{HOST}")
            if url == "/v2/quotes":
                continue
            sent = {"content-type": "application/json"} if each.request.body else {}
            answer = await client.request(
                each.request.method, url, content=each.request.body, headers=sent
            )
            if each.response.status < 400:
                assert answer.status_code == each.response.status, url
                assert body_of(answer.content) == body_of(each.response.body), url
        assert (await client.get("/v2/parcels/PX9")).json()["error"]["status"] == 404


def test_the_declaration_says_what_was_inferred_and_what_is_unsure(tmp_path: Path) -> None:
    recorded(tmp_path, *READS, *WRITES)
    learn(tmp_path)
    made = declaration(tmp_path / "suite")
    assert (made["hosts"], made["base_path"]) == ([HOST], "/v2")
    assert made["auth"] == {"header": "X-Api-Key", "env": "DEPOT_API_KEY"}
    parcels, events = made["collections"]["parcels"], made["collections"]["events"]
    assert (parcels["key"], parcels["ids"], parcels["list_in"]) == ("id", "PX{{ seq }}", "parcels")
    assert parcels["filters"] == {
        "status": "status", "carrier": "carrierCode", "lighter": {"field": "weight", "op": "<="},
    }  # fmt: skip
    assert parcels["paging"]["default"] == 2
    assert parcels["actions"]["send"]["set"] == {"status": "sent"}
    assert made["collections"]["carriers"]["key"] == "code"
    assert events["parent"]["collection"] == "parcels"
    assert [stub["match"] for stub in made["stubs"]] == [
        {"query": {"day": "sunday"}}, {"query": {"day": "monday"}},
    ]  # fmt: skip
    text = (tmp_path / "suite" / "apis" / "depot.yaml").read_text(encoding="utf-8")
    assert "rows have not all the same fields" not in text
    assert "examples" not in text
    assert text.startswith(f"# Made of recordings of {HOST}.")
    assert "# unsure: the parameter 'lighter' is taken for the field 'weight' (<=)" in text
    assert "# unsure: the action 'send' sets what it set once" in text
    base = (tmp_path / "suite" / "base" / "depot.json").read_text(encoding="utf-8")
    assert "PX1003" in base
    assert "PX1005" not in base


def test_what_cannot_be_answered_equally_is_told(tmp_path: Path) -> None:
    odd = call("/parcels?mood=good&per_page=5", page(PARCELS[3:4] + PARCELS[:1], 2))
    recorded(tmp_path, *READS, odd)
    told = learn(tmp_path)
    assert f"{len(READS)} of {len(READS) + 1} recorded reads" in told
    assert "answered otherwise: GET /v2/parcels?mood=good&per_page=5: " in told
    text = (tmp_path / "suite" / "apis" / "depot.yaml").read_text(encoding="utf-8")
    assert "have no effect: mood" in text


@pytest.mark.parametrize(
    ("calls", "options", "says"),
    [
        ([], (), "holds no exchanges"),
        ([interaction(f"https://{HOST}/x", b"<a/>")], (), f"no answer of {HOST} is JSON"),
        (READS[:2], ("--host", "else.example.com"), "no answer of else.example.com is JSON"),
        (READS[:2], ("--name", "directory"), "the name 'directory' is taken"),
        (READS[:2], ("--name", "a b"), "'a b' is no name of an API"),
    ],
)
def test_what_cannot_be_learned_is_refused(
    calls: list[Interaction], options: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    recorded(tmp_path, *calls)
    with pytest.raises(MockServerError, match=says):
        learn(tmp_path, *options)
    assert not (tmp_path / "suite").exists()


def test_files_that_are_there_are_kept(tmp_path: Path) -> None:
    recorded(tmp_path, *READS[:2])
    learn(tmp_path)
    with pytest.raises(MockServerError, match=r"is there already \(--replace replaces it"):
        learn(tmp_path)
    learn(tmp_path, "--force")
    with pytest.raises(MockServerError, match=r"none\.yaml"):
        learn(tmp_path, of="none.yaml")


def test_other_habits_of_apis_are_told_as_well(tmp_path: Path) -> None:
    def asked(path: str, answer: Any, key: tuple[str, str], **how: Any) -> Interaction:
        made = interaction(f"https://{HOST}/api{path}", answer, **how)
        return replace(made, request=replace(made.request, headers=(*made.request.headers, key)))

    bearer, basic = ("Authorization", "Bearer x"), ("Authorization", "Basic eDp5")
    teams = [{"id": n, "name": f"team {n}", "open": n == 1, "size": n} for n in (1, 2, 3)]
    notes = [{"no": f"N-{n:03}", "text": "x"} for n in (7, 8)]
    calls = [
        asked("/teams", {"data": teams[:2], "next_cursor": "c2", "has_more": True}, bearer),
        asked(
            "/teams?cursor=c2", {"data": teams[2:], "next_cursor": None, "has_more": False}, bearer
        ),
        asked(
            "/teams?open=true", {"data": teams[:1], "next_cursor": None, "has_more": False}, bearer
        ),
        asked(
            "/teams?min_size=2", {"data": teams[1:], "next_cursor": None, "has_more": False}, bearer
        ),
        asked("/teams/2/notes", {"data": notes}, bearer),
        asked("/teams/2/notes/N-007", {"no": "N-007", "text": "x", "more": 1}, bearer),
        asked("/teams/2/close", {**teams[1], "open": False}, bearer, verb="POST"),
        asked("/teams/9", None, bearer, verb="DELETE", status=204),
        asked("/teams/9", {**teams[0], "id": 9}, bearer),
        asked("/teams/stats?x=1&x=2", ["many", 1, None, 1.5], bearer),
    ]
    recorded(tmp_path, *calls)
    told = learn(tmp_path, "--name", "depot")
    made = declaration(tmp_path / "suite")
    assert made["auth"] == {"bearer": True, "env": "DEPOT_API_KEY"}
    team, note = made["collections"]["teams"], made["collections"]["notes"]
    assert (team["key_type"], team["list_in"], team["paging"]["default"]) == ("integer", "data", 2)
    assert team["filters"]["min_size"] == {"field": "size", "op": ">="}
    assert (note["key"], note["parent"]["collection"]) == ("no", "teams")
    text = (tmp_path / "suite" / "apis" / "depot.yaml").read_text(encoding="utf-8")
    assert "rows were first read after they were changed: 9" in text
    assert "rows have not all the same fields, or more when they are read alone" in text
    assert "3 of 6 recorded reads" in told
    assert "answered otherwise: GET /api/teams/2/notes: " in told
    recorded(tmp_path, asked("/x?api_key=k", {"a": 1}, basic), asked("/x/1", [], ("A", "b")))
    learn(tmp_path, "--force", "--name", "depot")
    auth = declaration(tmp_path / "suite")["auth"]
    assert auth == {"query": "api_key", "env": "DEPOT_API_KEY"}


def test_recordings_of_other_tools_are_read_and_redacted(tmp_path: Path) -> None:
    golden = tmp_path / "golden"
    golden.mkdir()
    (golden / "broken.json").write_text("{", encoding="utf-8")
    (golden / "parcels.log").write_text(
        f"GET https://{HOST}/parcels/PX1\nAuthorization: Bearer abcdef0123456789abcdef\n\n"
        "200 OK\nContent-Type: application/json\n\n"
        '{"id": "PX1", "status": "sent", "password": "hunter2-hunter2"}\n',
        encoding="utf-8",
    )
    told = learn(tmp_path, of="golden")
    assert "left out: broken.json: 1:2: not JSON" in told
    written = [path.read_text(encoding="utf-8") for path in (tmp_path / "suite").rglob("*.*")]
    assert any("PX1" in text for text in written)
    assert not any("hunter2" in text or "abcdef0123" in text for text in written)


@pytest.mark.parametrize(("ids", "form"), [((7, 12), "int"), (("7", "12"), "{{ seq | string }}")])
def test_new_keys_are_numbers_or_texts_as_those_that_were_seen(
    ids: tuple[Any, Any], form: str, tmp_path: Path
) -> None:
    made = call("/notes", {"id": ids[1]}, verb="POST", body={"text": "a"}, status=201)
    recorded(tmp_path, call("/notes", [{"id": ids[0]}]), made)
    learn(tmp_path)
    assert declaration(tmp_path / "suite")["collections"]["notes"]["ids"] == form


def test_tools_of_a_recorded_mcp_server_are_answered_from_state(tmp_path: Path) -> None:
    recorded(tmp_path, *SHOP)
    told = learn(tmp_path)
    assert "answered from state: cancel_order, create_order" in told
    assert "next: understudy serve" in told
    assert (tmp_path / "suite" / "apis" / "learned.yaml").is_file()
    with pytest.raises(MockServerError, match="is there already"):
        learn(tmp_path)
    assert "answered from state" in learn(tmp_path, "--replace")


def test_tools_that_tell_of_no_state_are_an_error(tmp_path: Path) -> None:
    recorded(tmp_path, tool_call("get_weather", {"temp": 3}, city="Bonn"))
    with pytest.raises(MockServerError, match="no tool there has calls that tell of a state"):
        learn(tmp_path)
