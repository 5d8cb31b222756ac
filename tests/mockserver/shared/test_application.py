"""Sessions that several processes serve are as those of one."""

import asyncio
import errno
from pathlib import Path
from random import Random

import httpx
import pytest

from mockserver.asgi.requests import PROXIED, Receive, Scope, Send
from mockserver.model import JsonObject
from mockserver.sessions.connection_journal import ConnectionNote
from mockserver.shared import application
from mockserver.shared.log import SessionLog
from mockserver.shared.memory_log import MemoryLog
from mockserver.shared.shortages import Shortages
from tests.mockserver.conftest import UNITS
from tests.mockserver.shared.processes import SECRET, Processes, client_of, report

OPENING = {"id": "one", "secret": SECRET, "case": None}


async def units(client: httpx.AsyncClient, session: str) -> list[str]:
    answer = await client.get(f"/s/{session}{UNITS}?type=all")
    return [unit["name"] for unit in answer.json().get("organizationUnits", [])]


async def add_unit(client: httpx.AsyncClient, session: str, name: str) -> int:
    body = {"name": name, "parentOrgUnitPath": "/"}
    return (await client.post(f"/s/{session}{UNITS}", json=body)).status_code


async def test_what_one_process_answered_another_knows(processes: Processes) -> None:
    one, two = processes.clients
    assert (await one.post("/_mock/sessions", json=OPENING)).status_code == 201
    assert await add_unit(one, "one", "A") == 200
    assert await add_unit(two, "one", "B") == 200
    assert await add_unit(one, "one", "B") == 409
    assert {"A", "B"} < set(await units(two, "one"))
    found = await report(two, "one")
    assert [entry["status"] for entry in found["journal"]["entries"]] == [200, 200, 409, 200]
    assert (await one.get(f"/s/one{UNITS}")).status_code == 410
    assert (await one.post("/_mock/sessions", json=OPENING)).status_code == 409


async def test_a_process_that_dies_loses_nothing_that_was_answered(processes: Processes) -> None:
    one, two = processes.clients
    made = (await one.post("/_mock/sessions", json={})).json()
    for name in "ABCDE":
        assert await add_unit(processes.clients[0], made["id"], name) == 200
        processes.kill(0)
    assert set("ABCDE") < set(await units(two, made["id"]))
    found = await report(processes.clients[0], made["id"])
    assert len(found["journal"]["entries"]) == 6


async def test_requests_that_come_at_once_are_all_counted(processes: Processes) -> None:
    made = (await processes.clients[0].post("/_mock/sessions", json={})).json()
    answers = await asyncio.gather(
        *(add_unit(processes.clients[n % 2], made["id"], f"U{n}") for n in range(30))
    )
    assert answers == [200] * 30
    found = await report(processes.clients[1], made["id"])
    assert [entry["seq"] for entry in found["journal"]["entries"]] == list(range(1, 31))
    (change,) = found["diff"].values()
    assert len(change["added"]) == 30


async def test_connections_to_a_proxy_are_in_the_log(processes: Processes) -> None:
    await processes.clients[0].post("/_mock/sessions", json=OPENING)
    refused = ConnectionNote("a.example.com:443", 403, "it is not emulated")
    for app, note in zip(
        processes.apps, (refused, ConnectionNote("b.example.com:443")), strict=True
    ):
        assert await app.application.connections.refusal("one") is None
        await app.application.connections.note("one", note)
        await app.application.connections.note("nobody", note)
    processes.kill(0)
    connections = processes.apps[0].application.connections
    found = await report(processes.clients[0], "one")
    assert [
        (each["http_method"], each["host"], each["status"], (each["miss"] or {}).get("reason"))
        for each in found["journal"]["entries"]
    ] == [
        ("CONNECT", "a.example.com", 403, "it is not emulated"),
        ("CONNECT", "b.example.com", 200, None),
    ]
    assert [await connections.refusal(name) for name in ("one", "nobody")] == [
        (410, "session 'one' of the mock server is closed"),
        (404, "the mock server has no session 'nobody', the proxy's user"),
    ]


async def test_requests_of_a_proxied_connection_are_repeated_as_such(processes: Processes) -> None:
    await processes.clients[0].post("/_mock/sessions", json=OPENING)
    app = processes.apps[0]

    async def proxied(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, PROXIED: "one"}, receive, send)

    async with client_of(proxied) as client:
        for where in (UNITS, "/unknown.example.com/x", UNITS):
            _, host, path = where.split("/", 2)
            await client.get(f"/{path}", headers={"host": host})
    processes.kill(0)
    found = await report(processes.clients[1], "one")
    assert [(each["host"], each["status"]) for each in found["journal"]["entries"]] == [
        ("admin.googleapis.com", 200),
        ("unknown.example.com", 404),
        ("admin.googleapis.com", 200),
    ]


