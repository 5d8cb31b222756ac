"""Sessions that recordings answer, through the whole application."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.http.application import Application
from mockserver.model import Interaction, RecordedResponse, SessionSpec
from mockserver.settings import Settings
from mockserver.sources.dispatch import DecodedCall
from tests.mockserver.conftest import DIRECTORY, NOW, UNITS, write_suite
from tests.tapes import JSON, ORIGIN, recorded, written

ADMIN = "https://admin.googleapis.com"
LIST = "/admin/directory/v1/customer/my_customer/orgunits?type=all"
HERE = "http://127.0.0.1:8765"


@asynccontextmanager
async def replaying(
    folder: Path, *interactions: Interaction, **spec: Any
) -> AsyncIterator[tuple[httpx.AsyncClient, Application]]:
    """A server with one cassette, `tape`; its default session replays it."""
    upstream = spec.pop("upstream", "")
    fixtures = spec.pop("fixtures", None)
    file = written(folder, interactions, upstream=upstream)
    default = SessionSpec(cassettes=("tape",), **spec)
    settings = Settings(cassettes=(file,), default=default, fixtures=fixtures)
    app = Application(settings, real=lambda: NOW)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
        yield client, app


def journal(app: Application, session: str = "default") -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = app.sessions.get(session).journal.as_json(session)["entries"]
    return entries


@pytest.mark.parametrize(
    ("url", "headers"),
    [("/v1/units", {"host": "api.example.com"}), ("/api.example.com/v1/units", {}),
     ("/s/default/api.example.com/v1/units", {}), ("/v1/units", {})],
    ids=["host header", "first segment", "session and segment", "the only host"],
)  # fmt: skip
async def test_a_host_that_only_a_cassette_knows_is_reached(
    tmp_path: Path, url: str, headers: dict[str, str]
) -> None:
    async with replaying(tmp_path, recorded()) as (client, app):
        answer = await client.get(url, headers=headers)
        assert answer.json() == {"name": "first"}
        assert answer.headers["x-mock-source"] == "cassette"
        assert answer.headers["x-mock-recording"] == "tape.yaml#1"
        (entry,) = journal(app)
        assert (entry["source"], entry["host"], entry["path"]) == (
            "cassette", "api.example.com", "/v1/units",
        )  # fmt: skip


async def test_a_path_alone_is_that_of_the_upstream(tmp_path: Path) -> None:
    made = recorded(path="/prefix/v1/units", origin=ORIGIN)
    other = recorded(origin="https://other.example.com")
    async with replaying(tmp_path, made, other, upstream=f"{ORIGIN}/prefix/") as (client, _):
        assert (await client.get("/v1/units")).json() == {"name": "first"}


async def test_a_google_host_with_recordings_is_answered_by_them_alone(
    tmp_path: Path, suite: Path
) -> None:
    made = recorded(path=LIST, origin=ADMIN, body=b'{"organizationUnits": []}')
    async with replaying(tmp_path, made, fixtures=suite) as (client, app):
        played = await client.get(LIST, headers={"host": "admin.googleapis.com"})
        missed = await client.get(f"{DIRECTORY}/users?customer=my_customer")
        state = await client.get("/oauth2.googleapis.com/tokeninfo")
        assert played.json() == {"organizationUnits": []}
        assert missed.status_code == 424
        assert state.headers["x-mock-source"].startswith("state")
        assert [one["method_id"] for one in journal(app)[:2]] == [
            "directory.orgunits.list", "directory.users.list",
        ]  # fmt: skip


async def test_other_hosts_are_answered_by_the_state(tmp_path: Path, suite: Path) -> None:
    async with replaying(tmp_path, recorded(), fixtures=suite) as (client, _):
        answer = await client.get(f"{UNITS}?type=all")
        assert answer.headers["x-mock-source"] == "state; by documents only"
        assert len(answer.json()["organizationUnits"]) == 2


async def test_with_cassettes_alone_every_other_host_is_a_miss(tmp_path: Path) -> None:
    async with replaying(tmp_path, recorded(), sources=("cassette",)) as (client, app):
        answer = await client.get(f"{UNITS}?type=all")
        assert answer.status_code == 424
        error = answer.json()["error"]
        assert (
            "no cassette of this session has recordings of admin.googleapis.com"
            in (error["message"])
        )
        assert journal(app)[0]["miss"]["blame"] == "replay_miss"
        # what clients ask before any API is there all the same
        assert (await client.get("/admin.googleapis.com/$discovery/rest")).status_code == 200


async def test_a_host_that_was_not_recorded_is_no_path_of_the_only_one_that_was(
    tmp_path: Path,
) -> None:
    made = recorded(path="/v1.2.json/units")
    async with replaying(tmp_path, made, sources=("cassette",)) as (client, _):
        answer = await client.get("/api.other.example.com/v1/units")
        told = answer.json()["error"]["message"]
        assert "no cassette of this session has recordings of api.other.example.com;" in told
        assert "recorded hosts: api.example.com" in told
        assert (await client.get("/v1.2.json/units")).json() == {"name": "first"}


async def test_what_waits_for_a_write_is_added_before_it(tmp_path: Path) -> None:
    read, write = recorded(), recorded("POST", sent=b"{}")
    async with replaying(tmp_path, write, read, barriers="strict") as (client, _):
        error = (await client.get("/v1/units")).json()["error"]
        assert "was made after POST https://api.example.com/v1/units (#1" in error["message"]
        assert error["command"].endswith(" --like 2 --before 1")


async def test_a_header_that_counts_is_in_the_command(tmp_path: Path) -> None:
    async with replaying(tmp_path, recorded()) as (client, _):
        answer = await client.get("/v1/units", headers={"range": "bytes=0-1"})
        error = answer.json()["error"]
        assert error["differs"] == "header.range"
        assert error["command"].endswith(" --header 'range: bytes=0-1' --like 1")
        assert answer.headers["x-mock-miss"].endswith("; differs=header.range")


async def test_a_miss_says_what_is_near_what_differs_and_what_to_do(tmp_path: Path) -> None:
    made = recorded("POST", "/v1/units", sent=b'{"name": "first", "size": 1}')
    async with replaying(tmp_path, made) as (client, app):
        asked = {"name": "other", "size": 1}
        answer = await client.post("/v1/units", json=asked)
        (entry,) = journal(app)
        error = answer.json()["error"]
        assert answer.status_code == 424
        assert answer.headers["x-mock-miss"].startswith("replay_miss; nearest=POST https://api")
        assert error["status"] == "REPLAY_MISS"
        assert error["differs"] == "body.name"
        assert error["command"].startswith(f"understudy cassette stub {tmp_path}/tape.yaml POST")
        assert error["command"].endswith("--type application/json --like 1")
        assert entry["miss"]["blame"] == "replay_miss"
        assert entry["miss"]["differs"] == ("body.name",)
        assert entry["body"] == asked


async def test_a_miss_of_an_emulated_api_is_said_in_its_dialect(tmp_path: Path) -> None:
    made = recorded(path=LIST, origin=ADMIN)
    async with replaying(tmp_path, made) as (client, _):
        answer = await client.get(f"{UNITS}?type=children")
        error = answer.json()["error"]
        assert error["errors"][0]["reason"] == "replayMiss"
        assert error["details"][0]["metadata"]["differs"] == "query.type"


async def test_headers_come_as_recorded_but_for_those_of_the_connection(tmp_path: Path) -> None:
    headers = (
        ("Date", "Sat, 03 Jan 2026 10:00:00 GMT"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"),
        ("Transfer-Encoding", "chunked"), ("Content-Length", "999"), ("X-Odd", "a\tb\x01"), JSON,
    )  # fmt: skip
    made = recorded(response=RecordedResponse(207, "Multi", headers, b"{}"))
    async with replaying(tmp_path, made) as (client, _):
        answer = await client.get("/v1/units")
        assert answer.status_code == 207
        assert answer.headers.multi_items()[:-1] == [
            ("date", "Sat, 03 Jan 2026 10:00:00 GMT"), ("set-cookie", "a=1"), ("set-cookie", "b=2"),
            ("content-length", "2"), ("x-odd", "a\tb"), ("content-type", "application/json"),
            ("x-mock-source", "cassette"),
        ]  # fmt: skip


@pytest.mark.parametrize("accepts", ["gzip, deflate", "identity"])
async def test_the_coding_is_that_of_the_recording_where_the_client_takes_it(
    tmp_path: Path, accepts: str
) -> None:
    from mockserver.messages import decode_body

    wire = gzip.compress(b'{"n": 1}' * 40, 6, mtime=0)
    head, body, coding = decode_body([JSON, ("Content-Encoding", "gzip")], wire)
    made = recorded(response=RecordedResponse(200, "OK", head, body, coding))
    async with replaying(tmp_path, made) as (client, _):
        async with client.stream("GET", "/v1/units", headers={"accept-encoding": accepts}) as got:
            raw = b"".join([piece async for piece in got.aiter_raw()])
        coded = "gzip" in accepts
        assert raw == (wire if coded else body)
        assert got.headers.get("content-encoding") == ("gzip" if coded else None)
        assert got.headers["content-length"] == str(len(raw))


async def test_head_says_the_length_of_the_body_it_leaves_out(tmp_path: Path) -> None:
    head = RecordedResponse(200, "OK", (JSON, ("Content-Length", "321")))
    async with replaying(tmp_path, recorded("HEAD", response=head)) as (client, _):
        answer = await client.head("/v1/units")
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["content-length"] == "321"


async def test_links_lead_back_to_the_way_the_client_came(tmp_path: Path) -> None:
    body = b'{"next": "https://api.example.com/v1/units?page=2"}'
    pages = recorded(body=body), recorded(path="/v1/units?page=2", body=b'{"page": 2}')
    async with replaying(tmp_path, *pages, repeats="last") as (client, _):
        for base in ("/api.example.com", ""):
            link = (await client.get(f"{base}/v1/units")).json()["next"]
            assert link == f"{HERE}/s/default{base}/v1/units?page=2"
            assert (await client.get(link)).json() == {"page": 2}
        direct = await client.get("/v1/units", headers={"host": "api.example.com"})
        assert direct.content == body


async def test_secrets_reach_neither_the_match_nor_the_journal(tmp_path: Path) -> None:
    made = recorded(
        "POST", "/v1/login?key=AIzaSyA1234567890abcdefghijklmnopqrstuv", sent=b'{"password": "one"}'
    )
    async with replaying(tmp_path, made) as (client, app):
        answer = await client.post(
            "/v1/login",
            params={"key": "AIzaSyB9999999999abcdefghijklmnopqrstuv"},
            json={"password": "correct horse battery staple"},
            headers={"authorization": "Bearer sk-live-0123456789"},
        )
        text = str(journal(app)) + answer.text
        assert "correct horse" not in text
        assert "AIzaSyB999" not in text
        assert "sk-live" not in text


async def test_stubs_come_before_recordings(tmp_path: Path) -> None:
    stub = {"method": "GET", "url": "api.example.com/v1/units", "body": {"from": "stub"}}
    suite = write_suite(tmp_path / "suite", http=[stub])
    async with replaying(tmp_path, recorded(), fixtures=suite) as (client, _):
        assert (await client.get("/api.example.com/v1/units")).json() == {"from": "stub"}


async def test_faults_come_before_recordings(tmp_path: Path) -> None:
    faults = ({"method": "http.api.example.com", "status": 503, "times": 1},)
    async with replaying(tmp_path, recorded(), faults=faults) as (client, app):
        assert [(await client.get("/v1/units")).status_code for _ in range(2)] == [503, 200]
        assert [one["source"] for one in journal(app)] == ["fault", "cassette"]


async def test_a_fault_damages_a_recording_on_its_way(tmp_path: Path) -> None:
    faults = ({"method": "*", "kind": "malformed"},)
    async with replaying(tmp_path, recorded(), faults=faults) as (client, _):
        answer = await client.get("/v1/units")
        assert answer.content.endswith(b"{")
        assert answer.headers["content-type"] == "application/json"


async def test_a_stale_page_token_is_refused_though_it_was_recorded(tmp_path: Path) -> None:
    made = recorded(path="/v1/units?pageToken=CAE")
    faults = ({"method": "*", "kind": "stale_page_token", "times": 1},)
    async with replaying(tmp_path, made, faults=faults) as (client, _):
        answers = [await client.get("/v1/units?pageToken=CAE") for _ in range(2)]
        assert [one.status_code for one in answers] == [400, 200]


@pytest.mark.parametrize(
    ("repeats", "said"),
    [("once", [200, 200, 424]), ("last", ["a", "b", "b"]), ("cycle", ["a", "b", "a"])],
)
async def test_what_comes_after_the_last_recording(
    tmp_path: Path, repeats: Any, said: list[Any]
) -> None:
    pair = recorded(body=b'{"n": "a"}'), recorded(body=b'{"n": "b"}')
    async with replaying(tmp_path, *pair, repeats=repeats) as (client, _):
        answers = [await client.get("/v1/units") for _ in range(3)]
        found = [a.status_code if repeats == "once" else a.json()["n"] for a in answers]
        assert found == said
        if repeats != "once":
            assert answers[2].headers["x-mock-recording"].endswith("; again")


async def test_eight_sessions_replay_one_cassette_each_from_its_beginning(tmp_path: Path) -> None:
    numbers = [recorded(path=f"/v1/units/{n % 5}", body=b'{"n": %d}' % n) for n in range(20)]
    async with replaying(tmp_path, *numbers) as (client, _):
        for n in range(8):
            spec = {"id": f"p{n}", "cassettes": ["tape"]}
            assert (await client.post("/_mock/sessions", json=spec)).status_code == 201

        async def one(session: int) -> list[int]:
            """Ask in an order of its own across resources; in order within each."""
            order = sorted(range(5), key=lambda unit: (unit * 7 + session * 3) % 5)
            found = {}
            for unit in order:
                for turn in range(4):
                    answer = await client.get(f"/s/p{session}/api.example.com/v1/units/{unit}")
                    found[turn * 5 + unit] = answer.json()["n"]
            return [found[n] for n in sorted(found)]

        assert await asyncio.gather(*map(one, range(8))) == [list(range(20))] * 8
        report = (await client.delete("/_mock/sessions/p3")).json()
        assert report["unused"] == []


async def test_an_answer_says_that_it_was_given_before(tmp_path: Path) -> None:
    async with replaying(tmp_path, recorded()) as (client, app):
        answers = [await client.get("/v1/units") for _ in range(2)]
        assert [each.headers["x-mock-recording"] for each in answers] == [
            "tape.yaml#1", "tape.yaml#1; again",
        ]  # fmt: skip
        told = [entry["recording"] for entry in journal(app)]
        assert [(each["cassette"], each["number"], each["again"]) for each in told] == [
            ("tape.yaml", 1, False), ("tape.yaml", 1, True),
        ]  # fmt: skip


async def test_a_reading_without_its_write_says_so_in_header_and_journal(tmp_path: Path) -> None:
    story = (recorded("PUT", path="/v1/units/a"), recorded(path="/v1/units/a"))
    warning = f"recorded after PUT {ORIGIN}/v1/units/a (#1 of tape.yaml), which this session has"
    async with replaying(tmp_path, *story) as (client, app):
        answer = await client.get("/v1/units/a")
        assert answer.status_code == 200
        assert answer.headers["x-mock-warning"].startswith(warning)
        (entry,) = journal(app)
        assert entry["recording"]["warning"] == answer.headers["x-mock-warning"]
        await client.post(
            "/_mock/sessions", json={"id": "s", "cassettes": ["tape"], "barriers": "strict"}
        )
        assert (await client.get("/s/s/api.example.com/v1/units/a")).status_code == 424


async def test_a_session_says_which_parts_of_requests_are_compared(tmp_path: Path) -> None:
    async with replaying(tmp_path, recorded(path="/v1/units?at=1")) as (client, _):
        assert (await client.get("/v1/units?at=2")).status_code == 424
        spec = {"id": "s", "cassettes": ["tape"], "match": ["method", "path"]}
        assert (await client.post("/_mock/sessions", json=spec)).status_code == 201
        answer = await client.get("/s/s/api.example.com/v1/units?at=2")
        assert answer.headers["x-mock-recording"] == "tape.yaml#1; loosened"
        wrong = await client.post("/_mock/sessions", json={**spec, "id": "t", "match": ["paths"]})
        assert wrong.status_code == 400


async def test_a_recording_of_another_tool_is_replayed_as_it_is(tmp_path: Path) -> None:
    mapping = {"request": {"method": "GET", "urlPath": "/v1/a"}, "response": {"status": 201}}
    (tmp_path / "wire.json").write_text(json.dumps({"mappings": [mapping, {}]}), encoding="utf-8")
    default = SessionSpec(sources=("cassette",), cassettes=("wire",))
    app = Application(
        Settings(cassettes=(tmp_path / "wire.json",), default=default), real=lambda: NOW
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE) as client:
        assert (await client.get("/v1/a")).status_code == 201


async def test_what_nobody_asked_for_is_told(tmp_path: Path) -> None:
    async with replaying(tmp_path, recorded(), recorded(path="/v1/other")) as (client, _):
        await client.get("/v1/units")
        told = (await client.get("/_mock/sessions/default/cassettes")).json()
        left = {"tape": "tape.yaml", "number": 2, "method": "GET",
                "url": f"{ORIGIN}/v1/other", "passed": False}  # fmt: skip
        assert told == {
            "cassettes": ["tape"],
            "repeats": "reads",
            "barriers": "warn",
            "match": [],
            "exact": False,
            "hosts": ["api.example.com"],
            "unused": [left],
            "conflicts": [],
        }
        await client.post("/_mock/sessions/default/reset")
        assert (await client.get("/v1/units")).status_code == 200
        assert (await client.delete("/_mock/sessions/default")).json()["unused"] == [left]


BATCH = (
    b"--b\r\nContent-Type: application/http\r\nContent-ID: <1>\r\n\r\n"
    b"GET " + LIST.encode() + b"\r\n\r\n--b--\r\n"
)
MIXED = {"content-type": "multipart/mixed; boundary=b"}


async def test_the_calls_of_a_batch_are_played_one_by_one(tmp_path: Path) -> None:
    made = recorded(path=LIST, origin=ADMIN, body=b'{"kind": "units"}')
    async with replaying(tmp_path, made) as (client, app):
        answer = await client.post(
            "/admin.googleapis.com/batch/admin/directory_v1", content=BATCH, headers=MIXED
        )
        assert b'{"kind": "units"}' in answer.content
        assert [one["source"] for one in journal(app)] == ["state", "cassette"]
        assert journal(app)[1]["parent"] == 1


async def test_a_batch_that_was_recorded_as_a_whole_is_played_as_one(tmp_path: Path) -> None:
    from mockserver.model import RecordedRequest

    request = RecordedRequest(
        "POST",
        f"{ADMIN}/batch/admin/directory_v1",
        (("Content-Type", MIXED["content-type"]),),
        BATCH,
    )
    made = Interaction(request, RecordedResponse(200, "OK", (JSON,), b"whole"))
    async with replaying(tmp_path, made) as (client, _):
        answer = await client.post(
            "/admin.googleapis.com/batch/admin/directory_v1", content=BATCH, headers=MIXED
        )
        assert answer.content == b"whole"


async def test_a_batch_to_others_is_none_of_the_recordings_business(
    tmp_path: Path, suite: Path
) -> None:
    async with replaying(tmp_path, recorded(), fixtures=suite) as (client, _):
        answer = await client.post(
            "/admin.googleapis.com/batch/admin/directory_v1", content=BATCH, headers=MIXED
        )
        assert b"/Eng/Sub Team" in answer.content


async def test_the_state_may_come_first(tmp_path: Path, suite: Path) -> None:
    made = recorded(path=LIST, origin=ADMIN, body=b'{"kind": "units"}')
    sources = ("state", "cassette")
    async with replaying(tmp_path, made, fixtures=suite, sources=sources) as (client, _):
        answer = await client.get(f"{UNITS}?type=all")
        assert answer.headers["x-mock-source"] == "state; by documents only"


async def test_a_broken_off_recording_breaks_off_in_process_too(tmp_path: Path) -> None:
    broken = RecordedResponse(200, "OK", (JSON,), b'{"n"', ended="reset")
    async with replaying(tmp_path, recorded(response=broken)) as (client, _):
        with pytest.raises(ConnectionResetError):
            await client.get("/v1/units")


async def test_a_defect_of_ours_is_500_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replaying(tmp_path, recorded()) as (client, app):
        replay = app.sessions.get("default").replay
        assert replay is not None
        monkeypatch.setattr(type(replay), "play", lambda *_: 1 / 0)
        assert (await client.get("/v1/units")).status_code == 500


async def test_a_call_that_no_http_carries_is_a_miss_where_recordings_answer(
    tmp_path: Path, suite: Path
) -> None:
    made = recorded(path=LIST, origin=ADMIN)
    async with replaying(tmp_path, made, fixtures=suite) as (_, app):
        session, emulator = app.sessions.get("default"), app.dispatcher
        for method, error in (("directory.orgunits.list", 424), ("reports.activities.list", 424),
                              ("chromepolicy.customers.policySchemas.list", None)):  # fmt: skip
            found = emulator.routes.catalog.method(method)
            assert found is not None
            asked = DecodedCall(
                {"customerId": "my_customer", "parent": "customers/my_customer"}, {}
            )
            route = emulator.routes.route_of_call(found, f"/{method}")
            outcome = emulator.answer_decoded_call(session, route, asked, lambda _: ())
            assert (outcome.error.status if outcome.error else None) == error
        assert journal(app)[0]["miss"]["blame"] == "replay_miss"
