"""What conventions do not tell of Cloud DNS: how record sets of a zone are added and deleted.

Source: the API's reference, and refusals as tools of its users quote them. Not verified against
the live API: what is said of a record set without data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from typing_extensions import override

from mockserver.collections import BY_KEY, Index
from mockserver.collections.query import Parts
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    by_parent,
    invalid,
    list_page,
    not_found,
    precondition,
    rows_under,
)
from mockserver.googleapi.collections import Found, own_resource
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_PAGES = PageRule(default=100, maximum=1000, size="maxResults")
_KIND = "dns#resourceRecordSet"
_SOA = "{} cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300"
_PRIVATE = "ns-gcp-private.googledomains.com."


class _Place(NamedTuple):
    """A record set of a request.

    Attributes:
        where: What messages call its field, `entity.change.additions[0]`.
        row: The record set.
    """

    where: str
    row: JsonObject

    @property
    def title(self) -> str:
        """What messages call the record set."""
        return f"{self.row.get('name')} ({self.row.get('type')})"


def _zone(call: Call) -> Found:
    """The zone that a call names by its name or its id; raises ApiError: 404."""
    resource = own_resource(call, "dns.managedZones.get")
    name = str(call.params["managedZone"])
    return resource.require(call, f"projects/{call.params['project']}/managedZones/{name}")


def _table(call: Call, noun: str) -> str:
    return own_resource(call, f"dns.{noun}.get").collection


def _key(zone: str, row: JsonObject) -> str:
    return f"{zone}/rrsets/{row.get('name')}/{row.get('type')}"


def _set_of(call: Call, zone: str, row: JsonObject) -> Found | None:
    """The key and the row of the record set that has a row's name and type."""
    return own_resource(call, "dns.resourceRecordSets.get").find(call.world, _key(zone, row))


def _complete(given: JsonObject) -> JsonObject:
    return {"kind": _KIND, "ttl": 0, **given}


def _check(zone: Found, each: _Place) -> None:
    """Refuse a record set that cannot be in a zone; raises ApiError: 400."""
    name, own = str(each.row.get("name") or ""), str(zone[1].get("dnsName") or "")
    for field in ("name", "type"):
        if not each.row.get(field):
            raise _missing(f"{each.where}.{field}")
    if not name.endswith(".") or (name != own and not name.endswith(f".{own}")):
        raise invalid(f"Invalid value for '{each.where}.name': '{name}'")
    if not each.row.get("rrdatas") and not each.row.get("routingPolicy"):
        raise _missing(f"{each.where}.rrdata")
    if each.row["type"] == "CNAME" and name == own:
        text = f"Invalid value for '{each.where}.type': 'CNAME'"
        raise invalid(text)


def _missing(field: str) -> ApiError:
    text = f"The '{field}' parameter is required but was missing."
    return ApiError(400, text, reason="required")


_BY_NAME = Index(lambda key, row: (key.rpartition("/")[0],))


def _check_alone(call: Call, zone: str, each: _Place) -> None:
    """Refuse a CNAME beside others of its name; raises ApiError: 400."""
    table = call.world.table(_table(call, "resourceRecordSets"))
    key = _key(zone, each.row)
    others = [row["type"] for row in table.find(_BY_NAME, key.rpartition("/")[0])]
    others = [kind for kind in others if kind != each.row["type"]]
    if others and "CNAME" in {each.row["type"], *others}:
        raise invalid(
            f"The resource record set '{each.where}' is invalid because the DNS name "
            f"'{each.row['name']}' may have either one CNAME resource record set or resource "
            "record sets of other types, but not both.",
            reason="cnameResourceRecordSetConflict",
        )


def _add(call: Call, zone: Found, each: _Place) -> JsonObject:
    _check(zone, each)
    if _set_of(call, zone[0], each.row) is not None:
        text = f"The resource '{each.where}' named '{each.title}' already exists"
        raise ApiError(409, text, reason="alreadyExists")
    _check_alone(call, zone[0], each)
    row = _complete(each.row)
    call.world.put(_table(call, "resourceRecordSets"), _key(zone[0], row), row)
    return row


