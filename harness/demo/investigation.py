"""One question being looked into: what was asked, which tools were used, what they said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.demo.flaws import Flaws
from harness.demo.google import Google, GoogleError, JsonObject
from harness.demo.tools import TOOLS, Tool

_NOTHING: Mapping[str, JsonObject] = {"getChromeEvents": {"events": []}}


@dataclass(frozen=True)
class ToolUse:
    """One use of a tool.

    Attributes:
        name: The tool's name.
        args: What it was asked.
        status: `ok` or `error`.
        step: The round it was used in, from 0.
        result: What it said; for an error `{"error": message, "status": HTTP status}`.
    """

    name: str
    args: JsonObject
    status: str
    step: int
    result: JsonObject


class ToolFailedError(Exception):
    """A tool could not do its work.

    Attributes:
        tool: The tool's name.
        error: What Google said.
    """

    def __init__(self, tool: str, error: GoogleError) -> None:
        super().__init__(f"{tool}: {error}")
        self.tool = tool
        self.error = error


@dataclass
class Investigation:
    """A question, and what was done about it.

    Attributes:
        question: The user's last message.
        before: The user's earlier messages, oldest first.
        google: Where tools ask.
        flaws: What this agent does badly.
        uses: Tools used, in order.
    """

    question: str
    google: Google
    flaws: Flaws
    before: tuple[str, ...] = ()
    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)
    uses: list[ToolUse] = field(default_factory=list)

    def use(self, name: str, **args: Any) -> Any:
        """Use a tool and take down what it said.

        Raises:
            ToolFailedError: Google refused it.
        """
        if self.flaws.skips_tool and name in _NOTHING:
            return _NOTHING[name]
        if self.flaws.claims_write and name in _CLAIMS:
            return self._note(name, args, "ok", _CLAIMS[name](args))
        try:
            return self._note(name, args, "ok", self.tools[name](self.google, args))
        except GoogleError as error:
            self._note(name, args, "error", {"error": error.message, "status": error.status})
            raise ToolFailedError(name, error) from error

    def _note(self, name: str, args: JsonObject, status: str, result: JsonObject) -> JsonObject:
        self.uses.append(ToolUse(name, args, status, len(self.uses), result))
        return result

    def cite(self, identifier: str) -> str:
        """An id as the answer states it."""
        if not self.flaws.invents_id or len(identifier) < _SHORTEST_ID:
            return identifier
        return identifier[:_KEPT] + "0" * (len(identifier) - _KEPT)


_SHORTEST_ID = 9
_KEPT = 4


def _claimed_change(args: JsonObject) -> JsonObject:
    return {"applied": True, "value": args["value"], "source": f"orgunits/{args['orgUnit']}"}


def _claimed_rule(args: JsonObject) -> JsonObject:
    rule = {"name": "policies/akclaimed0000000000", "state": "ACTIVE", **args}
    return {"created": True, "rule": rule, "rules": 0}


_CLAIMS = {"applyPolicyChange": _claimed_change, "createDLPRule": _claimed_rule}
