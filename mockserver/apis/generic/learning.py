"""Facts of Google's services from recordings: what a service adds to what it is asked.

Recordings are read in their order. What a request says of a resource is held against what the
service answers of it afterwards; a value that is equal in all recordings is a fact, or one that
follows from the rest of the request. What identifies a recording (names, ids, people, addresses)
becomes a variable of a template, or is left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, urlsplit

import orjson

from mockserver.apis.generic.plans import (
    Plan,
    body_field,
    is_operation,
    plan_of,
)
from mockserver.apis.generic.resources import resource_of
from mockserver.apis.generic.writes import name_resource, set_fields
from mockserver.googleapi.call import Call
from mockserver.googleapi.catalog import Catalog
from mockserver.googleapi.discovery import Method
from mockserver.googleapi.encoding import with_enum_names
from mockserver.googleapi.facts import (
    ANYBODY,
    asked_variables,
    given_variables,
    place_variables,
)
from mockserver.messages import read_json_object
from mockserver.model import Interaction, Json, JsonMapping, JsonObject
from mockserver.state import World


class Exchange(NamedTuple):
    """One recorded exchange with a service.

    Attributes:
        http_method: `GET`.
        host: The host that was asked.
        path: Its path, as sent.
        query: Parameters of the query.
        body: The request's body; an empty object where it is none of JSON.
        status: The answer's status.
        answer: The answer's body; the same.
    """

    http_method: str
    host: str
    path: str
    query: Mapping[str, str]
    body: JsonObject
    status: int
    answer: JsonObject


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


ABSENT = "absent"
_VARIABLE = re.compile(r"(?<!\$)\{\w+\}")
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_UUID = re.compile(r"^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$")
_DIGITS = re.compile(r"^\d{9,}$")
_TAGS = re.compile(r"(?:^|[a-z])(?:etag|fingerprint|hash)$", re.IGNORECASE)
_PEOPLE = frozenset({"user", "requestedBy", "userByEmail", "user_email", "creator"})
_PERSONAL = re.compile(
    r"\$|\d{9,}|@(?!type)[\w.-]*(?<!gserviceaccount\.com)$|(?:^|[^\d.])(?!0\.0\.0\.0)(?:\d+\.){3}\d+"
    r"|-----BEGIN|\n|[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{30}|abcd|CREATE |placeholder"
    r"|test|sample|example|kcc|cnrm|\buser:|[0-9a-f]{4,}:[0-9a-f:]+",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^(?:\d{1,3}\.){3}\d{1,3}$")
_SURE = re.compile(
    r"^[A-Z0-9_.#/:-]*$|^https://[\w.-]*googleapis\.com/|^type\.googleapis\.com/|^\d"
)
_PLAIN = re.compile(r"^[A-Z][A-Z0-9_]*$")
_PLAIN_WHEN = re.compile(r"^[A-Z][A-Z0-9_]{1,40}$")
_DEEPEST = 3
_LONG = 10
_LEAST_SHARE = 0.8
_LEAST_RECORDINGS = 2
Features: TypeAlias = dict[str, Json]


class Unsaid(Exception):  # noqa: N818  (it is no mistake: a value that no fact may hold)
    """A value that is of the recording alone."""


class Names:
    """What identifies a resource in a recording, and the templates of values that hold it."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables
        ordered = sorted(
            (
                (value, name)
                for name, value in variables.items()
                if (len(value) > 2 or name == "version") and value != name
            ),
            key=lambda pair: (-len(pair[0]), len(pair[1]), pair[1]),
        )
        self._names: dict[str, str] = {}
        for value, name in ordered:
            self._names.setdefault(value, name)
        parts = "|".join(re.escape(value) for value in self._names)
        self._pattern = (
            re.compile(rf"(?<![A-Za-z0-9])(?:{parts})(?![A-Za-z0-9])") if parts else None
        )

    def template(self, value: Json, key: str) -> Json:
        """The template of a value; raises Unsaid for one that only this recording has."""
        if isinstance(value, dict):
            found = {}
            for name, each in value.items():
                if _PERSONAL.search(name):
                    raise Unsaid
                found[name] = self.template(each, name)
            return found
        if isinstance(value, list):
            return [self.template(each, key) for each in value]
        return self._text(value, key) if isinstance(value, str) else value

    def forms(self, said: Json, given: Json, key: str) -> list[str]:
        """The templates that make what was said of what was given; the plainest comes first."""
        if said == given:
            found: list[Json] = ["{given}"]
        else:
            found = []
        project, number = self.variables.get("project", ""), self.variables.get("number", "")
        for name, text in given_variables(given, project, number).items():
            if isinstance(said, str) and len(text) > 2 and said.endswith(text):
                head = self.abstract(said.removesuffix(text))
                if not is_personal(head):
                    found.append(f"{head}{{{name}}}")
        if not found:
            try:
                found = [self.template(said, key)]
            except Unsaid:
                return [""]
        return [orjson.dumps(each, option=orjson.OPT_SORT_KEYS).decode() for each in found]

    def _text(self, value: str, key: str) -> str:
        if _TIME.match(value):
            return "{time}"
        if _TAGS.search(key):
            return "{hash}"
        if _DIGITS.match(value) and value not in self._names:
            made = "millis" if key.endswith("Time") else "uuid" if key == "uid" else "digits"
            return f"{{{made}}}"
        if _UUID.match(value):
            return "{uuid}"
        if _ADDRESS.match(value) and value not in self._names:
            return "{address}"
        if key in _PEOPLE:
            return "{caller}"
        if "{" in value.replace("${", ""):
            raise Unsaid
        found = self.abstract(value)
        if is_personal(found):
            raise Unsaid
        return found

    def abstract(self, value: str) -> str:
        """A text with variables for what it has of the resource's names."""
        if self._pattern is None or _PLAIN.match(value):
            return value
        return self._pattern.sub(lambda hit: f"{{{self._names[hit[0]]}}}", value)


