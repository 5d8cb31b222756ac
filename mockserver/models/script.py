"""Scripted models: what a suite writes in `models/*.yaml`, and which reply a request gets."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path
from typing import Any

import orjson
from pydantic import Field, ValidationError, field_validator, model_validator

from mockserver.errors import FormatError, InvalidFilesError, Problem
from mockserver.model import ERROR_STATUS, FEW, Frozen, JsonObject
from mockserver.models.agent_description import AgentDescription
from mockserver.models.messages import (
    Finish,
    ModelReply,
    ModelRequest,
    ReplyTask,
    TaskState,
    ToolCall,
    Usage,
    parse_arguments,
    tool_value,
)
from mockserver.models.providers.provider import ERROR_MESSAGES
from mockserver.storage import MODELS, kind_of
from mockserver.storage.documents import document_text, parsed_document
from mockserver.storage.findings import Finding, invalid_fields, locate_findings
from mockserver.storage.untrusted_json import Place
from mockserver.stubs import compile_pattern
from mockserver.templates import (
    TemplateError,
    condition,
    has_templates,
    is_template,
    render_json,
    template_problems,
)

_SHOWN = 80
_ANY = ("*",)


class TextPattern(Frozen):
    """A text that a regular expression (RE2) must occur in."""

    regex: str

    @field_validator("regex")
    @classmethod
    def _is_pattern(cls, text: str) -> str:
        compile_pattern(text)
        return text


TextMatch = str | TextPattern
"""A text that must occur, in any case; or a pattern that must."""


class ScriptedCall(Frozen):
    """A tool call that the model asks for.

    Attributes:
        name: The tool.
        arguments: Its arguments; a text is sent as it is, to be broken JSON for instance.
        id: Its id; made from the session's seed when empty.
    """

    name: str
    arguments: JsonObject | str = {}
    id: str = ""


class ScriptedUsage(Frozen):
    """Tokens that a reply is said to cost."""

    input: int = Field(ge=0)
    output: int = Field(ge=0)


class ScriptedError(Frozen):
    """An error in place of a reply, in the form of the provider that is asked.

    Attributes:
        kind: `rate_limit`, `overloaded` and the like, or a provider's own name of an error.
        status: The HTTP status; that of the kind when None.
        message: What it says.
        retry_after_s: The header `Retry-After`, in seconds.
    """

    kind: str = "server_error"
    status: int | None = Field(default=None, ge=400, le=599)
    message: str = ""
    retry_after_s: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _has_status(self) -> "ScriptedError":
        if self.status is None and self.kind not in ERROR_STATUS:
            known = ", ".join(ERROR_STATUS)
            raise ValueError(f"a kind of your own needs a status; known are {known}")
        return self


class Pace(Frozen):
    """How a reply is streamed.

    Attributes:
        characters: How many characters of text one event holds.
        first_ms: Milliseconds before the first event.
        gap_ms: Milliseconds between two events.
        cut_after: After so many events the connection is cut; None for never.
        jitter: The share by which a gap is longer or shorter than `gap_ms`, at most; always the
            same for the same gap.
    """

    characters: int = Field(default=24, ge=1)
    first_ms: float = Field(default=0, ge=0, le=600_000)
    gap_ms: float = Field(default=0, ge=0, le=60_000)
    cut_after: int | None = Field(default=None, ge=0)
    jitter: float = Field(default=0, ge=0, le=1)

    @property
    def takes_time(self) -> bool:
        """Whether not all is sent at once."""
        return bool(self.first_ms or self.gap_ms) or self.cut_after is not None

    def gap_before(self, number: int) -> float:
        """Milliseconds before an event, counted from 0.

        >>> Pace(gap_ms=10).gap_before(1), 5 <= Pace(gap_ms=10, jitter=0.5).gap_before(1) <= 15
        (10.0, True)
        """
        if not self.jitter:
            return self.gap_ms
        drawn = int.from_bytes(blake2b(number.to_bytes(8), digest_size=4).digest()) / 2**32
        return self.gap_ms * (1 + self.jitter * (2 * drawn - 1))

    def cut(self, text: str) -> Sequence[str]:
        """A text in pieces for single events; none of an empty one.

        >>> Pace(characters=4).cut("It rains.")
        ['It r', 'ains', '.']
        """
        size = self.characters
        return [text[start : start + size] for start in range(0, len(text), size)]


class ScriptedTask(Frozen):
    """The task of A2A that a reply is about.

    Attributes:
        state: How it stands after the reply.
        artifact: The name of what it made, which is the text of the reply; when empty, the text is
            the message of the state.
    """

    state: TaskState = "completed"
    artifact: str = ""


class ScriptedReply(Frozen):
    """One reply of a script; it is given when everything holds that it asks for.

    Attributes:
        model: Patterns of the models that it is for, `gpt-*`.
        user: What the user must have said since the model spoke last.
        system: What the system prompt must hold.
        result: The tool whose result must have come since the model spoke last; `true` for that of
            any tool, `false` for none.
        tool: A tool that must be offered.
        turn: How many messages of the model the conversation must hold.
        when: An expression that must hold, over what templates may speak of.
        times: How often it is given; None for always.
        text: What the model says; may be a template.
        calls: The tools that it calls, with their arguments; may hold templates.
        calls_first: Whether the calls come before the text, where a provider keeps their order.
        reasoning: What it thinks, for providers that show it.
        refusal: Why it refuses.
        finish: Why it ends; found from the rest when None.
        usage: The tokens that it costs; counted from the texts when None.
        error: The error in its place.
        embedding: The vector of each input; made from the input when None.
        events: Further events of AG-UI, before the text; may hold templates.
        task: The task of A2A that it is about; when None, an agent answers with a message.
        delay_ms: Milliseconds before anything is sent.
        stream: How it is streamed; as the script says when None.
    """

    model: str | tuple[str, ...] = "*"
    user: TextMatch | None = None
    system: TextMatch | None = None
    result: str | bool | None = None
    tool: str | None = None
    turn: int | None = Field(default=None, ge=0)
    when: str = ""
    times: int | None = Field(default=None, ge=1)
    text: str = ""
    calls: dict[str, JsonObject | str] | tuple[ScriptedCall, ...] = ()
    calls_first: bool = False
    reasoning: str = ""
    refusal: str = ""
    finish: Finish | None = None
    usage: ScriptedUsage | None = None
    error: ScriptedError | None = None
    embedding: tuple[float, ...] | None = None
    events: tuple[JsonObject, ...] = ()
    task: ScriptedTask | None = None
    delay_ms: float = Field(default=0, ge=0, le=600_000)
    stream: Pace | None = None

    @field_validator("error", mode="before")
    @classmethod
    def _error_of_kind(cls, value: Any) -> Any:
        return {"kind": value} if isinstance(value, str) else value

    @field_validator("task", mode="before")
    @classmethod
    def _task_of_state(cls, value: Any) -> Any:
        return {"state": value} if isinstance(value, str) else value

    @field_validator("events")
    @classmethod
    def _are_events(cls, events: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
        for number, each in enumerate(events):
            if type(each.get("type")) is not str:
                raise ValueError(f"event {number} has no type, such as STATE_SNAPSHOT")
        return events

    @field_validator("when")
    @classmethod
    def _is_expression(cls, text: str) -> str:
        try:
            if text:
                condition(text)
        except TemplateError as error:
            raise ValueError(f"not an expression: {error}") from error
        return text

    @model_validator(mode="after")
    def _says_something(self) -> "ScriptedReply":
        said = {
            "text", "calls", "reasoning", "refusal", "error", "embedding", "finish", "events",
            "task",
        }  # fmt: skip
        if not said & self.model_fields_set:
            raise ValueError("it says nothing; write text, calls, refusal, error or embedding")
        return self

    @property
    def tool_calls(self) -> tuple[ScriptedCall, ...]:
        """The tool calls, whichever way they are written."""
        if isinstance(self.calls, tuple):
            return self.calls
        return tuple(ScriptedCall(name=name, arguments=each) for name, each in self.calls.items())


class Script(Frozen):
    """A scripted model: one file.

    Attributes:
        model: Patterns of the models that it answers for.
        replies: Its replies; the first that fits is given.
        agent: What it says of itself where it answers as an agent.
        stream: How they are streamed.
        dimensions: How many numbers an embedding has that the request does not size.
    """

    model: str | tuple[str, ...] = "*"
    replies: tuple[ScriptedReply, ...]
    agent: AgentDescription | None = None
    stream: Pace = Pace()
    dimensions: int = Field(default=1536, ge=1, le=100_000)


def script_schema() -> JsonObject:
    """The JSON Schema of a script, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Script.model_json_schema(),
        "title": "A scripted model of mockserver",
    }


