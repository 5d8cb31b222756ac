"""What services add by themselves: facts learned from recordings, kept as data, put into answers.

A file for each API, `facts_of_services/compute.json`, tells it by the schemas of resources. A path
of fields (`nodePools[].config.diskType`) has rules, of which the first that holds counts:

    value   what the service says where the request says nothing
    form    what it makes of what the request says
    hidden  that it never says what the request says
    when    what else the request must say: a value, `*` for any, null for none; `@zones` means
            a part of the resource's path

Texts are templates: `{id}`, `{path}`, `{project}`, `{number}`, `{zones}` and other parts of the
path, `{scope}` (`zones/z` or `locations/r`), `{given}`, `{time}`, `{digits}`. Every rule tells how
often it was seen, in how many recordings, and how often something else was.

`understudy learn` makes these files (`make facts`). `rules/rules.json` counts before them: what
recordings do not tell, as values that are masked in all of them.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from ipaddress import ip_network
from typing import Any

import orjson
from typing_extensions import override

from mockserver.collections.places import value_at
from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import ApiError
from mockserver.googleapi.raw_snapshot import FACTS
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import World, project_names, rfc3339

_VARIABLE = re.compile(r"\{(\w+)\}")
_ZONE = re.compile(r"^[a-z]+-[a-z]+\d+-[a-z]$")
_VERSIONED = re.compile(r"^https?://[^/]+/(?:[\w.-]+/)*?(?:v\d\w*|beta|alpha)/|^//[^/]+/")
_NETWORK = re.compile(r"^(?:\d{1,3}\.){3}\d{1,3}/\d{1,2}$")
_ALONE = frozenset({"global"})
ANYBODY = "user@example.com"
"""Who asks where nobody says so."""
NOTHING = object()


def place_variables(path: str, version: str, number: str, project: str) -> dict[str, str]:
    """The parts of a resource's path, by what templates call them.

    >>> found = place_variables("projects/p/zones/us-east1-b/disks/d", "v1", "7", "p")
    >>> found["id"], found["zones"], found["region"], found["path_numbered"]
    ('d', 'us-east1-b', 'us-east1', 'projects/7/zones/us-east1-b/disks/d')
    """
    found = {"version": version, "path": path}
    segments = path.split("/")
    place = 0
    while place < len(segments):
        name = segments[place]
        if name in _ALONE or place + 1 == len(segments):
            found[name] = name
            place += 1
            continue
        found[name] = segments[place + 1]
        place += 2
    found["id"] = segments[-1].replace("%2F", "/")
    found["parent"] = "/".join(segments[:-2])
    found |= {"project": project, "number": number} if project else {}
    zone = next((found[name] for name in ("zones", "locations") if name in found), "")
    is_zone = bool(_ZONE.match(zone))
    region = zone.rpartition("-")[0] if is_zone else found.get("regions", zone)
    if region and region not in _ALONE:
        found |= {"region": region, "first_zone": zone if is_zone else f"{region}-a"}
        found |= {"zone": zone} if is_zone else {}
        found["scope"] = f"zones/{zone}" if is_zone else f"locations/{region}"
    for name in ("path", "parent"):
        found |= {
            f"{name}_numbered": with_project(found[name], project, number),
            f"{name}_named": with_project(found[name], number, project),
        }
    return found


def with_project(name: str, one: str, other: str) -> str:
    """A name with another name for the project that it begins with."""
    start = f"projects/{one}"
    if one and (name == start or name.startswith(f"{start}/")):
        return f"projects/{other}{name.removeprefix(start)}"
    return name


def asked_variables(given: JsonMapping, project: str = "", number: str = "") -> dict[str, str]:
    """What templates may say of the other fields of a request, and of the networks in them.

    >>> found = asked_variables({"range": "10.0.0.0/16", "peer": {"network": "projects/p/n"}})
    >>> found["first_of_range"], found["asked_peer_network"]
    ('10.0.0.1', 'projects/p/n')
    """
    found = {}
    for name, value in _texts_of(given):
        found[f"asked_{name}"] = value
        if _NETWORK.match(value):
            network = ip_network(value, strict=False)
            found[f"first_of_{name}"] = str(network.network_address + 1)
        if value.startswith("projects/"):
            found[f"asked_{name}_numbered"] = with_project(value, project, number)
    return found


def _texts_of(given: JsonMapping, above: str = "") -> Iterator[tuple[str, str]]:
    """The short texts of a request, and in its objects what names a resource.

    Yields:
        Each with its name, `peer_network`.
    """
    for name, value in given.items():
        if isinstance(value, str) and 2 < len(value) < 200 and (not above or "/" in value):
            yield f"{above}{name}", value
        elif isinstance(value, dict) and not above:
            yield from _texts_of(value, f"{name}_")


def given_variables(given: Json, project: str, number: str) -> dict[str, str]:
    """What templates may make of a text in a request.

    >>> link = "https://www.googleapis.com/compute/v1/projects/p/global/networks/n"
    >>> given_variables(link, "p", "7")["given_numbered"]
    'projects/7/global/networks/n'
    """
    if not isinstance(given, str) or not given:
        return {}
    path = _VERSIONED.sub("", given)
    return {
        "given": given,
        "given_path": path,
        "given_last": path.rpartition("/")[2],
        "given_numbered": with_project(path, project, number),
        "given_named": with_project(path, number, project),
        "given_upper": given.upper(),
        "given_lower": given.lower(),
    }


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a field; see the module."""

    kind: str
    template: Json
    when: JsonMapping


