"""When a given value agrees with a recorded one, and which names stand for which.

A service makes values of its own: ids, names of operations, etags, tokens, times. The mock makes
other ones. A `Translation` learns from each pair of answers which value of the mock stands for
which recorded one, and puts it into the requests that follow.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote, unquote

from mockserver.model import Json

_SEPARATORS = re.compile(r"""([/\s"'`=,:;()\[\]<>{}?&|!@%+]+)""")
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?"
    r"|(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"
)
_DIGITS = re.compile(r"\d+")
_EPOCH = re.compile(r"1\d{9}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?")
_MADE = re.compile(
    r"\d+|(?=[^\d]*\d)[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f-]{20,}|(?=.*\d)(?=.*[A-Za-z])[\w.~-]{10,}"
    r"|(?=.*[a-z])(?=.*[A-Z])[\w~-]{10,}={0,2}|[a-z]+[-_](?=.*\d)[\w-]{6,}",
)
"""What looks like a value that a service made up."""
_REDACTED = re.compile(
    r"[<(\[*{]*\s*(?:removed|redacted|filtered|hidden|masked|scrubbed|secret|xxx+|dummy|sanitized)"
    r"[\s\w]*[>)\]*}]*|\*{3,}|0{12,}|<[A-Z][A-Z_ ]+>",
    re.IGNORECASE,
)
_OPAQUE = ("etag", "fingerprint", "token", "cursor", "signature", "checksum",
           "settingsversion")  # fmt: skip
"""How the names of fields end whose values mean nothing but themselves."""
_NAMED = ("id", "uid", "uuid", "guid", "name", "number", "key", "link", "url", "uri", "ref", "sha")
"""How the names of fields end whose values name something."""
_TIMES = ("time", "timestamp", "millis", "seconds", "date")
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_SHORT = 4
"""A number of fewer digits is an id only behind a word, `orders/12`."""
_IDS = frozenset({"id", "uid", "uuid", "guid"})
_WORLDWIDE = 6
"""Characters of a value that is unlikely to mean anything else elsewhere in a request."""
_PARENTS = frozenset({"operations"})


def is_time(text: str) -> bool:
    """Whether a text is a date or a time.

    >>> is_time("2026-11-21T09:00:00Z"), is_time("at nine")
    (True, False)
    """
    return _TIME.fullmatch(text) is not None


def is_redacted(value: Json) -> bool:
    """Whether a recorded value was taken out of the recording.

    >>> is_redacted("(removed)"), is_redacted("remove"), is_redacted("000000000000")
    (True, False, True)
    """
    return isinstance(value, str) and _REDACTED.fullmatch(value) is not None


def looks_made(text: str) -> bool:
    """Whether a text looks like what a service made up, not like a word.

    >>> looks_made("operation-1711-ab"), looks_made("standard"), looks_made("8127364")
    (True, False, True)
    """
    return _MADE.fullmatch(text) is not None


def _ends(field: str, endings: Iterable[str]) -> bool:
    low = field.lower()
    return low.endswith(tuple(endings))


