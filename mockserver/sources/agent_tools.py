"""Tools that run inside the agent: which the session answers, which run, which are refused.

`mockserver.tools` asks for each call of such a tool with `POST /tools/<name>` and the header
`X-Mock-Tool`. A tool that is to run for real is answered with `{"real": <number>}`; what came of it
is sent with `PUT /tools/<name>`, and is in the journal as the call of the tool.
"""

from typing import Any

from mockserver.apis import tools
from mockserver.apis.tools import PREFIX
from mockserver.googleapi import ApiError, bad_fields
from mockserver.model import Miss, ToolAnswer, shortened
from mockserver.routing import RAN
from mockserver.sources.exchange import Exchange
from mockserver.sources.protocol import NOTHING, SourceMiss
from mockserver.sources.response import Response
from mockserver.sources.stubs import StubSource

_FROM_AGENT = b"x-mock-tool"
_ASKED = "agent.run"
_MOST_ESCAPES = 20


class AgentToolSource:
    """Says of the calls of an agent's own tools who answers them, and keeps what they returned.

    Args:
        stubs: The literal answers of sessions, some of which are for tools.
    """

    def __init__(self, stubs: StubSource) -> None:
        self._stubs = stubs

    def serves(self, exchange: Exchange) -> bool:
        """Whether a tool is called over HTTP."""
        method = exchange.route.method_id
        return exchange.request is not None and (method == RAN or method.startswith(PREFIX))

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Let a tool run for real, or note what came of it; a miss where the session answers.

        Raises:
            ApiError: 403: the case refuses the tool; 404: it is to be mocked, and the session does
                not know it; 500: the tool itself failed.
        """
        request = exchange.request
        if request is None or _FROM_AGENT not in request.headers:
            return NOTHING
        name = exchange.route.path.rpartition("/")[2]
        if exchange.route.method_id == RAN:
            return _note_result(exchange, name)
        answer = self._answer_of(exchange, name)
        if answer == "refused":
            exchange.response.source = "none"
            raise ApiError(403, f"The case refuses the tool {name!r}.", reason="toolRefused")
        if answer not in {"real", None}:
            return NOTHING
        exchange.entry.method_id = _ASKED
        exchange.response.source = "agent"
        exchange.write_answer({"real": exchange.entry.seq, "named": answer == "real"})
        return exchange.response

    def _answer_of(self, exchange: Exchange, name: str) -> ToolAnswer | None:
        """Who answers a tool; None where nobody says, and the session does not know it.

        Raises:
            ApiError: 404: it is to be mocked, and the session does not know it.
        """
        answer = exchange.session.spec.tool_answer(name)
        if answer in {"real", "refused"}:
            return answer
        if self._is_known(exchange, name):
            return "mocked"
        replay = exchange.session.replay
        if answer is None and replay is not None and replay.alone:
            reason = f"no cassette of this session has a call of the tool {name!r}"
            exchange.response.source = "none"
            raise ApiError(424, f"{reason}.", miss=Miss(blame="replay_miss", reason=reason))
        if answer is None:
            return None
        reason = f"the case says that the tool {name!r} is mocked, and no fixture answers it"
        text = f"{reason[0].upper()}{reason[1:]}: neither `tools` of the snapshot nor a cassette."
        exchange.response.source = "none"
        raise ApiError(404, text, miss=Miss(blame="fixture_gap", reason=reason))

    def _is_known(self, exchange: Exchange, name: str) -> bool:
        session = exchange.session
        if name in session.base.tools:
            return True
        replay = session.replay
        if replay is not None:
            from mockserver.messages.mcp_calls import TOOL_CALL, mcp_path  # with recordings alone

            if replay.hosts_of(mcp_path(TOOL_CALL, {"name": name})):
                return True
        return self._stubs.serves(exchange) and self._stubs.answers(exchange)


def _note_result(exchange: Exchange, name: str) -> Response:
    """Keep what a tool returned that ran for real, as the answer of a call of it.

    Raises:
        ApiError: 400: it is said in another form; 500: the tool failed.
    """
    response, told = exchange.response, exchange.body
    arguments, escapes = told.get("arguments", {}), told.get("escapes", [])
    if not isinstance(arguments, dict) or not isinstance(escapes, list):
        raise bad_fields([("", "expected arguments, a result or an error, and escapes")])
    entry = exchange.entry
    entry.method_id, entry.http_method = f"{PREFIX}{name}", "POST"  # as if it was answered here
    entry.set_body(arguments)
    entry.escapes = tuple(shortened(str(each)) for each in escapes[:_MOST_ESCAPES])
    response.source = "agent"
    error: Any = told.get("error")
    if isinstance(error, dict):
        text = f"{error.get('type', 'Exception')}: {error.get('message', '')}"
        raise ApiError(500, text, reason="toolError")
    result = told.get("result")
    changes = exchange.session.spec.tools
    if changes is not None and changes.result_limit is not None:
        result = tools.truncated_result(result, changes.result_limit)
    exchange.write_answer({"result": result})
    return response
