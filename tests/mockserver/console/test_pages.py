"""The pages, asked in process: who sees them, what they show, that nothing in them is markup."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.console import ConsoleFront
from mockserver.console.pages import ROOT, Pages
from mockserver.http.application import Application, ConsoleView
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from mockserver.traces import Span
from tests.mockserver.conftest import NOW, UNITS, write_suite

Client = httpx.AsyncClient
ONE = f"{ROOT}/sessions/default"
EVIL = "<script>alert(1)</script>"
TOKEN = "a-control-token"


def client_of(app: Application) -> Client:
    app.show_console(Pages)
    transport = httpx.ASGITransport(app)
    return Client(transport=transport, base_url="http://127.0.0.1:8765")


@pytest.fixture
async def pages(app: Application) -> AsyncIterator[Client]:
    async with client_of(app) as client:
        yield client


async def read(client: Client, path: str, status: int = 200) -> str:
    answer = await client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return answer.text


def words(page: str) -> str:
    """The text of a page's main part, on one line."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]*>", " ", f"<{main}").split())


# --- what there is ---


async def test_every_page_shows_what_there_is(pages: Client, suite: Path) -> None:
    await pages.get(UNITS)
    await pages.get(f"{UNITS}/Engg")
    await pages.put(f"{UNITS}/Eng", json={"description": "new"})
    await pages.post("/_mock/sessions/default/faults", json={"method": "x.*", "latency_ms": 5})
    assert "default" in words(await read(pages, "/"))
    journal = words(await read(pages, ONE))
    assert "3 of 3 requests" in journal
    assert "nearest: /Eng" in journal
    assert "0 of 3 requests" in words(await read(pages, f"{ONE}?status=5xx&host=other&source=x"))
    request = words(await read(pages, f"{ONE}/requests/3"))
    assert "base base/tenant.json#/orgUnits/1/name" in request
    assert "written orgUnits/03ph8a2z2 request 3" in request
    assert "The fixtures hold nothing for it" in words(await read(pages, f"{ONE}/requests/2"))
    state = words(await read(pages, f"{ONE}/state"))
    assert "orgUnits 03ph8a2z2 changed" in state
    rows = words(await read(pages, f"{ONE}/state?collection=orgUnits&offset=1"))
    assert "3 of 3 resources" in rows
    row = await read(pages, f"{ONE}/state?collection=orgUnits&key=03ph8a2z2")
    assert "/description" in words(row)
    assert " new " in words(row)
    assert "customer 3 0 all of it orgUnits 4 4" in words(await read(pages, f"{ONE}/fixtures"))
    assert "x.* delay after 5.00 ms always" in words(await read(pages, f"{ONE}/faults"))
    assert "2026-03-02T09:00:00.000Z" in words(await read(pages, f"{ONE}/clock"))
    assert "plays no cassette" in words(await read(pages, f"{ONE}/cassettes"))
    assert "directory" in words(await read(pages, f"{ONE}/apis"))
    assert "directory.orgunits.list" in words(await read(pages, f"{ONE}/apis?api=directory"))
    one = await read(pages, f"{ONE}/apis?api=directory&method=directory.orgunits.list")
    assert 'data-path="admin/directory/v1/customer/{customerId}/orgunits"' in one
    assert await read(pages, f"{ONE}/apis?api=tools&method=tools.listOrgUnits")


async def test_the_fields_of_the_fixtures_that_were_read_are_told(
    pages: Client, app: Application
) -> None:
    none = words(await read(pages, f"{ONE}/fixtures"))
    assert "0 of " in none
    assert "all of it" not in none
    await pages.get(f"{UNITS}/Eng")
    one = words(await read(pages, f"{ONE}/fixtures"))
    fields = read_counts(none)[1]
    read_then, of_all = read_counts(one)
    assert (of_all, 0 < read_then < fields) == (fields, True)
    assert app.sessions.get("default").journal.evicted == 0
    app.sessions.get("default").journal.entries()[0].drop_bodies()
    assert "no longer has the answers of 1 requests" in words(await read(pages, f"{ONE}/fixtures"))


async def test_tools_that_were_not_called_are_told(suite: Path) -> None:
    answers = {"look_up": {"city": "Bern"}, "book": {"seat": "12A"}}
    tools = {name: {"responses": [{"result": result}]} for name, result in answers.items()}
    spec = SessionSpec(overrides=({"tools": tools},))
    app = Application(Settings(fixtures=suite, default=spec), real=lambda: NOW)
    async with client_of(app) as client:
        await client.post("/tools/look_up", json={})
        found = words(await read(client, f"{ONE}/fixtures"))
    assert "Tools that were not called: book" in found
    assert "tools 2 1 book.responses.result.seat" in found


