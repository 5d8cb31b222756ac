"""Methods of Slides; every presentation is a file of Drive, whose name is its title.

Source: the API's reference. Not verified: ids of layouts and of what a new presentation holds.
"""

from collections.abc import Mapping
from copy import deepcopy

from mockserver.apis.slides.requests import LAYOUTS, REQUESTS, Presentation, new_slide
from mockserver.collections.collection import content_hash
from mockserver.googleapi import Call, Handler, not_found
from mockserver.googleapi.batch_updates import apply_requests
from mockserver.googleapi.editor_files import EditorFiles, check_revision
from mockserver.model import JsonObject

_FILES = EditorFiles(
    "slides:v1/presentations", "presentationId", "application/vnd.google-apps.presentation"
)
_SIZE = {"width": {"magnitude": 9144000, "unit": "EMU"},
         "height": {"magnitude": 5143500, "unit": "EMU"}}  # fmt: skip
_MASTER = "simple-light-2"


def _open_presentation(call: Call) -> Presentation:
    """The presentation that a call names; ApiError 404 for none."""
    ident = str(call.params["presentationId"])
    row, file = _FILES.open(call, ident)
    title = (file or {}).get("name") or (row or {}).get("title", "Untitled presentation")
    kept = {**_frame(), **deepcopy(row or {}), "presentationId": ident, "title": title}
    presentation = Presentation(kept, call.world.ids)
    if row is None:
        presentation.slides.append(new_slide(presentation, "p", "TITLE", {}))
    return presentation


def _frame() -> JsonObject:
    """What a presentation has beside its slides."""
    layouts = [
        {"objectId": f"p{number}", "pageType": "LAYOUT", "pageElements": [
            {"objectId": f"p{number}_i{place}", "shape": {
                "shapeType": "TEXT_BOX", "placeholder": {"type": kind}}}
            for place, kind in enumerate(kinds)],
         "layoutProperties": {"masterObjectId": _MASTER, "name": name,
                              "displayName": name.replace("_", " ").capitalize()}}
        for number, (name, kinds) in enumerate(LAYOUTS.items(), 2)
    ]  # fmt: skip
    master = {"objectId": _MASTER, "pageType": "MASTER",
              "masterProperties": {"displayName": "Simple Light"}}  # fmt: skip
    return {"pageSize": _SIZE, "locale": "en", "slides": [], "masters": [master],
            "layouts": layouts}  # fmt: skip


def _answer(presentation: Presentation) -> JsonObject:
    row = presentation.row
    return {**row, "revisionId": content_hash(row)}


def _create_presentation(call: Call) -> JsonObject:
    """Answers `presentations.create`: of a presentation only its title counts."""
    title = str(call.body.get("title") or "Untitled presentation")
    call.params["presentationId"] = _FILES.create(call, title)
    presentation = _open_presentation(call)
    _FILES.save(call.world, presentation.row)
    return _answer(presentation)


def _update_presentation(call: Call) -> JsonObject:
    """Answers `presentations.batchUpdate`: all requests, or none.

    Raises:
        ApiError: 400 for a request that cannot be or a revision that is another, 501 for a kind
            that is not emulated.
    """
    presentation = _open_presentation(call)
    check_revision(call, content_hash(presentation.row))
    replies = apply_requests(call, REQUESTS, presentation)
    _FILES.save(call.world, presentation.row)
    control = {"requiredRevisionId": content_hash(presentation.row)}
    ident = presentation.row["presentationId"]
    return {"presentationId": ident, "replies": replies, "writeControl": control}


def _get_page(call: Call) -> JsonObject:
    presentation = _open_presentation(call)
    ident = str(call.params["pageObjectId"])
    for name in ("slides", "layouts", "masters"):
        for each in presentation.row.get(name) or ():
            if each["objectId"] == ident:
                page: JsonObject = each
                return page
    raise not_found(f"The object ({ident}) could not be found.", name=ident)


HANDLERS: Mapping[str, Handler] = {
    "slides.presentations.create": _create_presentation,
    "slides.presentations.get": lambda call: _answer(_open_presentation(call)),
    "slides.presentations.batchUpdate": _update_presentation,
    "slides.presentations.pages.get": _get_page,
}
