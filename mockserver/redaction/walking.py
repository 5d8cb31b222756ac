"""Goes through parsed JSON: fields by their names, texts by what is in them, keys as well."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Protocol

from mockserver.model import Json, JsonObject
from mockserver.redaction.checks import fits_field, passes
from mockserver.redaction.rules import Rule, RuleSet, normalised

_FEW_DIGITS = 6
_FEWEST_DIGITS = 3
_SHORTEST_FLAG = 4
_NAMED = (
    "name", "key", "headerName", "parameter", "Name", "Key", "ParameterKey", "OptionName",
    "OutputKey", "variable", "property", "field", "k", "label",
)  # fmt: skip
_NAMED_SET = frozenset(_NAMED)
_LOOSE = frozenset({"field", "k", "label", "property"})
"""They name as often what is shown to people: there only what looks like a secret is one."""
_HOLDERS = (
    "value", "stringValue", "string_value", "multiValue", "intValue", "values", "listValue",
    "Value", "ParameterValue", "OutputValue", "v",
)  # fmt: skip
_HOLDER_SET = frozenset(_HOLDERS)
_BESIDE_HOLDERS = frozenset(
    {"type", "customType", "primary", "label", "protocol", "customProtocol"}
)
_KEPT_NUMBERS = frozenset({"token", "page_token", "session", "etag", "signature", "api_key"})
_SECRET = Rule("kubernetes_secret", "secret", credential=True)
_SECRET_FIELDS = ("data", "stringData")
_PROGRAMS = ("mysql", "mysqldump", "sshpass", "docker", "mongo", "mongosh", "redis-cli", "psql")


class Judging(Protocol):
    """What knows what to put in the place of a text."""

    @property
    def rules(self) -> RuleSet:
        """What fields hold secrets."""

    def value(self, rule: Rule, text: str) -> str:
        """The stand-in of a field's whole value."""

    def keeps(self, name: str, value: str) -> bool:
        """Whether a rule says of a field of this name that its value is no secret."""

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

    def _value(self, value: Json, parent: str = "") -> Json:
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind is dict:
            return self._object(value, parent)
        if kind is list:
            if any(type(item) is str and item[:1] == "-" for item in value):
                return self._arguments(value)
            return [self._value(item, parent) for item in value]
        return value

    def _arguments(self, value: list[Json]) -> list[Json]:
        """The arguments of a command: what follows `--password` is one."""
        made: list[Json] = []
        program = str(value[0]).rpartition("/")[2]
        flag = ""
        for item in value:
            if type(item) is not str:
                made.append(self._value(item))
                flag = ""
                continue
            new = self._argument(program, flag, item)
            made.append(self._text(item) if new is None else new)
            flag = item if item[:1] == "-" and "=" not in item else ""
        return made

    def _argument(self, program: str, flag: str, item: str) -> str | None:
        """What stands in for an argument after a flag; None where the flag says nothing of it."""
        if program == "mysql" and item[:2] == "-p" and len(item) > 2:
            return "-p" + self._judging.value(_SECRET, item[2:])
        if not flag or item[:1] == "-":
            return None
        if program == "curl" and flag in {"-u", "--user", "--proxy-user"}:
            user, colon, password = item.partition(":")
            return user + colon + (self._judging.value(_SECRET, password) if password else "")
        if program in _PROGRAMS and flag in {"-p", "-a"} and ":" not in item:
            return self._judging.value(_SECRET, item)
        rules = [rule for rule in self._named(flag.lstrip("-")) if rule.credential]
        if not rules or len(flag) < _SHORTEST_FLAG or not fits_field(rules[0], item):
            return None
        return self._judging.value(rules[0], item)

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

    def _object(self, value: JsonObject, parent: str = "") -> JsonObject:
        texts, named = self._texts, self._named
        made: JsonObject = {}
        for name, item in value.items():
            rules = named(name)
            kind = type(item)
            if rules:
                new = self._field(rules, name, item, value, parent)
            elif kind is str:
                new = texts[item]
            elif kind is dict:
                new = self._object(item, name)
            elif kind is list:
                new = self._value(item, name)
            else:
                new = item
            made[texts[name]] = new
        if value.get("kind") == "Secret" and len(made) == len(value):
            made = self._kubernetes(value, made)
        return made if _NAMED_SET.isdisjoint(value) else self._pair(value, made, parent)

    def _kubernetes(self, value: JsonObject, made: JsonObject) -> JsonObject:
        for field in _SECRET_FIELDS:
            held = value.get(field)
            if isinstance(held, dict):
                coded = field == "data"
                made[field] = {
                    name: self._secret(item, coded=coded) if isinstance(item, str) else item
                    for name, item in held.items()
                }
        return made

    def _secret(self, text: str, *, coded: bool) -> str:
        if not coded:
            return self._judging.value(_SECRET, text)
        try:
            plain = b64decode(text, validate=True).decode()
        except ValueError:
            plain = text
        made = self._judging.value(_SECRET, plain) if plain else plain
        return text if made == plain else b64encode(made.encode()).decode()

    def _field(
        self, rules: tuple[Rule, ...], name: str, value: Json, around: JsonObject, parent: str = ""
    ) -> Json:
        if type(value) is str and self._judging.keeps(name, value):
            return value
        for rule in rules:
            if rule.within and normalised(parent) not in rule.within:
                continue
            plain = not rule.beside and not rule.apart
            if plain or self._judging.fits(rule, tuple(around)):
                made = self._ruled(rule, value)
                if made is not value and made != value:
                    return made
        return self._value(value, name)

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
            key: self._held_value(rule, item) if key in held else self._value(item)
            for key, item in value.items()
        }

    def _held_value(self, rule: Rule, value: Json) -> Json:
        made = self._ruled(rule, value)
        return self._value(value) if made is value or made == value else made

    def _number(self, rule: Rule, value: Json) -> Json:
        if rule.kind == "coordinate" and type(value) is float:
            return float(self._judging.value(rule, repr(value)))
        if type(value) is not int or rule.kind in _KEPT_NUMBERS:
            return value
        text = str(value)
        few = _FEWEST_DIGITS if rule.kind == "one_time" else _FEW_DIGITS
        if len(text) < few or value < 0 or not fits_field(rule, text):
            return value
        made = self._judging.value(rule, text)
        digits = "".join(sign for sign in made if sign.isdigit())
        return int(digits) if len(digits) == len(text) else value

    def _pair(self, value: JsonObject, made: JsonObject, parent: str) -> JsonObject:
        # {"name": "DEVICE_ID", "value": "..."}: parameters, headers, labels
        called = next((key for key in _NAMED if isinstance(value.get(key), str)), "")
        name = value[called] if called else ""
        rules = self._named(name) if isinstance(name, str) and name else ()
        for key in _HOLDERS if rules else ():
            item = value.get(key)
            if key not in value or (called in _LOOSE and not passes("secretlike", str(item))):
                continue
            made[key] = self._field(rules, str(name), item, {str(name): None}, parent)
        return made
