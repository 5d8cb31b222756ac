"""Methods of People: contacts of the session, and the Directory's users as people.

All users of a session share its contacts. Source: the API's reference; not verified: the texts of
refusals, and which words of a contact a search looks at.
"""

from collections.abc import Callable, Mapping, Sequence

from mockserver.collections import BY_KEY, Index, text_range
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    etag,
    invalid,
    list_page,
    not_found,
)
from mockserver.googleapi.filter_trees import words_of
from mockserver.googleapi.lists import changed_since, sync_token
from mockserver.model import JsonObject
from mockserver.state import USERS, admin_email, find_user

PEOPLE, CONNECTIONS, OTHERS, GROUPS = (
    f"people:v1/{name}" for name in ("people", "connections", "otherContacts", "contactGroups")
)
_PAGES = PageRule(default=100, maximum=1000)
_SEARCHED = {"names": ("displayName", "givenName", "familyName"), "nicknames": ("value",),
             "emailAddresses": ("value",), "phoneNumbers": ("value",),
             "organizations": ("name", "title")}  # fmt: skip
_OF_WORK = ("name", "title", "department", "location", "costCenter", "domain")
_MY_CONTACTS = "contactGroups/myContacts"
_SYSTEM_GROUPS = ("myContacts", "starred", "friends", "family", "coworkers", "blocked")


def _words(row: JsonObject) -> dict[str, None]:
    values = [
        str(each.get(name, ""))
        for field, names in _SEARCHED.items()
        for each in row.get(field) or ()
        for name in names
    ]
    return dict.fromkeys(word for value in values for word in (value.casefold(), *words_of(value)))


_BY_WORD = Index(lambda _, row: _words(row))
_BY_NAME = Index(lambda key, row: (str(row.get("resourceName") or key),))
_BY_ADDRESS = Index(lambda _, row: (str(row.get("primaryEmail", "")).casefold(),))
_USER_WORDS = Index(lambda _, row: _words(_person_of(row)))
_BY_GROUP = Index(
    lambda _, row: dict.fromkeys(
        str((each.get("contactGroupMembership") or {}).get("contactGroupResourceName", ""))
        for each in row.get("memberships") or ()
    )
)


def _person_view(call: Call, row: JsonObject, name: str = "personFields") -> JsonObject:
    """What a mask shows of a person; ApiError 400 without one."""
    mask = str(call.params.get(name) or call.params.get("requestMask.includeField") or "")
    if not mask:
        text = f"{name} mask is required. Please specify one or more valid paths."
        raise invalid(text, location=name)
    fields = {each.strip().removeprefix("person.") for each in mask.split(",")}
    return {each: value for each, value in row.items()
            if each in {"resourceName", "etag", *fields}}  # fmt: skip


def _person_of(user: JsonObject) -> JsonObject:
    """A user of the Directory as a person."""
    ident, name = str(user.get("id", "")), user.get("name") or {}
    source = {"type": "DOMAIN_PROFILE", "id": ident}
    about = {"primary": True, "source": source}
    email = str(user.get("primaryEmail", ""))
    names = {"displayName": name.get("fullName") or email, "givenName": name.get("givenName"),
             "familyName": name.get("familyName")}  # fmt: skip
    told = {each: value for each, value in names.items() if value}
    row: JsonObject = {
        "resourceName": f"people/{ident}",
        "names": [{"metadata": about, **told}],
        "emailAddresses": [{"metadata": about, "value": email}],
        **_work_of(user, source),
        "metadata": {"sources": [source], "objectType": "PERSON"},
    }
    return {**row, "etag": f"%{etag(row).strip(chr(34))}"}


def _work_of(user: JsonObject, source: JsonObject) -> JsonObject:
    """Where a user of the Directory works, as a person tells it."""
    several = [
        {
            "metadata": {"source": source, **({"primary": True} if each.get("primary") else {})},
            **{name: each[name] for name in _OF_WORK if each.get(name)},
        }
        for each in user.get("organizations") or ()
    ]
    return {"organizations": several} if several else {}


