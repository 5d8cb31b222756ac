"""Redacts JSON: fields by their names, texts and keys by their content.

The text around a value stays as it is written: spaces, order of keys, escapes, forms of numbers.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from operator import is_
from typing import Protocol

import orjson

from mockserver.model import Json, JsonObject
from mockserver.redaction.match_checks import fits_field, passes_check
from mockserver.redaction.reserved_values import is_pseudonym
from mockserver.redaction.rule import Rule, cached_name, last_word, normalised_name
from mockserver.redaction.rules import RuleSet

_FEW_DIGITS = 6
_FEWEST_DIGITS = 3
_SHORTEST_FLAG = 4
_NAME_KEYS = (
    "name", "key", "headerName", "parameter", "Name", "Key", "ParameterKey", "OptionName",
    "OutputKey", "variable", "property", "macro", "field", "k", "label",
)  # fmt: skip
_LOOSE_NAME_KEYS = frozenset({"field", "k", "label", "property"})
"""They name as often what is shown to people: there only what looks like a secret is one."""
_VALUE_KEYS = (
    "value", "stringValue", "string_value", "multiValue", "intValue", "values", "listValue",
    "Value", "ParameterValue", "OutputValue", "v",
)  # fmt: skip
_VALUE_KEY_SET = frozenset(_VALUE_KEYS)
_KEYS_BESIDE_VALUES = frozenset(
    {"type", "customType", "primary", "label", "protocol", "customProtocol", "sensitive",
     "isSecret", "secret", "secure", "readOnly", "description", "hidden"}
)  # fmt: skip
_FLAT_LIST = "rawheaders"
"""A list where a name and its value take turns, as Node has it."""
_COLUMNS = ("columns", "fields", "headers", "header", "columnNames", "cols")
_COLUMN_SET = frozenset(_COLUMNS)
_ROWS = ("rows", "data", "records", "values")
_COLUMN_NAMES = frozenset({
    "id", "uid", "uuid", "name", "user", "userid", "username", "login", "account", "email", "mail",
    "host", "hostname", "server", "service", "site", "url", "port", "role", "group", "scope",
    "status", "state", "type", "kind", "title", "label", "description", "comment", "notes", "date",
    "time", "created", "createdat", "updated", "updatedat", "modified", "expires", "expiresat",
    "lastlogin", "lastused", "enabled", "active", "owner", "index", "number", "firstname",
    "lastname", "department", "country", "version",
})  # fmt: skip
"""Names of columns that are nobody's password."""
_SHAPE_KEYS = frozenset({"kind", "op", "variables", "type", "Type", "value", "payload",
                     "metadata", *_COLUMNS})  # fmt: skip
_SECRET_TYPES = frozenset({"password", "secret", "securestring", "concealed", "secretstring"})
"""Types whose values are secrets, whatever they are called."""
_TYPED_VALUE_KEYS = frozenset({"value", "Value"})
_IN_STORE = re.compile(r"/secrets/[^/]+")
"""In the name of a secret of Google's, Azure's or another store."""
_STORE_KEYS = ("value", "payload", "data")
"""Where stores give out what a secret is."""
_CHECKSUMS = frozenset({"dataCrc32c", "checksum"})
_SECRET_OBJECTS = frozenset({
    "securejsondata", "securesettings", "protectedsettings", "sensitivevalues", "secretdata",
    "secretvariables", "secureparameters", "secrets",
})  # fmt: skip
"""Objects each of whose texts is a secret."""
_VARIABLE = re.compile(r"(\w+)\s*:\s*\$(\w+)")
_MESSAGE_FIELDS = frozenset({
    "errors", "error", "fielderrors", "validationerrors", "messages", "labels", "placeholders",
    "translations", "descriptions", "help", "hints", "tooltips", "details",
})  # fmt: skip
"""Where a field called `password` says something of passwords."""
_KEPT_NUMBERS = frozenset({"token", "page_token", "session", "etag", "signature", "api_key"})
_SECRET_FIELDS = ("data", "stringData")
_FLAGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport",
                     "mongoimport", "cqlsh", "cypher-shell", "docker login", "podman login",
                     "nerdctl login", "oc login", "cf login", "az login"), ("-p",)),
    **dict.fromkeys(("sqlcmd", "bcp", "ipmitool", "mosquitto_pub", "mosquitto_sub", "unzip", "zip"),
                    ("-P",)),
    **dict.fromkeys(("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"), ("-w",)),
    "redis-cli": ("-a", "--pass"), "snmpwalk": ("-c",), "snmpget": ("-c",),
}  # fmt: skip
"""The options of programs that a password follows; without a letter that means anything else."""
_PERCENT = frozenset({"smbclient", "rpcclient", "winexe", "net", "wmic"})


