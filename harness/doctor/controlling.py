"""Puts a good agent through the cases of a suite, and through their control trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.agents import AgentDriver
from harness.doctor.bench import Bench, Seen
from harness.doctor.controls import Control, in_empty_world, on_base_alone, with_canaries
from harness.doctor.diagnosis import ControlKind
from harness.model import Case, JsonObject


@dataclass(slots=True)
class Trials:
    """What a good agent did; all empty where there is none.

    Attributes:
        normal: In the cases as they are.
        on_base: Without what they add to the base.
        changed: With canaries in their worlds.
        empty: In an empty world, where neither of these says anything.
        bare: How the cases were on the base alone.
        controls: How they were with canaries.
    """

    normal: dict[str, Seen] = field(default_factory=dict)
    on_base: dict[str, Seen] = field(default_factory=dict)
    changed: dict[str, Seen] = field(default_factory=dict)
    empty: dict[str, Seen] = field(default_factory=dict)
    bare: dict[str, Control] = field(default_factory=dict)
    controls: dict[str, Control] = field(default_factory=dict)

    @property
    def control_trials(self) -> Mapping[ControlKind, Mapping[str, Seen]]:
        """The control trials by kind."""
        return {"base-alone": self.on_base, "canaries": self.changed, "empty-world": self.empty}


async def control_trials(
    agent: AgentDriver | None,
    cases: Sequence[Case],
    worlds: Mapping[str, JsonObject],
    bench: Bench,
) -> Trials:
    """Run the cases, and the control trials of those that were passed.

    Args:
        agent: The agent, or None.
        cases: The cases.
        worlds: Case id to merged snapshot.
        bench: Where they are run.
    """
    found = Trials()
    if agent is None:
        return found
    found.normal = await bench.put("agent", agent, cases)
    able = [case for case in cases if case.id in found.normal and found.normal[case.id].passed]
    found.bare = {case.id: control for case in able if (control := on_base_alone(case))}
    found.on_base = await _put(bench, "base", agent, found.bare)
    await _change(found, able, worlds, (agent, bench))
    nothing = {
        case.id: control
        for case in able
        if not _says_anything(found, case.id)
        and (control := in_empty_world(case, worlds.get(case.id, {})))
    }
    found.empty = await _put(bench, "empty", agent, nothing)
    return found


async def _change(
    found: Trials,
    able: Sequence[Case],
    worlds: Mapping[str, JsonObject],
    by: tuple[AgentDriver, Bench],
) -> None:
    agent, bench = by
    for identifiers in (False, True):  # where a world has no other words, its own stay
        left = [
            case
            for case in able
            if case.id not in found.changed or not found.changed[case.id].asked
        ]
        again = {
            case.id: control
            for case in left
            if (control := with_canaries(case, worlds.get(case.id, {}), identifiers=identifiers))
        }
        found.controls |= again
        found.changed |= await _put(bench, "canaries", agent, again)


def _says_anything(found: Trials, id: str) -> bool:
    return any(id in seen and seen[id].asked for seen in (found.on_base, found.changed))


async def _put(
    bench: Bench, name: str, agent: AgentDriver, controls: Mapping[str, Control]
) -> dict[str, Seen]:
    return await bench.put(
        name,
        agent,
        [control.case for control in controls.values()],
        layers={id: control.layers for id, control in controls.items()},
    )