def template_findings(script: Script) -> Iterator[Finding]:
    """The templates of a script that cannot be read.

    Yields:
        Each with its place.
    """
    for number, reply in enumerate(script.replies):
        place: Place = ("replies", number)
        for name in ("text", "reasoning", "refusal"):
            for _, reason in template_problems(getattr(reply, name)):
                yield Finding((*place, name), f"not a template: {reason}")
        for _, reason in template_problems(list(reply.events)):
            yield Finding((*place, "events"), f"not a template: {reason}")
        for call in reply.tool_calls:
            for _, reason in template_problems(call.arguments):
                yield Finding((*place, "calls"), f"{call.name}: not a template: {reason}")


class PlacedReply:
    """A reply with where it was written; what each request asks of it is found once.

    Attributes:
        place: `models/assistant.yaml#/replies/0`; what it is counted by.
        reply: The reply.
        models: The patterns of models that its script is for.
        pace: How it is streamed; None where all of it is there at once.
        cut: Cuts its texts into what single events hold.
        dimensions: How many numbers an embedding has.
        agent: What its script says of itself as an agent, or None.
        calls: The tool calls, whichever way they are written.
        patterns: The patterns of models, of each of which one must fit.
        tests: What it asks of a request beside the model.
        is_conditional: Whether it asks for more: an expression that holds, or that it was given
            less often.
        is_plain: Whether it is given at once, and is no error.
        has_templates: Whether a text or an argument is a template.
        constant: The reply, where it is the same each time: no template, and no call that gets an
            id; else None.
    """

    def __init__(
        self,
        place: str,
        reply: ScriptedReply,
        models: tuple[str, ...],
        pace: Pace,
        dimensions: int,
        agent: AgentDescription | None = None,
    ) -> None:
        self.place = place
        self.reply = reply
        self.models = models
        self.pace = pace if pace.takes_time else None
        self.cut = pace.cut
        self.dimensions = dimensions
        self.agent = agent
        self.calls = reply.tool_calls
        self.patterns = tuple(each for each in (models, _patterns(reply.model)) if each != _ANY)
        self.tests = tuple(_reply_tests(reply))
        self.is_conditional = reply.times is not None or bool(reply.when)
        self.is_plain = reply.error is None and not reply.delay_ms
        texts = [reply.text, reply.reasoning, reply.refusal]
        arguments = [each.arguments for each in self.calls]
        self.has_templates = has_templates([*texts, *reply.events, *arguments])
        self.constant: ModelReply | None = None
        if not self.has_templates and all(each.id for each in self.calls):
            calls = [ToolCall(each.name, each.arguments, each.id) for each in self.calls]
            self.constant = _model_reply(reply, tuple(calls))


