"""Ordered rules of redaction: of those that fit a value the first wins; reads a user's rules."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from fnmatch import translate
from functools import cached_property
from typing import Any

from typing_extensions import override

from mockserver.model import Json, JsonObject
from mockserver.plugins import Table, of_kind
from mockserver.redaction.default_rules import CREDENTIALS, KEPT, PERSONAL
from mockserver.redaction.public_ids import PublicId, parse_public_id
from mockserver.redaction.reserved_values import CREDENTIAL_KINDS
from mockserver.redaction.rule import CHECKS, Rule, last_word, normalised_name

_LISTS = ("fields", "collections", "beside", "apart", "within")
_OWN = (*KEPT, *CREDENTIALS, *PERSONAL)
KIND = re.compile(r"[a-z][a-z0-9_]{0,30}")


@dataclass(frozen=True)
class RuleSet:
    """Rules in their order: of those that fit a value the first wins.

    Attributes:
        rules: In order.
        allow: RE2 patterns of whole texts that look like secrets and are none; they are redacted
            all the same where a rule says so, and never told as a leak.
        public: Kinds of ids that a user accepted as public, beside those of the table.
    """

    rules: tuple[Rule, ...]
    allow: tuple[str, ...] = ()
    public: tuple[PublicId, ...] = ()
    _found: dict[str, tuple[Rule, ...]] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def default() -> "RuleSet":
        """The rules that hold for every API."""
        return RuleSet(tuple(rule for rule in _all_rules() if not rule.optional))

    @staticmethod
    def optional() -> tuple[Rule, ...]:
        """The rules that are asked only where `on` of redaction.yaml names them."""
        return tuple(rule for rule in _all_rules() if rule.optional)

    def with_rules_before(self, rules: Iterable[Rule]) -> "RuleSet":
        """These rules with others before them; one of the same name takes the place of ours."""
        more = tuple(rules)
        names = {rule.name for rule in more}
        kept = (rule for rule in self.rules if rule.name not in names)
        return RuleSet((*more, *kept), self.allow, self.public)

    def without(self, names: Iterable[str]) -> "RuleSet":
        """These rules but for those of these names."""
        unwanted = frozenset(names)
        kept = tuple(rule for rule in self.rules if rule.name not in unwanted)
        return RuleSet(kept, self.allow, self.public)

    @classmethod
    def parse(cls, document: JsonObject) -> "RuleSet":
        """The default rules, changed by a user's own.

        Args:
            document: `{"rules": [{name, kind, fields?, pattern?, ...}], "off": [names],
                "on": [names], "allow": [patterns, or {kind, shape, field?}]}`.

        Raises:
            ValueError: A rule that cannot be; the message says which and why.
        """
        for key in document:
            if key not in {"rules", "off", "on", "allow"}:
                raise ValueError(f"{key!r} is not known here; known: rules, off, on, allow")
        default = cls.default()
        off = _texts(document.get("off", []), "off")
        optional = {rule.name: rule for rule in cls.optional()}
        known = [rule.name for rule in default.rules]
        for name in off:
            if name not in known and name not in optional:
                near = get_close_matches(name, [*known, *optional], n=1)
                hint = f"; the nearest is {near[0]}" if near else ""
                raise ValueError(f"off: there is no rule {name!r}{hint}")
        on = _texts(document.get("on", []), "on")
        for name in on:
            if name not in optional:
                raise ValueError(f"on: {name!r} is not one of {', '.join(optional)}")
        allow, public = _read_allowed(document.get("allow", []))
        asked = default.without(off).with_rules_before([optional[name] for name in on])
        rules = asked.with_rules_before(parse_rules(document.get("rules", [])))
        return RuleSet(rules.rules, allow, public)

    def rules_for_field(self, name: str) -> tuple[Rule, ...]:
        """The rules that may fit a field of this name, in order; remembered."""
        found = self._found.get(name)
        if found is None:
            found = self._look_up(name)
            if len(self._found) < _REMEMBERED:
                self._found[name] = found
        return found

    def find(self, name: str) -> Rule | None:
        """The rule of a name; None where it is not asked."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> Mapping[str, Rule]:
        return {rule.name: rule for rule in self.rules}

    @cached_property
    def personal_kinds(self) -> frozenset[str]:
        """The kinds of values that open nothing: names, addresses, ids."""
        opening = CREDENTIAL_KINDS | {rule.kind for rule in self.rules if rule.credential}
        return frozenset(rule.kind for rule in self.rules if not rule.keep) - opening

    @cached_property
    def collections(self) -> Mapping[str, Rule]:
        """Collections whose next path segment is a secret, by name."""
        return {name: rule for rule in reversed(self.rules) for name in rule.collections}

    @override
    def __hash__(self) -> int:
        return hash(self.rules)

    def _look_up(self, name: str) -> tuple[Rule, ...]:
        asked = "?" if name.startswith("?") else ""
        if name.endswith("]") and (inner := _BRACKETED.findall(name)):
            name = name[: name.startswith("?")] + inner[-1]
        plain = normalised_name(name.removeprefix("?"))
        names = {plain, asked + plain, f"~{last_word(name)}"}
        return tuple(
            rule
            for rule, exact, globs in self._by_field
            if not names.isdisjoint(exact) or (globs and globs.fullmatch(plain))
        )

    @cached_property
    def _by_field(self) -> list[tuple[Rule, frozenset[str], "re.Pattern[str] | None"]]:
        return [
            (
                rule,
                frozenset(name for name in rule.fields if "*" not in name),
                _globs(name for name in rule.fields if "*" in name),
            )
            for rule in self.rules
            if rule.fields
        ]