def _remove(call: Call, zone: Found, each: _Place) -> None:
    found = _set_of(call, zone[0], each.row)
    if found is None:
        raise _no_record_set(each)
    key, row = found
    sent = {name: each.row[name] for name in ("ttl", "rrdatas") if name in each.row}
    if any(_plain(row.get(name)) != _plain(value) for name, value in sent.items()):
        raise precondition(f"Precondition not met for '{each.where}'")
    call.world.delete(_table(call, "resourceRecordSets"), key)


def _plain(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, list) else value


def _no_record_set(each: _Place) -> ApiError:
    return not_found(
        f"The '{each.where}' resource named '{each.title}' does not exist.", name=each.title
    )


def _check_apex(call: Call, zone: Found) -> None:
    """Refuse a zone without its SOA and NS records; raises ApiError: 400."""
    for kind in ("SOA", "NS"):
        if _set_of(call, zone[0], {"name": zone[1].get("dnsName"), "type": kind}) is None:
            raise invalid(
                "The resource record set 'entity.change.deletions[0]' is invalid because a zone "
                f"must contain exactly one resource record set of type '{kind}' at the apex.",
                reason="invalidZoneApex",
            )


def _places(call: Call, field: str) -> list[_Place]:
    several = call.body.get(field) or ()
    return [_Place(f"entity.change.{field}[{n}]", each) for n, each in enumerate(several)]


def _change(call: Call) -> JsonObject:
    """Answers `changes.create`: all of it is done, or none; raises ApiError: 400 to 412."""
    zone = _zone(call)
    removed, added = _places(call, "deletions"), _places(call, "additions")
    if not removed and not added:
        raise _missing("entity.change")
    for each in removed:
        _remove(call, zone, each)
    rows = [_add(call, zone, each) for each in added]
    if removed:
        _check_apex(call, zone)
    return _note_change(call, zone[0], rows, [_complete(each.row) for each in removed])


def _note_change(
    call: Call, zone: str, added: Sequence[JsonObject], removed: Sequence[JsonObject]
) -> JsonObject:
    """Keep a change under the next number; it is pending when it is answered, and then done."""
    table = _table(call, "changes")
    number = str(len(call.world.table(table).find(by_parent(1), (f"{zone}/changes",))))
    row: JsonObject = {
        "kind": "dns#change",
        "id": number,
        "startTime": rfc3339(call.world.clock.now()),
        "status": "done",
        "isServing": False,
        **({"additions": list(added)} if added else {}),
        **({"deletions": list(removed)} if removed else {}),
    }
    call.world.put(table, f"{zone}/changes/{number}", row)
    return {**row, "status": "pending"}


# Zones


def _create_zone(call: Call) -> JsonObject:
    for field in ("name", "dnsName", "description"):
        if field not in call.body:
            raise _missing(f"entity.managedZone.{field}")
    name, dns = str(call.body["name"]), str(call.body["dnsName"])
    if not dns.endswith(".") or ".." in dns:
        raise invalid(f"Invalid value for 'entity.managedZone.dnsName': '{dns}'")
    resource = own_resource(call, "dns.managedZones.get")
    key = f"projects/{call.params['project']}/managedZones/{name}"
    if resource.find(call.world, key) is not None:
        text = f"The resource 'entity.managedZone' named '{name}' already exists"
        raise ApiError(409, text, reason="alreadyExists")
    call.body.setdefault("visibility", "public")
    if call.body["visibility"] == "private":
        call.body["nameServers"] = [_PRIVATE]
    zone = call.answer_by_conventions()
    servers = zone.get("nameServers") or [_PRIVATE]
    rows: list[JsonObject] = [
        {"name": dns, "type": "SOA", "ttl": 21600, "rrdatas": [_SOA.format(servers[0])]},
        {"name": dns, "type": "NS", "ttl": 21600, "rrdatas": servers},
    ]
    for row in rows:
        call.world.put(_table(call, "resourceRecordSets"), _key(key, row), _complete(row))
    _note_change(call, key, list(map(_complete, rows)), ())
    return zone