def placed_replies(scripts: Mapping[str, Script]) -> tuple[PlacedReply, ...]:
    """All replies of some scripts, by the names of their files."""
    return tuple(
        PlacedReply(
            f"{name}#/replies/{number}",
            reply,
            _patterns(script.model),
            reply.stream or script.stream,
            script.dimensions,
            script.agent,
        )
        for name, script in scripts.items()
        for number, reply in enumerate(script.replies)
    )


def _patterns(model: str | tuple[str, ...]) -> tuple[str, ...]:
    return (model,) if isinstance(model, str) else model


def read_scripts(files: Sequence[Path]) -> tuple[PlacedReply, ...]:
    """The replies of all scripts, in the order of their files.

    Raises:
        InvalidFilesError: Everything that is wrong in them, each with file, line and pointer.
    """
    problems: list[Problem] = []
    scripts: dict[str, Script] = {}
    for path in files:
        try:
            text = document_text(path)
            value = parsed_document(text, path)
        except FormatError as error:
            problems.append(error.problem)
            continue
        if not isinstance(value, dict):
            problems.append(Problem(str(path), f"expected an object, found {kind_of(value)}"))
            continue
        try:
            script = Script.model_validate(value)
        except ValidationError as error:
            problems += locate_findings(path, text, list(invalid_fields(Script, value, error)))
            continue
        if found := list(template_findings(script)):
            problems += locate_findings(path, text, found)
            continue
        scripts[f"{MODELS}/{path.name}"] = script
    if problems:
        raise InvalidFilesError(problems[:FEW])
    return placed_replies(scripts)


