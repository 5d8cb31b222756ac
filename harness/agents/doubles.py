"""Agents that know nothing (null, echo, synthetic), and one that reads its replies from a file.

A suite that null or echo passes proves nothing. A script maps case ids to replies, one a turn:

```yaml
EC-001:
  - "The token has expired."
  - {text: "Renewed.", toolCalls: [{name: enrollBrowser}]}
```
"""

from collections.abc import Mapping
from pathlib import Path

from typing_extensions import override

from harness.agents.protocol import (
    ANY_TOOLS,
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    Task,
    Transcript,
)
from harness.agents.replies import is_reply, read_reply
from harness.errors import InvalidCasesError
from harness.model import Json, Reply


class Null(AgentDriver):
    """Answers nothing."""

    tools = ANY_TOOLS
    holds_conversations = True

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        async for turn, prompt in task.turns(transcript):
            transcript.note_reply(Reply(turn=turn, prompt=prompt))

    @override
    async def close(self) -> None:
        return


class Echo(AgentDriver):
    """Answers with the prompt."""

    tools = ANY_TOOLS
    holds_conversations = True

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        async for turn, prompt in task.turns(transcript):
            transcript.note_reply(Reply(turn=turn, prompt=prompt, text=prompt))

    @override
    async def close(self) -> None:
        return


class Synthetic(AgentDriver):
    """Makes replies up without an agent (`EVAL_TEST_MODE`): a rehearsal of everything around it."""

    tools = ANY_TOOLS
    holds_conversations = True

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        async for turn, prompt in task.turns(transcript):
            text = f"Synthetic reply to {task.case.id}, turn {turn}: no agent was asked."
            metadata = {"diagnosis": text, "evidence": [], "hypotheses": [], "nextSteps": []}
            reply = Reply(turn=turn, prompt=prompt, text=text, metadata=metadata, rounds=1)
            transcript.note_reply(reply)

    @override
    async def close(self) -> None:
        return


Script = Mapping[str, tuple[Json, ...]]


def read_script(path: Path) -> Script:
    """Read a script, JSON or YAML.

    Raises:
        InvalidCasesError: It cannot be read, or something in it is no reply; all of it at once.
    """
    from harness.documents import Findings, read_yaml

    findings = Findings()
    document = read_yaml(path, findings)
    script = {}
    if document is not None and isinstance(document.value, dict):
        for case, turns in document.value.items():
            script[case] = tuple(turns) if isinstance(turns, list) else (turns,)
            for number, line in enumerate(script[case]):
                if reason := _wrong(line):
                    place = (case, number) if isinstance(turns, list) else (case,)
                    findings.error(document.where(place), reason)
    elif document is not None:
        findings.error(document.where(), "a script is an object of case id to replies")
    if findings.problems:
        raise InvalidCasesError(findings.problems)
    return script


def _wrong(line: Json) -> str:
    """Why a line cannot be said, or an empty string."""
    if isinstance(line, str):
        return ""
    if not is_reply(line):
        return "expected text or an object with text or toolCalls"
    try:
        read_reply(line, turn=1, prompt="")
    except AgentFailedError as error:
        return str(error)
    return ""


class Scripted(AgentDriver):
    """Says the lines of a script; the double for tests of everything around an agent."""

    tools = ANY_TOOLS
    holds_conversations = True

    def __init__(self, script: Script) -> None:
        self._script = script

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        if task.case.id not in self._script:
            raise AgentUnreachableError(f"the script has no replies for case {task.case.id}")
        lines = self._script[task.case.id]
        async for turn, prompt in task.turns(transcript):
            if turn > len(lines):
                raise AgentFailedError(f"the script of case {task.case.id} ends before turn {turn}")
            transcript.note_reply(_reply(lines[turn - 1], turn, prompt))

    @override
    async def close(self) -> None:
        return


def _reply(line: Json, turn: int, prompt: str) -> Reply:
    if isinstance(line, str):
        return Reply(turn=turn, prompt=prompt, text=line, reports_calls=False)
    return read_reply(line, turn=turn, prompt=prompt)