@dataclass(slots=True)
class Node:
    """The rules of one field, and of the fields in it."""

    rules: list[Rule] = field(default_factory=list)
    fields: dict[str, "Node"] = field(default_factory=dict)
    items: "Node | None" = None

    def at(self, path: str) -> "Node":
        """The node of a path below, made where there is none."""
        node = self
        for part in path.split("."):
            name, *lists = part.split("[]")
            node = node.fields.setdefault(name, Node()) if name else node
            for _ in lists:
                node.items = node.items or Node()
                node = node.items
        return node


class Filling:
    """Fills templates of one resource in one call.

    Args:
        call: The call.
        path: The resource's path.
        given: What the request says of it.
    """

    def __init__(self, call: Call, path: str, given: JsonMapping) -> None:
        self._call = call
        named = call.params.get("project") or call.params.get("projectId")
        project, number = project_of(
            call, path if path.startswith("projects/") else f"projects/{named}" if named else ""
        )
        self.project, self.number = project, number
        self.variables = place_variables(path, call.version, number, project)
        self.variables["caller"] = call.caller.email or ANYBODY
        self.variables |= asked_variables(given, project, number)
        self.given = given
        if "shortName" in given:
            self.variables["namespaced_name"] = f"{self._namespace()}/{given['shortName']}"

    def value(self, template: Json, more: Mapping[str, str] | None = None) -> Any:
        """A filled template, or `NOTHING` where a variable of it is unknown."""
        if isinstance(template, str):
            return self._text(template, more or {})
        if isinstance(template, list):
            several = [self.value(each, more) for each in template]
            # an empty list that is said: answers leave out those that nobody says
            return NOTHING if NOTHING in several else several or ()
        if isinstance(template, dict):
            found = {name: self.value(each, more) for name, each in template.items()}
            return {name: each for name, each in found.items() if each is not NOTHING}
        return template

    def _text(self, template: str, more: Mapping[str, str]) -> Any:
        if "{" not in template:
            return template
        known = True

        def one(hit: re.Match[str]) -> str:
            nonlocal known
            name = hit[1]
            found = more.get(name) or self.variables.get(name) or self._make(name)
            known = known and bool(found)
            return found

        text = _VARIABLE.sub(one, template)
        return text if known else NOTHING

    def _make(self, name: str) -> str:
        world, stream = self._call.world, f"fact/{name}"
        match name:
            case "time":
                return rfc3339(world.clock.now())
            case "millis":
                return str(int(world.clock.now().timestamp() * 1000))
            case "digits":
                return world.ids.digits(stream, 19)
            case "uuid":
                return world.ids.uuid(stream)
            case "hash" | "letters":
                # a hash is of the type `byte`: read and written again it is the same text
                hashed = b64encode(bytes.fromhex(world.ids.hex(stream, 16))).decode()
                return hashed if name == "hash" else world.ids.base36(stream, 6)
            case "public_address" | "private_address":
                low = int(sha256(f"{name}/{self.variables['path']}".encode()).hexdigest(), 16) % 254
                return f"{'203.0.113' if name == 'public_address' else '10.128.0'}.{low + 1}"
            case "address":
                return f"203.0.113.{int(world.ids.hex(stream, 2), 16) % 254 + 1}"
            case _:
                return ""

    def _namespace(self) -> str:
        """What the parent of a tag is called in names of tags: `shop-prod`, `shop-prod/tier`."""
        parent, world = str(self.given.get("parent", "")), self._call.world
        tag = world.table(f"cloudresourcemanager:{self._call.version}/tagKeys").get(parent)
        if tag is not None:
            return str(tag.get("namespacedName", ""))
        project, _ = project_of(self._call, parent)
        return project or parent.rpartition("/")[2]

    def holds(self, rule: Rule) -> bool:
        """Whether what a rule demands of the request is there."""
        for path, wanted in rule.when.items():
            found: Json
            if path.startswith("@"):
                found = self.variables.get(path[1:])
            else:
                found = value_at(self.given, tuple(path.split(".")))
            if found is None if wanted == "*" else found != wanted:
                return False
        return True