def reply_fits(
    placed: PlacedReply,
    request: ModelRequest,
    values: Callable[[PlacedReply], Mapping[str, Any]],
    answered: Mapping[str, int],
) -> bool:
    """Whether a reply is given to a request.

    Args:
        placed: The reply.
        request: The request.
        values: Makes what its expression may speak of.
        answered: How often each reply was given before, by its place.

    Raises:
        TemplateError: Its expression fails.
    """
    if placed.patterns and _foreign_patterns(placed, request):
        return False
    for holds, _ in placed.tests:
        if not holds(request):
            return False
    if not placed.is_conditional:
        return True
    reply = placed.reply
    if reply.times is not None and answered.get(placed.place, 0) >= reply.times:
        return False
    return not reply.when or condition(reply.when).holds(values(placed))


def reply_differences(
    placed: PlacedReply, request: ModelRequest, answered: Mapping[str, int]
) -> tuple[str, ...]:
    """Why a reply is not given to a request that it does not fit.

    Args:
        placed: The reply.
        request: The request.
        answered: How often each reply was given before, by its place.
    """
    patterns = _foreign_patterns(placed, request)
    if patterns:
        return (f"model: wanted {' or '.join(patterns)}, got {request.model}",)
    found = [differs(request) for holds, differs in placed.tests if not holds(request)]
    times, given = placed.reply.times, answered.get(placed.place, 0)
    if times is not None and given >= times:
        found.append(f"times: it was given {given} times")
    return tuple(found) or (f"when: {placed.reply.when}",)


def _foreign_patterns(placed: PlacedReply, request: ModelRequest) -> tuple[str, ...]:
    """The first patterns of models of which none fits the request's."""
    for patterns in placed.patterns:
        if not any(fnmatchcase(request.model, each) for each in patterns):
            return patterns
    return ()


_ReplyTest = tuple[Callable[[ModelRequest], bool], Callable[[ModelRequest], str]]
"""One thing that a reply asks of a request: whether it has that, and what it has instead."""


def _reply_tests(reply: ScriptedReply) -> Iterator[_ReplyTest]:
    """What a reply asks of a request beside the model, in the order in which misses say it.

    Yields:
        Each thing.
    """
    if reply.user is not None:
        yield _text_test(
            "user", reply.user, attrgetter("new_user_text"), ModelRequest.folded_new_user_text,
            "nothing new",
        )  # fmt: skip
    if reply.system is not None:
        yield _text_test(
            "system", reply.system, attrgetter("system_text"), ModelRequest.folded_system_text,
            "nothing",
        )  # fmt: skip
    if reply.result is not None:
        yield _result_test(reply.result)
    if (tool := reply.tool) is not None:
        yield lambda request: tool in request.tools, lambda _: f"tool: {tool} is not offered"
    if (turn := reply.turn) is not None:
        yield (
            lambda request: turn == request.turn,
            lambda request: f"turn: wanted {turn}, got {request.turn}",
        )


def _text_test(
    name: str,
    wanted: TextMatch,
    text_of: Callable[[ModelRequest], str],
    folded_text_of: Callable[[ModelRequest], str],
    nothing: str,
) -> _ReplyTest:
    def differs(request: ModelRequest) -> str:
        text = text_of(request)
        return f"{name}: wanted {said}, got {repr(text[:_SHOWN]) if text else nothing}"

    if isinstance(wanted, str):
        said, needle = repr(wanted), wanted.casefold()
        return lambda request: needle in folded_text_of(request), differs
    said, search = f"/{wanted.regex}/", compile_pattern(wanted.regex).search
    return lambda request: search(text_of(request)) is not None, differs


def _result_test(wanted: str | bool) -> _ReplyTest:  # noqa: FBT001  (as scripts write it)
    def names(request: ModelRequest) -> list[str]:
        return [each.name for each in request.new_results]

    def holds(request: ModelRequest) -> bool:
        found = names(request)
        return bool(found) is wanted if isinstance(wanted, bool) else wanted in found

    shown = ("any" if wanted else "none") if isinstance(wanted, bool) else wanted
    return (
        holds,
        lambda request: f"result: wanted {shown}, got {', '.join(names(request)) or 'none'}",
    )


