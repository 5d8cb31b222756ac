"""What Google's own files are exported as, and what uploads are converted into.

Source: the guide on export formats, and recordings of the live service. Markup is that of the text
and its structure, not of Google's style sheets.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from io import BytesIO, StringIO
from urllib.parse import urlencode

from mockserver.googleapi import ApiError, Call, Download, Media, invalid, not_installed
from mockserver.model import Json, JsonObject

DOCUMENT, SPREADSHEET, PRESENTATION = (
    f"application/vnd.google-apps.{noun}" for noun in ("document", "spreadsheet", "presentation")
)
GOOGLE_TYPES = frozenset({DOCUMENT, SPREADSHEET})
"""Types that uploads are converted into."""
_OFFICE = "application/vnd.openxmlformats-officedocument"
_XLSX = f"{_OFFICE}.spreadsheetml.sheet"
_ODF = "application/vnd.oasis.opendocument"
_SHARED = {"application/pdf": "pdf", "application/zip": "zip"}
LINK_FORMATS: Mapping[str, Mapping[str, str]] = {
    SPREADSHEET: {
        "text/csv": "csv", "text/tab-separated-values": "tsv", _XLSX: "xlsx",
        f"{_ODF}.spreadsheet": "ods", "application/x-vnd.oasis.opendocument.spreadsheet": "ods",
        **_SHARED,
    },
    DOCUMENT: {
        "text/plain": "txt", "text/markdown": "markdown", "text/html": "html",
        "application/rtf": "rtf", f"{_OFFICE}.wordprocessingml.document": "docx",
        f"{_ODF}.text": "odt", "application/epub+zip": "epub", **_SHARED,
    },
    PRESENTATION: {
        "text/plain": "txt", f"{_OFFICE}.presentationml.presentation": "pptx",
        f"{_ODF}.presentation": "odp", "application/pdf": "pdf",
    },
}  # fmt: skip
"""Type of a file to what Drive exports it as, and how links name that."""
_EXPORT_PAGES = {
    SPREADSHEET: "spreadsheets/export",
    PRESENTATION: "feeds/download/presentations/Export",
}
_TABLES = {"text/csv": ",", "text/tab-separated-values": "\t"}
"""Type of a table as text to what stands between its columns."""
_IMPORTED_ZONE = "America/Los_Angeles"
_HEADINGS = {"TITLE": 1, "SUBTITLE": 2, **{f"HEADING_{n}": n for n in range(1, 7)}}


def export_link(kind: str, ident: str, mime_type: str) -> str:
    """The link by which a file is exported as a type."""
    query = urlencode({"id": ident, "exportFormat": LINK_FORMATS[kind][mime_type]})
    page = _EXPORT_PAGES.get(kind, "feeds/download/documents/export/Export")
    return f"https://docs.google.com/{page}?{query}"


def export_file(
    call: Call, file: JsonObject, mime_type: str, sheet_id: int | None = None
) -> Download:
    """What a file is exported as.

    Args:
        call: The call.
        file: The file.
        mime_type: The type that is asked for.
        sheet_id: The sheet of a spreadsheet that is exported as a table; the first one if None.

    Raises:
        ApiError: 403 for a file that is none of Google's, 400 for a type that Drive does not
            export it as, 501 for one that is not emulated.
    """
    kind = str(file.get("mimeType", ""))
    if not kind.startswith("application/vnd.google-apps."):
        text = "Export only supports Docs Editors files."
        raise ApiError(403, text, reason="fileNotExportable", location="alt")
    if mime_type not in LINK_FORMATS.get(kind, ()):
        text = "The requested conversion is not supported."
        raise ApiError(400, text, reason="badRequest", location="convertTo")
    writer = _WRITERS.get((kind, mime_type))
    if writer is None:
        known = ", ".join(each for one, each in _WRITERS if one == kind)
        text = f"drive.files.export to {mime_type!r} is not emulated; that to {known} is"
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
    if sheet_id is not None and mime_type in _TABLES:
        writer = partial(_write_table, _TABLES[mime_type], sheet_id=sheet_id)
    return Download(writer(call, str(file["id"])), mime_type)


def _sheet_titles(call: Call, ident: str) -> list[str]:
    """The titles of the sheets that have cells."""
    shown = call.ask("sheets.spreadsheets.get", {"spreadsheetId": ident})
    return [each["properties"]["title"] for each in shown["sheets"]
            if each["properties"].get("sheetType", "GRID") == "GRID"]  # fmt: skip


def _values(call: Call, ident: str, title: str, **options: str) -> list[list[Json]]:
    where = {"spreadsheetId": ident, "range": "'" + title.replace("'", "''") + "'", **options}
    rows = call.ask("sheets.spreadsheets.values.get", where).get("values", [])
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows]


def _write_table(delimiter: str, call: Call, ident: str, sheet_id: int | None = None) -> bytes:
    """A sheet as a text."""
    shown = call.ask("sheets.spreadsheets.get", {"spreadsheetId": ident})
    several = [each["properties"] for each in shown["sheets"]]
    title = next((each["title"] for each in several if each.get("sheetId", 0) == sheet_id), "")
    if sheet_id is not None and not title:
        raise invalid(f"No sheet with id: {sheet_id}", location="gid")
    lines = _values(call, ident, title or several[0]["title"])
    table = StringIO(newline="")
    csv.writer(table, delimiter=delimiter, lineterminator="\r\n").writerows(lines)
    return table.getvalue().removesuffix("\r\n").encode()


def _write_workbook(call: Call, ident: str) -> bytes:
    """All sheets as XLSX: values and formulas with their values, without formats."""
    try:
        from xlsxwriter import Workbook
    except ImportError as error:
        raise _not_installed(call, "XLSX", "xlsxwriter") from error
    target = BytesIO()
    book = Workbook(target, {"in_memory": True, "strings_to_urls": False})
    book.set_properties({"created": call.world.clock.now().replace(tzinfo=None)})
    titles = _sheet_titles(call, ident)
    for title, name in zip(titles, _workbook_names(titles), strict=True):
        sheet = book.add_worksheet(name)
        option = {"dateTimeRenderOption": "FORMATTED_STRING"}
        formulas = _values(call, ident, title, valueRenderOption="FORMULA", **option)
        values = _values(call, ident, title, valueRenderOption="UNFORMATTED_VALUE", **option)
        for row, (written, shown) in enumerate(zip(formulas, values, strict=True)):
            for column, (formula, value) in enumerate(zip(written, shown, strict=True)):
                if formula != value and str(formula).startswith("="):
                    sheet.write_formula(row, column, formula, None, value)
                else:
                    sheet.write(row, column, value)
    book.close()
    return target.getvalue()


def _workbook_names(titles: Sequence[str]) -> Iterator[str]:
    """Names of sheets as Excel takes them: short, without some signs, no two the same.

    Yields:
        A name for each title.
    """
    taken = set[str]()
    for title in titles:
        name = title.translate(dict.fromkeys(map(ord, r"\/*?:[]"), "_")).strip("'")[:31]
        number = 1
        while not name or name.casefold() in taken:
            number += 1
            name = f"{name[:25]} ({number})"
        taken.add(name.casefold())
        yield name


def _print_spreadsheet(call: Call, ident: str) -> bytes:
    titles = _sheet_titles(call, ident)
    return _write_pdf(call, [
        [title, "", *("    ".join(map(str, row)) for row in _values(call, ident, title))]
        for title in titles
    ])  # fmt: skip


def _write_pdf(call: Call, texts: Sequence[Sequence[str]]) -> bytes:
    """A PDF of texts, each of which begins a page.

    Raises:
        ApiError: 501 for a letter that the fonts of every reader do not have.
    """
    try:
        from fpdf import FPDF
        from fpdf.errors import FPDFUnicodeEncodingException
    except ImportError as error:
        raise _not_installed(call, "PDF", "fpdf2") from error
    paper = FPDF(format="letter")
    paper.set_creation_date(call.world.clock.now())
    paper.set_compression(False)
    paper.core_fonts_encoding = "windows-1252"
    paper.set_font("Helvetica", size=11)
    try:
        for lines in texts:
            paper.add_page()
            paper.multi_cell(0, text="\n".join(lines))
    except FPDFUnicodeEncodingException as error:
        text = (
            "PDF is written in letters of Western Europe here, and"
            f" {error.character!r} is none: export another format"
        )
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED") from None
    return bytes(paper.output())


def _not_installed(call: Call, kind: str, package: str) -> ApiError:
    text = f"{kind} is written by {package}: pip install 'understudy[office]'"
    return not_installed(call.id, text)


def _content(call: Call, ident: str) -> tuple[JsonObject, Sequence[JsonObject]]:
    shown = call.ask("docs.documents.get", {"documentId": ident})
    return shown, shown["body"]["content"]


def _texts_of(content: Sequence[JsonObject]) -> Iterator[str]:
    """The texts of a document's content, with those of its tables, in order.

    Yields:
        Texts.
    """
    for each in content:
        for element in (each.get("paragraph") or {}).get("elements", ()):
            yield str((element.get("textRun") or {}).get("content", ""))
        for row in (each.get("table") or {}).get("tableRows", ()):
            for cell in row["tableCells"]:
                yield from _texts_of(cell["content"])


def _write_text(call: Call, ident: str) -> bytes:
    text = "".join(_texts_of(_content(call, ident)[1])).removesuffix("\n")
    return b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


def _print_document(call: Call, ident: str) -> bytes:
    text = "".join(_texts_of(_content(call, ident)[1]))
    return _write_pdf(call, [text.rstrip("\n").split("\n")])


_MARKS = (("bold", "**", "b"), ("italic", "*", "i"), ("strikethrough", "~~", "s"))


def _runs(paragraph: JsonObject, write: Callable[[str, JsonObject], str]) -> str:
    runs = (each["textRun"] for each in paragraph.get("elements", ()) if "textRun" in each)
    return "".join(
        write(str(run.get("content", "")).rstrip("\n"), run.get("textStyle", {})) for run in runs
    )


def _markdown_run(text: str, style: JsonObject) -> str:
    if not text.strip():
        return text
    for name, mark, _ in _MARKS:
        if style.get(name):
            text = f"{mark}{text}{mark}"
    url = (style.get("link") or {}).get("url")
    return f"[{text}]({url})" if url else text


def _html_run(text: str, style: JsonObject) -> str:
    made = escape(text)
    for name, _, tag in (*_MARKS, ("underline", "", "u")):
        if style.get(name) and made:
            made = f"<{tag}>{made}</{tag}>"
    url = (style.get("link") or {}).get("url")
    return f'<a href="{escape(url)}">{made}</a>' if url else made


def _is_numbered(document: JsonObject, bullet: JsonObject) -> bool:
    held = (document.get("lists") or {}).get(bullet.get("listId"), {})
    levels = (held.get("listProperties") or {}).get("nestingLevels") or [{}]
    return "glyphType" in levels[min(bullet.get("nestingLevel", 0), len(levels) - 1)]


def _write_markdown(call: Call, ident: str) -> bytes:
    document, content = _content(call, ident)
    blocks: list[str] = []
    was_item = False
    for each in content:
        if "table" in each:
            blocks.append(_markdown_table(each["table"]))
        if "paragraph" not in each:
            continue
        paragraph = each["paragraph"]
        text = _runs(paragraph, _markdown_run)
        level = _HEADINGS.get(paragraph.get("paragraphStyle", {}).get("namedStyleType", ""))
        bullet = paragraph.get("bullet")
        if bullet is not None:
            mark = "1." if _is_numbered(document, bullet) else "*"
            line = f"{'  ' * bullet.get('nestingLevel', 0)}{mark} {text}"
            if was_item:
                blocks[-1] += f"\n{line}"
            else:
                blocks.append(line)
        elif text:
            blocks.append(f"{'#' * level} {text}" if level else text)
        was_item = bullet is not None
    return "\n\n".join(blocks).encode() + b"\n"


def _markdown_table(table: JsonObject) -> str:
    rows = [[" ".join(_texts_of(cell["content"])).strip().replace("\n", "<br>").replace("|", "\\|")
             for cell in row["tableCells"]] for row in table["tableRows"]]  # fmt: skip
    head, *rest = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, [":----"] * len(head), *rest))


def _write_html(call: Call, ident: str) -> bytes:
    document, content = _content(call, ident)
    title = escape(str(document.get("title", "")))
    body = "".join(_html_blocks(document, content))
    kind = '<meta content="text/html; charset=UTF-8" http-equiv="content-type">'
    head = f"<head>{kind}<title>{title}</title></head>"
    return f"<html>{head}<body>{body}</body></html>".encode()


def _html_blocks(document: JsonObject, content: Sequence[JsonObject]) -> Iterator[str]:
    """The markup of a document's content; items of lists are in lists of their own.

    Yields:
        Elements.
    """
    for each in content:
        if "table" in each:
            rows = "".join(
                "<tr>" + "".join(f"<td>{''.join(_html_blocks(document, cell['content']))}</td>"
                                 for cell in row["tableCells"]) + "</tr>"
                for row in each["table"]["tableRows"]
            )  # fmt: skip
            yield f"<table><tbody>{rows}</tbody></table>"
        if "paragraph" not in each:
            continue
        paragraph = each["paragraph"]
        text, bullet = _runs(paragraph, _html_run), paragraph.get("bullet")
        level = _HEADINGS.get(paragraph.get("paragraphStyle", {}).get("namedStyleType", ""))
        if bullet is not None:
            tag = "ol" if _is_numbered(document, bullet) else "ul"
            yield f"<{tag}><li>{text}</li></{tag}>"
        else:
            yield f"<h{level}>{text}</h{level}>" if level else f"<p>{text}</p>"


_WRITERS: Mapping[tuple[str, str], Callable[[Call, str], bytes]] = {
    (SPREADSHEET, "text/csv"): partial(_write_table, ","),
    (SPREADSHEET, "text/tab-separated-values"): partial(_write_table, "	"),
    (SPREADSHEET, _XLSX): _write_workbook,
    (SPREADSHEET, "application/pdf"): _print_spreadsheet,
    (DOCUMENT, "text/plain"): _write_text,
    (DOCUMENT, "text/markdown"): _write_markdown,
    (DOCUMENT, "text/html"): _write_html,
    (DOCUMENT, "application/pdf"): _print_document,
}

EXPORTS: Mapping[str, list[str]] = {
    kind: [each for one, each in _WRITERS if one == kind] for kind in (SPREADSHEET, DOCUMENT)
}
"""Type of a file to what it is exported as here."""
IMPORTS: Mapping[str, list[str]] = {
    **{kind: [SPREADSHEET] for kind in _TABLES}, "text/plain": [DOCUMENT],
}  # fmt: skip


def converted_type(media: Media) -> str:
    """What an upload is converted into where Google's type is not named, or an empty text."""
    return (IMPORTS.get(media.content_type.partition(";")[0].strip()) or [""])[0]