def steps(chance: Random) -> list[tuple[str, str, JsonObject | None]]:
    """Requests of every kind that change a session."""
    control = "/_mock/sessions/one"
    fault = {"method": "directory.orgunits.*", "kind": "error", "status": 503, "times": 2}
    stub = {"url": "https://example.org/x", "status": 200, "json": {"n": 1}}
    rate = {"method": "directory.*", "kind": "rate_limit", "rate": {"per_minute": 30, "burst": 3}}
    kinds: list[tuple[str, str, JsonObject | None]] = [
        ("GET", f"/s/one{UNITS}?type=all", None),
        ("GET", f"/s/one{UNITS}/Eng", None),
        ("DELETE", f"/s/one{UNITS}/Eng/Sub%20Team", None),
        ("GET", "/s/one/example.org/x", None),
        ("POST", f"{control}/clock", {"advance_s": chance.randrange(90)}),
        ("POST", f"{control}/faults", {**fault, "share": 0.5}),
        ("POST", f"{control}/faults", rate),
        ("DELETE", f"{control}/faults", None),
        ("POST", f"{control}/stubs", stub),
        ("POST", f"{control}/reset", None),
        ("POST", f"{control}/credentials", {"expire": True}),
        ("GET", f"{control}/state", None),
        ("GET", f"{control}/journal", None),
    ]
    kinds += [
        ("POST", f"/s/one{UNITS}", {"name": f"U{chance.randrange(6)}", "parentOrgUnitPath": "/"})
    ] * 8
    return [chance.choice(kinds) for _ in range(60)]


async def compare_with_one_process(processes: Processes, seed: int, kills: int) -> None:
    chance, name = Random(seed), f"r{seed}"  # any requests in any order
    alone = processes.alone()
    opening = {**OPENING, "id": name, "seed": seed}
    for client in (alone, processes.clients[0]):
        assert (await client.post("/_mock/sessions", json=opening)).status_code == 201
    asked = steps(chance)
    killed = set(chance.sample(range(len(asked)), kills))
    for number, (verb, path, body) in enumerate(asked):
        processes.clock.tick()
        here = path.replace("/one", f"/{name}")
        if number in killed:
            processes.kill(chance.randrange(2))
        expected = await alone.request(verb, here, json=body)
        found = await chance.choice(processes.clients).request(verb, here, json=body)
        assert found.status_code == expected.status_code, (verb, here, found.text)
        if "journal" not in here:
            assert found.content == expected.content, (verb, here)
    assert await report(processes.clients[0], name) == await report(alone, name)


async def test_reports_equal_those_of_one_process(processes: Processes) -> None:
    await compare_with_one_process(processes, seed=7, kills=1)


@pytest.mark.slow
async def test_many_reports_equal_those_of_one_process(processes: Processes) -> None:
    for seed in range(8):
        await compare_with_one_process(processes, seed=seed, kills=6)


async def test_copies_that_are_forgotten_are_made_again(log: SessionLog, suite: Path) -> None:
    async with Processes(suite, log, most_copies=3) as processes:
        names = [f"s{number}" for number in range(10)]
        for name in names:
            await processes.clients[0].post("/_mock/sessions", json={"id": name})
        for _ in range(3):
            for name in names:
                await processes.clients[0].get(f"/s/{name}{UNITS}")
        for name in names:
            assert len((await report(processes.clients[1], name))["journal"]["entries"]) == 3


async def test_the_sessions_of_all_processes_are_listed(processes: Processes) -> None:
    one, two = processes.clients
    await one.post("/_mock/sessions", json={"id": "a", "case": "EC-001"})
    await two.post("/_mock/sessions", json={"id": "b"})
    listed = (await one.get("/_mock/sessions")).json()["sessions"]
    assert {(each["id"], each["case"]) for each in listed} == {
        ("default", None), ("a", "EC-001"), ("b", None)
    }  # fmt: skip
    assert (await two.get("/_mock/health")).json()["sessions"] == 3


async def test_the_limit_of_open_sessions_counts_those_of_all(log: SessionLog, suite: Path) -> None:
    async with Processes(suite, log, max_sessions=2, default=None) as processes:
        codes = [
            (await processes.clients[n % 2].post("/_mock/sessions", json={})).status_code
            for n in range(3)
        ]
    assert codes == [201, 201, 429]


async def test_requests_without_a_session_are_of_the_default_one(processes: Processes) -> None:
    one, two = processes.clients
    await one.post(UNITS, json={"name": "Z", "parentOrgUnitPath": "/"})
    processes.kill(0)
    found = (await two.get(f"{UNITS}?type=all")).json()["organizationUnits"]
    assert "Z" in [unit["name"] for unit in found]
    missing = await two.get(f"/s/nobody{UNITS}")
    assert (missing.status_code, missing.headers["x-mock-source"]) == (404, "none")


async def test_a_request_of_two_sessions_is_refused_in_both(processes: Processes) -> None:
    one, two = processes.clients
    tokens = {}
    for name in "ab":
        made = await one.post("/_mock/sessions", json={"id": name, "secret": SECRET})
        tokens[name] = made.json()["token"]
    bearer = {"authorization": f"Bearer {tokens['b']}"}
    refused = await one.get(f"/s/a{UNITS}", headers=bearer)
    assert refused.status_code == 400
    assert (await two.get(f"/s/a{UNITS}")).status_code == 200  # made again from the log
    for name, accused in (("a", 0), ("b", 1)):
        found = await report(two, name)
        (entry,) = [each for each in found["journal"]["entries"] if each["status"] == 400]
        assert (bool(entry["tampering"]), len(found["tampering"])) == (bool(accused), accused)


