"""Which recordings no trial of a run has asked for, and which answered with a warning."""

from harness.model import Case, TrialRecord
from mockserver.model import UnusedRecording

_SEEN = frozenset({"replied", "agent_error"})


class Tapes:
    """Takes trials one by one; a recording is used when one trial of one case has asked for it.

    Attributes:
        doubtful: What answered with a warning, in order: `case: cassette 3: why`.
    """

    def __init__(self) -> None:
        self._left: dict[str, dict[str, None]] = {}
        self.doubtful: dict[str, None] = {}

    def note(self, case: Case, record: TrialRecord) -> None:
        """Look at one trial; one whose agent was not reached says nothing."""
        if record.outcome not in _SEEN or record.synthetic:
            return
        for entry in record.journal.entries:
            played = entry.recording
            if played is not None and played.warning:
                told = f"{record.case}: {played.cassette} {played.number}: {played.warning}"
                self.doubtful[told] = None
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
