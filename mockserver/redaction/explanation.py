"""Says which rule replaced what, and where: the same redaction with a trace of itself.

Redaction proper keeps no trace and pays nothing for this one: what is overridden here is what
every replacement passes.
"""

from base64 import b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from typing_extensions import override

from mockserver.model import Interaction, Json, JsonObject
from mockserver.redaction.bodies import redact_body
from mockserver.redaction.headers import redact_header, redact_url
from mockserver.redaction.pattern_search import PatternSearch, Replace
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.readers.json_values import JsonWalk
from mockserver.redaction.rule import Rule
from mockserver.redaction.rules import RuleSet
from mockserver.redaction.seen_secrets import LearnedValues
from mockserver.redaction.value_redactor import ValueRedactor

_KEY = b"no pseudonym made with it is ever kept"
_PASSES = 4
_MOST_SEARCHES = 1000
"""How many values are looked for in vain in one text; of further ones no position is told."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """One replacement. Its text never shows the value.

    Attributes:
        rule: The name of the rule that fired; of a learned value, of the rule that taught it.
        kind: Of which kind the pseudonym is.
        place: `interaction 2, response body, /users/0/email`, `line 3, column 7`, ...
        reason: What the rule fired by: `field`, `pattern`, `path` (the segment before it), or
            `learned`.
        learned_from: Of a learned value, the place where its rule fired first.
        value: As it was.
    """

    rule: str
    kind: str
    place: str
    reason: str
    learned_from: str = ""
    value: str = field(default="", repr=False)


@dataclass(slots=True)
class _Firing:
    """A pseudonym that was made.

    Attributes:
        rule: Name of the rule that asked for it.
        kind: Of the pseudonym.
        reason: As of a `Replacement`.
        field: The name of the field whose value it is or is in, or an empty string.
        value: As it was.
        made: The pseudonym.
        learned_from: As of a `Replacement`.
    """

    rule: str
    kind: str
    reason: str
    field: str
    value: str
    made: str
    learned_from: str = ""


class Explainer:
    """Redacts values, texts and interactions, and keeps what was replaced by which rule.

    Attributes:
        replacements: In the order in which they were made; equal ones once.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.replacements: list[Replacement] = []
        self._known: set[Replacement] = set()
        self._values = _TracedValues(rules, self._add)

    def explain_json(self, value: Json) -> None:
        """Redact a JSON value; places are JSON pointers."""
        self._values.redact_whole_json(value)

    def explain_text(self, text: str) -> None:
        """Redact a text; places are lines and columns, both from 1."""
        self._values.replace_learned(self._values.redact_text(text))

    def explain_interactions(self, interactions: Iterable[Interaction]) -> None:
        """Redact interactions; what any of them tells is found in all."""
        made = list(interactions)
        for _ in range(_PASSES):
            before = self._values.seen.changes
            made = [self._redact(each, number) for number, each in enumerate(made, 1)]
            if self._values.seen.changes == before:
                return

    def _redact(self, interaction: Interaction, number: int) -> Interaction:
        request, response, values = interaction.request, interaction.response, self._values
        message = f"interaction {number}, "

        def headers(
            side: str, headers_of_side: Iterable[tuple[str, str]]
        ) -> tuple[tuple[str, str], ...]:
            made = []
            for name, value in headers_of_side:
                with values.part(f"{message}{side} header {name.lower()}"):
                    made.append((name, redact_header(values, name, value)))
            return tuple(made)

        with values.part(f"{message}response body"):
            pieces = redact_body(values, response.headers, response.body)
        with values.part(f"{message}status"):
            reason = values.replace_learned(values.redact_text(response.reason))
        answered = replace(
            response,
            headers=headers("response", response.headers),
            body=b"".join(piece.new for piece in pieces),
            reason=reason,
            chunks=(),
        )
        with values.part(f"{message}request body"):
            pieces = redact_body(values, request.headers, request.body)
        asked = replace(
            request,
            headers=headers("request", request.headers),
            body=b"".join(piece.new for piece in pieces),
        )
        with values.part(f"{message}request URL"):
            asked = replace(asked, url=redact_url(values, request.url))
        return replace(interaction, request=asked, response=answered)

    def _add(self, replacement: Replacement) -> None:
        if replacement not in self._known:
            self._known.add(replacement)
            self.replacements.append(replacement)