def is_personal(template: str) -> bool:
    """Whether a text has something that only its recording has, beside its variables.

    >>> is_personal("projects/{project}/zones"), is_personal("me@example.com")
    (False, True)
    """
    return bool(_PERSONAL.search(_VARIABLE.sub("", template)))


def is_sure(template: Json) -> bool:
    """Whether one recording is enough to say a value: what is no text, or one of a machine."""
    if isinstance(template, dict):
        return all(is_sure(each) for each in template.values())
    if isinstance(template, list):
        return all(is_sure(each) for each in template)
    return not isinstance(template, str) or bool(_SURE.match(_VARIABLE.sub("", template)))


@dataclass
class Observed:
    """All that was observed of the resources of one schema."""

    events: dict[str, list[Event]] = field(default_factory=dict)
    visits: dict[str, list[int]] = field(default_factory=dict)
    features: list[Features] = field(default_factory=list)
    recordings: list[str] = field(default_factory=list)


@dataclass
class _Started:
    """An operation that a write answered."""

    method: str
    names: Names
    plan: Plan


@dataclass
class Learner:
    """Learns the facts of services from recordings.

    Args:
        catalog: Tells the methods of requests.
        world: An empty world, for the ids of calls.
    """

    catalog: Catalog
    world: World
    _items: dict[str, dict[str, Observed]] = field(default_factory=dict)
    _operations: dict[str, dict[str, dict[str, list[Json]]]] = field(default_factory=dict)
    _errors: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    _recordings: dict[str, set[str]] = field(default_factory=dict)

    def add(self, name: str, exchanges: Sequence[Exchange]) -> None:
        """Learn from one recording."""
        numbers = dict(_project_numbers(exchanges))
        given: dict[str, JsonObject] = {}
        started: dict[str, _Started] = {}
        answered: dict[str, tuple[Plan, Names, JsonObject, JsonObject]] = {}
        for each in exchanges:
            match = self.catalog.match(
                self.catalog.canonical(each.host), each.http_method, each.path
            )
            if match is None:
                continue
            plan = plan_of(match.method)
            each = _with_names(each, match.method)
            params: JsonObject = {**each.query, **match.captures}
            params = {key: value for key, value in params.items() if key in match.method.parameters}
            call = Call(match.method.id, params, each.body, self.world, match.method.version)
            self._recordings.setdefault(match.method.api, set()).add(name)
            path = self._path(plan, call, each)
            names = self._names(plan, call, path, numbers)
            if each.status >= 400:
                self._refused(plan, names, each)
                continue
            key = f"{plan.document_key.partition(':')[0]}/{path}"
            if plan.verb == "poll":
                self._polled(plan, each, started)
                continue
            if plan.verb in {"create", "patch", "update", "delete", "set", "custom"}:
                self._flush(name, answered, key)
                self._written(plan, call, key, given, each)
                if is_operation(match.method.document, match.method.response):
                    self._begun(plan, names, each, started)
            if plan.is_single:
                given.setdefault(key, {})
            own = match.method.response == plan.item and plan.item
            if own and key in given and each.answer and plan.verb != "delete":
                answered[key] = (plan, names, given[key], each.answer)
        for key in list(answered):
            self._flush(name, answered, key)

    def _path(self, plan: Plan, call: Call, each: Exchange) -> str:
        if plan.verb != "create":
            return resource_of(plan).name_in(call)
        inner = call.body.get(body_field(plan)) if body_field(plan) else call.body
        path, _ = name_resource(plan, call, inner if isinstance(inner, dict) else {})
        answer = each.answer
        if (
            plan.named
            and plan.method.response == plan.item
            and str(answer.get("name", "")).count("/")
        ):
            return str(answer["name"])
        return path

    def _names(self, plan: Plan, call: Call, path: str, numbers: Mapping[str, str]) -> Names:
        named = str(call.params.get("project") or call.params.get("projectId") or "")
        project = path.split("/")[1] if path.startswith("projects/") else named
        ids = {number: name for name, number in numbers.items()}
        project = ids.get(project, project)
        variables = place_variables(path, call.version, numbers.get(project, ""), project)
        variables |= {"verb": plan.method.id.rpartition(".")[2], "item": plan.item}
        return Names(variables | {"caller": ANYBODY})

    def _written(
        self, plan: Plan, call: Call, key: str, given: dict[str, JsonObject], each: Exchange
    ) -> None:
        inner = each.body.get(body_field(plan)) if body_field(plan) else each.body
        body: JsonObject = inner if isinstance(inner, dict) else {}
        if plan.verb == "create" or (plan.verb == "update" and key in given):
            given[key] = dict(body)
        elif plan.verb == "patch" and key in given:
            given[key] = {**given[key], **body}
        elif plan.verb == "set" and key in given:
            given[key] = {**given[key], **set_fields(plan, call, given[key])}
        else:
            given.pop(key, None)

    def _flush(
        self,
        name: str,
        answered: dict[str, tuple[Plan, Names, JsonObject, JsonObject]],
        key: str,
    ) -> None:
        found = answered.pop(key, None)
        if found is None:
            return
        plan, names, given, answer = found
        names = Names({**asked_variables(given), **names.variables})
        of_api = self._items.setdefault(plan.method.api, {})
        seen = of_api.setdefault(plan.item, Observed())
        number = len(seen.features)
        seen.features.append(dict(_features(given, names)))
        seen.recordings.append(name)
        _compare(seen, number, "", given, answer, names)

    def _begun(
        self, plan: Plan, names: Names, each: Exchange, started: dict[str, _Started]
    ) -> None:
        answer = each.answer
        operation = str(answer.get("name", ""))
        if not operation:
            return
        started[operation.rpartition("/")[2]] = begun = _Started(plan.method.id, names, plan)
        self._note_operation(begun, answer)

    def _polled(self, plan: Plan, each: Exchange, started: Mapping[str, _Started]) -> None:
        answer = each.answer
        begun = started.get(str(answer.get("name", "")).rpartition("/")[2])
        if begun is not None and begun.plan.method.api == plan.method.api:
            self._note_operation(begun, answer)

    def _note_operation(self, begun: _Started, answer: JsonObject) -> None:
        is_done = answer.get("done") is True or answer.get("status") == "DONE"
        ident = str(answer["name"]).rpartition("/")[2]
        answer = dict(answer)
        response = answer.pop("response", None)
        template = _sayable(begun.names, answer, {"operation": ident})
        if isinstance(response, dict) and isinstance(template, dict):
            template["response"] = _response_template(begun, response)
        of_api = self._operations.setdefault(begun.plan.method.api, {})
        kept = of_api.setdefault(begun.method, {"pending": [], "done": []})
        kept["done" if is_done else "pending"].append(template)

    def _refused(self, plan: Plan, names: Names, each: Exchange) -> None:
        if not each.answer:
            return
        template = _sayable(names, each.answer, {})
        kept = self._errors.setdefault(plan.method.api, {})
        text = orjson.dumps(template, option=orjson.OPT_SORT_KEYS).decode()
        for about in (f"{plan.verb} {plan.item}", f"* {plan.item}", plan.verb):
            kept.setdefault(f"{each.status} {about}", Counter())[text] += 1

    def facts(self) -> dict[str, JsonObject]:
        """The facts, by the names of APIs."""
        return {api: self._facts_of(api) for api in sorted(self._recordings)}

    def _facts_of(self, api: str) -> JsonObject:
        resources: JsonObject = {}
        unsure = 0
        for item, seen in sorted(self._items.get(api, {}).items()):
            paths: JsonObject = {}
            for path, events in sorted(seen.events.items()):
                rules, left_out = _rules(path, events, seen)
                unsure += left_out
                if rules:
                    paths[path] = rules
            if paths:
                resources[item] = paths
        operations = {
            method: {
                state: {"template": _agreed(several), "seen": len(several)}
                for state, several in kept.items()
                if several
            }
            for method, kept in sorted(self._operations.get(api, {}).items())
        }
        every: dict[str, list[Json]] = {"pending": [], "done": []}
        for kept in self._operations.get(api, {}).values():
            for state, several in kept.items():
                every[state] += several
        if operations:
            operations["*"] = {
                state: {"template": _agreed(several), "seen": len(several)}
                for state, several in every.items()
                if several
            }
        errors = {}
        for key, counted in sorted(self._errors.get(api, {}).items()):
            (text, seen_), *_ = counted.most_common(1)
            if seen_ * 2 > counted.total() and (seen_ > 1 or is_sure(orjson.loads(text))):
                others = counted.total() - seen_
                errors[key] = {"body": orjson.loads(text), "seen": seen_} | (
                    {"against": others} if others else {}
                )
        return {
            "api": api,
            "recordings": len(self._recordings[api]),
            "unsure": unsure,
            "resources": resources,
            "operations": operations,
            "errors": errors,
        }


