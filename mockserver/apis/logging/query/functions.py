"""The functions of the query language: `log_id`, `source`, `sample`, `ip_in_net`, `SEARCH`.

Source: Logging query language reference.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import quote, unquote

from mockserver.apis.logging.query.entries import Entry, as_written, folded_text
from mockserver.apis.logging.query.fields import MISSING, find_field, getter
from mockserver.apis.logging.query.language import unparseable
from mockserver.googleapi.filters import Argument, Function
from mockserver.model import Json

Test = Callable[[Entry], bool]

_SPLITS = r"\[\]<>(){}|!;,'\"*&?+/:=@.\-$%\\_\s"
_WORD = re.compile(rf"[^{_SPLITS}]+")
_PHRASES = re.compile(r"`([^`]+)`")
_WHOLE = 1 << 64


def function_test(function: Function) -> Test:
    """The test that a function puts to an entry; names ignore case.

    Raises:
        ApiError: 400; an unknown function, a wrong number of arguments, or a value it cannot take.
    """
    known = _FUNCTIONS.get(function.name.casefold())
    if known is None:
        raise unparseable(f"unknown function '{function.name}'")
    counts, make = known
    if len(function.arguments) not in counts:
        expected = " or ".join(map(str, counts))
        given = len(function.arguments)
        raise unparseable(f"{function.name} takes {expected} arguments, found {given}")
    return make(*function.arguments)


def _log_id(wanted: Argument) -> Test:
    end = f"/logs/{quote(unquote(wanted.text), safe='')}".casefold()
    return lambda entry: str(entry.row.get("logName", "")).casefold().endswith(end)


def _source(parent: Argument) -> Test:
    start = f"{parent.text}/logs/"
    return lambda entry: str(entry.row.get("logName", "")).startswith(start)


def _sample(field: Argument, fraction: Argument) -> Test:
    """A sample of a share of entries, always the same for the same value of the field."""
    get = getter(find_field(field.path))
    try:
        limit = float(fraction.text) * _WHOLE
    except ValueError as error:
        raise unparseable(f"invalid fraction '{fraction.text}'") from error
    if not 0 <= limit <= _WHOLE:
        raise unparseable(f"the fraction '{fraction.text}' is not between 0.0 and 1.0")

    def test(entry: Entry) -> bool:
        value = get(entry.row)
        if value is MISSING:
            return False
        digest = blake2b(str(value).encode(errors="replace"), digest_size=8).digest()
        return int.from_bytes(digest, "big") < limit

    return test


def _ip_in_net(field: Argument, network: Argument) -> Test:
    get = getter(find_field(field.path))
    try:
        wanted = ip_network(network.text, strict=False)
    except ValueError as error:
        raise unparseable(f"invalid network '{network.text}'") from error
    return lambda entry: _is_in(get(entry.row), wanted)


def _is_in(value: Json, network: IPv4Network | IPv6Network) -> bool:
    if isinstance(value, list):
        return any(_is_in(item, network) for item in value)
    return isinstance(value, str) and _in_network(value, network)


@lru_cache(maxsize=65_536)
def _in_network(address: str, network: IPv4Network | IPv6Network) -> bool:
    try:
        return ip_address(address) in network
    except ValueError:
        return False


def _search(*arguments: Argument) -> Test:
    """All words of a text, in any order and case; what is in backticks as it stands."""
    phrases, words = _asked(arguments[-1].text)
    if len(arguments) == 1:
        first = [as_written(each) for each in (*phrases, *words)]
        return lambda entry: (
            all(each in entry.written for each in first) and _has_words(entry.text, phrases, words)
        )
    get = getter(find_field(arguments[0].path))
    return lambda entry: _has_words(_folded(get(entry.row)), phrases, words)


def _asked(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    phrases = tuple(phrase.casefold() for phrase in _PHRASES.findall(text))
    rest = _PHRASES.sub(" ", text).casefold()
    return phrases, frozenset(_WORD.findall(rest))


def _has_words(text: str, phrases: tuple[str, ...], words: frozenset[str]) -> bool:
    return words <= set(_WORD.findall(text)) and all(
        re.search(rf"(?<![^{_SPLITS}]){re.escape(phrase)}(?![^{_SPLITS}])", text)
        for phrase in phrases
    )


def _folded(value: Json) -> str:
    return "" if value is MISSING else folded_text(value)


_FUNCTIONS: Mapping[str, tuple[tuple[int, ...], Callable[..., Test]]] = {
    "log_id": ((1,), _log_id),
    "source": ((1,), _source),
    "sample": ((2,), _sample),
    "ip_in_net": ((2,), _ip_in_net),
    "search": ((1, 2), _search),
}
