"""A suite with one fault of each kind, an agent that looks, and a mock server that serves both."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from typing_extensions import override

from harness.agents import AgentDriver, AgentFailedError, AgentUnreachableError, Task, Transcript
from harness.cases import Suite, load_suite
from harness.doctor import Bench
from harness.environment import attach_environment
from harness.model import Reply, ToolCall
from harness.runner import RunSettings
from tests.casefiles import put
from tests.harness.conftest import BASE, serving

CASES = """\
cases:
  - id: SOUND
    title: Asks for what its override holds
    category: policy
    tags: [regression]
    input: "Which unit is new?"
    fixtures: {overrides: [SOUND]}
    expect: {text: {evidence: ["id:03ph8a2z1labora"]}}
    reference: {calls: [listOrgUnits], answer: "It is id:03ph8a2z1labora."}
  - id: VACUOUS
    category: policy
    input: "Do not touch anything."
    expect: {server: {state: {unchanged: ["*"]}}}
    reference: {answer: "I did not."}
  - id: LEADING
    category: dlp
    input: "Is the rule PASTE_BLOCK on?"
    expect: {text: {evidence: [PASTE_BLOCK], contains: ["switched on"]}}
    reference: {answer: "PASTE_BLOCK is switched on."}
  - id: HALFLED
    category: dlp
    input: "Is the rule PASTE_BLOCK on?"
    expect: {text: {evidence: [PASTE_BLOCK, RULE_77]}}
    reference: {calls: [listOrgUnits], answer: "PASTE_BLOCK, which is RULE_77."}
  - id: BROKEN
    category: dlp
    input: "How many rules?"
    expect: {text: {contains: ["seven rules"]}}
    reference: {answer: "There are 7."}
  - id: UNPROVEN
    category: dlp
    tags: [Regression]
    input: "Who are you?"
    expect: {text: {contains: ["nobody knows"]}}
  - id: IDLE
    category: policy
    input: "Which unit is old?"
    fixtures: {overrides: [IDLE]}
    expect: {text: {evidence: ["id:03ph8a2z1office"]}}
    reference: {calls: [listOrgUnits], answer: "It is id:03ph8a2z1office."}
  - id: LIVES
    category: system
    input: "Which unit is old, in spite of all?"
    fixtures: {faults: [{method: reports.activities.list, status: 503}]}
    expect: {text: {evidence: ["id:03ph8a2z1office"]}}
    reference: {calls: [listOrgUnits], answer: "It is id:03ph8a2z1office."}
  - id: NEEDLESS
    category: system
    input: "What is two and two?"
    expect: {text: {contains: ["it is four"]}}
    reference: {answer: "It is four."}
"""

LABORATORY = """\
{"orgUnits": [{"name": "Laboratory", "orgUnitPath": "/Laboratory", "parentOrgUnitPath": "/",
               "orgUnitId": "id:03ph8a2z1labora"}]}
"""


class Looking(AgentDriver):
    """Lists the units and tells their ids, or says what it was told to say for a case."""

    tools = ("*",)

    def __init__(self, said: dict[str, str] | None = None) -> None:
        self._said = {"NEEDLESS": "It is four.", **(said or {})}

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        text = self._said.get(task.case.id, "")
        if text == "unreachable":
            raise AgentUnreachableError("nobody there")
        if text == "crash":
            raise AgentFailedError("it fell over")
        calls: tuple[ToolCall, ...] = ()
        if not text:
            async with httpx.AsyncClient(trust_env=False) as client:
                answer = await client.post(f"{task.env['TOOLS_BASE_URL']}/listOrgUnits", json={})
            units = answer.json()["result"]["orgUnits"]
            text = ", ".join(unit["orgUnitId"] for unit in units)
            calls = (ToolCall(name="listOrgUnits"),)
        reply = Reply(turn=1, prompt=task.prompts[0], text=text, tool_calls=calls)
        transcript.note_reply(reply)

    @override
    async def close(self) -> None:
        return


@pytest.fixture(scope="session")
def sick_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "sick"
    put(folder / "cases.yaml", CASES)
    put(folder / "base" / "tenant.json", BASE)
    put(folder / "SOUND" / "overrides.json", LABORATORY)
    put(folder / "IDLE" / "overrides.json", '{"groups": []}')
    return folder


@pytest.fixture(scope="session")
def sick(sick_folder: Path) -> Suite:
    return load_suite(sick_folder)


@pytest.fixture(scope="session")
def sick_url(sick_folder: Path) -> Iterator[str]:
    with serving(sick_folder) as (url, _):
        yield url


@pytest_asyncio.fixture
async def bench(sick: Suite, sick_url: str) -> AsyncIterator[Bench]:
    environment = await attach_environment(sick_url)
    yield Bench(
        suite=sick,
        environment=environment,
        settings=RunSettings(trials=1, tools=("*",)),
        clock=clock(),
        stop=asyncio.Event(),
    )
    await environment.close()


def clock() -> Callable[[], datetime]:
    return lambda: datetime(2026, 11, 20, 10, 15, tzinfo=UTC)
