"""Documents: what is inserted, deleted, replaced and styled, at places in units of UTF-16."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.workspace import Workspace

DOCUMENT = "application/vnd.google-apps.document"


class Docs:
    """Asks Docs about one document."""

    def __init__(self) -> None:
        plan = {"documentId": "plan", "title": "Plan"}
        self.space = Workspace("docs", "drive", **{"docs:v1": {"documents": [plan]}})

    def change(self, *requests: JsonObject) -> list[Any]:
        body = {"requests": [*requests]}
        asked = self.space.ask("docs:v1", "docs.documents.batchUpdate", body, documentId="plan")
        replies: list[Any] = asked["replies"]
        return replies

    def get(self, ident: str = "plan", **params: Any) -> Any:
        return self.space.ask("docs:v1", "docs.documents.get", documentId=ident, **params)

    def drive(self, verb: str, body: Any = None, **params: Any) -> Any:
        return self.space.ask("drive:v3", f"drive.files.{verb}", body, **params)

    def paragraphs(self) -> list[tuple[int, str]]:
        content = self.get()["body"]["content"]
        return [
            (each["startIndex"], "".join(run["textRun"]["content"] for run in
                                         each["paragraph"]["elements"]))
            for each in content if "paragraph" in each
        ]  # fmt: skip


@pytest.fixture
def docs() -> Docs:
    return Docs()


def insert(index: int, text: str) -> JsonObject:
    return {"insertText": {"location": {"index": index}, "text": text}}


def span(start: int, end: int) -> JsonObject:
    return {"range": {"startIndex": start, "endIndex": end}}


@pytest.mark.parametrize(
    ("requests", "found"),
    [
        ([insert(1, "Hi \U0001f600 all\nTwo")], [(1, "Hi \U0001f600 all\n"), (11, "Two\n")]),
        ([insert(1, "ab"), insert(2, "X")], [(1, "aXb\n")]),
        ([insert(1, "\U0001f600b"), insert(3, "X")], [(1, "\U0001f600Xb\n")]),
        ([insert(1, "a\nb\nc"), {"deleteContentRange": span(2, 4)}], [(1, "a\n"), (3, "c\n")]),
        ([insert(1, "a\nb"), {"deleteContentRange": span(2, 3)}], [(1, "ab\n")]),
        ([insert(1, "abc"), {"deleteContentRange": span(1, 3)}], [(1, "c\n")]),
        (
            [{"insertText": {"endOfSegmentLocation": {}, "text": "end"}}, insert(1, "\t")],
            [(1, "\tend\n")],
        ),
    ],
)
def test_texts_are_put_and_deleted(
    docs: Docs, requests: list[JsonObject], found: list[tuple[int, str]]
) -> None:
    docs.change(*requests)
    assert docs.paragraphs() == found


def test_every_occurrence_is_replaced_and_keeps_its_style(docs: Docs) -> None:
    bold = {"updateTextStyle": {**span(1, 5), "textStyle": {"bold": True}, "fields": "bold"}}
    named = {"createNamedRange": {"name": "n", **span(10, 14)}}
    docs.change(insert(1, "{{x}} and {{X}}"), bold, named)
    swap = {"containsText": {"text": "{{x}}", "matchCase": False}, "replaceText": "you {{x}}"}
    (reply,) = docs.change({"replaceAllText": swap})
    assert reply == {"replaceAllText": {"occurrencesChanged": 2}}
    assert docs.paragraphs() == [(1, "you {{x}} and you {{x}}\n")]
    content = docs.get()["body"]["content"]
    assert content[1]["paragraph"]["elements"][0]["textRun"] == {
        "content": "you {{x}}",
        "textStyle": {"bold": True},
    }
    assert docs.change({"replaceAllText": {**swap, "containsText": {"text": "none"}}}) == [
        {"replaceAllText": {}}
    ]


def test_lists_and_styles_of_paragraphs(docs: Docs) -> None:
    bullets = {"createParagraphBullets": {**span(1, 8), "bulletPreset": "BULLET_STAR"}}
    title = {"namedStyleType": "HEADING_1"}
    style = {"updateParagraphStyle": {**span(1, 2), "paragraphStyle": title, "fields": "*"}}
    docs.change(insert(1, "One\n\tTwo\nThree"), bullets, style)
    read = docs.get()
    first, second, third = [each["paragraph"] for each in read["body"]["content"][1:]]
    (ident,) = read["lists"]
    assert (first["bullet"]["listId"], second["bullet"]["nestingLevel"]) == (ident, 1)
    assert ("bullet" in third, first["paragraphStyle"]["namedStyleType"]) == (False, "HEADING_1")
    assert docs.paragraphs()[1] == (5, "Two\n")
    docs.change({"deleteParagraphBullets": span(1, 9)})
    assert "bullet" not in docs.get()["body"]["content"][1]["paragraph"]


def test_a_table_has_cells_with_texts_of_their_own(docs: Docs) -> None:
    table = {"insertTable": {"rows": 2, "columns": 2, "location": {"index": 1}}}
    docs.change(table, insert(12, "d"), insert(10, "c"), insert(7, "b"), insert(5, "a"))
    made = docs.get()["body"]["content"][2]
    cells = [
        cell["content"][0]["paragraph"]["elements"][0]["textRun"]["content"]
        for row in made["table"]["tableRows"]
        for cell in row["tableCells"]
    ]
    assert (made["startIndex"], cells) == (2, ["a\n", "b\n", "c\n", "d\n"])
    docs.change({"deleteContentRange": span(5, 6)})
    where = {"tableCellLocation": {"tableStartLocation": {"index": 2}, "rowIndex": 1}}
    row, column = {**where, "insertBelow": True}, {**where, "insertRight": True}
    docs.change({"insertTableRow": row}, {"insertTableColumn": column}, {"deleteTableRow": where})
    shape = docs.get()["body"]["content"][2]["table"]
    assert (shape["rows"], shape["columns"]) == (2, 3)
    docs.change(*[{"deleteTableColumn": where}] * 3)
    assert docs.paragraphs() == [(1, "\n"), (2, "\n")]
    docs.change(table, {"insertPageBreak": {"location": {"index": 1}}})
    end = docs.get()["body"]["content"][-1]["endIndex"]
    docs.change({"deleteContentRange": span(1, end - 1)})
    assert docs.paragraphs() == [(1, "\n")]


def test_named_ranges_move_with_their_texts(docs: Docs) -> None:
    docs.change(
        insert(1, "Hello"), {"createNamedRange": {"name": "n", **span(2, 4)}}, insert(1, "xx")
    )
    (named,) = docs.get()["namedRanges"]["n"]["namedRanges"]
    assert named["ranges"] == [{"startIndex": 4, "endIndex": 6}]
    docs.change({"deleteNamedRange": {"name": "n"}})
    assert docs.get()["namedRanges"] == {}


@pytest.mark.parametrize(
    ("request_", "status", "words"),
    [
        (insert(9, "x"), 400, "Invalid requests[0].insertText: Index 9 must be less than"),
        (insert(0, "x"), 400, "inside the bounds of an existing paragraph"),
        ({"insertText": {"text": "x"}}, 400, "location must be set"),
        (insert(1, ""), 400, "must specify text"),
        ({"insertText": {"location": {"index": 1, "segmentId": "h"}, "text": "x"}}, 400, "segment"),
        ({"deleteContentRange": span(1, 2)}, 400, "newline character at the end"),
        ({"deleteContentRange": span(1, 1)}, 400, "not be empty"),
        ({"deleteContentRange": span(1, 9)}, 400, "must be less than"),
        ({"updateTextStyle": {**span(1, 2), "textStyle": {}}}, 400, "At least one field"),
        ({"createParagraphBullets": span(1, 2)}, 400, "preset"),
        ({"createNamedRange": span(1, 2)}, 400, "name must be"),
        ({"deleteNamedRange": {"name": "none"}}, 400, "not found"),
        ({"replaceAllText": {}}, 400, "text to find"),
        ({"insertTable": {"rows": 0}}, 400, "at least 1"),
        ({"insertTableRow": {}}, 400, "Invalid table start"),
        ({"insertComment": {}}, 501, "is not emulated; those that are"),
        (
            insert(1, "x")
            | {"insertText": {"location": {"index": 1, "tabId": "t.9"}, "text": "x"}},
            400,
            "tab 't.9'",
        ),
        ({"replaceNamedRangeContent": {"namedRangeName": "none"}}, 400, "not found"),
    ],
)
def test_requests_that_cannot_be_are_refused(
    docs: Docs, request_: JsonObject, status: int, words: str
) -> None:
    with pytest.raises(ApiError) as caught:
        docs.change(request_)
    assert words in caught.value.message
    assert (caught.value.status, docs.paragraphs()) == (status, [(1, "\n")])


def test_a_document_is_a_file_of_drive(docs: Docs) -> None:
    made = docs.space.ask("docs:v1", "docs.documents.create", {"title": "New"})
    names = {each["name"]: each["mimeType"] for each in docs.drive("list")["files"]}
    assert names == {"Plan": DOCUMENT, "New": DOCUMENT}
    docs.drive("update", {"name": "Other"}, fileId=made["documentId"])
    assert docs.get(made["documentId"])["title"] == "Other"
    docs.change(insert(1, "Text\nmore"), {"updateDocumentStyle": {"documentStyle": {
        "useFirstPageHeaderFooter": True}, "fields": "useFirstPageHeaderFooter"}})  # fmt: skip
    copy = docs.drive("copy", {"name": "Copy"}, fileId="plan")
    assert docs.get(copy["id"])["body"] == docs.get()["body"]
    docs.drive("export", fileId=copy["id"], mimeType="text/plain")
    download = docs.space.download
    assert download is not None
    assert download.content == b"\xef\xbb\xbfText\r\nmore"
    assert docs.get(includeTabsContent=True)["tabs"][0]["documentTab"]["body"]
    with pytest.raises(ApiError, match="not found"):
        docs.get("none")


def test_a_change_of_an_older_revision_is_refused(docs: Docs) -> None:
    control = {"requiredRevisionId": docs.get()["revisionId"]}
    body = {"requests": [insert(1, "x")], "writeControl": control}
    docs.space.ask("docs:v1", "docs.documents.batchUpdate", body, documentId="plan")
    with pytest.raises(ApiError, match="revision"):
        docs.space.ask("docs:v1", "docs.documents.batchUpdate", body, documentId="plan")
