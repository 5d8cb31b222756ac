"""What the user should know before a run starts."""

from collections.abc import Sequence

from harness.model import Case, Judge
from harness.runner import RunSettings


def warnings_of(cases: Sequence[Case], agent: str, settings: RunSettings) -> list[str]:
    """What a run will not show as it is asked for, one sentence each."""
    found = []
    overridden = [case.id for case in cases if case.fixtures.overrides]
    if overridden and not settings.use_overrides:
        found.append(
            f"overrides that are not loaded: {_few(overridden)};"
            " give --use-fixtures (EVAL_USE_FIXTURES=1) too"
        )
    if not settings.use_base:
        found.append("the base fixtures are not loaded: give --use-base (EVAL_USE_BASE=1) too")
    judged = [case.id for case in cases if any(isinstance(each, Judge) for each in case.expect)]
    if judged and not settings.judge and not settings.synthetic:
        found.append(f"nobody judges {_few(judged)}: name a model with --judge")
    several = [case.id for case in cases if len(case.turns) > 1]
    if several and agent.startswith("command:") and settings.input == "text":
        found.append(
            f"{_few(several)}: a command gets each turn alone on stdin;"
            " --input json hands over the whole conversation"
        )
    return found


def _few(names: list[str]) -> str:
    more = len(names) - 3
    return ", ".join(names[:3]) + (f" and {more} more" if more > 0 else "")