class _TracedValues(ValueRedactor):
    """Notes each pseudonym that is made, with the rule that asked for it.

    What happens within a text or a value is gathered in a frame; outside of all frames it is told
    with its place.
    """

    def __init__(self, rules: RuleSet, add: Callable[[Replacement], None]) -> None:
        super().__init__(rules, Pseudonyms(_KEY))
        self._finder = _TracedSearch(rules, self._redact_match)
        self.judged_fields = _Forgetful()
        self.learned = _TracedLearned(self._note_learned)
        self._add = add
        self._part = ""
        self._frames: list[list[_Firing]] = []
        self._of_text: dict[str, list[_Firing]] = {}
        self._taught: dict[str, Replacement] = {}
        self._rule: Rule | None = None
        self._reason = ""
        self.field = ""

    @contextmanager
    def part(self, part: str) -> Iterator[None]:
        """Tell what is replaced meanwhile as a replacement in a part of a message.

        Yields:
            Once.
        """
        self._part, outer = part, self._part
        yield
        self._part = outer

    @contextmanager
    def frame(self) -> Iterator[list[_Firing]]:
        """Gather what is replaced meanwhile.

        Yields:
            A list that it is added to.
        """
        gathered: list[_Firing] = []
        self._frames.append(gathered)
        yield gathered
        self._frames.pop()

    def firings_of(self, text: str) -> list[_Firing]:
        """What was replaced in a text that was judged."""
        return self._of_text.get(text, [])

    def tell(self, firings: Iterable[_Firing], place: str = "", text: str = "") -> None:
        """Tell firings with their place.

        Args:
            firings: What was replaced.
            place: A pointer, or an empty string.
            text: Where they stand; their positions in it are told.
        """
        positions = _Positions(text)
        for firing in firings:
            whole = bool(place or self._part)
            parts = (self._part, place, positions.position(firing.value, whole=whole))
            told = Replacement(
                firing.rule,
                firing.kind,
                ", ".join(part for part in parts if part),
                firing.reason,
                firing.learned_from,
                firing.value,
            )
            self._add(told)
            if not firing.learned_from:
                self._taught.setdefault(firing.value, told)
                self._taught.setdefault(firing.made, told)

    @override
    def redact_texts(self, texts: Iterable[str], depth: int = 0) -> Mapping[str, str]:
        made = {}
        for text in texts:
            with self.frame() as firings:
                made[text] = super().redact_texts((text,), depth)[text]
            firings = self._of_text.setdefault(text, firings)
            if self._frames:
                self._frames[-1].extend(firings)
            else:
                self.tell(firings, self._parameter(), text)
        return made

    @override
    def redact_value(self, rule: Rule, text: str) -> str:
        with self.frame() as firings:
            made = self._record_firing(rule, "field", lambda: self._value(rule, text))
        firings = _as_one(firings, made)
        for firing in firings:
            firing.field = self.field or rule.name
        self._gather(firings)
        return made

    @override
    def find_rule(self, name: str, value: str) -> Rule | None:
        self.field = name
        return super().find_rule(name, value)

    @override
    def stand_in(self, kind: str, value: str) -> str:
        made = super().stand_in(kind, value)
        if made != value:
            self._note(kind, value, made)
        return made

    @override
    def redact_json(self, value: Json, depth: int = 0) -> Json:
        if self._frames:
            return super().redact_json(value, depth)
        with self.frame():
            walk = _TracedWalk(self, depth)
            made = walk.redact(value)
        walk.tell(value, made, "", ())
        return made

    @override
    def _learned_json(self, value: Json, place: str = "") -> Json:
        if self._frames:
            return super()._learned_json(value)
        if isinstance(value, dict):
            names = {name: f"{place}/{_escape(name)}" for name in value}
            return {
                self._in_place(f"name of {names[name]}", name): self._learned_json(
                    item, names[name]
                )
                for name, item in value.items()
            }
        if isinstance(value, list):
            return [self._learned_json(item, f"{place}/{at}") for at, item in enumerate(value)]
        with self.frame() as firings:
            made = super()._learned_json(value)
        self.tell(firings, place, str(value))
        return made

    def _in_place(self, place: str, text: str) -> str:
        with self.frame() as firings:
            made = self.replace_learned(text)
        self.tell(firings, place, text)
        return made

    @override
    def _redact_match(self, rule: Rule, text: str) -> str:
        with self.frame() as firings:
            reason = "pattern" if rule.pattern else "path"
            made = self._record_firing(
                rule, reason, lambda: super(_TracedValues, self)._redact_match(rule, text)
            )
        self._gather(_as_one(firings, made))
        return made

    @override
    def _jwt(self, text: str) -> str:
        made = super()._jwt(text)
        if made != text:
            self._note("jwt", text, made)
        return made

    def _record_firing(self, rule: Rule, reason: str, redact: Callable[[], str]) -> str:
        outer = self._rule, self._reason
        self._rule, self._reason = rule, reason
        made = redact()
        self._rule, self._reason = outer
        return made

    def _note(self, kind: str, value: str, replacement: str) -> None:
        known = self.seen.find(value)
        kind = known[0] if known else kind
        name = self._rule.name if self._rule else kind
        self._gather([_Firing(name, kind, self._reason or "pattern", "", value, replacement)])

    def _note_learned(self, text: str, found: Iterable[tuple[str, str]]) -> None:
        firings = []
        for value, made in found:
            taught = self._taught.get(value) or self._taught.get(made) or _UNTOLD
            firings.append(
                _Firing(taught.rule, taught.kind, "learned", "", value, made, taught.place)
            )
        if self._frames:
            self._frames[-1].extend(firings)
        else:
            self.tell(firings, self._parameter(), text)

    def _gather(self, firings: list[_Firing]) -> None:
        if self._frames:
            self._frames[-1].extend(firings)
        else:
            self.tell(firings, _field_place(self.field, self._part))

    def _parameter(self) -> str:
        """The parameter whose value is redacted just now, where it is that of one."""
        return _field_place(self.field, self._part) if self.field.startswith("?") else ""


