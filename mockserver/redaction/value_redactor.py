"""Decides what stands in for a value: by its field, its patterns, and the secrets seen so far."""

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping

from mockserver.model import Json
from mockserver.redaction.match_checks import fits_field, is_kept_form
from mockserver.redaction.pattern_search import PatternSearch
from mockserver.redaction.pseudonyms import Pseudonyms, kind_of, rank
from mockserver.redaction.readers import json_values, texts, tokens
from mockserver.redaction.readers.json_values import JsonWalk, JudgedFields, ObjectShapes
from mockserver.redaction.readers.texts import (
    has_encoded_runs,
    redact_encoded_runs,
    redact_percent_words,
)
from mockserver.redaction.reserved_values import is_made_of_pseudonyms, is_pseudonym, is_wildcard
from mockserver.redaction.rule import Rule, normalised_name
from mockserver.redaction.rules import RuleSet
from mockserver.redaction.seen_secrets import (
    LearnedValues,
    SeenSecrets,
    has_pattern,
    is_distinctive,
    is_distinctive_alone,
)
from mockserver.redaction.stated_values import StatedValues

_RECORDED = re.compile(
    r"redacted-(?:id|secret)-[0-9a-f]{16}|project-[0-9a-f]{8}|Qx(?:[a-z]{2}){5}"
    r"|900[0-9]{4,}|C0z[0-9a-z]{6}"
)
_WORD = re.compile(r"[^\W_](?:[\w.~-]*\w)?")
_SHORTEST = 4
_MOST = 100_000
_KINDS = ("id", "secret", "project", "person_name")