def _with_names(each: Exchange, method: Method) -> Exchange:
    """An exchange with names for the enums that it has as numbers."""
    body = with_enum_names(each.body, method, method.request)
    answer = with_enum_names(each.answer, method, method.response)
    return each._replace(body=body, answer=answer)


def exchanges_of(interactions: Iterable[Interaction]) -> list[Exchange]:
    """Recorded interactions as exchanges of JSON."""
    return [
        Exchange(
            each.request.method,
            url.hostname or "",
            url.path,
            dict(parse_qsl(url.query)),
            read_json_object(each.request.body),
            each.response.status,
            read_json_object(each.response.body),
        )
        for each in interactions
        for url in (urlsplit(each.request.url),)
    ]


def facts_text(facts: JsonObject) -> str:
    """Facts as JSON, with a line for each field, operation and error."""
    parts = ("resources", "operations", "errors")
    head = {name: value for name, value in facts.items() if name not in parts}
    lines = [f" {_text(name)}: {_text(value)}" for name, value in head.items()]
    for part in (each for each in parts if facts[each]):
        rows = []
        for name, value in facts[part].items():
            if part == "resources":
                fields = [f"   {_text(path)}: {_text(rules)}" for path, rules in value.items()]
                rows.append(f"  {_text(name)}: {{\n" + ",\n".join(fields) + "\n  }")
            else:
                rows.append(f"  {_text(name)}: {_text(value)}")
        lines.append(f" {_text(part)}: {{\n" + ",\n".join(rows) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _text(value: Json) -> str:
    return orjson.dumps(value).decode()


def _project_numbers(exchanges: Iterable[Exchange]) -> Iterator[tuple[str, str]]:
    """Projects and their numbers, as a recording tells them.

    Yields:
        The id and the number of each; placeholders have names of their own.
    """
    yield "${projectId}", "${projectNumber}"
    for each in exchanges:
        answer = each.answer
        number = answer.get("projectNumber") or str(answer.get("name", "")).removeprefix(
            "projects/"
        )
        if answer.get("projectId") and str(number).isdecimal():
            yield str(answer["projectId"]), str(number)


def _features(given: JsonObject, names: Names) -> Iterator[tuple[str, Json]]:
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
                and not _PERSONAL.search(inner)
                and "." not in inner
            ):
                yield f"{name}.{inner}", _feature(each)