_UNTOLD = Replacement("", "", "a value that was coded", "")


class _TracedSearch(PatternSearch):
    """Remembers no find, so that each of them is noted."""

    def __init__(self, rules: RuleSet, replace: Replace) -> None:
        super().__init__(rules, replace)
        self._pieces = _Forgetful()


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Forgetful(dict[_Key, _Value]):
    @override
    def __setitem__(self, key: _Key, value: _Value) -> None:
        """Keep nothing."""


class _TracedLearned(LearnedValues):
    """Notes each learned value that is replaced."""

    def __init__(self, note: Callable[[str, Iterable[tuple[str, str]]], None]) -> None:
        super().__init__()
        self._note = note

    @override
    def replace_whole(self, text: str) -> str:
        made = super().replace_whole(text)
        if made != text:
            self._note(text, [(text, made)])
        return made

    @override
    def replace(self, text: str) -> str:
        self._note(text, self.find(text))
        return super().replace(text)


class _TracedWalk(JsonWalk):
    """Notes what rules of fields do in each object and list, and tells it by JSON pointers."""

    def __init__(self, values: _TracedValues, depth: int) -> None:
        super().__init__(values, depth)
        self._values = values
        self._firings: dict[int, list[_Firing]] = {}

    def tell(self, old: Json, new: Json, pointer: str, around: tuple[int, ...]) -> None:
        """Tell what was replaced in a value.

        Args:
            old: The value before.
            new: The same value redacted.
            pointer: Where it stands.
            around: Ids of the containers around it, from outside.
        """
        if isinstance(old, dict) and isinstance(new, dict):
            for (name, item), (made_name, made) in zip(old.items(), new.items(), strict=False):
                inner = f"{pointer}/{_escape(name)}"
                if name != made_name:
                    self._values.tell(self._values.firings_of(name), f"name of {inner}", name)
                self.tell(item, made, inner, (*around[-_AROUND:], id(old)))
        elif isinstance(old, list) and isinstance(new, list):
            for place, (item, made) in enumerate(zip(old, new, strict=False)):
                self.tell(item, made, f"{pointer}/{place}", (*around[-_AROUND:], id(old)))
        elif old != new:
            text = str(old)
            names = pointer.split("/")[-_AROUND:]
            firings = self._firings_of(text, str(new), names, around)
            self._values.tell(firings, pointer, text)

    def _firings_of(
        self, text: str, replacement: str, names: list[str], around: tuple[int, ...]
    ) -> list[_Firing]:
        """What replaced a text, told by the containers around it and its own patterns."""
        noted = [
            firing
            for each in reversed(around)
            for firing in self._firings.get(each, ())
            if firing.field
        ]
        own = self._values.firings_of(text)
        exact = [each for each in noted if each.value == text]
        named = [each for each in exact if _escape(each.field) in names]
        parts = [each for each in noted if each.value in text and each.made in replacement]
        coded = [each for each in noted if b64encode(each.value.encode()).decode() == text]
        return named[:1] or own or exact[:1] or parts or coded[:1]

    @override
    def _object(self, value: JsonObject, parent: str = "") -> JsonObject:
        with self._values.frame() as firings:
            made = super()._object(value, parent)
        self._firings.setdefault(id(value), []).extend(firings)
        return made

    @override
    def _list(self, value: list[Json], parent: str) -> list[Json]:
        with self._values.frame() as firings:
            made = super()._list(value, parent)
        self._firings.setdefault(id(value), []).extend(firings)
        return made

    @override
    def _by_rules(
        self, rules: tuple[Rule, ...], name: str, value: Json, around: JsonObject, parent: str
    ) -> Json:
        self._values.field = name
        return super()._by_rules(rules, name, value, around, parent)