class RecordedPseudonyms:
    """Pseudonyms of recorded requests, and the raw values that turn out to be theirs."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self._recorded: set[str] = set()
        self._words: dict[str, str] = {}

    def record(self, text: str) -> None:
        """Take note of the pseudonyms in a redacted text."""
        found = _RECORDED.findall(text)
        if found and not self._recorded.issuperset(found):
            self._recorded.update(found)
            self._words.clear()

    def replace_recorded(self, text: str) -> str:
        """A text with every word replaced whose pseudonym was recorded."""
        if not self._recorded:
            return text
        return _WORD.sub(self._word, text)

    def _word(self, found: "re.Match[str]") -> str:
        word = found[0]
        if len(word) < _SHORTEST:
            return word
        made = self._words.get(word)
        if made is None:
            if len(self._words) >= _MOST:
                self._words.clear()
            candidates = (self._pseudonym_of(kind, word) for kind in _KINDS)
            made = next((one for one in candidates if one in self._recorded), word)
            self._words[word] = made
        return made

    def _pseudonym_of(self, kind: str, word: str) -> str:
        made = self._pseudonyms.of("password" if kind == "secret" else kind, word)
        return made if made != word else ""


_DEEPEST = 4
_FEW_DIGITS = 6
_REMEMBERED = 16_000_000
_ENTRY = 200
_MOST_VALUES = 20_000
_JSON = re.compile(r"\s*(?:\{.*\}|\[.*\])\s*", re.DOTALL)
_EMAIL = re.compile(r"[^\s@<>\"]+@[^\s@<>\"]+")
_NAMED_EMAIL = re.compile(r"\s*(\"?)([^<>@\"]+?)\1\s*<([^<>\s]+)>\s*")
_SWITCHED = frozenset({"true", "false", "yes", "no", "on", "off", "null", "none"})
"""What no secret is, whatever its field is called."""
_PATHS = frozenset({"customer", "project", "organization", "device", "account", "org_unit"})


class ValueRedactor:
    """Redacts values and texts; remembers what became of them.

    Attributes:
        rules: As given.
        pseudonyms: As given.
        seen: Every value that was replaced: what the leak gate searches for.
        learned: Of these the values that are replaced wherever they stand, whether a rule finds
            them there or not.
        recognised: The pseudonyms in recorded requests, by which a live request is redacted alike.
        shapes: What the names of the fields of objects tell.
        judged_fields: What became of texts in fields.

    Args:
        rules: What secrets look like and where they stand.
        pseudonyms: What stands in for them.
        stated: What stays in clear unless it opens something.
    """

    def __init__(
        self, rules: RuleSet, pseudonyms: Pseudonyms, stated: StatedValues | None = None
    ) -> None:
        self.rules = rules
        self._stated = stated or StatedValues()
        self.pseudonyms = pseudonyms
        self.seen = SeenSecrets()
        self.learned = LearnedValues()
        self.recognised = RecordedPseudonyms(pseudonyms)
        self._finder = PatternSearch(rules, self._redact_match)
        self._judged: dict[str, str] = {}
        self._size = 0
        self._values: dict[str, dict[str, str]] = {}
        self._shapes: dict[tuple[str, tuple[str, ...]], bool] = {}
        self._kept: dict[str, bool] = {}
        self.shapes = ObjectShapes(rules)
        self.judged_fields: JudgedFields = {}

    def redact_text(self, text: str, depth: int = 0) -> str:
        """A text with what is found in it replaced."""
        return self.redact_texts((text,), depth)[text]

    def redact_texts(self, texts: Iterable[str], depth: int = 0) -> Mapping[str, str]:
        """The same for many at once, by text."""
        if self._size > _REMEMBERED:
            self._judged, self._size = {}, 0  # who walks now keeps the old one
        judged = self._judged
        unknown = [text for text in texts if text not in judged]
        if not unknown:
            return judged
        self._size += sum(map(len, unknown)) + _ENTRY * len(unknown)
        layered: list[tuple[str, str]] = []
        plain = []
        for text in unknown:
            if depth >= _DEEPEST or not _is_layered(text):
                plain.append(text)
            elif (opened := self._opened_json(text, depth)) is not None:
                judged[text] = opened
            else:
                layered.append((text, self._redact_notations(text, depth)))
        self._batch(plain, layered, depth, judged)
        return judged

    def with_known_values(self, text: str) -> str:
        """A redacted text in which known values are replaced besides.

        Known are values that were replaced elsewhere, and those whose pseudonyms stand in a
        recorded request. It is for URLs and headers: in bodies only the former count.
        """
        return self.recognised.replace_recorded(self.replace_learned(text))

    def replace_learned(self, text: str) -> str:
        """A text, already judged, with values that were learned replaced.

        In JSON they are replaced string by string: a value with quotes in it must not be found
        where it is the end of one string and the beginning of the next.
        """
        if not self.learned.may_occur(text):
            return text
        if _JSON.fullmatch(text):
            with contextlib.suppress(ValueError):
                return self.replace_learned_in_json(text)
        return self.learned.replace(text)

    def replace_learned_in_json(self, text: str) -> str:
        """The same for what is a JSON text.

        Raises:
            ValueError: It is none.
        """
        if not self.learned.may_occur(text):
            return text
        try:
            made = json_values.redact_json_text(
                text.encode("utf-8", "surrogatepass"), self._learned_json
            )
        except RecursionError as deep:
            raise ValueError("nested too deep") from deep
        return text if made is None else made.decode("utf-8", "surrogatepass")

    def _learned_json(self, value: Json) -> Json:
        kind = type(value)
        if kind is str:
            return self.replace_learned(value)
        if kind is dict:
            return {
                self.replace_learned(name): self._learned_json(item) for name, item in value.items()
            }
        if kind is list:
            return [self._learned_json(item) for item in value]
        if kind is int and len(text := str(value)) >= _FEW_DIGITS:
            return int(self.learned.replace(text))
        return value

    def redact_value(self, rule: Rule, text: str) -> str:
        """The stand-in of the whole value of a field; itself where it is none of the rule's."""
        known = self._values.get(rule.name)
        if known is None or len(known) > _MOST_VALUES:
            known = self._values[rule.name] = {}
        made = known.get(text)
        if made is None:
            made = known[text] = self._value(rule, text)
        return made

    def applies_to_object(self, rule: Rule, names: tuple[str, ...]) -> bool:
        """Whether a rule has to do with an object of these fields; objects share few shapes."""
        shape = (rule.name, names)
        found = self._shapes.get(shape)
        if found is None:
            if len(self._shapes) > _MOST_VALUES:
                self._shapes.clear()
            fields = {normalised_name(name) for name in names}
            found = fields.isdisjoint(rule.apart)
            found = found and (not rule.beside or not fields.isdisjoint(rule.beside))
            self._shapes[shape] = found
        return found

    def redact_json(self, value: Json, depth: int = 0) -> Json:
        """A JSON value redacted."""
        if len(self.judged_fields) > _MOST_VALUES:
            self.judged_fields.clear()
        return JsonWalk(self, depth).redact(value)

    def redact_whole_json(self, value: Json) -> Json:
        """A JSON value redacted, learned values in its texts included."""
        return self._learned_json(self.redact_json(value))

    def redact_json_text(self, content: bytes, depth: int = 0) -> bytes | None:
        """A JSON text redacted; None where nothing is replaced.

        Raises:
            ValueError: It is no JSON.
        """
        try:
            return json_values.redact_json_text(
                content, lambda value: self.redact_json(value, depth)
            )
        except RecursionError as deep:
            raise ValueError("nested too deep") from deep

    def stand_in(self, kind: str, value: str) -> str:
        """The pseudonym of a value, which is remembered as seen.

        Of the kinds that a value has in different places the one that tells most of it counts
        everywhere, whichever came first.
        """
        kind = kind_of(kind, value)
        known = self.seen.find(value)
        if known is not None and known[0] == kind != "jwt":  # those are made in parts
            return known[1]
        made = self.pseudonyms.of(kind, value)
        if made == value:
            return made
        if known is not None:
            return self._of_two(known, kind, value, made)
        if kind in self.rules.personal_kinds and value in self._stated:
            return value
        findable = is_distinctive(kind, value, made)
        if self.seen.note(kind, value, made, findable=findable):
            self._learn(kind, value, made)
        return made

    def _of_two(self, known: tuple[str, str], kind: str, value: str, pseudonym: str) -> str:
        other, before = known
        if before == pseudonym or not self._is_joined(kind, value, pseudonym):
            return pseudonym
        if rank(kind) <= rank(other) and self._is_joined(other, value, before):
            return before
        self.seen.change(kind, value, pseudonym)
        self._learn(kind, value, pseudonym)
        self.learned.add(before, pseudonym)
        self._judged, self._size = {}, 0
        self._values.clear()
        self.judged_fields.clear()
        self._finder.forget()
        return pseudonym

    def _is_joined(self, kind: str, value: str, pseudonym: str) -> bool:
        return is_distinctive(kind, value, pseudonym) or is_distinctive_alone(kind, value)

    def _learn(self, kind: str, value: str, pseudonym: str) -> None:
        if has_pattern(kind):
            return
        if is_distinctive(kind, value, pseudonym):
            self.learned.add(value, pseudonym)
        elif is_distinctive_alone(kind, value):
            self.learned.add_whole(value, pseudonym)

    def _value(self, rule: Rule, text: str) -> str:
        if not text or rule.keep or not fits_field(rule, text):
            return text
        if rule.credential:
            kept = is_pseudonym(text) or text.lower() in _SWITCHED
            return text if kept else self._credential(rule.kind, text)
        return text if is_wildcard(text) else self._personal(rule.kind, text)

    def _batch(
        self,
        plain: list[str],
        layered: list[tuple[str, str]],
        depth: int,
        judged: dict[str, str],
    ) -> None:
        """Judge texts as they are, and texts of which one layer was opened already."""
        texts = [*plain, *(opened for _, opened in layered)]
        contents = [text.encode("utf-8", "surrogatepass") for text in texts]
        found = [
            text if new is old else new.decode("utf-8", "surrogatepass")
            for text, old, new in zip(
                texts, contents, self._finder.replace_each(contents), strict=True
            )
        ]
        judged.update(zip(plain, found, strict=False))
        for (text, _), made in zip(layered, found[len(plain) :], strict=True):
            judged[text] = redact_encoded_runs(made, self._inner_text(depth))

    def _inner_text(self, depth: int) -> Callable[[str], str]:
        return lambda part: self.replace_learned(self.redact_text(part, depth + 1))

    def _patterns(self, text: str) -> str:
        content = text.encode("utf-8", "surrogatepass")
        return self._finder.replace(content).decode("utf-8", "surrogatepass")

    def _redact_notations(self, text: str, depth: int) -> str:
        """A text with what is written in another way in it redacted, but for runs of base64."""
        made = text
        if texts.has_markup(made):
            made = texts.redact_markup(self, made, depth)
        made = texts.redact_quoted_printable(self, made, depth)
        made = texts.redact_secret_manifest(self, made)
        made = texts.redact_notations(self, made)
        return redact_percent_words(made, self._inner_text(depth))

    def redact_named_value(self, name: str, value: str) -> str:
        """What stands in for the whole value of a field; itself where no rule names it."""
        rule = self.find_rule(name, value)
        return value if rule is None else self.redact_value(rule, value)

    def find_rule(self, name: str, value: str) -> Rule | None:
        """The first rule that has something to say to a text in a field of this name."""
        fits = (
            rule
            for rule in self.rules.rules_for_field(name)
            if not rule.beside and not rule.within and not rule.keep and fits_field(rule, value)
        )
        return next(fits, None)

    def is_kept_field(self, name: str, value: str) -> bool:
        """Whether a rule says of a field of this name that its value is no secret."""
        kept = self._kept.get(name)
        if kept is None:
            kept = any(rule.keep for rule in self.rules.rules_for_field(name))
            if len(self._kept) < _MOST_VALUES:
                self._kept[name] = kept
        return kept and is_kept_form(value)

    def _opened_json(self, text: str, depth: int) -> str | None:
        if not _JSON.fullmatch(text):
            return None
        try:
            made = self.redact_json_text(text.encode("utf-8", "surrogatepass"), depth + 1)
        except ValueError:
            return None
        return text if made is None else made.decode("utf-8", "surrogatepass")

    def _redact_match(self, rule: Rule, text: str) -> str:
        if rule.kind == "assigned":
            return self._redact_assigned(text)
        if is_pseudonym(text) or is_wildcard(text):
            return text
        if rule.kind == "authorization" and is_made_of_pseudonyms(text):
            return text
        return self._plain(rule.kind, text)

    def _redact_assigned(self, text: str) -> str:
        if text.endswith("("):
            return self._redact_assigned(text[:-1]) + "("
        if is_made_of_pseudonyms(text):
            return text
        made = self._patterns(text)
        if is_made_of_pseudonyms(made):
            return made
        return tokens.redact_authorization(text, self.stand_in)

    def _credential(self, kind: str, text: str) -> str:
        if tokens.is_jwt(text) or kind in {"authorization", "cookie"}:
            return self._plain(kind, text)
        made = self._patterns(text)
        return made if is_pseudonym(made) else self.stand_in(kind, text)

    def _plain(self, kind: str, text: str) -> str:
        if tokens.is_jwt(text):
            return self._jwt(text)
        if kind == "authorization":
            return tokens.redact_authorization(text, self._inner)
        if kind == "cookie":
            return tokens.redact_cookies(text, self._inner)
        return self.stand_in(kind, text)

    def _inner(self, kind: str, text: str) -> str:
        if is_pseudonym(text):
            return text
        if kind == "cookie":
            made = self._patterns(text)
            return made if is_pseudonym(made) else self.stand_in(kind, text)
        return self._credential(kind, text)

    def _jwt(self, text: str) -> str:
        made = tokens.redact_jwt(text, self.pseudonyms, self._opened_claims)
        if made != text:
            self.seen.note("jwt", text, made)
            self.seen.note("jwt", text.rpartition(".")[2], made.rpartition(".")[2])
        return made

    def _opened_claims(self, content: bytes) -> bytes | None:
        try:
            return self.redact_json_text(content, 1)
        except ValueError:
            return None

    def _personal(self, kind: str, text: str) -> str:
        if kind in _PATHS and "/" in text:
            made = self.redact_text(text, 1)
            if made != text or text.partition("/")[0].lower() in self.rules.collections:
                return made
        if kind == "email":
            return self._email(text)
        return self.stand_in(kind, text)

    def _email(self, text: str) -> str:
        if _EMAIL.fullmatch(text):
            return self.stand_in("email", text)
        named = _NAMED_EMAIL.fullmatch(text)
        if named is None:
            return self._patterns(text)
        name, address = self.stand_in("person_name", named[2]), self._email(named[3])
        return f"{named[1]}{name}{named[1]} <{address}>"


def _is_layered(text: str) -> bool:
    return (
        text[:1] in "{[ \n"
        or has_encoded_runs(text)
        or texts.has_markup(text)
        or "kind:" in text
        or texts.has_notation(text)
    )