async def test_requests_with_a_head_that_came_before_are_logged_as_others(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "_HEADS_KEPT", 3)
    one, two = processes.clients
    for name in "ab":
        await one.post("/_mock/sessions", json={"id": name, "secret": SECRET})
    long = {"x-pad": "p" * 3000}
    for number in range(3):
        assert await add_unit(two, "a", f"U{number}") == 200
        assert f"U{number}" in await units(one, "a")
        assert f"U{number}" not in await units(one, "b")
        assert (await one.get(f"/s/a{UNITS}", headers=long)).status_code == 200
        assert (await one.get(f"/s/a{UNITS}", headers={"x-mock-session": "b"})).status_code == 400
        assert (await one.get(f"/s/nobody{UNITS}")).status_code == 404
    processes.kill(0)
    found = {name: await report(two, name) for name in "ab"}
    statuses = {
        name: [entry["status"] for entry in each["journal"]["entries"]]
        for name, each in found.items()
    }
    assert statuses == {"a": [200, 200, 200, 400] * 3, "b": [200, 400] * 3}


async def test_the_control_token_is_asked_for_and_never_logged(
    log: SessionLog, suite: Path
) -> None:
    async with Processes(suite, log, token="open-sesame") as processes:
        one, two = processes.clients
        bearer = {"authorization": "Bearer open-sesame"}
        opened = await one.post("/_mock/sessions", json={"id": "a"}, headers=bearer)
        own = {"authorization": f"Bearer {opened.json()['token']}"}
        assert (await one.post("/_mock/sessions", json={})).status_code == 401
        assert (await one.post("/_mock/sessions/a/reset", headers=own)).status_code == 403
        assert (await one.get("/_mock/sessions/a/journal", headers=own)).status_code == 200
        assert (await one.post("/_mock/sessions/a/reset", headers=bearer)).status_code == 200
        attempts = (await two.get("/_mock/tampering", headers=bearer)).json()["attempts"]
        assert [each["attempt"] for each in attempts] == ["POST /_mock/sessions"]
        journal = (await two.get("/_mock/sessions/a/journal", headers=bearer)).json()["entries"]
        assert [entry["status"] for entry in journal] == [403, 200]
        records = await log.read("a", 0)
        assert records is not None
        assert not [record for _, record in records if b"open-sesame" in record]


async def test_a_shortage_of_one_process_is_told_by_the_one_that_makes_the_report(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortages = Shortages()
    async with Processes(suite, MemoryLog(), shortages=shortages) as processes:
        one, two = processes.clients
        for name in ("before", "seen-by-one"):
            await one.post("/_mock/sessions", json={"id": name})
        assert await units(two, "before")
        processes.clock.tick()
        processes.apps[1].application.descriptors.tell()
        processes.clock.tick()
        await two.post("/_mock/sessions", json={"id": "after"})
        problems = {
            name: (await report(one, name)).get("problem", "")
            for name in ("before", "seen-by-one", "after")
        }
    assert problems["after"] == ""
    assert all("no descriptors left" in problems[name] for name in ("before", "seen-by-one"))


async def test_requests_without_descriptors_are_refused_in_words(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Processes(suite, MemoryLog(), count=1) as processes:

        async def fail(*_: object) -> object:
            raise OSError(code, "")

        [client] = processes.clients
        monkeypatch.setattr(processes.apps[0], "_record", fail)
        code = errno.EMFILE
        answer = await client.get(f"/s/one{UNITS}")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        code = errno.EIO
        with pytest.raises(OSError, match=r"\[Errno 5\]"):
            await client.get(f"/s/one{UNITS}")


async def test_closed_sessions_take_no_memory_and_are_still_known(processes: Processes) -> None:
    client, other = processes.clients
    for number in range(3):
        name = f"closed-{number}"
        await client.post("/_mock/sessions", json={"id": name})
        assert (await client.get(f"/s/{name}{UNITS}")).status_code == 200
        await report(client, name)
    app = processes.apps[0]
    assert (len(app._copies), len(app._sessions._closed)) == (0, 0)
    for each in (client, other):
        assert (await each.get(f"/s/closed-1{UNITS}")).status_code == 410


async def test_who_waits_for_a_session_that_is_closed_is_told_so(processes: Processes) -> None:
    client = processes.clients[0]
    await client.post("/_mock/sessions", json={"id": "a"})
    asked = [client.delete("/_mock/sessions/a"), *(client.get(f"/s/a{UNITS}") for _ in range(3))]
    answers = await asyncio.gather(*asked)
    assert answers[0].status_code == 200
    assert {each.status_code for each in answers[1:]} <= {200, 410}
    assert (await client.get(f"/s/a{UNITS}")).status_code == 410