@lru_cache(4096)
def _number_of(project: str) -> str:
    return str(10**11 + int(sha256(project.encode()).hexdigest(), 16) % (9 * 10**11))


def project_of(call: Call, path: str) -> tuple[str, str]:
    """The id and the number of the project that a path begins with; empty for none."""
    if not path.startswith("projects/"):
        return "", ""
    name = path.split("/")[1]
    both = [
        each.removeprefix("projects/") for each in project_names(call.world, f"projects/{name}")
    ]
    if len(both) == 1:
        return (name, name) if name.isdecimal() else (name, _number_of(name))
    number = next((each for each in both if each.isdecimal()), both[0])
    return next((each for each in both if each != number), number), number


class Facts:
    """The facts of one API.

    Args:
        layers: As files hold them: the first that says something of a field, an operation or an
            error counts.

    Raises:
        ValueError: A rule says nothing.
    """

    def __init__(self, *layers: JsonMapping) -> None:
        self.layers = layers
        parts: dict[str, dict[str, Any]] = {"resources": {}, "operations": {}, "errors": {}}
        for layer in reversed(layers):
            parts["operations"] |= layer.get("operations", {})
            parts["errors"] |= layer.get("errors", {})
            for item, paths in layer.get("resources", {}).items():
                parts["resources"][item] = {**parts["resources"].get(item, {}), **paths}
        self._operations: Mapping[str, JsonMapping] = parts["operations"]
        self._errors: Mapping[str, JsonMapping] = parts["errors"]
        self._resources: dict[str, Node] = {}
        for item, paths in parts["resources"].items():
            root = self._resources[item] = Node()
            for path, rules in paths.items():
                root.at(path).rules += [_rule(each) for each in rules]

    def operation(self, method_id: str) -> Mapping[str, Json]:
        """The templates of the operation that a method starts: `pending` and `done`."""
        known = self._operations.get(method_id) or self._operations.get("*") or {}
        return {state: each["template"] for state, each in known.items()}

    def worded(self, error: ApiError, verb: str, item: str, call: Call, path: str) -> ApiError:
        """An error with the body that its service is known to say it with.

        Args:
            error: The error.
            verb: What was asked for, `get`.
            item: The schema of what it is about.
            call: The call.
            path: The path of the resource that it is about.
        """
        status, more = error.status, {"verb": call.id.rpartition(".")[2], "item": item}
        for key in (f"{status} {verb} {item}", f"{status} * {item}", f"{status} {verb}"):
            if key in self._errors:
                body = Filling(call, path, {}).value(self._errors[key]["body"], more)
                said = body.get("error", {}) if isinstance(body, dict) else {}
                if said.get("message"):
                    return replace(error, message=said["message"], body=body)
        return error

    def complete(self, item: str, call: Call, path: str, given: JsonObject) -> JsonObject:
        """A resource with what its service adds to what a request says of it.

        Args:
            item: The schema of the resource.
            call: The call that writes it.
            path: The resource's path.
            given: What the request says.
        """
        root = self._resources.get(item)
        return given if root is None else _complete(root, given, Filling(call, path, given))