def _all_rules() -> tuple[Rule, ...]:
    """The rules of plug-ins, which know more than ours of what they are for, and ours."""
    return (*(rule for rules in PLUGINS.values() for rule in rules), *_OWN)


_REMEMBERED = 50_000
_BRACKETED = re.compile(r"\[[\"']?([^\[\]\"']+)")
"""The parts of `user[password]`, as forms write what is within something."""


def _globs(names: Iterable[str]) -> "re.Pattern[str] | None":
    found = [translate(name) for name in names]
    return re.compile("|".join(found)) if found else None


def parse_rules(value: Json) -> tuple[Rule, ...]:
    """Rules from a list of mappings.

    Raises:
        ValueError: A rule that cannot be; the message says which and why.
    """
    if not isinstance(value, list):
        raise ValueError("rules: a list of rules was expected")  # noqa: TRY004 - a user's file
    rules = tuple(_parse_rule(item, f"rules[{place}]") for place, item in enumerate(value))
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"rules: {name!r} is there twice")
    return rules


def _parse_rule(value: Json, where: str) -> Rule:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: a mapping was expected")  # noqa: TRY004 - a user's file
    known = [item.name for item in fields(Rule) if item.name != "search_group"]
    for key in value:
        if key not in known:
            raise ValueError(f"{where}: {key!r} is not known here; known: {', '.join(known)}")
    lists = {key: tuple(_texts(value[key], f"{where}.{key}")) for key in _LISTS if key in value}
    for key in ("fields", "beside", "apart", "within"):
        lists[key] = tuple(_field(name) for name in lists.get(key, ()))
    rule = Rule(
        name=_text(value, "name", where),
        kind=_text(value, "kind", where),
        pattern=_text(value, "pattern", where, needed=False),
        check=_text(value, "check", where, needed=False),
        about=_text(value, "about", where, needed=False),
        credential=value.get("credential", False) is True,
        keep=value.get("keep", False) is True,
        optional=value.get("optional", False) is True,
        search_group=0,
        **lists,
    )
    _examine(rule, where)
    return rule


def _examine(rule: Rule, where: str) -> None:
    if not (rule.fields or rule.pattern or rule.collections):
        raise ValueError(f"{where}: fields, pattern or collections is needed")
    if not KIND.fullmatch(rule.kind):
        raise ValueError(f"{where}.kind: a word of lower-case letters was expected")
    if rule.check and rule.check not in CHECKS:
        raise ValueError(f"{where}.check: {rule.check!r} is not one of {', '.join(CHECKS)}")
    if rule.pattern:
        _examine_pattern(rule.pattern, where)


def _accept(_name: str, provided: Any) -> tuple[Rule, ...]:
    """The rules of a plug-in: they replace more, and keep nothing that others would replace."""
    if not isinstance(provided, list | tuple):
        raise TypeError(
            f"it provides an object of type {type(provided).__name__}, and no tuple of rules"
        )
    rules = tuple(of_kind(each, Rule, "mockserver.redaction.Rule") for each in provided)
    own = {rule.name for rule in _OWN}
    for place, rule in enumerate(rules):
        where = f"rules[{place}]"
        if rule.name in own or [each.name for each in rules].count(rule.name) > 1:
            raise ValueError(f"{where}.name: there is a rule {rule.name!r} already")
        if rule.keep:
            raise ValueError(
                f"{where}.keep: only a user's redaction.yaml keeps what others replace"
            )
        _examine(rule, where)
    return tuple(replace(rule, fields=tuple(map(_field, rule.fields))) for rule in rules)


PLUGINS: Table[tuple[Rule, ...]] = Table("understudy.redaction", {}, _accept)
"""The rules of plug-ins (`understudy.redaction`), by the names of their entry points."""


def require_plugin_rules() -> None:
    """Refuse to write a recording that rules of a broken plug-in would have redacted.

    Raises:
        PluginError: An installed plug-in cannot be used.
    """
    PLUGINS.require_all("a recording needs the rules of redaction of every installed plug-in")


_LONGEST_PATTERN = 10_000


def _examine_pattern(pattern: str, where: str) -> None:
    import re2

    if len(pattern) > _LONGEST_PATTERN:
        raise ValueError(f"{where}.pattern: longer than {_LONGEST_PATTERN} characters")
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as failed:
        raise ValueError(f"{where}.pattern: not an RE2 expression") from failed
    if compiled.groups > 1:
        raise ValueError(f"{where}.pattern: one group at most; others are written (?:...)")
    if compiled.search("") is not None:
        raise ValueError(f"{where}.pattern: it matches an empty text")


def _read_allowed(value: Json) -> tuple[tuple[str, ...], tuple[PublicId, ...]]:
    """Texts that are no secrets, and kinds of ids that are none."""
    if not isinstance(value, list):
        raise ValueError("allow: a list was expected")  # noqa: TRY004 - a user's file
    texts: list[str] = []
    public: list[PublicId] = []
    for place, item in enumerate(value):
        where = f"allow[{place}]"
        if isinstance(item, str) and item:
            _examine_pattern(item, where)
            texts.append(item)
        else:
            each = parse_public_id(item, where)
            _examine_pattern(each.shape, where)
            public.append(each)
    return tuple(texts), tuple(public)


def _field(name: str) -> str:
    front = name[:1] if name[:1] in {"?", "~"} else ""
    return front + normalised_name(name.removeprefix(front))


def _text(value: JsonObject, key: str, where: str, *, needed: bool = True) -> str:
    found = value.get(key, "")
    if not isinstance(found, str) or (needed and not found):
        raise ValueError(f"{where}.{key}: a text was expected")
    return found


def _texts(value: Json, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError(f"{where}: a list of texts was expected")
    return [str(item) for item in value]