_LAST = re.compile(r"[/.:]")


def _is_label(name: str, value: Json) -> bool:
    """Whether a value is what a form shows beside a field: `"login.password": "Password"`."""
    if not isinstance(value, str) or not value[:1].isupper():
        return False
    return normalised_name(value) in {cached_name(name), last_word(name)}


_NAME_IN_WORDS = re.compile(r"[A-Za-z]+(?:[ ._-][A-Za-z0-9]+)*")


def _is_no_name(value: Json) -> bool:
    """Whether a value looks like a secret, and not like the name of a field."""
    return (
        isinstance(value, str)
        and passes_check("secretlike", value)
        and _NAME_IN_WORDS.fullmatch(value) is None
    )


def _is_sentence(value: Json) -> bool:
    """Whether a value is a sentence, or some."""
    said = value if isinstance(value, list) else [value]
    return all(isinstance(each, str) and each.count(" ") > 1 for each in said)


class ObjectShape:
    """What the names of an object's fields tell of it; objects share few shapes.

    Attributes:
        ruled: The rules of each field that has any.
        secrets: The fields whose values are objects of secrets.
        named_by: The fields that may name another one, first those that count first.
        values: The fields of the values that are named so.
        is_telling: Whether the fields together may tell more.
        number: No other shape has it.
    """

    __slots__ = ("is_telling", "named_by", "number", "ruled", "secrets", "values")

    def __init__(self, names: tuple[str, ...], rules: RuleSet, number: int) -> None:
        self.number = number
        self.ruled = {name: found for name in names if (found := rules.rules_for_field(name))}
        self.secrets = frozenset(name for name in names if cached_name(name) in _SECRET_OBJECTS)
        self.named_by = tuple(name for name in _NAME_KEYS if name in names)
        self.values = tuple(name for name in _VALUE_KEYS if name in names) if self.named_by else ()
        self.is_telling = not _SHAPE_KEYS.isdisjoint(names) and any(
            telling.issubset(names) for telling in _TELLING
        )


_TELLING = tuple(map(frozenset, (
    ["kind"], ["type"], ["Type"], ["op", "value", "path"], ["variables", "query"],
    *([name] for name in _COLUMNS),
    *([store, about] for store in _STORE_KEYS for about in ("id", "name", "metadata")),
)))  # fmt: skip
"""Fields that tell more of an object where all of them are there."""


class ObjectShapes(dict[tuple[str, ...], ObjectShape]):
    """The shape of objects by the names of their fields, in order; made when it is asked for."""

    def __init__(self, rules: RuleSet) -> None:
        super().__init__()
        self._rules = rules
        self._made = 0

    def __missing__(self, names: tuple[str, ...]) -> ObjectShape:
        """Look at names that were not seen before."""
        if len(self) >= _MOST_SHAPES:
            self.clear()
        self._made += 1
        made = self[names] = ObjectShape(names, self._rules, self._made)
        return made


_MOST_SHAPES = 20_000
JudgedFields = dict[tuple[int, str, str, str], str | None]
"""What stands in for a text, by the number of the object's shape, the field that has the object,
the field that has the text, and the text; None where rules of fields say nothing of it."""


class TextSource(Protocol):
    """What knows what to put in the place of a text."""

    @property
    def rules(self) -> RuleSet:
        """What fields hold secrets."""

    @property
    def shapes(self) -> ObjectShapes:
        """The shapes of objects."""

    @property
    def judged_fields(self) -> "JudgedFields":
        """What became of texts in fields; who walks adds to it."""

    def redact_value(self, rule: Rule, text: str) -> str:
        """The stand-in of a field's whole value."""

    def is_kept_field(self, name: str, value: str) -> bool:
        """Whether a rule says of a field of this name that its value is no secret."""

    def applies_to_object(self, rule: Rule, names: tuple[str, ...]) -> bool:
        """Whether a rule has to do with an object of these fields."""

    def redact_texts(self, texts: Iterable[str], depth: int) -> Mapping[str, str]:
        """Texts with what is found in them replaced."""


