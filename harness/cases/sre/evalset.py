"""ADK EvalSets as they are written: conversations with the tools and the replies of each turn.

Files written by ADK hold every field of its models, most of them null: what is null is not there.
"""

from typing import Annotated

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from harness.model import Frozen, Json, JsonObject


class _Written(Frozen):
    """ADK writes snake_case and reads both."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, alias_generator=to_camel
    )


class ToolUse(_Written):
    """A tool that is called.

    Attributes:
        name: Its name.
        args: Its arguments; left out (or null) they do not matter.
        id: The call's id; nothing looks at it.
    """

    name: str = Field(min_length=1)
    args: JsonObject | None = None
    id: str = ""


class Part(_Written):
    """A part of what is said: only text can be sent and compared.

    Attributes:
        text: The text.
        thought: Whether it is for the agent alone.
        function_call: In an event: a tool that is called.
        function_response: In an event: what it answered; nothing looks at it.
    """

    text: str = ""
    thought: bool = False
    function_call: ToolUse | None = None
    function_response: Json = None


class Content(_Written):
    """What somebody says."""

    parts: tuple[Part, ...] = ()
    role: str = ""

    @property
    def text(self) -> str:
        """The texts of its parts, thoughts left out."""
        return "\n".join(part.text for part in self.parts if part.text and not part.thought)


class InvocationEvent(_Written):
    """One step of an agent on its way to a reply."""

    author: str = ""
    content: Content | None = None


class IntermediateData(_Written):
    """What happened between the question and the reply.

    Attributes:
        tool_uses: Tools that are called; left out they do not matter, an empty list allows none.
        invocation_events: The same as events, as later versions of ADK write it.
        tool_responses: What the tools answered; nothing looks at it.
        intermediate_responses: What was said on the way; nothing looks at it.
    """

    tool_uses: tuple[ToolUse, ...] | None = None
    invocation_events: tuple[InvocationEvent, ...] | None = None
    tool_responses: Json = None
    intermediate_responses: Json = None

    @property
    def calls(self) -> tuple[ToolUse, ...] | None:
        """The calls that are expected, or None when nothing is said of them."""
        if self.invocation_events is None or self.tool_uses is not None:
            return self.tool_uses
        parts = (part for event in self.invocation_events for part in _parts(event))
        return tuple(part.function_call for part in parts if part.function_call is not None)


def _parts(event: InvocationEvent) -> tuple[Part, ...]:
    return event.content.parts if event.content else ()


class RubricContent(_Written):
    """What a rubric asks for."""

    text_property: str = Field(min_length=1, pattern=r"\S")


class Rubric(_Written):
    """One thing that a judge looks for.

    Attributes:
        rubric_id: Its name.
        rubric_content: What it asks for.
        description: For readers.
        type: For readers.
    """

    rubric_id: str = ""
    rubric_content: RubricContent
    description: str = ""
    type: str = ""


class Invocation(_Written):
    """One turn.

    Attributes:
        user_content: What the user says.
        final_response: What the agent replies.
        intermediate_data: What it does before.
        rubrics: What a judge looks for in this turn.
        invocation_id: An id of ADK's; nothing looks at it.
        creation_timestamp: When it was written; nothing looks at it.
        app_details: The agent it was recorded of; nothing looks at it.
    """

    user_content: Content
    final_response: Content | None = None
    intermediate_data: IntermediateData | None = None
    rubrics: tuple[Rubric, ...] = ()
    invocation_id: str = ""
    creation_timestamp: float = 0
    app_details: Json = None

    @model_validator(mode="after")
    def _asks(self) -> "Invocation":
        if not self.user_content.text.strip():
            raise ValueError("user_content says nothing: it needs a part with a text")
        return self


class SessionInput(_Written):
    """The session that the agent starts with.

    Attributes:
        app_name: The ADK app.
        user_id: The user.
        state: What the session's state holds; texts name its values as `{{NAME}}`.
    """

    app_name: str = ""
    user_id: str = ""
    state: JsonObject = {}


class EvalCase(_Written):
    """A conversation.

    Attributes:
        eval_id: Unique in its suite.
        conversation: Its turns.
        session_input: The session it starts with.
        rubrics: What a judge looks for in every turn.
        creation_timestamp: When it was written; nothing looks at it.
        final_session_state: Must be empty: nothing checks it.
    """

    eval_id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    conversation: Annotated[tuple[Invocation, ...], Field(min_length=1)]
    session_input: SessionInput = SessionInput()
    rubrics: tuple[Rubric, ...] = ()
    creation_timestamp: float = 0
    final_session_state: JsonObject = {}

    @model_validator(mode="after")
    def _nothing_idle(self) -> "EvalCase":
        if self.final_session_state:
            raise ValueError("nothing checks 'final_session_state': leave it out")
        return self


class EvalSet(_Written):
    """What is around the cases of a file.

    Attributes:
        eval_set_id: Its name.
        name: For readers.
        description: For readers.
        eval_cases: The cases, each read on its own.
        creation_timestamp: When it was written; nothing looks at it.
    """

    eval_set_id: str = ""
    name: str = ""
    description: str = ""
    eval_cases: Annotated[list[Json], Field(min_length=1)]
    creation_timestamp: float = 0


def without_nulls(value: Json) -> Json:
    """A value without the keys of objects that are null, at any depth but in arguments of calls.

    An argument that is null is expected to be null.

    >>> without_nulls({"text": "Hi", "thought": None, "list": [None, {"a": None}]})
    {'text': 'Hi', 'list': [None, {}]}
    """
    if isinstance(value, dict):
        return {
            name: item if name == "args" else without_nulls(item)
            for name, item in value.items()
            if item is not None
        }
    return [without_nulls(item) for item in value] if isinstance(value, list) else value