def _find_person(call: Call, name: str) -> JsonObject:
    """A person by a resource's name, `people/me` too; ApiError 404 for none."""
    for table in (PEOPLE, CONNECTIONS):
        rows = call.world.table(table)
        row = rows.get(rows.first(_BY_NAME, name) or "")
        if row is not None:
            return _completed(row, name.rpartition("/")[2])
    email = call.caller.email or admin_email(call.world)
    ident = name.removeprefix("people/")
    if ident == "me":
        user = find_user(call.world, email) or {"id": "me", "primaryEmail": email}
        return _person_of(user)
    known = call.world.table(USERS).get(ident)
    if known is None:
        raise not_found(name=name)
    return _person_of(known)


def _completed(row: JsonObject, ident: str) -> JsonObject:
    """A contact with what the service adds: full names, sources, its group, its etag."""
    source = {"type": "CONTACT", "id": ident}
    made = {**row, "resourceName": f"people/{ident}"}
    for field, values in row.items():
        if isinstance(values, list) and field != "memberships":
            made[field] = [
                {"metadata": {"source": source, **({} if number else {"primary": True})}, **each}
                if isinstance(each, dict) else each
                for number, each in enumerate(values)
            ]  # fmt: skip
    for each in made.get("names") or ():
        parts = [str(each[name]) for name in ("givenName", "familyName") if each.get(name)]
        full = " ".join(parts) or str(each.get("unstructuredName") or "")
        each.setdefault("displayName", full)
        each.setdefault("displayNameLastFirst", ", ".join(reversed(parts)) or full)
        each.setdefault("unstructuredName", each["displayName"])
    group = {"contactGroupId": "myContacts", "contactGroupResourceName": _MY_CONTACTS}
    made.setdefault("memberships", [{"contactGroupMembership": group}])
    made["metadata"] = {"sources": [source], "objectType": "PERSON", **(row.get("metadata") or {})}
    made.pop("etag", None)
    return {**made, "etag": f"%{etag(made).strip(chr(34))}"}


def _ident(row: JsonObject) -> str:
    return str(row.get("resourceName", "")).rpartition("/")[2]


# contacts


def _create(call: Call, person: JsonObject) -> JsonObject:
    ident = f"c{call.world.ids.digits('contact', 18)}"
    given = {name: value for name, value in person.items() if name not in {"etag", "metadata"}}
    row = _completed(given, ident)
    call.world.put(PEOPLE, f"people/{ident}", row)
    return row


def _create_contact(call: Call) -> JsonObject:
    row = _create(call, call.body)
    return _person_view(call, row) if call.params.get("personFields") else row


def _own_key(call: Call, name: str) -> tuple[str, str, JsonObject]:
    """The table, key and row of a contact; ApiError 404 for none."""
    for table in (PEOPLE, CONNECTIONS):
        rows = call.world.table(table)
        key = rows.first(_BY_NAME, name)
        if key is not None:
            return table, key, rows.rows()[key]
    raise not_found(name=name)


def _update(call: Call, person: JsonObject, name: str, mask: str) -> JsonObject:
    table, key, before = _own_key(call, name)
    now = _completed(before, name.rpartition("/")[2])
    if not mask:
        text = "updatePersonFields mask is required. Please specify one or more valid paths."
        raise invalid(text, location="updatePersonFields")
    if not person.get("etag"):
        text = (
            "Request must set person.etag or person.metadata.sources.etag for the source that is"
            " being updated."
        )
        raise invalid(text)
    if person["etag"] != now["etag"]:
        text = "Request person.etag is different than the current person.etag."
        raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")
    fields = [each.strip() for each in mask.split(",")]
    kept = {each: value for each, value in before.items() if each not in fields}
    changed = {each: person[each] for each in fields if each in person}
    if "names" in changed:  # what is made of the parts of a name is made anew
        made = {"displayName", "displayNameLastFirst", "unstructuredName"}
        changed["names"] = [
            {part: value for part, value in each.items() if part not in made}
            if each.get("givenName") or each.get("familyName") else each
            for each in changed["names"]
        ]  # fmt: skip
    row = _completed({**kept, **changed}, name.rpartition("/")[2])
    call.world.put(table, key, row)
    return row


