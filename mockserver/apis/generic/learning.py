"""Facts of Google's services from recordings: what a service adds to what it is asked.

Recordings are read in their order. What a request says of a resource is held against what the
service answers of it afterwards; a value that is equal in all recordings is a fact, or one that
follows from the rest of the request. What identifies a recording (names, ids, people, addresses)
becomes a variable of a template, or is left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import orjson

from mockserver.apis.generic.observations import (
    Observed,
    agreed_template,
    compare,
    features_of,
    rules_of,
)
from mockserver.apis.generic.plans import (
    Plan,
    body_field,
    is_operation,
    plan_of,
)
from mockserver.apis.generic.resources import resource_of
from mockserver.apis.generic.templates import Names, is_sure, sayable, sayable_leaf
from mockserver.apis.generic.writes import name_resource, set_fields
from mockserver.googleapi.call import Call
from mockserver.googleapi.catalog import Catalog
from mockserver.googleapi.discovery import Method
from mockserver.googleapi.encoding import with_enum_names
from mockserver.googleapi.facts import (
    ANYBODY,
    asked_variables,
    place_variables,
)
from mockserver.messages import read_json_object
from mockserver.model import Interaction, Json, JsonObject
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
        redact: Replaces what is secret or personal: what it changes is in no fact.
        projects: Projects that stand in recordings for any, with their numbers.
    """

    catalog: Catalog
    world: World
    redact: Callable[[Json], Json]
    projects: Mapping[str, str] = field(default_factory=dict)
    _items: dict[str, dict[str, Observed]] = field(default_factory=dict)
    _operations: dict[str, dict[str, dict[str, list[Json]]]] = field(default_factory=dict)
    _errors: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    _recordings: dict[str, set[str]] = field(default_factory=dict)

    def add(self, name: str, exchanges: Sequence[Exchange]) -> None:
        """Learn from one recording."""
        numbers = {**self.projects, **dict(_project_numbers(exchanges))}
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
        only = next(iter(numbers)) if len(numbers) == 1 else ""
        project = ids.get(project, project) or only
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
            given.pop(key.rpartition("/")[0], None)  # what stands behind a name changes it, too

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
        project, number = (names.variables.get(each, "") for each in ("project", "number"))
        names = Names({**asked_variables(given, project, number), **names.variables})
        of_api = self._items.setdefault(plan.method.api, {})
        seen = of_api.setdefault(plan.item, Observed())
        place = len(seen.features)
        seen.features.append(dict(features_of(given, names)))
        seen.recordings.append(name)
        compare(seen, place, "", given, answer, names)

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
        template = sayable(begun.names.plain, answer, {"operation": ident})
        if isinstance(response, dict) and isinstance(template, dict):
            template["response"] = _response_template(begun, response)
        of_api = self._operations.setdefault(begun.plan.method.api, {})
        kept = of_api.setdefault(begun.method, {"pending": [], "done": []})
        kept["done" if is_done else "pending"].append(template)

    def _refused(self, plan: Plan, names: Names, each: Exchange) -> None:
        if not each.answer:
            return
        template = sayable(names, each.answer, {})
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
                rules, left_out = rules_of(path, events, seen)
                name = path.replace("[]", "").rpartition(".")[2]
                public = [
                    rule for rule in rules
                    if self._is_public({name: rule.get("value", rule.get("form"))})
                ]  # fmt: skip
                unsure += left_out + len(rules) - len(public)
                if public:
                    paths[path] = public
            if paths:
                resources[item] = paths
        operations = {
            method: {
                state: {"template": agreed_template(several), "seen": len(several)}
                for state, several in kept.items()
                if several and self._is_public(several)
            }
            for method, kept in sorted(self._operations.get(api, {}).items())
        }
        every: dict[str, list[Json]] = {"pending": [], "done": []}
        for kept in self._operations.get(api, {}).values():
            for state, several in kept.items():
                every[state] += several
        if operations:
            operations["*"] = {
                state: {"template": agreed_template(several), "seen": len(several)}
                for state, several in every.items()
                if several
            }
        errors = {}
        for key, counted in sorted(self._errors.get(api, {}).items()):
            (text, seen_), *_ = counted.most_common(1)
            if not self._is_public(orjson.loads(text)):
                continue
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

    def _is_public(self, templates: Json) -> bool:
        """Whether templates hold nothing that is secret or personal."""
        return bool(self.redact(templates) == templates)


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
    for part in (each for each in parts if facts.get(each)):
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
        The id and the number of each.
    """
    for each in exchanges:
        answer = each.answer
        number = answer.get("projectNumber") or str(answer.get("name", "")).removeprefix(
            "projects/"
        )
        if answer.get("projectId") and str(number).isdecimal():
            yield str(answer["projectId"]), str(number)


def _response_template(begun: _Started, response: JsonObject) -> JsonObject:
    kind = str(response.get("@type", ""))
    found: JsonObject = {"@type": sayable_leaf(begun.names, kind, "@type", {})} if kind else {}
    known = begun.plan.method.document.schemas.get(begun.plan.item, {}).get("properties", {})
    rest = {name: value for name, value in response.items() if name != "@type"}
    if rest and begun.plan.item and known.keys() >= rest.keys():
        return {**found, "{row}": True}
    more = sayable(begun.names, rest, {})
    return {**found, **(more if isinstance(more, dict) else {})}
