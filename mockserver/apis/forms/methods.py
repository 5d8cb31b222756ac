"""Methods of Forms; every form is a file of Drive. Responses are those of fixtures, by conventions.

Source: the API's reference and its guides. Not verified: texts of refusals, ids of items.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from mockserver.collections.collection import content_hash
from mockserver.googleapi import Call, Handler, invalid
from mockserver.googleapi.batch_updates import apply_requests, with_masked_fields
from mockserver.googleapi.editor_files import EditorFiles, check_revision
from mockserver.model import JsonObject
from mockserver.state import Ids

_FILES = EditorFiles("forms:v1/forms", "formId", "application/vnd.google-apps.form")
_KINDS = frozenset({"questionItem", "questionGroupItem", "pageBreakItem", "textItem", "imageItem",
                    "videoItem"})  # fmt: skip


@dataclass(slots=True)
class Form:
    """A form while it is changed: its fields, and who makes its ids."""

    row: JsonObject
    ids: Ids

    @property
    def items(self) -> list[JsonObject]:
        """Its items, in order."""
        found: list[JsonObject] = self.row.setdefault("items", [])
        return found


def _open_form(call: Call) -> Form:
    """The form that a call names; ApiError 404 for none."""
    ident = str(call.params["formId"])
    row, found = _FILES.open(call, ident)
    file = found or {}
    form = Form(deepcopy(row) if row else _new_row(str(file["name"])), call.world.ids)
    form.row["formId"] = ident
    if file.get("name"):
        form.row["info"] = {**(form.row.get("info") or {}), "documentTitle": file["name"]}
    return form


def _new_row(name: str, title: str = "", *, is_published: bool = True) -> JsonObject:
    """A form without items, as it is made."""
    info = {"title": title, "documentTitle": name}
    state = {"isPublished": is_published, "isAcceptingResponses": is_published}
    return {"info": {key: each for key, each in info.items() if each},
            "settings": {"emailCollectionType": "DO_NOT_COLLECT"},
            "publishSettings": {"publishState": state}}  # fmt: skip


def _answer(form: Form) -> JsonObject:
    row = {name: each for name, each in form.row.items() if name != "revisionId"}
    link = f"https://docs.google.com/forms/d/e/{row['formId']}/viewform"
    return {"responderUri": link, **row, "revisionId": content_hash(row)}


def _create_form(call: Call) -> JsonObject:
    """Answers `forms.create`: only the title and the document's title may be given."""
    info = call.body.get("info") or {}
    title = info.get("title")
    if not title:
        raise invalid("The title of the form must be set.")
    if set(info) - {"title", "documentTitle"} or set(call.body) - {"info"}:
        raise invalid("Only info.title can be set when creating a form. To add items and change"
                      " settings, use batchUpdate.")  # fmt: skip
    name = str(info.get("documentTitle") or "Untitled form")
    ident = _FILES.create(call, name)
    published = call.params.get("unpublished") is not True
    row = {"formId": ident, **_new_row(name, str(title), is_published=published)}
    form = Form(row, call.world.ids)
    call.world.put(_FILES.table, f"forms/{ident}", row)
    return _answer(form)


def _index(form: Form, location: Any, *, among: int) -> int:
    """The place that a location means, of so many; ApiError 400 for none."""
    index = (location or {}).get("index")
    if index is None:
        raise invalid("The location's index must be set.")
    if not 0 <= int(index) < among:
        raise invalid(f"The index {index} is not in the form, which has {len(form.items)} items.")
    return int(index)


def _with_ids(form: Form, item: JsonObject) -> tuple[JsonObject, list[str]]:
    """An item with the ids that it lacks, and those of its questions."""
    made = deepcopy(item)
    if len(_KINDS & set(made)) != 1:
        raise invalid(f"The item must have exactly one of: {', '.join(sorted(_KINDS))}.")
    made.setdefault("itemId", form.ids.hex("item", 8))
    if any(each.get("itemId") == made["itemId"] for each in form.items):
        raise invalid(f"An item with the ID {made['itemId']} already exists.")
    questions = [made["questionItem"].setdefault("question", {})] if "questionItem" in made else []
    questions += (made.get("questionGroupItem") or {}).get("questions") or []
    for each in questions:
        each.setdefault("questionId", form.ids.hex("question", 8))
    return made, [str(each["questionId"]) for each in questions]


def _create_item(form: Form, asked: JsonObject) -> JsonObject:
    place = _index(form, asked.get("location"), among=len(form.items) + 1)
    made, questions = _with_ids(form, asked.get("item") or {})
    form.items.insert(place, made)
    return {"itemId": made["itemId"], **({"questionId": questions} if questions else {})}


def _delete_item(form: Form, asked: JsonObject) -> None:
    del form.items[_index(form, asked.get("location"), among=len(form.items))]


def _move_item(form: Form, asked: JsonObject) -> None:
    source = _index(form, asked.get("originalLocation"), among=len(form.items))
    target = _index(form, asked.get("newLocation"), among=len(form.items))
    form.items.insert(target, form.items.pop(source))


def _update_item(form: Form, asked: JsonObject) -> None:
    place = _index(form, asked.get("location"), among=len(form.items))
    before = form.items[place]
    after = with_masked_fields(before, asked.get("item") or {}, asked.get("updateMask"))
    form.items[place] = {**after, "itemId": before["itemId"]}


def _update_info(form: Form, asked: JsonObject) -> None:
    info = with_masked_fields(
        form.row.get("info") or {}, asked.get("info") or {}, asked.get("updateMask")
    )
    if not info.get("title"):
        raise invalid("The title of the form must be set.")
    form.row["info"] = info


def _update_settings(form: Form, asked: JsonObject) -> None:
    before, given = form.row.get("settings") or {}, asked.get("settings") or {}
    form.row["settings"] = with_masked_fields(before, given, asked.get("updateMask"))


REQUESTS: Mapping[str, Callable[[Form, Any], JsonObject | None]] = {
    "createItem": _create_item,
    "deleteItem": _delete_item,
    "moveItem": _move_item,
    "updateFormInfo": _update_info,
    "updateItem": _update_item,
    "updateSettings": _update_settings,
}


def _update_form(call: Call) -> JsonObject:
    """Answers `forms.batchUpdate`: all requests, or none.

    Raises:
        ApiError: 400 for a request that cannot be, or a revision that is another.
    """
    form = _open_form(call)
    check_revision(call, _answer(form)["revisionId"])
    replies = apply_requests(call, REQUESTS, form)
    _FILES.save(call.world, form.row)
    shown = _answer(form)
    answer: JsonObject = {"replies": replies}
    if call.body.get("includeFormInResponse") is True:
        answer["form"] = shown
    return {**answer, "writeControl": {"requiredRevisionId": shown["revisionId"]}}


def _publish_form(call: Call) -> JsonObject:
    form = _open_form(call)
    given = (call.body.get("publishSettings") or {}).get("publishState") or {}
    if given.get("isAcceptingResponses") and not given.get("isPublished"):
        raise invalid("A form that is not published cannot accept responses.")
    form.row["publishSettings"] = {"publishState": given}
    _FILES.save(call.world, form.row)
    return {"formId": form.row["formId"], "publishSettings": form.row["publishSettings"]}


HANDLERS: Mapping[str, Handler] = {
    "forms.forms.create": _create_form,
    "forms.forms.get": lambda call: _answer(_open_form(call)),
    "forms.forms.batchUpdate": _update_form,
    "forms.forms.setPublishSettings": _publish_form,
}