def _delete_zone(call: Call) -> JsonObject:
    zone, row = _zone(call)
    sets = call.world.table(_table(call, "resourceRecordSets")).starting(BY_KEY, f"{zone}/rrsets/")
    apex = {_key(zone, {"name": row.get("dnsName"), "type": kind}) for kind in ("SOA", "NS")}
    for _, _, key in sets.entries(0, len(apex) + 1):
        if key not in apex:
            raise invalid(
                f"The resource named '{call.params['managedZone']}' cannot be deleted because it "
                "contains one or more 'resource record sets'.",
                reason="containerNotEmpty",
            )
    return call.answer_by_conventions()


# Record sets


class _Newest(Parts[JsonObject]):
    """Changes, the latest first, as the live API lists them."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Sequence[JsonObject]) -> None:
        self._rows = rows

    @override
    def __len__(self) -> int:
        return len(self._rows)

    @override
    def part(self, start: int, stop: int) -> list[JsonObject]:
        size = len(self._rows)
        return list(self._rows[max(size - stop, 0) : max(size - start, 0)])[::-1]


def _list_changes(call: Call) -> JsonObject:
    _zone(call)
    own = {name: call.params[name] for name in ("project", "managedZone")}
    found = rows_under(own_resource(call), replace(call, params=own))
    order = str(call.params.get("sortOrder") or "descending")
    if order not in {"ascending", "descending"}:
        raise invalid(f"Invalid value for 'parameters.sortOrder': '{order}'")
    call.ignored += ["sortBy"] if "sortBy" in call.params else []
    rows: Sequence[JsonObject] = found if order == "ascending" else _Newest(found)
    return list_page(call, "changes", rows, _PAGES, head={"kind": "dns#changesListResponse"})


def _list_sets(call: Call) -> JsonObject:
    _zone(call)
    if "type" in call.params and "name" not in call.params:
        raise _missing("parameters.name")
    return call.answer_by_conventions()


def _named_set(call: Call) -> tuple[Found, Found]:
    """The zone and the record set that a call names; raises ApiError: 404."""
    zone = _zone(call)
    each = _Place("parameters.name", {name: call.params[name] for name in ("name", "type")})
    found = _set_of(call, zone[0], each.row)
    if found is None:
        raise _no_record_set(each)
    return zone, found


def _get_set(call: Call) -> JsonObject:
    return _named_set(call)[1][1]


def _create_set(call: Call) -> JsonObject:
    zone = _zone(call)
    row = _add(call, zone, _Place("entity.rrset", call.body))
    _note_change(call, zone[0], [row], ())
    return row


def _patch_set(call: Call) -> JsonObject:
    zone, (key, before) = _named_set(call)
    place = _Place("entity.rrset", {**before, **call.body})
    call.world.delete(_table(call, "resourceRecordSets"), key)
    row = _add(call, zone, place)
    _note_change(call, zone[0], [row], [before])
    return row


def _delete_set(call: Call) -> JsonObject:
    zone, (key, before) = _named_set(call)
    call.world.delete(_table(call, "resourceRecordSets"), key)
    _check_apex(call, zone)
    _note_change(call, zone[0], (), [before])
    return {}


HANDLERS: Mapping[str, Handler] = {
    "dns.managedZones.create": _create_zone,
    "dns.managedZones.delete": _delete_zone,
    "dns.changes.create": _change,
    "dns.changes.list": _list_changes,
    "dns.resourceRecordSets.create": _create_set,
    "dns.resourceRecordSets.delete": _delete_set,
    "dns.resourceRecordSets.get": _get_set,
    "dns.resourceRecordSets.list": _list_sets,
    "dns.resourceRecordSets.patch": _patch_set,
}
