"""What an agent recovers from: its cases under fault profiles beside themselves without."""

from dataclasses import dataclass

from harness.model import RunResult

TAG = "faults:"


@dataclass(frozen=True, slots=True)
class Recovery:
    """One fault profile.

    Attributes:
        profile: Its name.
        recovered: Valid trials that passed under it.
        valid: Valid trials under it, of cases that pass without.
        not_met: Cases in which no call met its faults: they prove nothing.
        lost: Cases that pass without and do not pass under it.
    """

    profile: str
    recovered: int
    valid: int
    not_met: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def text(self) -> str:
        """`3/4 trials; lost: EC-001; never met: EC-002`."""
        said = f"{self.recovered}/{self.valid} trials" if self.valid else "nothing to recover"
        lost = f"; lost: {', '.join(self.lost)}" if self.lost else ""
        return f"{said}{lost}" + (f"; never met: {', '.join(self.not_met)}" if self.not_met else "")


def recoveries(result: RunResult) -> tuple[Recovery, ...]:
    """Each fault profile of a run, in order; only cases count that pass without faults."""
    decisions = {decision.case: decision for decision in result.decisions}
    passing = {case for case, decision in decisions.items() if decision.verdict == "passed"}
    unmet = {text.partition(": ")[0] for text in result.faults_not_met}
    under: dict[str, list[str]] = {}
    for case in result.cases:
        for tag in case.tags:
            if tag.startswith(TAG) and case.id.endswith(f"--{tag.removeprefix(TAG)}"):
                under.setdefault(tag.removeprefix(TAG), []).append(case.id)
    found = []
    for profile, ids in under.items():
        origin = {id: id.removesuffix(f"--{profile}") for id in ids}
        counted = [id for id in ids if origin[id] in passing and id not in unmet]
        found.append(
            Recovery(
                profile=profile,
                recovered=sum(decisions[id].passed for id in counted),
                valid=sum(decisions[id].valid for id in counted),
                not_met=tuple(origin[id] for id in ids if id in unmet),
                lost=tuple(origin[id] for id in counted if id not in passing),
            )
        )
    return tuple(found)
