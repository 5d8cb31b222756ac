"""A world in which some changes are not visible yet, as in services that spread them slowly."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from typing_extensions import override

from mockserver.collections import Store
from mockserver.model import JsonObject, Propagation
from mockserver.state.history import REMEMBERED, Change
from mockserver.state.world import TOKENS, World


@dataclass(slots=True)
class ChangeDelay:
    """One rule of when changes become visible, and how often each was hidden.

    Attributes:
        rule: The rule.
        met: Called once for each call from which a change was hidden.
    """

    rule: Propagation
    met: Callable[[], None]
    _unseen: OrderedDict[int, tuple[Change, int]] = field(default_factory=OrderedDict)

    def hides(self, change: Change, now: datetime) -> bool:
        """Whether a change is hidden now."""
        rule = self.rule
        if change.collection == TOKENS or (
            rule.collections and change.collection not in rule.collections
        ):
            return False
        if rule.after_s and now >= change.at + timedelta(seconds=rule.after_s):
            return False
        return not rule.reads or self._count(change) < rule.reads

    def note(self, change: Change) -> None:
        """Count a call from which a change was hidden."""
        if self.rule.reads:
            self._unseen[id(change)] = (change, self._count(change) + 1)
            if len(self._unseen) > REMEMBERED:
                self._unseen.popitem(last=False)

    def _count(self, change: Change) -> int:
        return self._unseen.get(id(change), (change, 0))[1]


class DelayedWorld(World):
    """A session's world as one call sees it: reads may miss changes, writes are immediate.

    Args:
        world: The session's world, which remembers changes.
        lags: The rules that hide changes.
    """

    __slots__ = ("_hidden", "_lags", "_shown")

    def __init__(self, world: World, lags: tuple[ChangeDelay, ...]) -> None:
        for name in World.__slots__:  # one and the same state: what is written is written there
            setattr(self, name, getattr(world, name))
        self._shown: dict[str, Store] = {}
        self._lags = lags
        self._hidden: dict[str, list[tuple[ChangeDelay, Change]]] = {}
        now = world.clock.now()
        for change in world.history.late():
            lag = next((each for each in lags if each.hides(change, now)), None)
            if lag is not None:
                self._hidden.setdefault(change.collection, []).append((lag, change))

    @override
    def table(self, name: str) -> Store:
        hidden = self._hidden.get(name)
        if hidden is None:
            return super().table(name)
        shown = self._shown.get(name)
        if shown is None:
            shown = self._shown[name] = self._before(name, hidden)
        return shown

    def _before(self, name: str, hidden: list[tuple[ChangeDelay, Change]]) -> Store:
        earlier: dict[str, JsonObject | None] = {}
        for lag, change in hidden:
            earlier.setdefault(change.key, change.before)
            lag.note(change)
        for lag in self._lags:
            if any(other is lag for other, _ in hidden):
                lag.met()
        table = super().table(name).copy()
        for key, row in earlier.items():
            if row is None:
                table.delete(key)
            else:
                table.put(key, row)
        return table