def _update_contact(call: Call) -> JsonObject:
    mask = str(call.params.get("updatePersonFields") or "")
    row = _update(call, call.body, str(call.params["resourceName"]), mask)
    return _person_view(call, row) if call.params.get("personFields") else row


def _delete(call: Call, name: str) -> None:
    table, key, _ = _own_key(call, name)
    call.world.delete(table, key)


def _delete_contact(call: Call) -> JsonObject:
    _delete(call, str(call.params["resourceName"]))
    return {}


def _change_several(call: Call) -> JsonObject:
    body = call.body
    if call.id.endswith("batchDeleteContacts"):
        for name in body.get("resourceNames") or ():
            _delete(call, str(name))
        return {}
    if call.id.endswith("batchCreateContacts"):
        made = [
            _create(call, each.get("contactPerson") or {}) for each in body.get("contacts") or ()
        ]
        return {"createdPeople": [{"httpStatusCode": 200, "person": each} for each in made]}
    mask = str(body.get("updateMask") or "")
    updated = {name: _update(call, person, name, mask)
               for name, person in (body.get("contacts") or {}).items()}  # fmt: skip
    return {"updateResult": {name: {"httpStatusCode": 200, "person": row}
                             for name, row in updated.items()}}  # fmt: skip


def _get_several(call: Call) -> JsonObject:
    found = []
    for name in map(str, call.params.get("resourceNames") or ()):
        try:
            person = _person_view(call, _find_person(call, name))
            found.append({"httpStatusCode": 200, "person": person, "requestedResourceName": name})
        except ApiError as error:
            if error.status != 404:
                raise
            status = {"code": 5, "message": error.message}
            found.append({"httpStatusCode": 404, "requestedResourceName": name, "status": status})
    return {"responses": found}


_ORDERS: Mapping[str, tuple[Callable[[JsonObject], str], bool]] = {
    "FIRST_NAME_ASCENDING": (lambda row: _first_name(row, "givenName"), False),
    "LAST_NAME_ASCENDING": (lambda row: _first_name(row, "familyName"), False),
}


def _first_name(row: JsonObject, part: str) -> str:
    return str((row.get("names") or [{}])[0].get(part, "")).casefold()


def _synchronized(
    call: Call,
    key: str,
    tables: Sequence[str],
    rows: Sequence[JsonObject],
    view: Callable[[JsonObject], JsonObject],
) -> JsonObject:
    """A page of people; with a token of a synchronization, of those that changed since.

    Args:
        call: The call.
        key: The field of the answer.
        tables: Where the people are.
        rows: All of them.
        view: What is shown of one.

    Raises:
        ApiError: 400 for a token that is too old, or of another list.
    """
    params, latest = call.params, call.world.history.latest
    if token := str(params.get("syncToken") or ""):
        changed = changed_since(call, key, token)
        if changed is None:
            text = "Sync token is expired. Clear local cache and retry call without the sync token."
            raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")
        rows = [
            row if place[1] in call.world.table(place[0]) else _deleted(row)
            for place, row in changed.items()
            if place[0] in tables
        ]
    answer = list_page(call, key, rows, _PAGES, lambda row: row if _is_deleted(row) else view(row))
    wants = token or params.get("requestSyncToken")
    if wants and "nextPageToken" not in answer:
        answer["nextSyncToken"] = sync_token(key, latest)
    return answer


def _deleted(row: JsonObject) -> JsonObject:
    name = str(row.get("resourceName") or f"people/{row.get('id')}")
    return {"resourceName": name, "metadata": {"deleted": True, "objectType": "PERSON"}}


def _is_deleted(row: JsonObject) -> bool:
    return bool((row.get("metadata") or {}).get("deleted"))