def read_counts(page: str) -> tuple[int, int]:
    found = re.search(r"(\d+) of (\d+) fields", page)
    assert found is not None
    return int(found[1]), int(found[2])


async def test_what_was_made_up_is_marked(suite: Path) -> None:
    spec = SessionSpec(sources=("stub", "state", "synthesis"))
    app = Application(Settings(fixtures=suite, default=spec), real=lambda: NOW)
    async with client_of(app) as client:
        await client.get(UNITS)
        assert "made up" not in words(await read(client, ONE))
        await client.get("/cloudbilling.googleapis.com/v1/services")
        page = await read(client, ONE)
        request = words(await read(client, f"{ONE}/requests/2"))
        chosen = words(await read(client, f"{ONE}?source=synthesis"))
    assert "2 of 2 requests; 1 made up" in words(page)
    assert f'href="{ONE}?source=synthesis"' in page
    assert "This answer was made up" in request
    assert "1 of 2 requests" in chosen


async def test_a_replay_lists_what_was_not_played(tmp_path: Path) -> None:
    found = next((Path(__file__).parents[3] / "cassettes" / "streaming").rglob("*.yaml"))
    settings = Settings(cassettes=(found,), default=SessionSpec(cassettes=(found.stem,)))
    async with client_of(Application(settings, real=lambda: NOW)) as client:
        page = await read(client, f"{ONE}/cassettes")
    assert "Not played (" in words(page)


async def test_a_page_after_the_first_leads_both_ways(pages: Client) -> None:
    for _ in range(5):
        await pages.get(UNITS)
    page = await read(pages, f"{ONE}?limit=2&before=4")
    assert f'href="{ONE}?before=2&amp;limit=2"' in page.replace(
        "limit=2&amp;before=2", "before=2&amp;limit=2"
    )
    assert ">Newer<" in page
    assert ">Older<" in page


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        (f"{ROOT}/sessions/defalt", 404, "did you mean 'default'?"),
        (f"{ONE}/requests/9", 404, "no entry 9"),
        (f"{ONE}/state?collection=nope", 404, "no collection 'nope'"),
        (f"{ONE}?status=6xx", 400, "a status such as 404"),
        (f"{ONE}/apis?api=directory&method=nope", 404, "no method 'nope'"),
        (f"{ROOT}/nothing", 404, "There is no such page."),
        (f"{ROOT}/static/none.css", 404, "There is no such page."),
        (f"{ROOT}/static/..%2fpages.py", 404, "There is no such page."),
    ],
)
async def test_what_is_not_there_is_a_page_that_says_so(
    pages: Client, path: str, status: int, says: str
) -> None:
    assert says in words(await read(pages, path, status)).replace("&#39;", "'")


async def test_the_root_of_the_pages_leads_to_the_first(pages: Client) -> None:
    answer = await pages.get(ROOT)
    assert (answer.status_code, answer.headers["location"]) == (307, f"{ROOT}/sessions")


# --- who answers `/` ---


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/s/default/", {}),
        ("/", {"x-mock-session": "default"}),
        ("/", {"host": "admin.googleapis.com"}),
        ("/", {"host": "metadata.google.internal"}),
        ("/", {"metadata-flavor": "Google"}),
        ("/", {"baggage": "mock.session=default"}),
        ("/", {"origin": "http://evil.example.com"}),
    ],
)
async def test_every_other_root_stays_as_it_was(
    app: Application, pages: Client, path: str, headers: dict[str, str]
) -> None:
    answer = await pages.get(path, headers=headers)
    assert "content-security-policy" not in answer.headers
    assert "x-mock-source" in answer.headers


@pytest.mark.parametrize("url", ["/", "127.0.0.1:8765", "http://127.0.0.1:8765/?a=1"])
async def test_a_stub_keeps_its_root(tmp_path: Path, url: str) -> None:
    suite = write_suite(tmp_path / "own", http=[{"url": url, "body": {"own": True}}])
    app = Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)
    async with client_of(app) as client:
        assert "x-mock-source" in (await client.get("/")).headers
        assert "All sessions" in await read(client, f"{ROOT}/sessions/nope", 404)