_AROUND = 3
"""So many containers further up may tell of a value: the data of a manifest, rows of a table."""


class _Positions:
    """Where values stand in a text; one that comes again is looked for behind the last."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._missed = 0
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def position(self, value: str, *, whole: bool) -> str:
        """Line and column of a value; nothing where it is all of the text, or coded in it.

        Args:
            value: What to look for.
            whole: Whether the text has a place of its own, so that only what is beyond its
                beginning is told.
        """
        if not self._text or (whole and value == self._text) or self._missed > _MOST_SEARCHES:
            return ""
        start = self._text.find(value, self._at)
        if start < 0:
            start = self._text.find(value)
        if start < 0:
            self._missed += 1
            return "in another coding"
        self._at = start + len(value)
        if whole and len(self._starts) < _TWO_LINES:
            return f"character {start + 1}"
        line = bisect_right(self._starts, start)
        return f"line {line}, column {start - self._starts[line - 1] + 1}"


_TWO_LINES = 3


def _as_one(firings: list[_Firing], replacement: str) -> list[_Firing]:
    """What made a value as it is now; what was tried on a part of it before does not count."""
    whole = [each for each in firings if each.made == replacement]
    return whole[-1:] or firings


def _field_place(name: str, part: str) -> str:
    if not name or part.endswith(f" header {name}"):
        return ""
    return f"parameter {name[1:]}" if name.startswith("?") else f"field {name}"


def _escape(name: str) -> str:
    """A name as JSON pointers write it."""
    return name.replace("~", "~0").replace("/", "~1")