def _feature(value: Json) -> Json:
    if isinstance(value, bool):
        return value
    return value if isinstance(value, str) and _PLAIN_WHEN.match(value) else "*"


def _compare(
    seen: Observed, number: int, path: str, given: JsonMapping, answer: JsonMapping, names: Names
) -> None:
    """Note what a service said of an object, field by field."""
    seen.visits.setdefault(path, []).append(number)
    for name in {**answer, **given}:
        if _PERSONAL.search(name) or "." in name:
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
            _compare(seen, number, at, {}, said, names)
            return
        events.append(Event(number, "value", _dumped(names, said, name)))
    elif said is None:
        events.append(Event(number, "hidden", "true"))
    elif isinstance(said, dict) and isinstance(asked, dict):
        events.append(Event(number, "form", '"{given}"'))
        _compare(seen, number, at, asked, said, names)
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


def _rules(path: str, events: Sequence[Event], seen: Observed) -> tuple[list[JsonObject], int]:
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


def _sayable(names: Names, value: Json, more: Mapping[str, str]) -> Json:
    """The template of an object, without the fields that only its recording has."""
    if isinstance(value, dict):
        found = {}
        for name, each in value.items():
            if _PERSONAL.search(name):
                continue
            if isinstance(each, dict):
                found[name] = _sayable(names, each, more)
                continue
            if isinstance(each, list):
                several = [_sayable(names, one, more) for one in each]
                if None not in several:
                    found[name] = several
                continue
            template = _leaf(names, each, name, more)
            if template is not None:
                found[name] = template
        return found
    return _leaf(names, value, "", more)


