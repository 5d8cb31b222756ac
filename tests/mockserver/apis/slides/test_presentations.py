"""Requests of Slides, and what a presentation is afterwards."""

from typing import Any

import pytest

from mockserver.apis.slides import API
from mockserver.apis.slides.requests import REQUESTS
from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import Base, Clock, Ids, World
from tests.tenants import NOW, ask, refused

BOX = {"shapeType": "TEXT_BOX", "text": {"textElements": [
    {"endIndex": 9, "paragraphMarker": {"style": {}}},
    {"endIndex": 9, "textRun": {"content": "Hi {{n}}\n", "style": {}}}]}}  # fmt: skip
PAGE = {"objectId": "slide1", "pageElements": [{"objectId": "box_1", "shape": BOX}]}
IN = {"elementProperties": {"pageObjectId": "slide1"}}


@pytest.fixture
def world() -> World:
    row = {"presentationId": "deck", "title": "Deck", "slides": [PAGE]}
    tables = {"slides:v1/presentations": Store({"presentations/deck": row})}
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(Base(tables, {}, NOW), clock=clock, ids=Ids(1), session="s1")


def call(world: World, method: str, body: JsonObject | None = None, **params: Any) -> Any:
    return ask(
        API, world, f"slides.presentations.{method}", {"presentationId": "deck", **params}, body
    )


def change(world: World, *requests: JsonObject) -> Any:
    return call(world, "batchUpdate", {"requests": list(requests)})["replies"]


def text(world: World, ident: str = "box_1") -> str:
    for slide in call(world, "get")["slides"]:
        for each in slide["pageElements"]:
            if each["objectId"] == ident:
                held = each["shape"].get("text", {}).get("textElements", ())
                return "".join(one.get("textRun", {}).get("content", "") for one in held)
    raise AssertionError(ident)


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ({"insertText": {"objectId": "box_1", "text": "\U0001f600\nx"}}, "\U0001f600\nxHi {{n}}\n"),
        ({"insertText": {"objectId": "box_1", "text": "!", "insertionIndex": 8}}, "Hi {{n}}!\n"),
        ({"deleteText": {"objectId": "box_1", "textRange": {"type": "ALL"}}}, ""),
        ({"deleteText": {"objectId": "box_1", "textRange": {
            "type": "FIXED_RANGE", "startIndex": 0, "endIndex": 3}}}, "{{n}}\n"),
        ({"replaceAllText": {"containsText": {"text": "{{N}}"}, "replaceText": "Bo"}}, "Hi Bo\n"),
        ({"replaceAllText": {"containsText": {"text": "{{N}}", "matchCase": True}}}, "Hi {{n}}\n"),
    ],
)  # fmt: skip
def test_a_request_changes_a_text(world: World, request_: JsonObject, found: str) -> None:
    change(world, request_)
    assert text(world) == found


def test_slides_have_placeholders_of_their_layout(world: World) -> None:
    world.put("slides:v1/presentations", "presentations/deck", {"presentationId": "deck"})
    mapping = [{"layoutPlaceholder": {"type": "BODY"}, "objectId": "body_2"}]
    layout = {"slideLayoutReference": {"predefinedLayout": "TITLE_AND_BODY"}}
    made, copy = change(
        world,
        {"createSlide": {**layout, "objectId": "slide2", "placeholderIdMappings": mapping}},
        {"duplicateObject": {"objectId": "slide2"}},
    )
    told = call(world, "pages.get", pageObjectId="slide2")
    kinds = [each["shape"]["placeholder"]["type"] for each in told["pageElements"]]
    assert (made["createSlide"]["objectId"], kinds) == ("slide2", ["TITLE", "BODY"])
    change(world, {"updateSlidesPosition": {
        "slideObjectIds": [copy["duplicateObject"]["objectId"]], "insertionIndex": 0}})  # fmt: skip
    change(world, {"deleteObject": {"objectId": "slide2"}})
    assert [each["objectId"] for each in call(world, "get")["slides"]] == [
        copy["duplicateObject"]["objectId"]
    ]