def _list_connections(call: Call) -> JsonObject:
    """Answers `people.connections.list`: the contacts, the latest last."""
    tables = [call.world.table(name) for name in (PEOPLE, CONNECTIONS)]
    rows: Sequence[JsonObject] = tables[0].ordered(BY_KEY)
    if len(tables[1]):
        rows = [*rows, *tables[1].rows().values()]
    if order := str(call.params.get("sortOrder") or ""):
        if order not in _ORDERS:
            raise invalid(f"{order} is not emulated: contacts do not tell when they changed.")
        key, down = _ORDERS[order]
        rows = sorted(rows, key=key, reverse=down)
    count = len(rows)
    answer = _synchronized(
        call, "connections", (PEOPLE, CONNECTIONS), rows,
        lambda row: _person_view(call, _completed(row, _ident(row))),
    )  # fmt: skip
    return {**answer, "totalPeople": count, "totalItems": count} if count else answer


def _search_contacts(call: Call) -> JsonObject:
    """Answers `searchContacts`: names, addresses and numbers with a word that begins so."""
    text = str(call.params.get("query") or "").strip().casefold()
    _person_view(call, {}, "readMask")
    count = min(int(call.params.get("pageSize") or 10), 30)
    found: dict[str, JsonObject] = {}
    others = call.id.startswith("people.otherContacts")
    for name in ((OTHERS,) if others else (PEOPLE, CONNECTIONS)) if text else ():
        table = call.world.table(name)
        words, at = table.between(_BY_WORD, *text_range(text)), 0
        while len(found) < count and (entries := words.entries(at, at + count)):
            found |= dict(zip((f"{name}/{each[2]}" for each in entries),
                              table.rows_of(entries), strict=True))  # fmt: skip
            at += count
    several = [
        {
            "person": _person_view(
                call, _other(row) if others else _completed(row, _ident(row)), "readMask"
            )
        }
        for row in found.values()
    ]
    return {"results": several[:count]} if several else {}


def _list_directory(call: Call) -> JsonObject:
    """Answers `listDirectoryPeople` and `searchDirectoryPeople`: users of the Directory."""
    if not call.params.get("sources"):
        raise invalid("sources is required.", location="sources")
    users = call.world.table(USERS)
    rows: Sequence[JsonObject] = users.ordered(_BY_ADDRESS)
    if call.id.endswith("searchDirectoryPeople"):
        text = str(call.params.get("query") or "").strip().casefold()
        low, high = text_range(text)
        rows = list({str(row["id"]): row for row in users.between(_USER_WORDS, low, high)}.values())
    _person_view(call, {}, "readMask")
    return _synchronized(
        call, "people", (USERS,), rows, lambda row: _person_view(call, _person_of(row), "readMask")
    )


# people whom one has met


def _other(row: JsonObject) -> JsonObject:
    """A person who is no contact: names, addresses and numbers alone, and in no group."""
    ident = _ident(row)
    kept = ("resourceName", "names", "emailAddresses", "phoneNumbers", "photos")
    made = _completed({name: row[name] for name in kept if name in row}, ident)
    source = {"type": "OTHER_CONTACT", "id": ident}
    made |= {"resourceName": f"otherContacts/{ident}", "metadata": {"sources": [source]}}
    return {name: value for name, value in made.items() if name != "memberships"}


def _list_others(call: Call) -> JsonObject:
    """Answers `otherContacts.list`; raises ApiError: 400 without a mask."""
    _person_view(call, {}, "readMask")
    rows = call.world.table(OTHERS).ordered(BY_KEY)
    answer = _synchronized(
        call, "otherContacts", (OTHERS,), rows,
        lambda row: _person_view(call, _other(row), "readMask"),
    )  # fmt: skip
    return {**answer, "totalSize": len(rows)} if len(rows) else answer


def _copy_other(call: Call) -> JsonObject:
    """Answers `copyOtherContactToMyContactsGroup`.

    Raises:
        ApiError: 404; 400 for a mask with more than names, addresses and numbers.
    """
    rows, name = call.world.table(OTHERS), str(call.params["resourceName"])
    row = rows.get(rows.first(_BY_NAME, name) or "")
    if row is None:
        raise not_found(name=name)
    asked = [each.strip() for each in str(call.body.get("copyMask") or "").split(",")]
    if not {"names", "emailAddresses", "phoneNumbers"}.issuperset(asked):
        raise invalid("copyMask must be of emailAddresses, names and phoneNumbers.")
    return _create(call, {field: row[field] for field in asked if field in row})