def request_values(request: ModelRequest) -> dict[str, Any]:
    """What templates and expressions may speak of, besides the session.

    Returns:
        `model`, `user` (the last text of the user), `system`, `turn`, `tools` (names), `messages`
        (each with `role` and `text`), `result` (of the tool that answered last), `results` (by
        tool), and `request` (as sent).
    """
    results = {
        each.name: tool_value(each.content)
        for message in request.messages
        for each in message.results
    }
    new = request.new_results
    return {
        "model": request.model,
        "user": request.user_text,
        "system": request.system_text,
        "turn": request.turn,
        "tools": list(request.tools),
        "messages": [{"role": each.role, "text": each.text} for each in request.messages],
        "result": tool_value(new[-1].content) if new else None,
        "results": results,
        "request": request.body,
    }


def render_reply(
    placed: PlacedReply,
    values: Callable[[PlacedReply], Mapping[str, Any]],
    call_ids: Iterator[str],
) -> ModelReply:
    """A reply with its templates rendered.

    Args:
        placed: The reply.
        values: Makes what its templates may speak of.
        call_ids: Ids for tool calls that have none.

    Raises:
        TemplateError: A template cannot be rendered.
    """
    own = values(placed) if placed.has_templates else {}
    calls = tuple(
        ToolCall(each.name, _rendered_arguments(each.arguments, own), each.id or next(call_ids))
        for each in placed.calls
    )
    made = _model_reply(placed.reply, calls)
    if not placed.has_templates:
        return made
    events: tuple[JsonObject, ...] = tuple(render_json(list(made.events), own))
    text, reasoning, refusal = (
        _rendered_text(each, own) for each in (made.text, made.reasoning, made.refusal)
    )
    finish = _finish(placed.reply, calls, refusal)
    return replace(
        made, text=text, reasoning=reasoning, refusal=refusal, events=events, finish=finish
    )


def _model_reply(reply: ScriptedReply, calls: tuple[ToolCall, ...]) -> ModelReply:
    """A reply as it is written, with its calls."""
    usage = reply.usage
    return ModelReply(
        reply.text,
        calls,
        reply.reasoning,
        reply.refusal,
        _finish(reply, calls, reply.refusal),
        Usage(usage.input, usage.output) if usage else None,
        reply.calls_first,
        reply.events,
        ReplyTask(reply.task.state, reply.task.artifact) if reply.task else None,
    )


def _finish(reply: ScriptedReply, calls: tuple[ToolCall, ...], refusal: str) -> Finish:
    return reply.finish or ("tool_calls" if calls else "refusal" if refusal else "stop")


def _rendered_text(text: str, values: Mapping[str, Any]) -> str:
    if not is_template(text):
        return text
    rendered = render_json(text, values)
    if isinstance(rendered, str):
        return rendered
    return "" if rendered is None else orjson.dumps(rendered).decode()


def _rendered_arguments(arguments: JsonObject | str, values: Mapping[str, Any]) -> JsonObject | str:
    if not has_templates(arguments):
        return arguments
    rendered = render_json(arguments, values)
    return rendered if isinstance(rendered, dict) else parse_arguments(str(rendered))


def text_vector(text: str, dimensions: int) -> tuple[float, ...]:
    """A vector of length 1 that always belongs to a text; like texts have like vectors.

    Each word adds a direction of its own, so that texts that share words are near one another.

    >>> text_vector("a", 3) == text_vector("A", 3), len(text_vector("rain in Spain", 8))
    (True, 8)
    """
    total = [0.0] * dimensions
    for word in text.casefold().split() or [""]:
        digest = b""
        number = 0
        while len(digest) < dimensions * 2:
            digest += blake2b(word.encode(), digest_size=64, salt=number.to_bytes(16)).digest()
            number += 1
        for place in range(dimensions):
            total[place] += int.from_bytes(digest[2 * place : 2 * place + 2]) / 32767.5 - 1
    length = math.sqrt(sum(each * each for each in total)) or 1.0
    return tuple(each / length for each in total)


def error_message(error: ScriptedError) -> str:
    """What an error says."""
    return error.message or ERROR_MESSAGES.get(error.kind, "The request failed.")