class JsonWalk:
    """One way through one JSON value.

    Args:
        redactor: Knows what to put in the place of a text.
        depth: How many texts are around this value.
    """

    def __init__(self, redactor: TextSource, depth: int = 0) -> None:
        self._redactor = redactor
        self._depth = depth
        self._named = redactor.rules.rules_for_field
        self._texts: Mapping[str, str] = {}
        self._shapes = redactor.shapes
        self._judged_fields = redactor.judged_fields
        self._renames = True

    def redact(self, value: Json) -> Json:
        """The value redacted: the same structure, the same types; itself where nothing is."""
        found: set[str] = set()
        shapes: set[tuple[str, ...]] = set()
        self._collect(value, found, shapes)
        names = set(chain.from_iterable(shapes))
        found |= names
        texts = self._texts = self._redactor.redact_texts(found, self._depth)
        self._renames = any(texts[name] != name for name in names)
        return self._value(value)

    def _value(self, value: Json, parent: str = "") -> Json:
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind is dict:
            return self._object(value, parent)
        if kind is list:
            return self._list(value, parent)
        return value

    def _list(self, value: list[Json], parent: str) -> list[Json]:
        kinds = set(map(type, value))
        if str in kinds and "-" in [item[:1] for item in value if type(item) is str]:
            return self._arguments(value)
        if kinds == {list}:
            return self._lists(value)
        if kinds == {str} and cached_name(parent) == _FLAT_LIST and not len(value) % 2:
            pairs = zip(value[::2], value[1::2], strict=True)
            return [each for name, item in pairs for each in (name, self._named_value(name, item))]
        made = [self._value(item, parent) for item in value]
        return value if all(map(is_, made, value)) else made

    def _lists(self, value: list[Json]) -> list[Json]:
        """Lists in a list: pairs of a name and a value, or rows below a row of names."""
        rows = [row for row in value if isinstance(row, list)]
        if len(rows) > 1 and self._is_header(rows):
            return [rows[0], *self._table(rows[0], rows[1:])]
        pairs = [row for row in rows if len(row) == 2 and self._is_secret_name(row[0])]
        if any(self._has_secret(row[0], row[1]) for row in pairs):
            return self._pairs(rows, pairs)
        if len(rows) > 1 and any(map(self._is_secret_name, rows[0])):
            return [rows[0], *self._table(rows[0], rows[1:])]
        return [self._value(row) for row in rows]

    def _has_secret(self, name: Json, value: Json) -> bool:
        if isinstance(value, str) and is_pseudonym(value):
            return True
        return bool(self._named_value(name, value) != value)

    def _is_header(self, rows: list[list[Json]]) -> bool:
        """Whether the first of rows of two cells holds names of columns, and no name and its value.

        `["password", "id"]` does: an `id` is a column rather than a password. Rows that begin with
        names of fields all the way down are pairs for all that.
        """
        first = rows[0]
        if len(first) != 2 or not any(map(self._is_secret_name, first)):
            return False
        others = [row[0] for row in rows[1:] if row]
        return self._is_column(first[1]) and not all(map(self._is_column, others))

    def _is_column(self, name: Json) -> bool:
        return isinstance(name, str) and (
            cached_name(name) in _COLUMN_NAMES or self._is_secret_name(name)
        )

    def _pairs(self, rows: list[list[Json]], pairs: list[list[Json]]) -> list[Json]:
        """Pairs of a name and a value; what looks like a secret below the name of one is one, too.

        `["password", "size"]` above `["m4Tq8Zl2Vx0P", "43"]` may be a header that nobody knows.
        """
        name = rows[0][0] if rows[0] is pairs[0] else None
        made: list[Json] = []
        for row in rows:
            if row in pairs:
                made.append([row[0], self._named_value(row[0], row[1])])
            elif name and len(row) == 2 and _is_no_name(row[0]):
                made.append([self._named_value(name, row[0]), self._value(row[1])])
            else:
                made.append(self._value(row))
        return made

    def _table(self, names: list[Json], rows: Iterable[Json]) -> list[Json]:
        """Rows redacted by the names of their columns."""
        made: list[Json] = []
        for row in rows:
            if isinstance(row, list) and len(row) == len(names):
                cells = zip(names, row, strict=True)
                made.append([self._named_value(name, item) for name, item in cells])
            else:
                made.append(self._value(row))
        return made

    def _is_secret_name(self, name: Json) -> bool:
        return type(name) is str and any(rule.credential for rule in self._named(name))

    def _named_value(self, name: Json, value: Json) -> Json:
        """A value beside the name of a field, where no field has it."""
        if (
            not isinstance(value, str)
            or not self._is_secret_name(name)
            or not passes_check("set", value)
        ):
            return self._value(value)
        return self._field(self._named(str(name)), str(name), value, {str(name): None})

    def _named_text(self, name: str, redacted: Json) -> Json:
        """What is redacted already, where it is a text: as the value beside the name of a field."""
        return self._named_value(name, redacted) if isinstance(redacted, str) else redacted

    def _arguments(self, value: list[Json]) -> list[Json]:
        """The arguments of a command: what follows `--password` is one."""
        made: list[Json] = []
        program = str(value[0]).rpartition("/")[2]
        if "login" in value[1:3]:
            program = f"{program} login"
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
        if program.startswith(("mysql", "mariadb")) and item[:2] == "-p" and len(item) > 2:
            return self._redact_argument_end("mysql_argument", "-p", item[2:])
        if not flag or item[:1] == "-":
            return None
        if program == "curl" and flag in {"-u", "--user", "--proxy-user"}:
            user, colon, password = item.partition(":")
            return self._redact_argument_end("curl_argument", user + colon, password)
        if flag in _FLAGS.get(program, ()) and ":" not in item and not item.isdigit():
            return self._redact_argument_end("program_argument", "", item)
        if program in _PERCENT and flag in {"-U", "--user"} and "%" in item:
            user, _, password = item.partition("%")
            return self._redact_argument_end("smb_argument", f"{user}%", password)
        rules = [rule for rule in self._named(flag.lstrip("-")) if rule.credential]
        if not rules or len(flag) < _SHORTEST_FLAG or not fits_field(rules[0], item):
            return None
        return self._redactor.redact_value(rules[0], item)

    def _redact_argument_end(self, name: str, front: str, secret: str) -> str | None:
        """An argument whose end is a secret, redacted by a rule; None where that is not asked."""
        rule = self._redactor.rules.find(name)
        return None if rule is None else front + self._redactor.redact_value(rule, secret)

    def _collect(self, value: Json, found: set[str], shapes: set[tuple[str, ...]]) -> None:
        """The texts that no field tells of, and the names of fields; they are judged together."""
        kind = type(value)
        if kind is dict:
            names = tuple(value)
            shapes.add(names)
            ruled = self._shapes[names].ruled
            for name, item in value.items():
                item_kind = type(item)
                if item_kind is dict or item_kind is list:
                    self._collect(item, found, shapes)
                elif item_kind is str and name not in ruled:
                    found.add(item)
        elif kind is list:
            for item in value:
                self._collect(item, found, shapes)
        elif kind is str:
            found.add(value)

    def _text(self, text: str) -> str:
        made = self._texts.get(text)
        if made is None:
            made = self._redactor.redact_texts((text,), self._depth)[text]
        return text if made == text else made

    def _object(self, value: JsonObject, parent: str = "") -> JsonObject:
        shape = self._shapes[tuple(value)]
        made = self._fields(shape, value, parent)
        if self._renames:
            made = {self._texts[name]: item for name, item in made.items()}
        if shape.is_telling and len(made) == len(value):
            made = made.copy() if made is value else made
            self._redact_by_shape(value, made)
        return self._redact_pair(value, made, parent, shape) if shape.values else made

    def _fields(self, shape: ObjectShape, value: JsonObject, parent: str) -> JsonObject:
        """An object with its values redacted one by one; itself where none is replaced."""
        texts, ruled = self._texts, shape.ruled
        made = value
        for name, item in value.items():
            kind = type(item)
            new: Json
            if kind is str:
                new = self._ruled_text(shape, name, value, parent) if name in ruled else texts[item]
                if new == item:
                    continue  # equal, though it may be another text of the same signs
            elif name in ruled:
                new = self._field(ruled[name], name, item, value, parent)
            elif kind is dict:
                new = self._object(item, name)
                if name in shape.secrets:
                    new = self._redact_secrets_object("object_of_secrets", new)
            elif kind is list:
                new = self._list(item, name)
            else:
                continue
            if new is not item:
                if made is value:
                    made = value.copy()
                made[name] = new
        return made

    def _ruled_text(self, shape: ObjectShape, name: str, value: JsonObject, parent: str) -> Json:
        """A text in a field that has rules."""
        text = value[name]
        mark = (shape.number, parent, name, text)
        made = self._judged_fields.get(mark, _UNJUDGED)
        if made is _UNJUDGED:
            made = self._by_rules(shape.ruled[name], name, text, value, parent)
            self._judged_fields[mark] = made
        return self._text(text) if made is None else made

    def _redact_stored(self, redacted: JsonObject) -> None:
        """A secret as stores give it out: its value, its payload, or all of its data."""
        for name in _STORE_KEYS:
            held = redacted.get(name)
            if isinstance(held, dict):
                redacted[name] = self._redact_secrets_object("stored_secret", held, _CHECKSUMS)
            elif name == "value" and isinstance(held, str):
                redacted.update(self._redact_secrets_object("stored_secret", {name: held}))

    def _redact_secrets_object(
        self, name: str, redacted: JsonObject, apart: frozenset[str] = frozenset()
    ) -> JsonObject:
        """An object of secrets, redacted by a rule: a text is one, unless it says where one is."""
        rule = self._redactor.rules.find(name)
        if rule is None:
            return redacted
        return {
            key: self._redactor.redact_value(rule, item)
            if isinstance(item, str)
            and key not in apart
            and passes_check("set", item)
            and not is_pseudonym(item)
            else item
            for key, item in redacted.items()
        }

    def _redact_by_shape(self, value: JsonObject, redacted: JsonObject) -> None:
        """What the shape of an object tells of the values in it."""
        if value.get("kind") == "Secret":
            self._kubernetes(value, redacted)
        if not redacted.keys().isdisjoint(_STORE_KEYS):
            called = [str(value[name]) for name in ("id", "name") if name in value]
            if any("/secrets/" in each and _IN_STORE.search(each) for each in called):
                self._redact_stored(redacted)
            if isinstance(about := value.get("metadata"), dict) and "version" in about:
                self._redact_stored(redacted)
        if (
            isinstance(kind := value.get("type", value.get("Type")), str)
            and kind.lower() in _SECRET_TYPES
        ):
            rule = self._redactor.rules.find("typed_secret")
            for key in _TYPED_VALUE_KEYS.intersection(value) if rule else ():
                held = value[key]
                if rule and isinstance(held, str) and passes_check("set", held):
                    redacted[key] = self._redactor.redact_value(rule, held)
        if "op" in value and "value" in value and isinstance(path := value.get("path"), str):
            redacted["value"] = self._named_text(_LAST.split(path)[-1], redacted["value"])
        if "variables" in value and isinstance(query := value.get("query"), str):
            self._variables(query, redacted)
        if not _COLUMN_SET.isdisjoint(value):
            self._columns(value, redacted)

    def _columns(self, value: JsonObject, redacted: JsonObject) -> None:
        """Rows below a list of the names of their columns, wherever the two stand in an object."""
        listed = [name for name in _COLUMNS if isinstance(value.get(name), list)]
        columns = value[listed[0]] if listed else None
        if isinstance(columns, list):
            names = [each.get("name") if isinstance(each, dict) else each for each in columns]
            rows = next((name for name in _ROWS if isinstance(value.get(name), list)), "")
            if rows and any(map(self._is_secret_name, names)):
                held = value[rows]
                redacted[rows] = self._table(names, held if isinstance(held, list) else [])

    def _variables(self, query: str, redacted: JsonObject) -> None:
        """Variables of GraphQL, redacted by the arguments they are given to."""
        variables = redacted["variables"]
        if isinstance(variables, dict):
            variables = redacted["variables"] = variables.copy()
            for name, variable in _VARIABLE.findall(query):
                if variable in variables:
                    variables[variable] = self._named_text(name, variables[variable])

    def _kubernetes(self, value: JsonObject, redacted: JsonObject) -> None:
        rule = self._redactor.rules.find("kubernetes_secret")
        for field in _SECRET_FIELDS if rule else ():
            held = value.get(field)
            if rule and isinstance(held, dict):
                redact = self._coded_secret if field == "data" else self._redactor.redact_value
                redacted[field] = {
                    name: redact(rule, item) if isinstance(item, str) else item
                    for name, item in held.items()
                }

    def _coded_secret(self, rule: Rule, text: str) -> str:
        """A secret in base64, coded the same way again."""
        try:
            plain = b64decode(text, validate=True).decode()
        except ValueError:
            plain = text
        made = self._redactor.redact_value(rule, plain) if plain else plain
        return text if made == plain else b64encode(made.encode()).decode()

    def _field(
        self, rules: tuple[Rule, ...], name: str, value: Json, around: JsonObject, parent: str = ""
    ) -> Json:
        if not isinstance(value, str) and parent and self._is_message(parent, value):
            return self._value(value)
        made = self._by_rules(rules, name, value, around, parent)
        return self._value(value, name) if made is None else made

    def _by_rules(
        self, rules: tuple[Rule, ...], name: str, value: Json, around: JsonObject, parent: str
    ) -> Json:
        """What a field's value becomes by the first of its rules that replaces it; else None."""
        if type(value) is str and self._redactor.is_kept_field(name, value):
            return value
        if (parent and self._is_message(parent, value)) or _is_label(name, value):
            return None
        for rule in rules:
            if rule.within and cached_name(parent) not in rule.within:
                continue
            plain = not rule.beside and not rule.apart
            if plain or self._redactor.applies_to_object(rule, tuple(around)):
                made = self._by_rule(rule, value)
                if made is not value and made != value:
                    return made
        return None

    @staticmethod
    def _is_message(parent: str, value: Json) -> bool:
        return cached_name(parent) in _MESSAGE_FIELDS and _is_sentence(value)

    def _by_rule(self, rule: Rule, value: Json) -> Json:
        """The value as the rule has it; itself where the rule has nothing to say to it."""
        if isinstance(value, str):
            return self._redactor.redact_value(rule, value)
        if isinstance(value, list):
            return self._items(rule, value)
        if isinstance(value, dict):
            return self._value_object(rule, value)
        return self._number(rule, value)

    def _items(self, rule: Rule, value: list[Json]) -> Json:
        made = [self._by_rule(rule, item) for item in value]
        if made == value:
            return value
        return [
            self._value(old) if new == old else new for new, old in zip(made, value, strict=True)
        ]

    def _value_object(self, rule: Rule, value: JsonObject) -> Json:
        held = _VALUE_KEY_SET.intersection(value)
        if not held or not (_VALUE_KEY_SET | _KEYS_BESIDE_VALUES).issuperset(value):
            return value
        return {
            key: self._value_in_object(rule, item) if key in held else self._value(item)
            for key, item in value.items()
        }

    def _value_in_object(self, rule: Rule, value: Json) -> Json:
        made = self._by_rule(rule, value)
        return self._value(value) if made is value or made == value else made

    def _number(self, rule: Rule, value: Json) -> Json:
        if rule.kind == "coordinate" and type(value) is float:
            return float(self._redactor.redact_value(rule, repr(value)))
        if type(value) is not int or rule.kind in _KEPT_NUMBERS:
            return value
        text = str(value)
        few = _FEWEST_DIGITS if rule.kind == "one_time" else _FEW_DIGITS
        if len(text) < few or value < 0 or not fits_field(rule, text):
            return value
        made = self._redactor.redact_value(rule, text)
        digits = "".join(sign for sign in made if sign.isdigit())
        return int(digits) if len(digits) == len(text) else value

    def _redact_pair(
        self, value: JsonObject, redacted: JsonObject, parent: str, shape: ObjectShape
    ) -> JsonObject:
        # {"name": "DEVICE_ID", "value": "..."}: parameters, headers, labels
        for called in shape.named_by:
            name = value[called]
            if isinstance(name, str):
                break
        else:
            return redacted
        name = name.strip("{}$%")
        rules = self._named(name) if name else ()
        for key in shape.values if rules else ():
            item = value[key]
            if called in _LOOSE_NAME_KEYS and not passes_check("secretlike", str(item)):
                continue
            redacted = redacted.copy() if redacted is value else redacted
            redacted[key] = self._field_alone(rules, name, item, parent)
        return redacted

    def _field_alone(self, rules: tuple[Rule, ...], name: str, value: Json, parent: str) -> Json:
        """The value of a field that has no other beside it."""
        if not isinstance(value, str):
            return self._field(rules, name, value, {name: None}, parent)
        mark = (_ALONE, parent, name, value)
        made = self._judged_fields.get(mark, _UNJUDGED)
        if made is _UNJUDGED:
            made = self._by_rules(rules, name, value, {name: None}, parent)
            self._judged_fields[mark] = made
        return self._text(value) if made is None else made


