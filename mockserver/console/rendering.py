"""Templates of pages, in which every text is inert, and the headers that pages are sent with."""

from collections.abc import Mapping
from functools import cache
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import orjson
from starlette.responses import HTMLResponse

from mockserver import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_TEXT = 20_000
"""So many characters of one text are shown."""

_LONGEST_VALUE = 300
_UNSEEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), "�") | {
    code: f"\\u{code:04x}"
    for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F)
}
"""Characters that a page does not show as they are: controls, and those that turn a line around."""


def respond(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page.

    Scripts run where they bear the number of this answer: what an agent puts on this origin, an
    upload or a literal answer, is none of them.
    """
    nonce = token_urlsafe(16)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    text = templates().get_template(template).render(nonce=nonce, version=__version__, **values)
    headers = {
        "content-security-policy": policy,
        "cache-control": "no-store",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "vary": "Authorization",
    }
    return HTMLResponse(text.encode("utf-8", "replace"), status, headers)


@cache
def templates() -> "Environment":
    """The templates of this package."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("mockserver.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    made.filters |= {
        "cut": cut,
        "value": write_value,
        "written": write_json,
        "ms": milliseconds,
        "query": write_query,
        "count": "{:,}".format,
        "time": clock_time,
    }
    return made


def cut(text: str, most: int = LONGEST_TEXT) -> str:
    r"""A text, with a note where it was cut.

    >>> cut("abcdef", 3)
    'abc\n… 3 more characters'
    """
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}\n… {left:,} more characters"


def write_value(value: Any, most: int = _LONGEST_VALUE) -> str:
    """A value in a line: texts without quotes.

    >>> write_value("a"), write_value(True), write_value({"a": 1}), write_value(None)
    ('a', 'true', '{"a":1}', 'null')
    """
    text = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def write_json(value: Any, most: int = LONGEST_TEXT) -> str:
    """A value as indented JSON; a text that is JSON as well."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return cut(value, most)
    return cut(orjson.dumps(value, default=str, option=orjson.OPT_INDENT_2).decode(), most)


def milliseconds(value: float) -> str:
    """A time for people.

    >>> milliseconds(0.234), milliseconds(12.34), milliseconds(3456)
    ('0.23 ms', '12.3 ms', '3.5 s')
    """
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.2f} ms" if value < 10 else f"{value:.1f} ms"


def write_query(values: Mapping[str, Any], **changes: Any) -> str:
    """A query string of what has a value, with some changed.

    >>> write_query({"a": "x", "b": ""}, c=3)
    '?a=x&c=3'
    """
    kept = {name: each for name, each in {**values, **changes}.items() if each not in ("", None, 0)}
    return "?" + urlencode({name: int(v) if v is True else v for name, v in kept.items()})


def clock_time(text: str) -> str:
    """The time of day of an RFC 3339 text, to the millisecond.

    >>> clock_time("2026-03-02T09:00:00.250Z")
    '09:00:00.250'
    """
    return text.partition("T")[2].rstrip("Z")


def _finalize(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return value.translate(_UNSEEN)
    return value
