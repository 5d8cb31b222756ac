"""The worlds of learned cases: which of their tools are answered from state, and with what."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from harness.model import Json

if TYPE_CHECKING:
    from mockserver.verify.tool_state import LearnedTools

STATE = "learned"
"""The API behind tools that are answered from state, and its file in the base."""


class World(NamedTuple):
    """What a case begins with.

    Attributes:
        served: The tools that are answered from state.
        files: The files of its override by their names; empty where it begins with the base.
    """

    served: tuple[str, ...] = ()
    files: Mapping[str, Json] = {}


def world_of(state: "LearnedTools | None", number: int, before: Sequence[str]) -> World:
    """The world of a trace.

    Args:
        state: What is answered from state; None for nothing.
        number: The trace's.
        before: The tools that the suite answers from state already: not in this case, of whose
            world they know nothing.
    """
    served = () if state is None else tuple(sorted(state.served[number]))
    override = {} if state is None else state.overrides[number]
    off = before if state is None else sorted(set().union(*state.served).difference(served))
    patch: Json = [{"op": "remove", "path": f"/tools/{_escaped(name)}"} for name in off]
    files: Mapping[str, Json] = {"overrides.json": override, "learned.patch.json": patch}
    return World(served, {name: value for name, value in files.items() if value})


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def tools_from_state(suite: Path) -> list[str]:
    """The tools that a suite which was learned before answers from state."""
    try:
        base = orjson.loads((suite / "base" / f"{STATE}.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return []
    tools = base.get("tools") if isinstance(base, dict) else None
    return list(tools) if isinstance(tools, dict) else []


def state_lines(state: "LearnedTools", ids: Sequence[str]) -> Iterator[str]:
    """What of a suite is answered from state.

    Yields:
        The tools, then why others are left to their recordings, then which cases are.
    """
    served = ", ".join(sorted(set().union(*state.served)))
    yield f"answered from state: {served}; apis/{STATE}.yaml says in comments what is unsure"
    for name, why in sorted(state.left.items()):
        yield f"left to its recordings: {name}: {why}"
    for id, why in zip(ids, state.recorded, strict=True):
        if why:
            yield f"left to its recordings: {id}: {why}"