async def test_without_the_front_nothing_is_shown(client: Client) -> None:
    assert (await client.get("/")).headers["x-mock-source"] == "none"
    assert (await client.get(ONE)).headers["content-type"] == "application/json"


async def test_the_front_shows_and_posts_are_no_pages(app: Application) -> None:
    front = ConsoleFront()
    await front.start(app, None)  # type: ignore[arg-type]
    async with Client(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765"
    ) as client:
        assert "Sessions" in await read(client, "/")
        assert (await client.post("/", json={})).headers["x-mock-source"] == "none"
        assert (await client.post(ONE, json={})).status_code == 405
    await front.stop()


# --- who sees them ---


async def test_a_control_token_is_asked_for(app: Application, suite: Path) -> None:
    settings = replace(app.settings, token=TOKEN)
    async with client_of(Application(settings, real=lambda: NOW)) as client:
        for path in ("/", ONE, f"{ROOT}/nothing"):
            page = await read(client, path, 401)
            assert "data-unlock" in page
            assert "default" not in words(page)
        wrong = await client.get("/", headers={"authorization": "Bearer wrong"})
        assert "That is not the token." in wrong.text
        assert (await client.get(f"{ROOT}/static/console.css")).status_code == 200
        shown = await client.get(ONE, headers={"authorization": f"Bearer {TOKEN}"})
        assert "Journal" in shown.text
        assert TOKEN not in shown.text


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example.com:8765"},
        {"origin": "http://evil.example.com"},
        {"sec-fetch-site": "cross-site"},
    ],
)
async def test_pages_of_other_origins_read_nothing(pages: Client, headers: dict[str, str]) -> None:
    assert (await pages.get(ONE, headers=headers)).status_code == 403


async def test_scripts_run_by_the_number_of_the_answer(pages: Client) -> None:
    policies = set()
    for path in ("/", f"{ONE}/clock"):
        answer = await pages.get(path)
        policy = answer.headers["content-security-policy"]
        nonce = re.search("'nonce-([^']+)'", policy)
        assert nonce is not None
        assert re.findall(r"<script[^>]*>", answer.text) == [
            f'<script type="module" src="{ROOT}/static/console.js" nonce="{nonce[1]}">'
        ]
        assert re.search(r"\son\w+=|\sstyle=|javascript:", answer.text) is None
        assert policy.startswith("default-src 'none';")
        policies.add(policy)
    assert len(policies) == 2


async def test_nothing_is_loaded_from_outside() -> None:
    folder = Path(__file__).parents[3] / "mockserver" / "console"
    for file in (*folder.glob("static/*"), *folder.glob("templates/*")):
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "//" not in re.sub(r"(?m)^\s*// .*$|; //.*$|//\s.*$", "", text), file


# --- what agents send is hostile ---


async def test_nothing_that_agents_send_is_markup(tmp_path: Path) -> None:
    row = {"orgUnitId": "id:03ph8a2z1", "orgUnitPath": "/", "name": EVIL, "description": EVIL}
    suite = write_suite(tmp_path / "evil", orgUnits=[row])
    spec = SessionSpec(faults=({"method": f"{EVIL}*", "message": EVIL},))
    app = Application(Settings(fixtures=suite, default=spec), real=lambda: NOW)
    async with client_of(app) as client:
        body = {"name": EVIL, "parentOrgUnitPath": "/", EVIL: '"><img src=x onerror=alert(1)>'}
        agent = {"user-agent": f"'\"{EVIL}"}
        await client.post(UNITS, json=body, headers=agent)
        await client.post(UNITS, json={"name": EVIL, "parentOrgUnitPath": "/"}, headers=agent)
        await client.get(f"/{EVIL}?{EVIL}={EVIL}", headers=agent)
        await client.post(f"/tools/{EVIL}", json={EVIL: EVIL})
        await client.get("/\u202etxt.exe%1b[31m".encode().decode("latin-1"))
        made = await client.post("/_mock/sessions/default/stubs", json={"url": EVIL, "body": EVIL})
        assert made.status_code == 201
        key = (await client.get("/_mock/sessions/default/rows?collection=orgUnits")).json()["rows"]
        asked = [
            "/", ONE, f"{ONE}?text={EVIL}&host={EVIL}&method={EVIL}&source={EVIL}",
            *(f"{ONE}/requests/{number}" for number in range(1, 7)),
            f"{ONE}/state", f"{ONE}/state?collection=orgUnits&text={EVIL}",
            *(f"{ONE}/state?collection=orgUnits&key={row['key']}" for row in key),
            f"{ONE}/faults", f"{ONE}/clock", f"{ONE}/cassettes", f"{ONE}/spans", f"{ONE}/apis",
        ]  # fmt: skip
        for path in asked:
            page = await read(client, path)
            assert EVIL not in page
            assert "<img" not in page
            assert "\x1b" not in page
            assert "\u202e" not in page
        for path in (f"{ROOT}/sessions/{EVIL}", f"{ONE}/apis?api={EVIL}"):
            assert EVIL not in await read(client, path, 404)


