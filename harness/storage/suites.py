"""Suites that are known by name: `<runs>/suites.json`."""

from pathlib import Path

from harness.errors import HarnessError
from harness.model import Frozen
from harness.storage.ledger import Ledger
from mockserver.model import did_you_mean


class RegisteredSuite(Frozen):
    """A suite that is known by name.

    Attributes:
        name: Its name.
        path: Where it lies.
        description: What it is for.
        registered_at: RFC 3339.
    """

    name: str
    path: str
    description: str = ""
    registered_at: str = ""


class RegisteredSuites:
    """The suites that were registered beside a folder of runs."""

    def __init__(self, runs: Path) -> None:
        self._ledger = Ledger(runs / "suites.json", RegisteredSuite)

    def all(self) -> tuple[RegisteredSuite, ...]:
        """All of them, by name.

        Raises:
            HarnessError: The file cannot be read.
        """
        return tuple(sorted(self._ledger.entries(), key=lambda suite: suite.name))

    def get(self, name: str) -> RegisteredSuite | None:
        """One of them, or None."""
        return next((suite for suite in self.all() if suite.name == name), None)

    def register(self, suite: RegisteredSuite) -> None:
        """Make a suite known; one of the same name is replaced.

        Raises:
            InfrastructureError: The file cannot be written.
        """
        self._ledger.change(
            lambda known: [*(each for each in known if each.name != suite.name), suite]
        )

    def remove(self, name: str) -> None:
        """Forget a suite; its files stay.

        Raises:
            HarnessError: None of this name is registered.
        """

        def without(known: tuple[RegisteredSuite, ...]) -> list[RegisteredSuite]:
            names = [each.name for each in known]
            if name not in names:
                hint = did_you_mean(name, names)
                raise HarnessError(f"no suite {name!r} is registered", hint=hint)
            return [each for each in known if each.name != name]

        self._ledger.change(without)
