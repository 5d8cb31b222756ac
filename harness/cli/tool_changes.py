"""Changes of the tools that a run offers: `--perturb-tools`."""

from pydantic import ValidationError

from harness.cli.options import split_list
from harness.cli.run_options import TOOL_CHANGES
from harness.errors import HarnessError, plain_reason
from harness.model import Json
from mockserver.model import ToolPerturbations

_SHORT_RESULT = 200
_MANY_TOOLS = 6
_CHANGES: dict[str, tuple[str, Json]] = {
    "renamed": ("rename", True),
    "reordered": ("reorder", True),
    "undescribed": ("undescribed", True),
    "distractors": ("distractors", _MANY_TOOLS),
    "truncated": ("result_limit", _SHORT_RESULT),
    "prose_errors": ("prose_errors", True),
}
"""What a user calls a change, its field, and the value that it has without a number."""


def read_perturbations(text: str) -> ToolPerturbations | None:
    """How the tools of sessions are changed, of `renamed,truncated=80`; None for an empty text.

    Raises:
        HarnessError: There is no such change, or a number is out of its range.
    """
    found: dict[str, Json] = {}
    for item in split_list(text):
        name, equals, number = item.partition("=")
        if name == "all" and not equals:
            found = {**dict(_CHANGES.values()), **found}
            continue
        field, usual = _CHANGES.get(name, ("", None))
        if not field or (equals and (usual is True or not number.isdecimal())):
            hint = f"known are {', '.join(TOOL_CHANGES)}, all"
            raise HarnessError(f"--perturb-tools {item!r} is no change of tools", hint=hint)
        found[field] = int(number) if equals else usual
    try:
        return ToolPerturbations.model_validate(found) if found else None
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)[0]
        raise HarnessError(
            f"--perturb-tools {text}: {plain_reason(wrong['msg']).lower()}"
        ) from None
