"""An agent that reads its lines from a file: case id to replies, one for each turn.

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
from harness.agents.reply_json import is_reply, read_reply
from harness.errors import HarnessError, reason_of
from harness.model import Json, Reply

Script = Mapping[str, tuple[Json, ...]]


def read_script(path: Path) -> Script:
    """Read a script, JSON or YAML.

    Raises:
        HarnessError: It cannot be read, or something in it is not a list of replies.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise HarnessError(f"cannot read the script {str(path)!r}: {reason_of(error)}") from None
    if not isinstance(content, dict):
        raise HarnessError(f"{path}: a script is an object of case id to replies")
    return {str(case): _turns(path, case, turns) for case, turns in content.items()}


class Scripted(AgentDriver):
    """Says the lines of a script; the double for tests of everything around an agent."""

    tools = ANY_TOOLS

    def __init__(self, script: Script) -> None:
        self._script = script

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        if task.case.id not in self._script:
            raise AgentUnreachableError(f"the script has no replies for case {task.case.id}")
        lines = self._script[task.case.id]
        for turn, prompt in enumerate(task.prompts, start=1):
            if turn > len(lines):
                raise AgentFailedError(f"the script of case {task.case.id} ends before turn {turn}")
            transcript.answered(_reply(lines[turn - 1], turn, prompt))

    @override
    async def close(self) -> None:
        return


def _turns(path: Path, case: object, turns: Json) -> tuple[Json, ...]:
    lines = turns if isinstance(turns, list) else [turns]
    for number, line in enumerate(lines):
        if not isinstance(line, str) and not is_reply(line):
            raise HarnessError(
                f"{path}#/{case}/{number}: expected text or an object with text or toolCalls"
            )
    return tuple(lines)


def _reply(line: Json, turn: int, prompt: str) -> Reply:
    if isinstance(line, str):
        return Reply(turn=turn, prompt=prompt, text=line)
    return read_reply(line, turn=turn, prompt=prompt)
