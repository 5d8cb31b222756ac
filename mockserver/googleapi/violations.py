"""What is wrong with a request, gathered first and said at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from mockserver.googleapi.errors import ApiError, Dialect, bad_fields, invalid
from mockserver.model import Miss, shortened

_MOST = 100
"""Violations that an error tells."""

_PAYLOAD = "Invalid JSON payload received."


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong.

    Attributes:
        field: Path in proto names, or an empty string for the message itself.
        text: Google's words.
        reason: The older envelope's reason.
        parameter: Name of the parameter as documented, or an empty string for a body field.
    """

    field: str
    text: str
    reason: str = "invalid"
    parameter: str = ""


def unknown_name(name: str, path: str, why: str) -> Violation:
    """A name the message does not have, or not in that way.

    >>> print(unknown_name("target", "policy_target_key", "Cannot find field.").text)
    Invalid JSON payload received. Unknown name "target" at 'policy_target_key': Cannot find field.
    """
    name, path = shortened(name), shortened(path)
    place = f" at '{path}'" if path else ""
    return Violation(path, f'{_PAYLOAD} Unknown name "{name}"{place}: {why}')


def too_deep(key: str) -> Violation:
    """A body whose value at `key` is nested more deeply than is read."""
    return Violation(
        "", f"Message too deep. Max recursion depth reached for key '{shortened(key)}'"
    )


def unknown_parameter(name: str) -> Violation:
    """A query parameter the method does not have."""
    name = shortened(name)
    why = f"Cannot bind query parameter. Field '{name}' could not be found in request message."
    return Violation("", f'{_PAYLOAD} Unknown name "{name}": {why}', parameter=name)


def bad_request(violations: Sequence[Violation], dialect: Dialect) -> ApiError:
    """The 400 that says them all, one a line.

    There is a `fieldViolations` entry for each, except for the older APIs' own complaints about a
    parameter (range, pattern, missing), which only name its location.
    """
    first, more = violations[0], len(violations) - _MOST
    if more > 0:
        violations = [*violations[:_MOST], Violation("", f"And {more} more.")]
    miss = Miss(blame="agent_error", reason=first.text)
    error = bad_fields([(each.field, each.text) for each in violations])
    if dialect == "legacy" and first.reason != "invalid":
        error = invalid(error.message, location=first.parameter, reason=first.reason)
    elif dialect == "legacy":
        error.reason, error.code_name = first.reason, "INVALID_ARGUMENT"
    error.miss = miss
    return error