# groups


def _group(call: Call, ident: str) -> JsonObject:
    """A group of contacts; ApiError 404 for none."""
    name, kind = f"contactGroups/{ident}", "SYSTEM_CONTACT_GROUP"
    rows = call.world.table(GROUPS)
    row = rows.get(rows.first(_BY_NAME, name) or "")
    if row is None and ident not in _SYSTEM_GROUPS:
        raise not_found(name=name)
    if row is not None:
        kind = "USER_CONTACT_GROUP"
    count = sum(len(call.world.table(each).find(_BY_GROUP, name)) for each in (PEOPLE, CONNECTIONS))
    told = {"name": ident, **(row or {})}
    made: JsonObject = {"formattedName": told["name"], **told, "resourceName": name,
                        "groupType": kind, "memberCount": count}  # fmt: skip
    return {**made, "etag": etag(made).strip('"')}


def _list_groups(call: Call) -> JsonObject:
    if call.params.get("syncToken"):
        raise invalid("Sync token is expired.", location="syncToken")
    rows = call.world.table(GROUPS).rows()
    own = [str(row.get("resourceName") or key).partition("/")[2] for key, row in rows.items()]
    idents = [*dict.fromkeys((*_SYSTEM_GROUPS, *own))]
    answer = list_page(
        call, "contactGroups", idents, PageRule(default=30, maximum=1000),
        lambda ident: _group(call, ident),
    )  # fmt: skip
    return {**answer, "totalItems": len(idents)}


def _put_group(call: Call) -> JsonObject:
    given = call.body.get("contactGroup") or {}
    if not given.get("name"):
        raise invalid("Contact group name is required.")
    name = str(call.params.get("resourceName") or "")
    if name:
        _own_group(call, name)
    ident = name.partition("/")[2] or call.world.ids.hex("contact group", 16)
    path = f"contactGroups/{ident}"
    row = {"resourceName": path, "name": given["name"], "formattedName": given["name"]}
    call.world.put(GROUPS, call.world.table(GROUPS).first(_BY_NAME, path) or path, row)
    return _group(call, ident)


def _own_group(call: Call, name: str) -> JsonObject:
    group = _group(call, name.partition("/")[2])
    if group["groupType"] == "SYSTEM_CONTACT_GROUP":
        raise invalid("System contact groups cannot be changed.")
    return group


def _delete_group(call: Call) -> JsonObject:
    name = str(call.params["resourceName"])
    _own_group(call, name)
    call.world.delete(GROUPS, call.world.table(GROUPS).first(_BY_NAME, name) or name)
    return {}


HANDLERS: Mapping[str, Handler] = {
    "people.people.get": lambda call: _person_view(
        call, _find_person(call, str(call.params["resourceName"]))
    ),
    "people.people.getBatchGet": _get_several,
    "people.people.createContact": _create_contact,
    "people.people.updateContact": _update_contact,
    "people.people.deleteContact": _delete_contact,
    **{f"people.people.batch{verb}Contacts": _change_several
       for verb in ("Create", "Update", "Delete")},
    "people.people.connections.list": _list_connections,
    "people.people.searchContacts": _search_contacts,
    "people.otherContacts.list": _list_others,
    "people.otherContacts.search": _search_contacts,
    "people.otherContacts.copyOtherContactToMyContactsGroup": _copy_other,
    "people.people.listDirectoryPeople": _list_directory,
    "people.people.searchDirectoryPeople": _list_directory,
    "people.contactGroups.list": _list_groups,
    "people.contactGroups.get": lambda call: _group(
        call, str(call.params["resourceName"]).partition("/")[2]
    ),
    "people.contactGroups.create": _put_group,
    "people.contactGroups.update": _put_group,
    "people.contactGroups.delete": _delete_group,
}  # fmt: skip
