"""What a trial or a trace covers: its tools with their arguments, how they and it end."""

import re
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import NamedTuple

from harness.trials.records import TrialRecord

_NUMBER = re.compile(r"\d+")
_SPECIFIC = re.compile(r"'[^']*'|\"[^\"]*\"|\b[0-9a-f]{8,}\b|\b[\w.+-]+@[\w.-]+\b")
_LONGEST_ERROR = 80
_ERROR = 400


class CoveredCall(NamedTuple):
    """A call of a tool or of an API.

    Attributes:
        name: Of the tool or method.
        arguments: Those that are no object have no names.
        error: How it failed, or None.
    """

    name: str
    arguments: object
    error: str | None = None


def coverage_text(calls: Iterable[CoveredCall], *, answered: bool, error: str) -> str:
    """The tools with the names of their arguments, each kind of error, and the end.

    What is special about one occurrence (numbers, ids, quotations) is left out, so that what is
    alike has one text.

    >>> coverage_text([CoveredCall("get", {"id": 1}, "no user 'x'")], answered=True, error="")
    'get(id); failed get: no user ...; answered'
    """
    called = tuple(calls)
    tools = sorted({_tool_text(call) for call in called})
    failed = sorted({f"{call.name}: {_kind_of(call.error)}"
                     for call in called if call.error is not None})  # fmt: skip
    end = "answered" if answered else "no answer"
    if error:
        end = f"failed: {_kind_of(error)}"
    parts = [", ".join(tools) or "no tools", *(f"failed {each}" for each in failed), end]
    return "; ".join(parts)


def covered_by_trial(record: TrialRecord) -> str:
    """The same of a trial; empty where its agent was not reached.

    Its calls are those that the agent reports, else those of its framework's spans, else the
    requests that the server saw.
    """
    if record.outcome not in {"replied", "agent_error"} or record.synthetic:
        return ""
    reported = record.tool_calls or record.trace.tool_calls
    told = [
        CoveredCall(
            call.name, call.args, str(call.result or "") if call.status == "error" else None
        )
        for call in reported
    ]
    return coverage_text(
        told or _requests(record), answered=bool(record.text.strip()), error=record.error
    )


def _requests(record: TrialRecord) -> Iterator[CoveredCall]:
    for entry in record.journal.entries:
        if entry.method_id and entry.parent is None and not entry.after_close:
            error = _status_text(entry.status) if entry.status >= _ERROR else None
            name = entry.method_id.removeprefix("tools.")
            yield CoveredCall(name, {**entry.params, **(entry.body or {})}, error)


def _status_text(status: int) -> str:
    """The name of a status: its number would be left out.

    >>> _status_text(404), _status_text(799)
    ('Not Found', 'an unknown status')
    """
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "an unknown status"


def _tool_text(call: CoveredCall) -> str:
    names = sorted(call.arguments) if isinstance(call.arguments, dict) else []
    return f"{call.name}({', '.join(map(str, names))})"


def _kind_of(error: str) -> str:
    """An error without what is special about one occurrence."""
    line = error.strip().splitlines()[0] if error.strip() else "error"
    general = _NUMBER.sub("N", _SPECIFIC.sub("...", line))
    return general[:_LONGEST_ERROR]
