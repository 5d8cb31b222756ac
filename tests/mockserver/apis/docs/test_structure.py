"""What texts of documents are in: tabs, headers, sections, tables, and what stands among words."""

from typing import Any

import pytest

from mockserver.apis.docs.methods import REQUESTS
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.discoverydocs import document
from tests.mockserver.apis.docs.test_documents import Docs, insert, span

AT = {"location": {"index": 1}}
TABLE = {"insertTable": {"rows": 2, "columns": 2, **AT}}
START = {"tableStartLocation": {"index": 2}}
LINK = "https://example.com/a.png"
REFUSED = {
    "acceptSuggestion", "rejectSuggestion", "deleteSuggestion", "insertComment", "deleteComment",
    "addCommentReply", "deleteCommentReply", "updateCommentPost", "createDropdownDefinition",
    "deleteDropdownDefinition", "insertDropdown", "updateDropdownDefinitionProperties",
    "updateDropdownProperties",
}  # fmt: skip


@pytest.fixture
def docs() -> Docs:
    return Docs()


def cells(rows: int, columns: int, **more: Any) -> JsonObject:
    around = {"tableCellLocation": START, "rowSpan": rows, "columnSpan": columns}
    return {"tableRange": around, **more}


def table_of(docs: Docs) -> Any:
    return next(each["table"] for each in docs.get()["body"]["content"] if "table" in each)


def text_of(content: Any) -> str:
    return "".join(
        run.get("textRun", {}).get("content", "*")
        for each in content if "paragraph" in each
        for run in each["paragraph"]["elements"]
    )  # fmt: skip


def test_every_kind_of_request_is_honoured_or_refused_by_name() -> None:
    known = set(document("docs:v1").schemas["Request"]["properties"])
    assert known - set(REQUESTS) == known & REFUSED
    assert not set(REQUESTS) - known


def test_tabs_have_texts_of_their_own(docs: Docs) -> None:
    docs.change(insert(1, "first"))
    added = docs.change({"addDocumentTab": {"tabProperties": {"title": "Notes"}}})
    notes = added[0]["addDocumentTab"]["tabProperties"]
    assert (notes["title"], notes["index"]) == ("Notes", 1)
    below = {"title": "More", "parentTabId": notes["tabId"]}
    more = docs.change({"addDocumentTab": {"tabProperties": below}})[0]["addDocumentTab"]
    there = {"index": 1, "tabId": notes["tabId"]}
    docs.change({"insertText": {"location": there, "text": "there"}})
    [one, two] = docs.get(includeTabsContent=True)["tabs"]
    assert text_of(two["documentTab"]["body"]["content"]) == "there\n"
    assert two["childTabs"][0]["tabProperties"] == {
        "tabId": more["tabProperties"]["tabId"], "title": "More", "parentTabId": notes["tabId"],
        "nestingLevel": 1, "index": 0}  # fmt: skip
    assert docs.paragraphs() == [(1, "first\n")]
    assert "tabs" not in docs.get()
    swap = {"containsText": {"text": "t"}, "replaceText": "T"}
    only = {"tabsCriteria": {"tabIds": [notes["tabId"]]}}
    reply = docs.change({"replaceAllText": {**swap, **only}}, {"replaceAllText": swap})
    assert [each["replaceAllText"]["occurrencesChanged"] for each in reply] == [1, 2]
    moved = {"tabId": notes["tabId"], "index": 0, "title": "Top"}
    docs.change({"updateDocumentTabProperties": {"tabProperties": moved, "fields": "title,index"}})
    titles = [each["tabProperties"]["title"] for each in docs.get(includeTabsContent=True)["tabs"]]
    assert titles == ["Top", "Tab 1"]
    docs.change({"deleteTab": {"tabId": notes["tabId"]}})
    [left] = docs.get(includeTabsContent=True)["tabs"]
    assert (left["tabProperties"]["tabId"], "childTabs" in left) == (
        one["tabProperties"]["tabId"], False)  # fmt: skip


