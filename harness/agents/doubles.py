"""Agents that know nothing: a suite that one of them passes proves nothing."""

from typing_extensions import override

from harness.agents.protocol import ANY_TOOLS, AgentDriver, Task, Transcript
from harness.model import Reply


class Null(AgentDriver):
    """Answers nothing."""

    tools = ANY_TOOLS

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        for turn, prompt in enumerate(task.prompts, start=1):
            transcript.answered(Reply(turn=turn, prompt=prompt))

    @override
    async def close(self) -> None:
        return


class Echo(AgentDriver):
    """Answers with the prompt."""

    tools = ANY_TOOLS

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        for turn, prompt in enumerate(task.prompts, start=1):
            transcript.answered(Reply(turn=turn, prompt=prompt, text=prompt))

    @override
    async def close(self) -> None:
        return


class Synthetic(AgentDriver):
    """Makes replies up without an agent (`EVAL_TEST_MODE`): a rehearsal of everything around it."""

    tools = ANY_TOOLS

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        for turn, prompt in enumerate(task.prompts, start=1):
            text = f"Synthetic reply to {task.case.id}, turn {turn}: no agent was asked."
            metadata = {"diagnosis": text, "evidence": [], "hypotheses": [], "nextSteps": []}
            reply = Reply(turn=turn, prompt=prompt, text=text, metadata=metadata, rounds=1)
            transcript.answered(reply)

    @override
    async def close(self) -> None:
        return
