"""Finding the calls that an expected call may be about, without trying them all."""

from collections import Counter
from collections.abc import Mapping, Sequence

from harness.model import ExpectedCall, Json, JsonObject, ToolCall

_Argument = tuple[str, str, Json]


class Candidates:
    """Calls by name, and by name and plain argument (those that the tool fills in included)."""

    def __init__(
        self,
        calls: Sequence[ToolCall],
        places: Sequence[int],
        defaults: Mapping[str, JsonObject],
    ) -> None:
        self._of_name: dict[str, list[int]] = {}
        self._of_argument: dict[_Argument, list[int]] = {}
        for at in places:
            call = calls[at]
            self._of_name.setdefault(call.name, []).append(at)
            made = call.args if isinstance(call.args, dict) else {}
            for key, value in {**defaults.get(call.name, {}), **made}.items():
                if _is_plain(value):
                    self._of_argument.setdefault((call.name, key, value), []).append(at)

    def named(self, name: str) -> Sequence[int]:
        """Positions of the calls of a tool, ascending."""
        return self._of_name.get(name, ())

    def of(self, expected: ExpectedCall) -> Sequence[int]:
        """Positions of the calls that may suit, ascending; no other call does."""
        found = self.named(expected.name)
        if expected.args_mode in {"exact", "subset"}:
            for key, value in (expected.args or {}).items():
                if _is_plain(value):
                    with_it = self._of_argument.get((expected.name, key, value), ())
                    found = min(found, with_it, key=len)
        return found

    def alike(self, expected: ExpectedCall) -> Counter[int]:
        """How many plain arguments each call has right; those with none are left out."""
        return Counter(
            at
            for key, value in (expected.args or {}).items()
            if _is_plain(value)
            for at in self._of_argument.get((expected.name, key, value), ())
        )


def _is_plain(value: Json) -> bool:
    return value is None or isinstance(value, str | int | float)