def test_headers_footers_and_footnotes_have_texts(docs: Docs) -> None:
    made = docs.change(
        insert(1, "Body"), {"createHeader": {"type": "DEFAULT"}},
        {"createFooter": {"type": "DEFAULT"}}, {"createFootnote": {"location": {"index": 5}}},
        {"createFootnote": {"location": {"index": 1}}},
    )  # fmt: skip
    header, footer = made[1]["createHeader"]["headerId"], made[2]["createFooter"]["footerId"]
    notes = [each["createFootnote"]["footnoteId"] for each in made[3:]]
    end = {"endOfSegmentLocation": {"segmentId": notes[0]}}
    docs.change({"insertText": {"location": {"segmentId": header, "index": 0}, "text": "Top"}},
                {"insertText": {**end, "text": "why"}})  # fmt: skip
    read = docs.get()
    assert read["documentStyle"]["defaultFooterId"] == footer
    assert text_of(read["headers"][header]["content"]) == "Top\n"
    assert text_of(read["footnotes"][notes[0]]["content"]) == " why\n"
    elements = read["body"]["content"][1]["paragraph"]["elements"]
    numbers = [each["footnoteReference"]["footnoteNumber"] for each in elements
               if "footnoteReference" in each]  # fmt: skip
    assert numbers == ["1", "2"]
    docs.change({"deleteContentRange": span(1, 2)}, {"deleteHeader": {"headerId": header}},
                {"deleteFooter": {"footerId": footer}})  # fmt: skip
    read = docs.get()
    assert ([*read["footnotes"]], "headers" in read) == ([notes[0]], False)
    assert "defaultHeaderId" not in read["documentStyle"]


def test_sections_have_styles_and_headers(docs: Docs) -> None:
    docs.change(insert(1, "ab"), {"insertSectionBreak": {"sectionType": "NEXT_PAGE",
                                                         "location": {"index": 2}}})  # fmt: skip
    shown = [next(iter(each.keys() - {"startIndex", "endIndex"})) for each in
             docs.get()["body"]["content"]]  # fmt: skip
    assert shown == ["sectionBreak", "paragraph", "sectionBreak", "paragraph"]
    assert docs.paragraphs() == [(1, "a\n"), (4, "b\n")]
    where = {"sectionBreakLocation": {"index": 3}}
    made = docs.change({"createHeader": {"type": "DEFAULT", **where}})[0]["createHeader"]
    style = {"sectionStyle": {"contentDirection": "RIGHT_TO_LEFT"}, "fields": "contentDirection"}
    docs.change({"updateSectionStyle": {**span(4, 5), **style}})
    first, second = (each["sectionBreak"]["sectionStyle"] for each in
                     docs.get()["body"]["content"] if "sectionBreak" in each)  # fmt: skip
    assert (first["contentDirection"], "defaultHeaderId" in first) == ("LEFT_TO_RIGHT", False)
    assert (second["contentDirection"], second["defaultHeaderId"]) == (
        "RIGHT_TO_LEFT", made["headerId"])  # fmt: skip
    docs.change({"deleteHeader": {"headerId": made["headerId"]}},
                {"deleteContentRange": span(2, 4)})  # fmt: skip
    assert docs.paragraphs() == [(1, "ab\n")]


def test_images_people_links_and_dates_are_one_unit_each(docs: Docs) -> None:
    made = docs.change(
        {"insertInlineImage": {"uri": LINK, "objectSize": {"width": {"magnitude": 9}}, **AT}},
        {"insertPerson": {"personProperties": {"email": "bo@example.com"}, **AT}},
        {"insertRichLink": {"richLinkProperties": {"uri": "https://example.com"}, **AT}},
        {"insertDate": {"dateElementProperties": {"timestamp": "2026-03-02T09:00:00Z"}, **AT}},
        {"updateTextStyle": {**span(1, 2), "textStyle": {"bold": True}, "fields": "bold"}},
    )
    ident = made[0]["insertInlineImage"]["objectId"]
    read = docs.get()
    elements = read["body"]["content"][1]["paragraph"]["elements"]
    kinds = [next(iter(each.keys() - {"startIndex", "endIndex"})) for each in elements]
    assert kinds == ["dateElement", "richLink", "person", "inlineObjectElement", "textRun"]
    assert elements[0]["dateElement"]["textStyle"] == {"bold": True}
    assert elements[-1]["startIndex"] == 5
    docs.change({"replaceImage": {"imageObjectId": ident, "uri": f"{LINK}?2"}})
    shown = docs.get()["inlineObjects"][ident]["inlineObjectProperties"]["embeddedObject"]
    assert shown["imageProperties"]["sourceUri"] == f"{LINK}?2"
    docs.change({"deleteContentRange": span(1, 5)})
    assert "inlineObjects" not in docs.get()