def convert_media(call: Call, file: JsonObject) -> str:
    """Make a file one of Google's of what is uploaded; its type.

    Raises:
        ApiError: 400 for media that are not converted.
    """
    media = call.media
    kind = converted_type(media) if media else ""
    asked = file.get("mimeType")
    if media is None or not kind or (asked in GOOGLE_TYPES and asked != kind):
        raise invalid("Bad Request", location="convert")
    held = {"id": file["id"], "name": file.get("name", "Untitled"), "mimeType": kind}
    call.world.put("drive:v3/files", f"files/{file['id']}", {**file, **held})
    text = media.content.decode("utf-8-sig", "replace")
    if kind == SPREADSHEET:
        _import_table(call, held, text, _TABLES[media.content_type.partition(";")[0].strip()])
    else:
        _import_text(call, held, text)
    return kind


def _import_text(call: Call, file: JsonObject, text: str) -> None:
    """Put a text in place of what a document holds."""
    where = {"documentId": file["id"]}
    end = _content(call, str(file["id"]))[1][-1]["endIndex"] - 1
    requests: list[JsonObject] = []
    if end > 1:
        span = {"startIndex": 1, "endIndex": end}
        requests.append({"deleteContentRange": {"range": span}})
    if text:
        lines = text.replace("\r\n", "\n")
        requests.append({"insertText": {"text": lines, "location": {"index": 1}}})
    if requests:
        call.ask("docs.documents.batchUpdate", where, {"requests": requests})


def _import_table(call: Call, file: JsonObject, text: str, delimiter: str) -> None:
    """Put a table in place of all sheets of a spreadsheet; its sheet has the name of the file."""
    where = {"spreadsheetId": file["id"]}
    before = call.ask("sheets.spreadsheets.get", where)["sheets"]
    known = [each["properties"]["sheetId"] for each in before]
    title, ident = str(file["name"]), int(call.world.ids.digits("sheet", 9))
    requests: list[JsonObject] = [
        {"addSheet": {"properties": {"sheetId": ident, "title": f"import {ident}"}}},
        *({"deleteSheet": {"sheetId": each}} for each in known),
        {"updateSheetProperties": {"properties": {"sheetId": ident, "title": title},
                                   "fields": "title"}},
        {"updateSpreadsheetProperties": {"properties": {"timeZone": _IMPORTED_ZONE},
                                         "fields": "timeZone"}},
        {"pasteData": {"coordinate": {"sheetId": ident}, "data": text, "delimiter": delimiter}},
    ]  # fmt: skip
    call.ask("sheets.spreadsheets.batchUpdate", where, {"requests": requests})
