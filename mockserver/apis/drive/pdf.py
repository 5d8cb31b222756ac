"""Text as PDF: pages of lines in Helvetica, which every reader has and no file needs to hold."""

from collections.abc import Sequence

from mockserver.googleapi import ApiError

_WIDTH, _HEIGHT, _MARGIN, _SIZE, _LEADING = 612, 792, 72, 11, 14
_LINES = (_HEIGHT - 2 * _MARGIN) // _LEADING
_COLUMNS = 85
"""Letters in a line, about."""


def write_pdf(texts: Sequence[Sequence[str]]) -> bytes:
    """A PDF of texts, each of which begins a page.

    Args:
        texts: Lines of each.

    Raises:
        ApiError: 501 for a letter that its font does not have.
    """
    pages = [page for lines in texts for page in _pages(lines)] or [[]]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        content = _stream(lines)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_WIDTH} {_HEIGHT}] /Contents"
            f" {5 + 2 * number} 0 R /Resources << /Font << /F1 3 0 R >> >> >>".encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    return _file(objects)


def _pages(lines: Sequence[str]) -> list[list[str]]:
    cut = [
        line[at : at + _COLUMNS] for line in lines for at in range(0, max(len(line), 1), _COLUMNS)
    ]
    return [cut[at : at + _LINES] for at in range(0, max(len(cut), 1), _LINES)]


def _stream(lines: Sequence[str]) -> bytes:
    shown = b"".join(b"(%s) Tj T*\n" % _literal(line) for line in lines)
    start = f"BT /F1 {_SIZE} Tf {_LEADING} TL {_MARGIN} {_HEIGHT - _MARGIN} Td\n"
    return start.encode() + shown + b"ET"


def _literal(line: str) -> bytes:
    text = "".join(" " if each < " " else each for each in line)
    try:
        encoded = text.encode("cp1252")
    except UnicodeEncodeError as error:
        text = (
            "PDF is written in letters of Western Europe here, and"
            f" {error.object[error.start]!r} is none: export another format"
        )
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED") from None
    return encoded.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")


def _file(objects: Sequence[bytes]) -> bytes:
    made, places = bytearray(b"%PDF-1.4\n"), list[int]()
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    start = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    made += b"".join(b"%010d 00000 n \n" % place for place in places)
    made += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        start,
    )
    return bytes(made)
