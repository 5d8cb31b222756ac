"""The perfect agent: plays the reference of each case, so that a case it fails cannot be passed."""

from pathlib import Path
from time import perf_counter
from typing import Literal

import httpx
import orjson
from typing_extensions import override

from harness.agents.protocol import (
    ANY_TOOLS,
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    Task,
    Transcript,
)
from harness.model import Json, ReferenceCall, ReferenceRequest, ReferenceTurn, Reply, ToolCall


class Oracle(AgentDriver):
    """Makes the calls and requests of each turn's reference, writes its files, says its answer."""

    tools = ANY_TOOLS
    holds_conversations = True

    def __init__(self) -> None:
        self._client = httpx.AsyncClient(timeout=30, trust_env=False)

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        reference = task.case.reference
        if len(reference) != len(task.prompts) and task.user is None:
            raise AgentFailedError(
                f"case {task.case.id} has a reference for {len(reference)} of"
                f" {len(task.prompts)} turns: nothing for the oracle to play"
            )
        async for turn, prompt in task.turns(transcript):
            if turn > len(reference):
                raise AgentFailedError(
                    f"the reference of case {task.case.id} ends before turn {turn}"
                )
            part = reference[turn - 1]
            transcript.note_reply(await self._play(task, part, turn, prompt))
            transcript.exit_code = part.exit_code

    @override
    async def close(self) -> None:
        await self._client.aclose()

    async def _play(self, task: Task, part: ReferenceTurn, turn: int, prompt: str) -> Reply:
        start = perf_counter()
        try:
            calls = [
                await self._call(task, call, turn, step) for step, call in enumerate(part.calls)
            ]
            calls += _reported_calls(part, turn, len(calls))
            for request in part.requests:
                await self._request(task, request)
        except httpx.HTTPError as error:
            raise AgentUnreachableError(f"the mock server did not answer: {error!r}") from None
        for name, text in part.files.items():
            _write(task.workspace, name, text)
        return Reply(
            turn=turn,
            prompt=prompt,
            text=part.answer,
            http_status=part.http_status,
            data=part.data,
            metadata=part.metadata,
            tool_calls=tuple(calls),
            rounds=len(calls) + 1,
            finish="stop",
            duration_ms=(perf_counter() - start) * 1000,
        )

    async def _call(self, task: Task, call: ReferenceCall, turn: int, step: int) -> ToolCall:
        url = f"{_base_url(task, 'TOOLS_BASE_URL')}/{call.name}"
        response = await self._client.post(url, json=call.args, headers=_credential(task))
        status: Literal["ok", "error"] = "ok" if response.is_success else "error"
        result = _body(response)
        return ToolCall(
            name=call.name, args=call.args, turn=turn, step=step, status=status, result=result
        )

    async def _request(self, task: Task, request: ReferenceRequest) -> None:
        await self._client.request(
            request.http_method,
            f"{_base_url(task, 'GOOGLE_API_BASE_URL')}/{request.url.lstrip('/')}",
            content=None if request.body is None else orjson.dumps(request.body),
            headers=_credential(task) | {"content-type": "application/json"},
        )


def _reported_calls(part: ReferenceTurn, turn: int, first: int) -> list[ToolCall]:
    return [
        ToolCall(name=call.name, args=call.args, turn=turn, step=step, status="ok")
        for step, call in enumerate(part.reports, start=first)
    ]


def _base_url(task: Task, name: str) -> str:
    if name not in task.env:
        raise AgentFailedError(f"the session's environment has no {name}: is there a mock server?")
    return task.env[name].rstrip("/")


def _credential(task: Task) -> dict[str, str]:
    return {"authorization": f"Bearer {task.token}"} if task.token else {}


def _body(response: httpx.Response) -> Json:
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return response.text


def _write(workspace: Path, name: str, text: str) -> None:
    path = (workspace / name).resolve()
    if not path.is_relative_to(workspace.resolve()):
        raise AgentFailedError(f"the reference writes {name!r}, which is outside the workspace")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
