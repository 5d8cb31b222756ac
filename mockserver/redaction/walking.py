"""Goes through parsed JSON: fields by their names, texts by what is in them, keys as well."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from mockserver.model import Json, JsonObject
from mockserver.redaction.checks import fits_field
from mockserver.redaction.rules import Rule, RuleSet

_FEW_DIGITS = 6
_NAMED = ("name", "key", "headerName", "parameter")
_HOLDERS = ("value", "stringValue", "string_value", "multiValue", "intValue", "values", "listValue")
_HOLDER_SET = frozenset(_HOLDERS)
_BESIDE_HOLDERS = frozenset(
    {"type", "customType", "primary", "label", "protocol", "customProtocol"}
)
_KEPT_NUMBERS = frozenset({"token", "page_token", "session", "etag", "signature", "api_key"})


class Judging(Protocol):
    """What knows what to put in the place of a text."""

    @property
    def rules(self) -> RuleSet:
        """What fields hold secrets."""

    def value(self, rule: Rule, text: str) -> str:
        """The stand-in of a field's whole value."""

    def fits(self, rule: Rule, names: tuple[str, ...]) -> bool:
        """Whether a rule has to do with an object of these fields."""

    def texts(self, texts: Iterable[str], depth: int) -> Mapping[str, str]:
        """Texts with what is found in them replaced."""


class Walk:
    """One way through one JSON value.

    Args:
        judging: Knows what to put in the place of a text.
        depth: How many texts are around this value.
    """

    def __init__(self, judging: Judging, depth: int = 0) -> None:
        self._judging = judging
        self._depth = depth
        self._named = judging.rules.named
        self._texts: Mapping[str, str] = {}

    def redacted(self, value: Json) -> Json:
        """The value redacted: the same structure, the same types."""
        found: set[str] = set()
        self._collect(value, found)
        self._texts = self._judging.texts(found, self._depth)
        return self._value(value)

    def _value(self, value: Json) -> Json:
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind is dict:
            return self._object(value)
        if kind is list:
            return [self._value(item) for item in value]
        return value

    def _collect(self, value: Json, found: set[str]) -> None:
        """The texts that no field tells of; they are judged together."""
        kind = type(value)
        if kind is dict:
            found.update(value)
            named = self._named
            for name, item in value.items():
                item_kind = type(item)
                if item_kind is dict or item_kind is list:
                    self._collect(item, found)
                elif item_kind is str and not named(name):
                    found.add(item)
        elif kind is list:
            for item in value:
                self._collect(item, found)
        elif kind is str:
            found.add(value)

    def _text(self, text: str) -> str:
        made = self._texts.get(text)
        return self._judging.texts((text,), self._depth)[text] if made is None else made

    def _object(self, value: JsonObject) -> JsonObject:
        texts, named = self._texts, self._named
        made: JsonObject = {}
        for name, item in value.items():
            rules = named(name)
            kind = type(item)
            if rules:
                new = self._field(rules, item, value)
            elif kind is str:
                new = texts[item]
            elif kind is dict:
                new = self._object(item)
            elif kind is list:
                new = [self._value(one) for one in item]
            else:
                new = item
            made[texts[name]] = new
        return self._pair(value, made) if "name" in value or "key" in value else made

    def _field(self, rules: tuple[Rule, ...], value: Json, around: JsonObject) -> Json:
        for rule in rules:
            plain = not rule.beside and not rule.apart
            if plain or self._judging.fits(rule, tuple(around)):
                made = self._ruled(rule, value)
                if made is not value and made != value:
                    return made
        return self._value(value)

    def _ruled(self, rule: Rule, value: Json) -> Json:
        """The value as the rule has it; itself where the rule has nothing to say to it."""
        if isinstance(value, str):
            return self._judging.value(rule, value)
        if isinstance(value, list):
            return self._items(rule, value)
        if isinstance(value, dict):
            return self._held(rule, value)
        return self._number(rule, value)

    def _items(self, rule: Rule, value: list[Json]) -> Json:
        made = [self._ruled(rule, item) for item in value]
        if made == value:
            return value
        return [
            self._value(old) if new == old else new for new, old in zip(made, value, strict=True)
        ]

    def _held(self, rule: Rule, value: JsonObject) -> Json:
        held = _HOLDER_SET.intersection(value)
        if not held or not (_HOLDER_SET | _BESIDE_HOLDERS).issuperset(value):
            return value
        return {
            key: self._field((rule,), item, {}) if key in held else self._value(item)
            for key, item in value.items()
        }

    def _number(self, rule: Rule, value: Json) -> Json:
        if type(value) is not int or rule.kind in _KEPT_NUMBERS:
            return value
        text = str(value)
        if len(text) < _FEW_DIGITS or value < 0 or not fits_field(rule, text):
            return value
        made = self._judging.value(rule, text)
        digits = "".join(sign for sign in made if sign.isdigit())
        return int(digits) if len(digits) == len(text) else value

    def _pair(self, value: JsonObject, made: JsonObject) -> JsonObject:
        # {"name": "DEVICE_ID", "value": "..."}: parameters, headers, labels
        name = next((value[key] for key in _NAMED if isinstance(value.get(key), str)), "")
        rules = self._named(name) if name else ()
        for key in _HOLDERS if rules else ():
            if key in value:
                made[key] = self._field(rules, value[key], {"name": name})
        return made
