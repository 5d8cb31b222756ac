"""The exact text that an agent is sent."""

from collections.abc import Mapping

from harness.errors import HarnessError
from harness.model import Case
from harness.runner.settings import PROMPT


def prompts_of(
    case: Case, *, template: str = PROMPT, texts: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """The text of each turn: the template around what the case says, once.

    Args:
        case: The case.
        template: `{prompt}` stands for what the user says.
        texts: Plain-text fixtures by file name, put below the first prompt.
    """
    said = [template.replace(PROMPT, turn.user) for turn in case.turns]
    for name, text in (texts or {}).items():
        said[0] += f"\n\n--- {name} ---\n{text.strip()}\n--- end of {name} ---"
    return tuple(said)


def check_template(template: str) -> str:
    """A template as it was given, when it leaves a place for the prompt.

    Raises:
        HarnessError: It does not hold `{prompt}`.
    """
    if PROMPT not in template:
        raise HarnessError(
            f"the prompt template has no {PROMPT}: every case would ask the same",
            hint=f"write {PROMPT} where the case's text belongs",
        )
    return template