async def test_no_page_shows_what_the_journal_hides(app: Application, pages: Client) -> None:
    session = app.sessions.get("default")
    await pages.post(
        "/oauth2.googleapis.com/token",
        data={"grant_type": "refresh_token", "refresh_token": "hunter2-refresh"},
    )
    await pages.get(f"{UNITS}?access_token={session.token}&key=AIza-hunter2")
    numbers = range(1, len(session.journal) + 1)
    shown = [await read(pages, f"{ONE}/requests/{number}") for number in numbers]
    shown += [await read(pages, path) for path in ("/", ONE, f"{ONE}/apis", f"{ONE}/state")]
    journal = (await pages.get("/_mock/sessions/default/journal")).text
    assert "hunter2" not in journal
    assert not any("hunter2" in page or session.token in page for page in shown)


# --- large ones ---


async def test_pages_of_a_long_journal_are_small(app: Application, pages: Client) -> None:
    session = app.sessions.get("default")
    await pages.get(f"{UNITS}/Engg")
    (first,) = session.journal.entries()
    for number in range(2, 10_001):
        entry: Any = type(first)()
        entry.__dict__.update(first.__dict__)
        entry.seq = session.journal.take_number()
        entry.path = f"{first.path}/{number}"
        session.journal.record(entry)
    assert "10,000 of 10,000 requests" in words(await read(pages, ONE))
    for query in ("", "?text=Engg", "?before=5000&limit=500", "?status=404&method=GET&miss=1"):
        assert len(await read(pages, f"{ONE}{query}")) < 1_000_000


async def test_pages_of_large_answers_are_small(tmp_path: Path) -> None:
    big = {"items": [{"id": f"{n}", "text": "<" * 300} for n in range(5000)]}
    suite = write_suite(tmp_path / "big", http=[{"url": "big.example.com/v1", "body": big}])
    app = Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)
    async with client_of(app) as client:
        await client.get("/big.example.com/v1")
        assert len(await read(client, f"{ONE}/requests/1")) < 1_000_000


def test_the_view_names_what_pages_show() -> None:
    assert ConsoleView._fields == ("settings", "sessions", "worlds", "routes")


async def test_spans_are_shown_below_what_they_are_part_of(pages: Client, app: Application) -> None:
    assert "No framework has sent spans" in words(await read(pages, f"{ONE}/spans"))
    held = app.sessions.get("default").spans
    kinds: dict[str, dict[str, Any]] = {
        "1": {"gen_ai.operation.name": "invoke_agent"},
        "2": {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5",
              "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 2},
        "3": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look",
              "password": "hunter2"},
    }  # fmt: skip
    for at, (id, attributes) in enumerate(kinds.items()):
        span = Span("t", id, "1" if at else "", f"span {id}", at, at + 10**6, attributes,
                    is_error=id == "3", message="boom")  # fmt: skip
        held.add(span, 100)
    held.rejected = 4
    page = words(await read(pages, f"{ONE}/spans"))
    assert "3 held, 4 rejected for lack of room" in page
    assert "gpt-5, 7 tokens in, 2 out" in page
    assert "· span 3 error boom" in page
    assert "hunter2" not in page


async def test_a_call_of_a_model_is_shown_as_a_conversation(pages: Client) -> None:
    call = {"id": "c1", "type": "function",
            "function": {"name": "look", "arguments": '{"city": "Bern"}'}}  # fmt: skip
    messages = [
        {"role": "user", "content": f"The weather? {EVIL}"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    ]
    await pages.post("/v1/chat/completions", json={"model": "gpt-5", "messages": messages})
    page = await read(pages, f"{ONE}/requests/1")
    assert "openai gpt-5" in words(page)
    assert 'calls look {"city":"Bern"}' in words(page).replace("&#34;", '"').replace("&quot;", '"')
    assert "result of look rain" in words(page)
    assert EVIL not in page