def _leaf(names: Names, value: Json, key: str, more: Mapping[str, str]) -> Json:
    for name, text in more.items():
        if isinstance(value, str) and value.endswith(text):
            head = names.abstract(value.removesuffix(text))
            return None if is_personal(head) else f"{head}{{{name}}}"
    if value == names.variables.get("verb"):
        return "{verb}"
    try:
        return names.template(value, key)
    except Unsaid:
        return None


def _response_template(begun: _Started, response: JsonObject) -> JsonObject:
    kind = str(response.get("@type", ""))
    found: JsonObject = {"@type": _leaf(begun.names, kind, "@type", {})} if kind else {}
    known = begun.plan.method.document.schemas.get(begun.plan.item, {}).get("properties", {})
    rest = {name: value for name, value in response.items() if name != "@type"}
    if rest and begun.plan.item and known.keys() >= rest.keys():
        return {**found, "{row}": True}
    more = _sayable(begun.names, rest, {})
    return {**found, **(more if isinstance(more, dict) else {})}


def _agreed(several: Sequence[Json]) -> Any:
    """What most of several templates say."""
    if all(isinstance(each, dict) for each in several):
        objects = [each for each in several if isinstance(each, dict)]
        found: JsonObject = {}
        for name in dict.fromkeys(name for each in objects for name in each):
            own = [each[name] for each in objects if name in each]
            if len(own) * 2 > len(objects):
                found[name] = _agreed(own)
        return {name: value for name, value in found.items() if value is not None}
    texts = Counter(orjson.dumps(each, option=orjson.OPT_SORT_KEYS) for each in several)
    (text, most), *_ = texts.most_common(1)
    value = orjson.loads(text)
    return value if most * 2 > len(several) and (most > 1 or is_sure(value)) else None
