"""The faults of a session: which calls they meet, and how often they did."""

import re
from collections.abc import Iterable
from fnmatch import translate

from mockserver.model import Fault, FaultReport


class _Script:
    """One fault with what is left of it."""

    __slots__ = ("fault", "met", "pattern")

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.met = 0
        self.pattern = re.compile(translate(fault.method))

    def has_left(self) -> bool:
        return self.fault.times == "always" or self.met < self.fault.times


class SessionFaults:
    """Holds every fault of one session, in order; the first that fits and is not used up answers.

    A fault without a status only delays, so the next one may still answer the same call.
    """

    __slots__ = ("_by_method", "_scripts")

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._scripts = [_Script(fault) for fault in faults]
        self._by_method: dict[str, tuple[_Script, ...]] = {}

    def __len__(self) -> int:
        return len(self._scripts)

    def meet(self, method_id: str) -> tuple[Fault | None, float]:
        """The fault that answers this call, if any, and the delay in milliseconds; both count."""
        delay_ms = 0.0
        for script in self._fitting(method_id):
            if not script.has_left():
                continue
            script.met += 1
            delay_ms += script.fault.latency_ms
            if script.fault.status is not None:
                return script.fault, delay_ms
        return None, delay_ms

    def _fitting(self, method_id: str) -> tuple[_Script, ...]:
        found = self._by_method.get(method_id)
        if found is None:
            found = self._by_method[method_id] = tuple(
                script for script in self._scripts if script.pattern.match(method_id)
            )
        return found

    def add(self, fault: Fault) -> None:
        """Add a fault, after those that are there."""
        self._scripts.append(_Script(fault))
        self._by_method.clear()

    def clear(self) -> None:
        """Forget every fault and its count."""
        self._scripts.clear()
        self._by_method.clear()

    def report(self) -> tuple[FaultReport, ...]:
        """Every fault with how often it was met; zero means it never was."""
        return tuple(FaultReport(fault=one.fault, met=one.met) for one in self._scripts)
