"""Workflows of several models as worked examples: each an agent for `python:`, its models scripted.

The scripts play all models of a workflow; replies tell them by the name of the model.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent

from harness.agents import Task, Transcript
from harness.agents.function import FunctionAgent
from harness.model import Reply
from mockserver.testing.models import pydantic_ai_model

Workflow = Callable[[list[dict[str, str]], dict[str, str]], Awaitable[Any]]
MakeTask = Callable[..., Task]


@pytest.fixture
def models(tmp_path: Path) -> Callable[..., Callable[[str], Agent]]:
    """Makes agents whose models say what a script says, each by its name."""

    def of(script: str) -> Callable[[str], Agent]:
        path = tmp_path / "models.yaml"
        path.write_text(script)
        return lambda name: Agent(pydantic_ai_model(path, name), name=name)

    return of


async def converse(workflow: Workflow, task: Task) -> Reply:
    transcript = Transcript()
    await FunctionAgent(workflow).converse(task, transcript)
    return transcript.replies[0]


ROUTING = """
replies:
  - {model: router, user: connector, text: connectors}
  - {model: router, text: policies}
  - {model: connectors, text: The connector lacks a certificate.}
  - {model: policies, text: The policy is inherited.}
"""


@pytest.mark.parametrize(
    ("prompt", "path", "text"),
    [
        ("My connector fails.", "connectors", "The connector lacks a certificate."),
        ("Why is this set?", "policies", "The policy is inherited."),
    ],
)
async def test_routing_one_model_chooses_who_answers(
    prompt: str, path: str, text: str, models: Any, make_task: MakeTask
) -> None:
    agent = models(ROUTING)

    async def route(messages: list[dict[str, str]], _environment: dict[str, str]) -> Any:
        question = messages[-1]["content"]
        chosen = (await agent("router").run(question)).output
        answer = (await agent(chosen).run(question)).output
        return {"text": answer, "metadata": {"route": chosen}, "rounds": 2}

    reply = await converse(route, make_task(prompt))
    assert (reply.text, reply.metadata) == (text, {"route": path})


PARALLEL = """
replies:
  - {model: units, text: 16 org units}
  - {model: events, text: 3 failed sign-ins, delay_ms: 5}
  - {model: summary, user: {regex: "16 org units\\n3 failed"}, text: 3 sign-ins failed in 16 units.}
"""


async def test_parallel_independent_questions_are_asked_at_once(
    models: Any, make_task: MakeTask
) -> None:
    agent = models(PARALLEL)

    async def gather(messages: list[dict[str, str]], _environment: dict[str, str]) -> Any:
        question = messages[-1]["content"]
        found = await asyncio.gather(*(agent(name).run(question) for name in ("units", "events")))
        told = "\n".join(each.output for each in found)
        return (await agent("summary").run(told)).output

    assert (await converse(gather, make_task())).text == "3 sign-ins failed in 16 units."


ORCHESTRATOR = """
replies:
  - model: orchestrator
    user: inherited
    calls:
      - {name: examine, arguments: {unit: /Sales}}
      - {name: examine, arguments: {unit: /Sales/EMEA}}
  - {model: worker, user: /Sales/EMEA, text: it inherits}
  - {model: worker, user: /Sales, text: it is set here}
  - model: orchestrator
    result: examine
    text: >-
      {{ messages | selectattr('role', 'equalto', 'tool') | list | length }} units: {{ result }}.
"""


async def test_an_orchestrator_gives_parts_to_workers_and_puts_them_together(
    models: Any, make_task: MakeTask
) -> None:
    agent = models(ORCHESTRATOR)

    async def orchestrate(messages: list[dict[str, str]], _environment: dict[str, str]) -> Any:
        orchestrator, calls = agent("orchestrator"), []

        async def examine(unit: str) -> str:
            found: str = (await agent("worker").run(f"Examine {unit}.")).output
            calls.append({"name": "examine", "args": {"unit": unit}, "result": found})
            return found

        orchestrator.tool_plain(sequential=True)(examine)
        result = await orchestrator.run(messages[-1]["content"])
        return {"text": result.output, "toolCalls": calls}

    reply = await converse(orchestrate, make_task("Where is it inherited?"))
    found = {str(call.args["unit"]): call.result for call in reply.tool_calls}  # type: ignore[index]
    assert found == {"/Sales": "it is set here", "/Sales/EMEA": "it inherits"}
    assert reply.text == "2 units: it inherits."


EVALUATOR = """
replies:
  - {model: writer, user: no evidence, text: "A leak, see event 7."}
  - {model: writer, text: A leak.}
  - {model: evaluator, user: event, text: good}
  - {model: evaluator, text: no evidence}
"""


async def test_an_evaluator_sends_an_answer_back_until_it_is_good(
    models: Any, make_task: MakeTask
) -> None:
    agent = models(EVALUATOR)

    async def improve(messages: list[dict[str, str]], _environment: dict[str, str]) -> Any:
        prompt = messages[-1]["content"]
        for attempt in range(1, 4):
            answer = (await agent("writer").run(prompt)).output
            opinion = (await agent("evaluator").run(answer)).output
            if opinion == "good":
                return {"text": answer, "metadata": {"attempts": attempt}, "rounds": 2 * attempt}
            prompt = f"{messages[-1]['content']}\nYour last answer had {opinion}: {answer}"
        return "I do not know."

    reply = await converse(improve, make_task("What is wrong?"))
    assert (reply.text, reply.metadata, reply.rounds) == (
        "A leak, see event 7.", {"attempts": 2}, 4,
    )  # fmt: skip
