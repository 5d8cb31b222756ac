"""Values that stay in clear: those that stand in files which go with a recording."""

from collections.abc import Iterable

from typing_extensions import override

from mockserver.model import Json

_MOST = 50_000


class StatedValues:
    """What the files beside a recording state, as texts; looked through value by value.

    >>> stated = StatedValues(["Book it for Ada Lovelace, please."])
    >>> "Ada Lovelace" in stated, "Love" in stated
    (True, False)
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._text = "\n".join(dict.fromkeys(texts))
        self._known: dict[str, bool] = {}

    @override
    def __reduce__(self) -> "tuple[type[StatedValues], tuple[tuple[str, ...]]]":
        """What is handed to another process: the texts alone."""
        return StatedValues, ((self._text,),)

    def __contains__(self, value: str) -> bool:
        """Whether a value stands in them as a word or words of its own."""
        if not self._text or not value:
            return False
        known = self._known.get(value)
        if known is None:
            known = self._stands(value)
            if len(self._known) < _MOST:
                self._known[value] = known
        return known

    def _stands(self, value: str) -> bool:
        text = self._text
        start = text.find(value)
        while start >= 0:
            end = start + len(value)
            before, after = text[max(0, start - 1) : start], text[end : end + 1]
            if not (before.isalnum() and value[0].isalnum()) and not (
                after.isalnum() and value[-1].isalnum()
            ):
                return True
            start = text.find(value, start + 1)
        return False


def texts_of(value: Json) -> Iterable[str]:
    """The texts and numbers of a JSON value, names of members included.

    >>> list(texts_of({"name": "Ada", "phones": [5550100]}))
    ['name', 'Ada', 'phones', '5550100']

    Yields:
        Each, in order.
    """
    if isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from texts_of(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_of(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
