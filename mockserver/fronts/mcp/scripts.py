"""How a tool behaves over MCP before it answers: what it asks the client, logs, and how far it is.

With a handshake the client is asked while its call waits. Without one the call ends with what is to
be asked, and the client makes it again with the answers.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from mcp.server.connection import allowed_log_levels
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CallToolResult,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    InputResponses,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SamplingMessage,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mockserver.apis.mcp.methods import render_templates
from mockserver.apis.mcp.snapshot import Elicitation, Sampling, ToolScript
from mockserver.model import JsonObject
from mockserver.state import World

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    Context = ServerRequestContext[Any, Any]
    Result = ElicitResult | CreateMessageResult

_PATIENCE_S = 600.0
"""How long a client may take to answer; then the call of the tool fails."""

_LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)


@dataclass(frozen=True)
class CompleteAnswers:
    """All that a tool asks was answered.

    Attributes:
        arguments: Those of the call, with the answers.
    """

    arguments: JsonObject


async def ask_client(
    ctx: "Context",
    world: World,
    script: ToolScript,
    arguments: JsonObject,
    responses: InputResponses | None,
) -> CompleteAnswers | CallToolResult | InputRequiredResult:
    """Ask a client what a tool's script asks it.

    Args:
        ctx: The call.
        world: What the session holds.
        script: The script.
        arguments: Those of the call.
        responses: What the client has answered already.

    Returns:
        The arguments with the answers; the result of the call where it ends here; or what is still
        to be asked.
    """
    answers = responses or {}
    given, waiting = dict(arguments), {}
    steps: tuple[Elicitation | Sampling, ...] = (*script.elicit, *script.sample)
    for number, step in enumerate(steps):
        if isinstance(step, Elicitation) and step.unless and given.keys() >= set(step.unless):
            continue
        name = f"{'elicit' if isinstance(step, Elicitation) else 'sample'}-{number}"
        request = _request(world, step, given)
        answer: Any
        if not _can(ctx.session.client_capabilities, step):
            answer = _otherwise(step)
            if answer is None:
                what = "user" if isinstance(step, Elicitation) else "model"
                return ended_result(f"The tool has to ask the {what}, and the client cannot.")
        elif name in answers:
            answer = answers[name]
        elif ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            waiting[name] = request
            continue
        else:
            try:
                answer = await send_question(ctx, request)
            except (MCPError, NoBackChannelError) as error:
                return ended_result(f"The client did not answer: {error}")
        ended = _take_answer(step, answer, given)
        if ended is not None:
            return ended
    return InputRequiredResult(input_requests=waiting) if waiting else CompleteAnswers(given)


async def play(ctx: "Context", script: ToolScript, least: int) -> None:
    """Log and report as a script says.

    Args:
        ctx: The call.
        script: The script.
        least: The place of the least grave level that is told.
    """
    allowed = allowed_log_levels(ctx.protocol_version, ctx.meta).intersection(_LEVELS[least:])
    for line in script.log:
        await asyncio.sleep(line.delay_ms / 1000)
        if line.level in allowed:
            params = LoggingMessageNotificationParams(
                level=line.level, data=line.data, logger=line.logger
            )
            await ctx.session.send_notification(
                LoggingMessageNotification(params=params), ctx.request_id
            )
    for step in script.progress:
        await asyncio.sleep(step.delay_ms / 1000)
        await ctx.session.report_progress(step.progress, step.total, step.message)
    await asyncio.sleep(script.delay_ms / 1000)


def _request(
    world: World, step: Elicitation | Sampling, answers: JsonObject
) -> ElicitRequest | CreateMessageRequest:
    if isinstance(step, Elicitation):
        message = str(render_templates(world, step.message, "an elicitation", answers))
        return ElicitRequest(
            params=ElicitRequestFormParams(message=message, requested_schema=step.requested_schema)
        )
    text = str(render_templates(world, step.prompt, "a sampling", answers))
    asked = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(
            messages=[asked], max_tokens=step.max_tokens, system_prompt=step.system_prompt
        )
    )


def _can(capabilities: ClientCapabilities | None, step: Elicitation | Sampling) -> bool:
    if capabilities is None:
        return False
    has = capabilities.elicitation if isinstance(step, Elicitation) else capabilities.sampling
    return has is not None


def _otherwise(step: Elicitation | Sampling) -> "Result | None":
    """What the script takes for an answer that nobody gives."""
    if isinstance(step, Sampling):
        if step.otherwise is None:
            return None
        content = TextContent(type="text", text=step.otherwise)
        return CreateMessageResult(role="assistant", content=content, model="script")
    if step.otherwise is None:
        return None
    return ElicitResult(action=step.otherwise.action, content=step.otherwise.content)


async def send_question(ctx: "Context", request: ElicitRequest | CreateMessageRequest) -> "Result":
    """Ask the client while its call waits.

    Raises:
        MCPError: The client refuses, or does not answer in time.
        NoBackChannelError: It cannot be asked.
    """
    expected = ElicitResult if isinstance(request, ElicitRequest) else CreateMessageResult
    related = ServerMessageMetadata(related_request_id=ctx.request_id)
    return await ctx.session.send_request(request, expected, _PATIENCE_S, related)


def _take_answer(
    step: Elicitation | Sampling, answer: Any, answers: JsonObject
) -> CallToolResult | None:
    """Put an answer among the arguments; the result of the call where it ends with the answer."""
    if isinstance(step, Sampling):
        content = getattr(answer, "content", None)
        if step.into:
            answers[step.into] = getattr(content, "text", "")
        return None
    action = getattr(answer, "action", "cancel")
    form: Mapping[str, Any] = getattr(answer, "content", None) or {}
    if action != "accept" and step.declined is not None:
        return ended_result(step.declined, is_error=False)
    if step.into:
        answers[step.into] = {"action": action, "content": dict(form)}
    elif action == "accept":
        answers.update(form)
    else:
        return ended_result(f"The user did not agree: {action}.", is_error=False)
    return None


def ended_result(text: str, *, is_error: bool = True) -> CallToolResult:
    """The result of a call that ends without an answer of its tool: a text for the model."""
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)
