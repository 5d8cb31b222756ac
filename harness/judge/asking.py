"""Asking a judge about a trial: every question of its case, as often as it says."""

import asyncio
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from harness.judge.prompting import instructions, marker_of, material, prompt_hash
from harness.judge.specs import JudgeSpec, model_of
from harness.judge.verdicts import TOOL, last_verdict
from harness.model import Case, Judge, Opinion, Reply, TrialRecord

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

_LONGEST_ERROR = 300


class Judging:
    """A judge that can be asked.

    Args:
        spec: Which model.
        environment: Keys and endpoints.
        timeout_s: Seconds that one answer may take.
        retries: Further attempts after transport errors and 429.

    Raises:
        HarnessError: The extra is not installed, or there is no key.
    """

    def __init__(
        self,
        spec: JudgeSpec,
        environment: Mapping[str, str],
        *,
        timeout_s: float = 60,
        retries: int = 2,
    ) -> None:
        self.spec = spec
        self._model = model_of(spec, environment, retries)
        self._timeout_s = timeout_s

    async def opinions(self, case: Case, record: TrialRecord) -> tuple[Opinion, ...]:
        """What the judge says of a trial; what goes wrong is part of the opinion.

        Nothing is asked where the agent gave no reply, or where the reply was made up.
        """
        if record.outcome != "replied" or record.synthetic:
            return ()
        asked = {each.asked: each for each in case.expect if isinstance(each, Judge)}
        found = [
            await asyncio.gather(
                *(self._opinion(each, record, sample) for sample in _samples(case, key))
            )
            for key, each in asked.items()
        ]
        return tuple(opinion for opinions in found for opinion in opinions)

    async def _opinion(self, question: Judge, record: TrialRecord, sample: int) -> Opinion:
        start = perf_counter()
        about: dict[str, Any] = {
            "asked": question.asked,
            "sample": sample,
            "model": str(self.spec),
            "prompt": prompt_hash(),
            "temperature": question.temperature,
        }
        marker = marker_of(record.run, record.case, record.number, question.asked, sample)
        replies = _replies(record.replies, question.turn)
        if not replies:
            return Opinion(**about, error=f"there is no reply to turn {question.turn}")
        answer = await self._ask(question, material(replies, marker))
        about["duration_ms"] = (perf_counter() - start) * 1000
        if isinstance(answer, str):
            return Opinion(**about, error=answer)
        found = last_verdict(_said(answer), question.menu)
        return Opinion(
            **about,
            verdict=found.verdict,
            reason=found.reason,
            error=found.error,
            input_tokens=answer.usage.input_tokens or None,
            output_tokens=answer.usage.output_tokens or None,
        )

    async def _ask(self, question: Judge, text: str) -> "ModelResponse | str":
        """The answer, or why there is none."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.settings import ModelSettings

        message = ModelRequest([SystemPromptPart(instructions(question)), UserPromptPart(text)])
        settings = ModelSettings(max_tokens=1000, timeout=self._timeout_s)
        if question.temperature is not None:
            settings["temperature"] = question.temperature
        try:
            async with asyncio.timeout(self._timeout_s):
                return await model_request(
                    self._model,
                    [message],
                    model_settings=settings,
                    model_request_parameters=ModelRequestParameters(
                        output_mode="tool", output_tools=[_tool(question)], allow_text_output=True
                    ),
                )
        except TimeoutError:
            return f"no answer within {self._timeout_s:g} s"
        except Exception as error:  # noqa: BLE001 - clients stumble over answers in many ways
            return " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__


def _samples(case: Case, key: str) -> range:
    """The numbers of a question's samples: as many as the expectation that asks most."""
    most = max(
        each.samples for each in case.expect if isinstance(each, Judge) and each.asked == key
    )
    return range(1, most + 1)


def _replies(replies: Sequence[Reply], turn: int | None) -> list[Reply]:
    return [reply for reply in replies if turn in {None, reply.turn}]


def _tool(question: Judge) -> Any:
    from pydantic_ai.tools import ToolDefinition

    return ToolDefinition(
        name=TOOL,
        description="Gives the verdict.",
        kind="output",
        parameters_json_schema={
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                TOOL: {"type": "string", "enum": list(question.menu)},
            },
            "required": ["reason", TOOL],
            "additionalProperties": False,
        },
    )


def _said(answer: "ModelResponse") -> list[Any]:
    """Texts, and the arguments of calls; arguments that are no JSON stay a text."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    said: list[Any] = []
    for part in answer.parts:
        if isinstance(part, TextPart):
            said.append(part.content)
        elif isinstance(part, ToolCallPart) and part.tool_name == TOOL and part.args:
            said.append(part.args)
    return said
