"""Which run of a program a request is of, by what the program made anew in it."""

from collections.abc import Mapping


class RecordedRuns:
    """What stands for the ids, temporary paths and so on of a recording, in each run of a session.

    In a run an id of the recording is one id, and an id one of the recording. A request whose ids
    are new is of a run that it can be of; where it can be of none, a run begins if the recording
    has been played already: the program runs again.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[dict[str, str], dict[str, str]]] = []

    def __bool__(self) -> bool:
        return bool(self._runs)

    def find(self, made: Mapping[str, str]) -> tuple[int, int] | None:
        """The run that a request can be of: the one that knows most of its values, or the latest.

        Args:
            made: Its values by those of the recording.

        Returns:
            How many of its values the run knows, and the number of the run; None where there is
            none.
        """
        fits = (
            (sum(value in recorded for value in made.values()), at)
            for at, (values, recorded) in enumerate(self._runs)
            if all(
                values.get(old, new) == new and recorded.get(new, old) == old
                for old, new in made.items()
            )
        )
        return max(fits, default=None)

    def bind(self, run: int | None, made: Mapping[str, str]) -> None:
        """Hold on to the values of a request.

        Args:
            run: Its run; None for a new one.
            made: Its values by those of the recording.
        """
        if run is None:
            self._runs.append(({}, {}))
        values, recorded = self._runs[-1 if run is None else run]
        values |= made
        recorded |= {value: old for old, value in made.items()}