def test_cells_are_merged_and_styled(docs: Docs) -> None:
    docs.change(TABLE, insert(12, "d"), insert(5, "a"))
    top = {"contentAlignment": "TOP"}
    wide = {"width": {"magnitude": 90, "unit": "PT"}, "widthType": "FIXED_WIDTH"}
    docs.change(
        {"mergeTableCells": cells(2, 2)},
        {"updateTableCellStyle": cells(1, 2, tableCellStyle=top, fields="*")},
        {"updateTableCellStyle": {**START, "tableCellStyle": {"rowSpan": 2}, "fields": "rowSpan"}},
        {"updateTableRowStyle": {**START, "rowIndices": [1], "fields": "preventOverflow",
                                 "tableRowStyle": {"preventOverflow": True}}},
        {"updateTableColumnProperties": {**START, "columnIndices": [0], "fields": "*",
                                         "tableColumnProperties": wide}},
        {"pinTableHeaderRows": {**START, "pinnedHeaderRowsCount": 1}},
    )  # fmt: skip
    table = table_of(docs)
    head, other = table["tableRows"][0]["tableCells"]
    assert (text_of(head["content"]), text_of(other["content"])) == ("a\nd\n", "\n")
    assert head["tableCellStyle"] == {"contentAlignment": "TOP", "rowSpan": 2, "columnSpan": 2}
    assert [each["tableRowStyle"] for each in table["tableRows"]] == [
        {"tableHeader": True}, {"preventOverflow": True, "tableHeader": False}]  # fmt: skip
    assert table["tableStyle"]["tableColumnProperties"][0] == wide
    where = {"tableCellLocation": START}
    docs.change({"unmergeTableCells": cells(1, 1)}, {"insertTableColumn": where})
    table = table_of(docs)
    assert table["tableRows"][0]["tableCells"][1]["tableCellStyle"]["rowSpan"] == 1
    assert table["tableStyle"]["tableColumnProperties"][1] == wide
    docs.change({"deleteTableColumn": where})
    assert table_of(docs)["tableStyle"]["tableColumnProperties"][0] == wide


def test_named_ranges_follow_tables_and_are_replaced(docs: Docs) -> None:
    docs.change(TABLE, insert(14, "behind"),
                {"createNamedRange": {"name": "n", **span(14, 20)}})  # fmt: skip
    row = {"tableCellLocation": START, "insertBelow": True}

    def named() -> Any:
        [each] = docs.get()["namedRanges"]["n"]["namedRanges"]
        return each["ranges"]

    docs.change({"insertTableRow": row})
    assert named() == [{"startIndex": 19, "endIndex": 25}]
    docs.change({"deleteTableRow": row})
    assert named() == [{"startIndex": 14, "endIndex": 20}]
    docs.change({"replaceNamedRangeContent": {"namedRangeName": "n", "text": "new"}})
    assert (named(), docs.paragraphs()[-1]) == ([{"startIndex": 14, "endIndex": 17}], (14, "new\n"))
    docs.change({"replaceNamedRangeContent": {"namedRangeName": "n", "text": ""}})
    docs.change({"replaceNamedRangeContent": {"namedRangeName": "n", "text": "again"}})
    assert docs.paragraphs()[-1] == (14, "again\n")


