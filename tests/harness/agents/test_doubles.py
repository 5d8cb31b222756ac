import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from harness.agents import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    Echo,
    Null,
    Scripted,
    Synthetic,
    Task,
    Transcript,
)
from harness.agents.doubles import read_script
from harness.agents.oracle import Oracle
from harness.errors import HarnessError
from harness.model import Case, ReferenceCall, ReferenceRequest, ReferenceTurn, Turn


@pytest.mark.parametrize(
    ("driver", "texts"),
    [
        pytest.param(Null(), ["", ""], id="null"),
        pytest.param(Echo(), ["First", "Second"], id="echo"),
    ],
)
async def test_a_double_answers_every_turn(
    driver: AgentDriver, texts: list[str], make_task: Callable[..., Task]
) -> None:
    transcript = Transcript()
    await driver.converse(make_task("First", "Second"), transcript)
    await driver.close()
    assert [reply.text for reply in transcript.replies] == texts
    assert [(attempt.turn, attempt.number) for attempt in transcript.attempts] == [(1, 1), (2, 1)]


async def test_a_synthetic_reply_says_that_it_is_one(make_task: Callable[..., Task]) -> None:
    """CEP-24."""
    transcript = Transcript()
    await Synthetic().converse(make_task("First"), transcript)
    await Synthetic().close()
    assert "no agent was asked" in transcript.replies[0].text
    assert transcript.replies[0].metadata is not None


MakeTask = Callable[..., Task]


def script(path: Path, text: str) -> Path:
    file = path / "script.yaml"
    file.write_text(text, encoding="utf-8")
    return file


async def test_a_script_is_played_turn_by_turn(tmp_path: Path, make_task: MakeTask) -> None:
    text = "EC-001:\n  - One\n  - {text: Two, toolCalls: [{name: listOrgUnits}]}\nEC-002: Alone\n"
    driver, transcript = Scripted(read_script(script(tmp_path, text))), Transcript()
    await driver.converse(make_task("First", "Second"), transcript)
    await driver.close()
    assert [reply.text for reply in transcript.replies] == ["One", "Two"]
    assert transcript.replies[1].tool_calls[0].name == "listOrgUnits"


async def test_a_case_without_lines_says_nothing_about_an_agent(make_task: MakeTask) -> None:
    with pytest.raises(AgentUnreachableError, match="no replies for case EC-001"):
        await Scripted({}).converse(make_task(), Transcript())


async def test_a_script_that_is_too_short_keeps_what_was_said(make_task: MakeTask) -> None:
    transcript = Transcript()
    with pytest.raises(AgentFailedError, match="ends before turn 2"):
        await Scripted({"EC-001": ("One",)}).converse(make_task("First", "Second"), transcript)
    assert len(transcript.replies) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("- One", "object of case id", id="list"),
        pytest.param("EC-001: [{foo: 1}]", "yaml:1: expected text", id="no reply"),
        pytest.param("a: [", "not YAML", id="broken"),
    ],
)
def test_a_script_that_makes_no_sense_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        read_script(script(tmp_path, text))


def test_a_script_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="No such file"):
        read_script(tmp_path / "none.yaml")


def case(**turn: Any) -> Case:
    return Case(id="EC-001", turns=(Turn(user="Why?"),), reference=(ReferenceTurn(**turn),))


@pytest_asyncio.fixture
async def world() -> AsyncIterator[tuple[dict[str, str], list[str]]]:
    """A server that notes request lines, refuses `broken`, and answers an object or text."""
    seen: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        seen.append(head.split(" HTTP")[0])
        assert "authorization: Bearer t1" in head.replace("Authorization", "authorization")
        status, body = ("404 No", b"gone") if "broken" in head else ("200 OK", b'{"n": 1}')
        fixed = f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        writer.write(fixed.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/s/s1"
    async with server:
        yield {"GOOGLE_API_BASE_URL": base, "TOOLS_BASE_URL": f"{base}/tools"}, seen


async def play(task: Task) -> Transcript:
    transcript, oracle = Transcript(), Oracle()
    try:
        await oracle.converse(task, transcript)
    finally:
        await oracle.close()
    return transcript


async def test_the_oracle_plays_the_reference(world: Any, make_task: MakeTask) -> None:
    env, seen = world
    part = case(
        calls=(ReferenceCall(name="listOrgUnits", args={"max": 2}), ReferenceCall(name="broken")),
        requests=(
            ReferenceRequest(url="admin.googleapis.com/x"),
            ReferenceRequest(http_method="POST", url="/admin.googleapis.com/y", body={"a": 1}),
        ),
        answer="It is blocked.",
        metadata={"diagnosis": "blocked"},
        files={"out/note.txt": "done"},
    )
    task = make_task("Why?", case=part, env=env, token="t1")
    transcript = await play(task)
    reply = transcript.replies[0]
    assert seen == [
        "POST /s/s1/tools/listOrgUnits",
        "POST /s/s1/tools/broken",
        "GET /s/s1/admin.googleapis.com/x",
        "POST /s/s1/admin.googleapis.com/y",
    ]
    assert (reply.text, reply.metadata, reply.rounds) == (
        "It is blocked.",
        {"diagnosis": "blocked"},
        3,
    )
    assert [(c.name, c.status, c.result) for c in reply.tool_calls] == [
        ("listOrgUnits", "ok", {"n": 1}),
        ("broken", "error", "gone"),
    ]
    assert (task.workspace / "out/note.txt").read_text(encoding="utf-8") == "done"


async def test_a_case_without_reference_cannot_be_played(make_task: MakeTask) -> None:
    with pytest.raises(AgentFailedError, match="reference for 0 of 1 turns"):
        await play(make_task("Why?"))


async def test_without_a_world_the_oracle_cannot_call(make_task: MakeTask) -> None:
    with pytest.raises(AgentFailedError, match="no TOOLS_BASE_URL"):
        await play(make_task("Why?", case=case(calls=(ReferenceCall(name="x"),))))


async def test_a_world_that_is_gone_is_no_fault_of_the_oracle(make_task: MakeTask) -> None:
    env = {"GOOGLE_API_BASE_URL": "http://127.0.0.1:9"}
    part = case(requests=(ReferenceRequest(url="x"),))
    with pytest.raises(AgentUnreachableError, match="did not answer"):
        await play(make_task("Why?", case=part, env=env))


async def test_the_oracle_stays_in_its_workspace(make_task: MakeTask, tmp_path: Path) -> None:
    with pytest.raises(AgentFailedError, match="outside the workspace"):
        await play(make_task("Why?", case=case(files={"../out": "x"})))
    assert not (tmp_path.parent / "out").exists()
