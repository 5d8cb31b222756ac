"""Amounts with units in texts, and whether a number stands for one: `$12.50`, `340 ms`, `12 %`."""

import re
from collections.abc import Iterable, Mapping, Sequence

_NUMBER = r"\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SIGNS = "[$€£¥]"
_CURRENCIES = "USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|INR|CNY|BRL"

_WORDS: Mapping[str, Sequence[float]] = {
    # a unit, and how many of smaller ones it is, in which a source may count
    f"{_CURRENCIES}|dollars?|euros?|pounds?|francs?|cents?": (1, 100),
    "percent": (1, 0.01),
    "ms|milliseconds?": (1, 0.001),
    "s|secs?|seconds?": (1, 1000),
    "mins?|minutes?": (1, 60, 60_000),
    "h|hrs?|hours?": (1, 60, 3600, 3_600_000),
    "days?": (1, 24, 86_400),
    "KB|kB|KiB": (1, 1000, 1024),
    "MB|MiB": (1, 1000, 1024, 1000**2, 1024**2),
    "GB|GiB": (1, 1000, 1024, 1000**3, 1024**3),
    "TB|TiB": (1, 1000, 1024, 1000**4, 1024**4),
    "km/h|mph|kWh|kW|MW|W|Mbps|Gbps|rpm": (1,),
    "kg|km": (1, 1000),
}  # fmt: skip
_MARKS: Mapping[str, Sequence[float]] = {_SIGNS: (1, 100), "%": (1, 0.01), "°[CF]": (1,)}

AMOUNT = (
    rf"(?:{_SIGNS}|\b(?:{_CURRENCIES})) ?(?:{_NUMBER})"
    rf"|\b(?:{_NUMBER}) ?(?:{'|'.join(_MARKS)}|(?:{'|'.join(_WORDS)})\b)"
)
"""A pattern of amounts with units; RE2."""

_FIND_NUMBER = re.compile(rf"(?<![\w.])-?(?:{_NUMBER}|\.\d+)(?:[eE][+-]?\d+)?")
_FIND_UNIT = [
    (re.compile(rf"(?:{unit})\Z"), scales) for unit, scales in {**_WORDS, **_MARKS}.items()
]


def numbers_in(texts: Iterable[str]) -> frozenset[float]:
    """The numbers that stand in texts, thousands separators taken out.

    >>> sorted(numbers_in(["price 1,234.50, 7 left", "0.12"]))
    [0.12, 7.0, 1234.5]
    """
    return frozenset(
        _value(found)
        for text in texts
        for found in _FIND_NUMBER.findall(text)
        if len(found) < _LONGEST
    )


def stands_for(amount: str, numbers: Iterable[float]) -> bool:
    """Whether one of some numbers is the amount, as exactly as the amount is written.

    It may be in another unit of the same kind: cents, seconds, bytes, a share of one.

    >>> stands_for("$12.50", [1250]), stands_for("340 ms", [0.34]), stands_for("13 %", [0.1251])
    (True, True, True)
    >>> stands_for("$12.51", [12.5, 1250])
    False
    """
    found = _FIND_DIGITS.search(amount)
    if found is None:
        return False
    value = _value(found[0])
    unit = (amount[: found.start()] + amount[found.end() :]).strip()
    scales = next((scales for pattern, scales in _FIND_UNIT if pattern.match(unit)), (1.0,))
    decimals = len(found[0].partition(".")[2])
    tolerance = 0.5 * 10.0**-decimals if decimals or value >= _ROUNDED else 0.0
    return any(
        abs(number / scale - value) <= tolerance + _EPSILON * value
        for number in numbers
        for scale in scales
    )


_FIND_DIGITS = re.compile(_NUMBER)
_LONGEST = 40
_ROUNDED = 10
"""From so much on a whole number may be a rounded one; two hours are not one and a half."""
_EPSILON = 1e-9


def _value(text: str) -> float:
    return float(re.sub("[,']", "", text))