def test_named_styles_and_suggestions(docs: Docs) -> None:
    style = {"namedStyleType": "HEADING_1", "textStyle": {"bold": True}}
    docs.change({"updateNamedStyle": {"namedStyle": style, "fields": "textStyle.bold"}})
    assert docs.get()["namedStyles"] == {"styles": [style]}
    for mode, shown in (
        ("DEFAULT_FOR_CURRENT_ACCESS", "SUGGESTIONS_INLINE"),
        ("PREVIEW_WITHOUT_SUGGESTIONS", "PREVIEW_WITHOUT_SUGGESTIONS"),
    ):
        assert docs.get(suggestionsViewMode=mode)["suggestionsViewMode"] == shown


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"insertInlineImage": {"uri": "file:///a.png", **AT}}, "unsupported format"),
        ({"replaceImage": {"uri": LINK, "imageObjectId": "none"}}, "not found"),
        ({"deletePositionedObject": {"objectId": "none"}}, "not found"),
        ({"insertPerson": AT}, "email must be set"),
        ({"createHeader": {"type": "EVEN"}}, "must be DEFAULT"),
        ({"createFooter": {"type": "DEFAULT", "sectionBreakLocation": {"index": 9}}}, "no section"),
        ({"deleteFooter": {"footerId": "none"}}, "not found"),
        ({"insertSectionBreak": AT}, "section type"),
        ({"updateSectionStyle": {"range": {"segmentId": "none"}}}, "not found"),
        ({"mergeTableCells": {}}, "Invalid table start"),
        ({"deleteTab": {"tabId": "t.0"}}, "last tab"),
        ({"deleteTab": {}}, "not found"),
        ({"updateDocumentTabProperties": {"fields": "title"}}, "id of the tab"),
        ({"updateDocumentTabProperties": {"fields": "nestingLevel",
                                          "tabProperties": {"tabId": "t.0"}}}, "cannot be changed"),
        ({"addDocumentTab": {"tabProperties": {"index": 7}}}, "behind the last"),
        ({"updateNamedStyle": {}}, "type of the named style"),
    ],
)  # fmt: skip
def test_requests_that_cannot_be_are_refused(docs: Docs, request_: JsonObject, words: str) -> None:
    with pytest.raises(ApiError) as caught:
        docs.change(request_)
    assert (caught.value.status, docs.paragraphs()) == (400, [(1, "\n")])
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"mergeTableCells": cells(3, 1)}, "inside the table"),
        ({"insertTableRow": {"tableCellLocation": {**START, "rowIndex": 5}}}, "no cell at row 5"),
        ({"updateTableRowStyle": {**START, "rowIndices": [4]}}, "which has 2"),
        ({"pinTableHeaderRows": {**START, "pinnedHeaderRowsCount": 3}}, "cannot be pinned"),
        ({"insertSectionBreak": {"sectionType": "CONTINUOUS", "location": {"index": 5}}}, "table"),
        ({"updateTableColumnProperties": {**START, "fields": "*", "tableColumnProperties": {
            "widthType": "FIXED_WIDTH"}}}, "at least 5 points"),
    ],
)  # fmt: skip
def test_requests_about_tables_that_cannot_be_are_refused(
    docs: Docs, request_: JsonObject, words: str
) -> None:
    docs.change(TABLE)
    with pytest.raises(ApiError, match=words):
        docs.change(request_)


def test_some_things_are_of_the_body_alone(docs: Docs) -> None:
    made = docs.change({"createHeader": {"type": "DEFAULT"}}, {"createFootnote": AT})
    header = {"location": {"segmentId": made[0]["createHeader"]["headerId"]}}
    note = {"location": {"segmentId": made[1]["createFootnote"]["footnoteId"]}}
    for request_, words in (
        ({"createHeader": {"type": "DEFAULT"}}, "already exists"),
        ({"insertPageBreak": header}, "inside a header"),
        ({"updateSectionStyle": {"range": header["location"]}}, "body alone"),
        ({"insertInlineImage": {"uri": LINK, **note}}, "footnote"),
        ({"insertTable": {"rows": 1, "columns": 1, **note}}, "footnote"),
    ):
        with pytest.raises(ApiError, match=words):
            docs.change(request_)