def _rule(raw: JsonMapping) -> Rule:
    kind = next((each for each in ("value", "form", "hidden") if each in raw), "")
    if not kind:
        raise ValueError(f"a rule has neither value nor form nor hidden: {raw}")
    return Rule(kind, raw[kind], raw.get("when", {}))


def _complete(node: Node, given: JsonObject, filling: Filling) -> JsonObject:
    row: JsonObject = dict(given)
    for name, below in node.fields.items():
        found = row.get(name)
        if found is None:
            added = _added(below, filling)
            if added is not NOTHING:
                row[name] = added
        else:
            changed = _changed(below, found, filling)
            if changed is NOTHING:
                del row[name]
            else:
                row[name] = changed
    return row


def _added(node: Node, filling: Filling) -> Any:
    for rule in node.rules:
        if rule.kind == "value" and filling.holds(rule):
            value = NOTHING if rule.template is None else filling.value(rule.template)
            if isinstance(value, dict):
                value = _complete(node, value, filling)
            return value
    return NOTHING


def _changed(node: Node, found: Json, filling: Filling) -> Any:
    if isinstance(found, dict):
        hidden = any(rule.kind == "hidden" and filling.holds(rule) for rule in node.rules)
        return NOTHING if hidden else _complete(node, found, filling)
    if isinstance(found, list):
        if node.items is None:
            return found
        several = [_changed(node.items, each, filling) for each in found]
        return [each for each in several if each is not NOTHING]
    for rule in node.rules:
        if rule.kind == "value" or not filling.holds(rule):
            continue
        if rule.kind == "hidden":
            return NOTHING
        more = given_variables(found, filling.project, filling.number)
        value = filling.value(rule.template, more)
        return found if value is NOTHING else value
    return found


_NONE = Facts()
_FOLDER = "facts_of_services"


@lru_cache(1)
def recorded_agreement() -> Mapping[str, tuple[int, int, int]]:
    """Methods to exchanges that were recorded, and how many agree: in their status, and fully."""
    file = files("mockserver.googleapi") / _FOLDER / "agreement" / "methods.json"
    found: Mapping[str, tuple[int, int, int]] = orjson.loads(file.read_bytes())
    return found


def is_proven(method_id: str) -> bool:
    """Whether a method answers with the status of some recording of the live service."""
    return recorded_agreement().get(method_id, (0, 0, 0))[1] > 0


@lru_cache(1)
def _rules() -> Mapping[str, JsonMapping]:
    """What recordings do not tell, by the names of APIs."""
    file = files("mockserver.googleapi") / _FOLDER / "rules" / "rules.json"
    found: Mapping[str, JsonMapping] = orjson.loads(file.read_bytes())
    return found


@lru_cache(256)
def facts_of(api: str) -> Facts:
    """The facts that come along for an API; none where no recording of it was learned from."""
    file = files("mockserver.googleapi") / _FOLDER / f"{api}.json"
    layers = [_rules()[api]] if api in _rules() else []
    layers += [orjson.loads(file.read_bytes())] if file.is_file() else []
    return Facts(*layers) if layers else _NONE


class _Own:
    """The facts of a session as a snapshot has them; equal only to the same object."""

    def __init__(self, raw: JsonMapping) -> None:
        self.raw = raw

    @override
    def __hash__(self) -> int:
        return id(self.raw)

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Own) and self.raw is other.raw


@lru_cache(64)
def _with_own_facts(api: str, own: _Own) -> Facts:
    return Facts(own.raw, *facts_of(api).layers)


def known_facts(world: World, api: str) -> Facts:
    """The facts that a session has of an API, in front of those that come along."""
    own = world.table(FACTS).get(api)
    return facts_of(api) if own is None else _with_own_facts(api, _Own(own))
