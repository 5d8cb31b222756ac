"""Rules from observed resources: values that are equal in all, or follow from the request."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import orjson

from mockserver.apis.generic.templates import PERSONAL, Names, Unsaid, is_sure
from mockserver.model import Json, JsonMapping, JsonObject

ABSENT = "absent"
_PLAIN_WHEN = re.compile(r"^[A-Z][A-Z0-9_]{1,40}$")
_DEEPEST = 3
_LEAST_SHARE = 0.8
_LEAST_RECORDINGS = 2
Features: TypeAlias = dict[str, Json]


class Event(NamedTuple):
    """What a service said at one path of fields, in one observation.

    Attributes:
        seen_in: The number of the observation.
        kind: The kind of rule that would tell it.
        template: The template of what was said.
        others: Further templates that tell the same.
    """

    seen_in: int
    kind: str
    template: str
    others: tuple[str, ...] = ()


@dataclass
class Observed:
    """All that was observed of the resources of one schema."""

    events: dict[str, list[Event]] = field(default_factory=dict)
    visits: dict[str, list[int]] = field(default_factory=dict)
    features: list[Features] = field(default_factory=list)
    recordings: list[str] = field(default_factory=list)


def features_of(given: JsonObject, names: Names) -> Iterator[tuple[str, Json]]:
    """What rules may demand of a request.

    Yields:
        Plain values of fields, whether others are there, and parts of its path.
    """
    for name in ("zones", "regions", "global", "locations", "projects", "folders", "organizations"):
        yield f"@{name}", "*" if name in names.variables else None
    for name, value in given.items():
        yield name, _feature(value)
        for inner, each in value.items() if isinstance(value, dict) else ():
            if (
                not isinstance(each, dict | list)
                and not PERSONAL.search(inner)
                and "." not in inner
            ):
                yield f"{name}.{inner}", _feature(each)


def _feature(value: Json) -> Json:
    if isinstance(value, bool):
        return value
    return value if isinstance(value, str) and _PLAIN_WHEN.match(value) else "*"


def compare(
    seen: Observed, number: int, path: str, given: JsonMapping, answer: JsonMapping, names: Names
) -> None:
    """Note what a service said of an object, field by field."""
    seen.visits.setdefault(path, []).append(number)
    for name in {**answer, **given}:
        if PERSONAL.search(name) or "." in name:
            continue
        at = f"{path}.{name}" if path else name
        said, asked = answer.get(name), given.get(name)
        if said is None and asked in (None, False, 0, "", [], {}):
            continue
        _note(seen, number, at, name, said, asked, names)


def _note(
    seen: Observed, number: int, at: str, name: str, said: Json, asked: Json, names: Names
) -> None:
    events = seen.events.setdefault(at, [])
    if asked is None:
        if isinstance(said, dict):
            events.append(Event(number, "value", "{}"))
            compare(seen, number, at, {}, said, names)
            return
        plain = _dumped(names.plain, said, name)
        events.append(Event(number, "value", _dumped(names, said, name), (plain,)))
    elif said is None:
        events.append(Event(number, "hidden", "true"))
    elif isinstance(said, dict) and isinstance(asked, dict):
        events.append(Event(number, "form", '"{given}"'))
        compare(seen, number, at, asked, said, names)
    elif isinstance(said, list) and isinstance(asked, list):
        events.append(Event(number, "form", '"{given}"'))
        if len(said) == len(asked):
            for one, other in zip(said, asked, strict=True):
                _note(seen, number, f"{at}[]", name, one, other, names)
    else:
        first, *others = names.forms(said, asked, name)
        events.append(Event(number, "form", first, tuple(others)))


def _dumped(names: Names, said: Json, name: str) -> str:
    try:
        return orjson.dumps(names.template(said, name), option=orjson.OPT_SORT_KEYS).decode()
    except Unsaid:
        return ""


def rules_of(path: str, events: Sequence[Event], seen: Observed) -> tuple[list[JsonObject], int]:
    """The rules of one path, and how many values fit none."""
    ordered: list[JsonObject] = []
    left_out = 0
    for kinds in (("value",), ("form", "hidden")):
        several = [event for event in events if event.kind in kinds]
        if not several:
            continue
        if kinds == ("value",):
            # where the object around was answered and the field was not
            around = path.rpartition(".")[0]
            there = {event.seen_in for event in events}
            several += [
                Event(number, "value", ABSENT)
                for number in dict.fromkeys(seen.visits.get(around, ()))
                if number not in there
            ]
        found, unsure = _decide(_with_fewest(several), seen, {}, _DEEPEST)
        left_out += unsure
        trivial = all(rule.get("form") == "{given}" for rule in found)
        ordered += [] if trivial else found
    return ordered, left_out


def _with_fewest(events: Sequence[Event]) -> list[Event]:
    """Events whose templates are as few as tell them all."""
    counted = Counter(each for event in events for each in {event.template, *event.others})
    return [
        event._replace(
            template=max((event.template, *event.others), key=lambda each: counted[each])
        )
        for event in events
    ]


def _decide(
    events: Sequence[Event], seen: Observed, when: JsonObject, depth: int
) -> tuple[list[JsonObject], int]:
    """Rules that tell several events; a split by what a request says, where they differ."""
    counted = Counter((event.kind, event.template) for event in events)
    ((kind, template), most), *others = counted.most_common()
    if others and depth:
        split = _best_split(events, seen)
        if split is not None:
            name, wanted = split
            one = [e for e in events if _fits(seen.features[e.seen_in].get(name), wanted)]
            other = [e for e in events if not _fits(seen.features[e.seen_in].get(name), wanted)]
            first, unsure = _decide(one, seen, {**when, name: wanted}, depth - 1)
            rest, more = _decide(other, seen, when, depth - 1)
            if not first and rest and any(rule.get("when", {}) == when for rule in rest):
                first = [{"value": None, "when": {**when, name: wanted}, "seen": len(one)}]
            return first + rest, unsure + more
    if template in {ABSENT, ""} or most < _LEAST_SHARE * len(events):
        return [], sum(1 for each in counted if each[1] != ABSENT)
    rule: JsonObject = {kind: orjson.loads(template)}
    recordings = {seen.recordings[e.seen_in] for e in events if e.template == template}
    if len(recordings) < _LEAST_RECORDINGS and not is_sure(rule[kind]):
        return [], len(counted)
    if when:
        rule["when"] = when
    rule["seen"] = most
    rule["in"] = len(recordings)
    if most < len(events):
        rule["against"] = len(events) - most
    return [rule], len(others)


def _fits(value: Json, wanted: Json) -> bool:
    return value is not None if wanted == "*" else value == wanted


def _best_split(events: Sequence[Event], seen: Observed) -> tuple[str, Json] | None:
    """The feature that tells most of the differences between events, or None."""
    whole = _impurity(events)
    best, least = None, float(whole)
    names = sorted({name for e in events for name in seen.features[e.seen_in]})
    for name in names:
        values = {orjson.dumps(seen.features[e.seen_in].get(name)) for e in events}
        wanted_ones: list[Json] = [orjson.loads(each) for each in sorted(values)]
        wanted_ones = [each for each in wanted_ones if each is not None]
        if wanted_ones and "*" not in wanted_ones:
            wanted_ones.append("*")
        for wanted in wanted_ones:
            one = [e for e in events if _fits(seen.features[e.seen_in].get(name), wanted)]
            if not one or len(one) == len(events):
                continue
            recordings = {seen.recordings[e.seen_in] for e in one}
            if wanted == "*" and len(recordings) < 2 and len(events) > 3:
                continue
            other = [e for e in events if not _fits(seen.features[e.seen_in].get(name), wanted)]
            left = _impurity(one) + _impurity(other) + 0.1 * name.count(".")
            if left < least - 0.5:
                best, least = (name, wanted), left
    return best


def _impurity(events: Sequence[Event]) -> int:
    counted = Counter((event.kind, event.template) for event in events)
    return len(events) - counted.most_common(1)[0][1]


def agreed_template(several: Sequence[Json]) -> Any:
    """What most of several templates say."""
    if all(isinstance(each, dict) for each in several):
        objects = [each for each in several if isinstance(each, dict)]
        found: JsonObject = {}
        for name in dict.fromkeys(name for each in objects for name in each):
            own = [each[name] for each in objects if name in each]
            if len(own) * 2 > len(objects):
                found[name] = agreed_template(own)
        return {name: value for name, value in found.items() if value is not None}
    texts = Counter(orjson.dumps(each, option=orjson.OPT_SORT_KEYS) for each in several)
    (text, most), *_ = texts.most_common(1)
    value = orjson.loads(text)
    return value if most * 2 > len(several) and (most > 1 or is_sure(value)) else None