_ALONE = 0
"""The number of no shape."""
_UNJUDGED = "\0 unjudged"
"""Stands for what was not judged yet; it is compared by identity."""

_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|-?Infinity|NaN', re.DOTALL)


def parse_json(text: bytes) -> Json:
    """The value of a JSON text.

    Raises:
        ValueError: It is none.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            return json.loads(text)
        except RecursionError as deep:
            raise ValueError("nested too deep") from deep


def redact_json_text(text: bytes, redact: Callable[[Json], Json]) -> bytes | None:
    """A JSON text with its values redacted; None where nothing is replaced.

    Spaces, the order of keys, escapes and the writing of numbers stay as they are; only where a key
    comes twice the text is written anew, because the hidden value was not looked at.

    Args:
        text: One JSON value.
        redact: Gives a value redacted, of the same structure.

    Raises:
        ValueError: It is no JSON.
    """
    value = parse_json(text)
    bare = text.rstrip(b"\n")
    for write in _INDENTED if b"\n" in bare[:_LOOK] else _ON_ONE_LINE:
        if _write_or_empty(write, value) == bare:
            made = redact(value)
            return None if made == value else write(made) + text[len(bare) :]
    return _in_place(text, redact)


_LOOK = 200
Write = Callable[[Json], bytes]
_INDENTED: tuple[Write, ...] = (
    lambda value: orjson.dumps(value, option=orjson.OPT_INDENT_2),
    lambda value: json.dumps(value, indent=2).encode(),
)
_ON_ONE_LINE: tuple[Write, ...] = (orjson.dumps, lambda value: json.dumps(value).encode())
"""How most writers write: what one of them writes the same is written by it again."""


def _write_or_empty(write: Write, value: Json) -> bytes:
    try:
        return write(value)
    except (orjson.JSONEncodeError, UnicodeEncodeError):  # beyond 64 bits, halves of surrogates
        return b""


class _TwiceError(ValueError):
    """A key comes twice."""


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _TwiceError
    return found


def _in_place(text: bytes, redact: Callable[[Json], Json]) -> bytes | None:
    try:
        value = json.loads(text, object_pairs_hook=_distinct)
    except _TwiceError:
        return json.dumps(redact(json.loads(text))).encode()
    except RecursionError as deep:
        raise ValueError("nested too deep") from deep
    made = redact(value)
    written = text.decode(json.detect_encoding(text), "surrogatepass")
    done, last = [], 0
    literals = _LITERAL.finditer(written)
    for found, old, new in zip(literals, _leaves(value, []), _leaves(made, []), strict=False):
        if old != new:
            done += [written[last : found.start()], _literal(new, plain=written.isascii())]
            last = found.end()
    return "".join([*done, written[last:]]).encode("utf-8", "surrogatepass") if done else None


def _literal(value: Json, *, plain: bool) -> str:
    written = json.dumps(value, ensure_ascii=plain)
    try:
        written.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return written


def _leaves(value: Json, found: list[Json]) -> list[Json]:
    """Keys and scalars in the order they are written."""
    if isinstance(value, dict):
        for key, item in value.items():
            found.append(key)
            _leaves(item, found)
    elif isinstance(value, list):
        for item in value:
            _leaves(item, found)
    else:
        found.append(value)
    return found