def test_elements_are_made_styled_and_moved(world: World) -> None:
    half = {"scaleX": 2, "scaleY": 1, "translateX": 5, "unit": "EMU"}
    cell = {"rowIndex": 1, "columnIndex": 0}
    every = {"objectId": "box_1", "textRange": {"type": "ALL"}}
    change(
        world,
        {"createShape": {**IN, "objectId": "shape1", "shapeType": "STAR_5"}},
        {"createLine": {**IN, "objectId": "line_1", "category": "BENT"}},
        {"createImage": {**IN, "objectId": "image1", "url": "https://example.com/a.png"}},
        {"createTable": {**IN, "objectId": "table1", "rows": 2, "columns": 1}},
        {"insertText": {"objectId": "table1", "cellLocation": cell, "text": "x"}},
        *({kind: {"tableObjectId": "table1", "cellLocation": {}}} for kind in (
            "insertTableRows", "insertTableColumns", "deleteTableRow", "deleteTableColumn")),
        {"updatePageElementTransform": {"objectId": "shape1", "applyMode": "ABSOLUTE",
                                        "transform": half}},
        {"updatePageElementTransform": {"objectId": "shape1", "applyMode": "RELATIVE",
                                        "transform": half}},
        {"updatePageElementAltText": {"objectId": "shape1", "title": "star"}},
        {"updateShapeProperties": {"objectId": "shape1", "fields": "link.url", "shapeProperties": {
            "link": {"url": "https://example.com"}}}},
        {"updatePageProperties": {"objectId": "slide1", "fields": "*", "pageProperties": {}}},
        {"updateTextStyle": {**every, "style": {"bold": True}, "fields": "bold"}},
        {"updateParagraphStyle": {**every, "style": {"alignment": "END"}, "fields": "alignment"}},
        {"createParagraphBullets": every},
        {"deleteParagraphBullets": every},
    )  # fmt: skip
    held = {each["objectId"]: each for each in call(world, "get")["slides"][0]["pageElements"]}
    assert held["shape1"]["transform"]["translateX"] == 15
    assert held["shape1"]["title"] == "star"
    assert held["shape1"]["shape"]["shapeProperties"]["link"]["url"] == "https://example.com"
    table = held["table1"]["table"]
    assert (table["rows"], table["columns"]) == (2, 1)
    assert table["tableRows"][1]["tableCells"][0]["text"]["textElements"]
    marker, run = held["box_1"]["shape"]["text"]["textElements"]
    assert (marker["paragraphMarker"], run["textRun"]["style"]) == (
        {"style": {"alignment": "END"}}, {"bold": True}
    )  # fmt: skip
    [told] = change(world, {"replaceAllShapesWithImage": {
        "containsText": {"text": "HI"}, "imageUrl": "https://example.com/b.png"}})  # fmt: skip
    assert told["replaceAllShapesWithImage"]["occurrencesChanged"] == 1


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"insertText": {"objectId": "none_", "text": "x"}}, "could not be found"),
        ({"insertText": {"objectId": "box_1"}}, "must be set"),
        ({"insertText": {"objectId": "box_1", "text": "x", "insertionIndex": 99}}, "at most"),
        ({"createSlide": {"objectId": "slide1"}}, "should be unique"),
        ({"createSlide": {"objectId": "a"}}, "5 to 50 letters"),
        ({"createSlide": {"insertionIndex": 9}}, "should be 0 to 1"),
        ({"createSlide": {"slideLayoutReference": {"layoutId": "none"}}}, "could not be found"),
        ({"createSlide": {"slideLayoutReference": {"predefinedLayout": "X"}}}, "not present"),
        ({"createShape": {**IN}}, "shape type must be set"),
        ({"createImage": {**IN, "url": "file:///etc/passwd"}}, "http or https"),
        ({"createTable": {**IN}}, "at least one row"),
        (
            {"replaceAllText": {"containsText": {"text": ".", "searchByRegex": True}}},
            "not emulated",
        ),
        ({"updateTextStyle": {"objectId": "box_1"}}, "At least one field"),
        ({"updateImageProperties": {"objectId": "box_1", "fields": "*"}}, "is not a image"),
        ({"deleteTableRow": {"tableObjectId": "box_1"}}, "is not a table"),
    ],
)
def test_a_request_that_cannot_be_is_refused(
    world: World, request_: JsonObject, words: str
) -> None:
    params, body = {"presentationId": "deck"}, {"requests": [request_]}
    error = refused(API, world, "slides.presentations.batchUpdate", params, body)
    assert (error.status, words in error.message) == (400, True), error.message


def test_kinds_are_those_of_the_document() -> None:
    from tests.discoverydocs import document

    assert set(REQUESTS) <= set(document("slides:v1").schemas["Request"]["properties"])
