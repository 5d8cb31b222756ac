"""Whether an agent has the tools that a case cannot do without."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from harness.environment import Environment
from harness.model import Case
from mockserver.model import SessionSpec


async def why_skipped(
    case: Case, declared: Sequence[str], environment: Environment, spec: SessionSpec
) -> str:
    """Why an agent cannot be put through a case at all, one sentence; empty when it can.

    Args:
        case: The case.
        declared: Globs of the tools that the agent is said to have.
        environment: The mock server, whose tools every agent can reach.
        spec: The world of the trial.

    Raises:
        InfrastructureError: The server does not answer.
    """
    missing = _without(case.required_tools, declared)
    if missing:
        missing = _without(missing, await environment.tools(spec))
    if not missing:
        return ""
    named = ", ".join(map(repr, missing))
    told = "" if declared else ", and nobody says which tools it has: give --tools"
    return f"the agent lacks tools that the case needs: {named}{told}"


def _without(names: Iterable[str], globs: Sequence[str]) -> list[str]:
    return [name for name in names if not any(fnmatchcase(name, glob) for glob in globs)]