class Translation:
    """What stands for what between a recording and the mock that is held against it.

    Args:
        caller: Who asks the mock; it stands for whoever asked the live service.
        placeholders: What stands in the recording for ids: one may stand for several, and for a
            name that the client chose. None for a recording that has values as they were.
    """

    def __init__(self, caller: str = "", placeholders: re.Pattern[str] | None = None) -> None:
        self._caller = caller
        self._placeholders = placeholders
        self._created: dict[str, str] = {}
        self._made: set[str] = set()
        self._parents: dict[str, set[str]] = {}
        self._said: set[str] = set()
        self._tokens: dict[str, str] = {}
        self._below: dict[tuple[str, str], str] = {}
        self._fields: dict[tuple[str, str, str], str] = {}
        self._opaque: dict[str, str] = {}
        self._numbers: dict[str, dict[str, float]] = {}

    # --- what the client said ---

    def hear(self, *texts: str) -> None:
        """Take in what the client said itself: what it named, the service did not make up."""
        for text in texts:
            self._said.update(_SEPARATORS.split(text)[::2])

    def hear_value(self, value: Json) -> None:
        """Take in all texts and numbers of a JSON value."""
        if isinstance(value, dict):
            for name, each in value.items():
                self._said.add(name)
                self.hear_value(each)
        elif isinstance(value, list):
            for each in value:
                self.hear_value(each)
        elif isinstance(value, str):
            self.hear(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            self._said.add(str(value))

    # --- answers ---

    def agrees(self, recorded: Json, given: Json, field: str, place: str) -> bool:
        """Whether two scalars say the same; what stands for what is learned from them."""
        if recorded == given and type(recorded) is type(given):
            return True
        if is_redacted(recorded):
            return given is not None
        if isinstance(recorded, str) and isinstance(given, str):
            return self._texts_agree(recorded, given, field, place)
        if isinstance(recorded, bool) or isinstance(given, bool):
            return False
        if isinstance(recorded, int | float) and isinstance(given, int | float):
            return recorded == given or self._numbers_agree(recorded, given, field)
        return False

    def _numbers_agree(self, recorded: float, given: float, field: str) -> bool:
        told, own = str(recorded), str(given)
        if _EPOCH.fullmatch(told) and _EPOCH.fullmatch(own):
            return len(told.partition(".")[0]) == len(own.partition(".")[0])
        if not _ends(field, _NAMED) or told in self._said:
            return self._numbers.get(told, {}).get(field.lower()) == given
        self._numbers.setdefault(told, {})[field.lower()] = given
        self.learn(field[:-2].lower() + "s", told, own)
        return True

    def _texts_agree(self, recorded: str, given: str, field: str, place: str) -> bool:
        if not recorded or not given:
            return False
        if is_time(recorded) or is_time(given):
            return is_time(recorded) and is_time(given)
        if _ends(field, _OPAQUE):
            for where in ("", place):
                self._fields[field.lower(), where, recorded.rstrip("=")] = given
            self._opaque[recorded.strip('"')] = given
            return True
        if _DIGITS.fullmatch(recorded) and _DIGITS.fullmatch(given):
            if _EPOCH.fullmatch(recorded) and _EPOCH.fullmatch(given):
                return len(recorded) == len(given)
            if _ends(field, _TIMES) or (self._placeholders and field == "generation"):
                return True
        is_caller = given == self._caller and "@" in recorded and recorded not in self._said
        return is_caller or self._parts_agree(_parts(recorded), _parts(given), field)

    def _parts_agree(self, old: list[str], new: list[str], field: str) -> bool:
        if len(old) != len(new) or old[1::2] != new[1::2]:
            return False
        learned, agrees = [], True
        for number in range(0, len(old), 2):
            one, other = old[number], new[number]
            if one == other:
                continue
            parent = old[number - 2] if number else ""
            if _IPV4.fullmatch(one):
                agrees = agrees and one not in self._said and _IPV4.fullmatch(other) is not None
            elif not self._stands_for(parent, one, other) and not self._is_made(
                one, parent, field, alone=len(old) == 1
            ):
                agrees = False
            elif len(old) > 1 or field == "name" or not self.is_placeholder(one):
                # a placeholder alone stands for a number here, and for a name elsewhere
                learned.append((parent if number else f"{field[:-2].lower()}s", one, other))
        for each in learned:
            self.learn(*each)
        return agrees

    def _is_made(self, text: str, parent: str, field: str, *, alone: bool) -> bool:
        if self.is_placeholder(text):
            return True
        if text in self._made:  # said again only because the service said it first
            return parent in _PARENTS or self._placeholders is not None
        if text in self._said or not text:
            return False
        if parent in _PARENTS or _TIME.fullmatch(text):
            return True
        if alone and field.lower() in _IDS:
            return looks_made(text) or _DIGITS.search(text) is not None
        if alone and not _ends(field, _NAMED):
            return looks_made(text) and not _DIGITS.fullmatch(text)
        is_short = len(text) < _SHORT and _DIGITS.fullmatch(text) is not None
        return looks_made(text) and (not is_short or alone or parent.isalpha())

    @property
    def has_placeholders(self) -> bool:
        """Whether something stands in the recording for ids."""
        return self._placeholders is not None

    def is_placeholder(self, text: str) -> bool:
        """Whether a text stands in the recording for an id."""
        return self._placeholders is not None and bool(self._placeholders.fullmatch(text))

    def _stands_for(self, parent: str, recorded: str, given: str) -> bool:
        return given in {self._below.get((parent, recorded)), self._tokens.get(recorded)}

    def learn(self, parent: str, recorded: str, given: str) -> None:
        """Take in what stands for a recorded name behind the name of its collection."""
        self._made.add(recorded)
        self._below[parent, recorded] = given
        if len(recorded) >= _WORLDWIDE:
            if self._placeholders is not None:  # what stands for several is what it stood for last
                for each in self._parents.setdefault(recorded, set()):
                    self._below[each, recorded] = given
                self._parents[recorded].add(parent)
            self._tokens[recorded] = given

    def stand_in(self, recorded: str, given: str) -> None:
        """Let one name stand for a recorded one wherever requests say it."""
        self._made.add(recorded)
        self._tokens[recorded] = given
        self._below["", recorded] = given

    def stand_below(self, collection: str, recorded: str, given: str) -> None:
        """Let the id of a row stand for the recorded one behind the name of its collection."""
        if recorded != given and recorded not in self._said:
            self.learn(collection, recorded, given)

    def own_name(self, value: Json) -> Json:
        """What stands for a recorded name in the mock."""
        return self.text(value) if isinstance(value, str) else value

    # --- requests ---

    def text(self, text: str) -> str:
        """A text of a request with what stands for recorded values in the mock."""
        if not self._below and not self._created:
            return text
        parts = _SEPARATORS.split(text)
        for number in range(0, len(parts), 2):
            one = parts[number]
            parent = parts[number - 2] if number else ""
            parts[number] = self.own_segment(parent, one)
        return "".join(parts)

    def own_segment(self, parent: str, recorded: str) -> str:
        """What stands in the mock for a part of a path or text; the same where nothing does."""
        found = self._below.get((parent, recorded)) or self._tokens.get(recorded)
        if found is None and parent in self._created and self.is_placeholder(recorded):
            return self._created[parent]
        return found or recorded

    def created(self, collection: str, name: str) -> None:
        """Take in the name that a client chose for what it made in a collection."""
        self._said.add(name)
        self._created[collection] = name

    def path(self, path: str) -> str:
        """A path of a request, as it is sent, with what stands for recorded values in the mock."""
        if not self._below and not self._created:
            return path
        return "/".join(self._segment(path.split("/"), n) for n in range(path.count("/") + 1))

    def _segment(self, segments: list[str], number: int) -> str:
        name, colon, verb = segments[number].partition(":")
        parent = segments[number - 1] if number else ""
        plain = unquote(name)
        found = self.own_segment(parent, plain)
        found = self.text(plain) if found == plain else found
        return name + colon + verb if found == plain else f"{quote(found, safe='')}{colon}{verb}"

    def value(self, value: Json, place: str, field: str = "") -> Json:
        """A JSON value of a request with what stands for recorded values in the mock."""
        if isinstance(value, dict):
            return {name: self.value(each, place, name) for name, each in value.items()}
        if isinstance(value, list):
            return [self.value(each, place, field) for each in value]
        if isinstance(value, str):
            return self.field(field, value, place)
        if isinstance(value, int) and not isinstance(value, bool) and _ends(field, _NAMED):
            return self._number(field.lower(), value)
        return value

    def field(self, field: str, value: str, place: str) -> str:
        """A field of a request: a token, an etag, or a text."""
        low, bare = field.lower(), value.rstrip("=")
        above = place.rpartition("/")[0]  # of an action, such as `setLabels`
        several = (self._fields.get((low, each, bare)) for each in (place, above, ""))
        found = next((each for each in several if each), None)
        if found is None and low.endswith("token"):
            found = self._fields.get((f"next{low}", place, bare))
            found = found or self._fields.get((f"next{low}", "", bare))
        return self.text(value) if found is None else found

    def opaque(self, value: str) -> str:
        """What stands for an etag or the like, whatever field said it."""
        return self._opaque.get(value.strip('"'), value)

    def _number(self, field: str, value: int) -> Json:
        known = self._numbers.get(str(value), {})
        return next((known[name] for name in known if field.endswith(name)), value)


def _parts(text: str) -> list[str]:
    """A text at its separators; a time within it is one part that is equal to any other time."""
    return _SEPARATORS.split(_TIME.sub("\0time", text))
