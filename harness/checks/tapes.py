"""Which recordings no trial of a run has asked for."""

from harness.model import Case, TrialRecord
from mockserver.model import UnusedRecording

_SEEN = frozenset({"replied", "agent_error"})


class Tapes:
    """Takes trials one by one; a recording is used when one trial of one case has asked for it."""

    def __init__(self) -> None:
        self._left: dict[str, dict[str, None]] = {}

    def note(self, case: Case, record: TrialRecord) -> None:
        """Look at one trial; one whose agent was not reached says nothing."""
        if record.outcome not in _SEEN or record.synthetic:
            return
        for name in case.fixtures.cassettes:
            unused = {_told(each): None for each in record.unused if _name(each) == name}
            left = self._left.setdefault(name, unused)
            self._left[name] = {each: None for each in left if each in unused}

    def unused(self) -> tuple[str, ...]:
        """What is left, `cassette 3: GET https://...`, by cassette in the order of first use."""
        return tuple(told for left in self._left.values() for told in left)


def _name(unused: UnusedRecording) -> str:
    """A cassette as cases name it: its file's name without what follows the dot."""
    stem, dot, _ = unused.tape.rpartition(".")
    return stem if dot else unused.tape


def _told(unused: UnusedRecording) -> str:
    return f"{_name(unused)} {unused.number}: {unused.method} {unused.url}"
