"""Templates, in which every text is inert unless a template made it."""

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from harness.reports.texts import inert, one_line

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LONGEST = 12_000
"""So many characters of one text are shown."""


def render(template: str, **values: Any) -> "Markup":
    """What a template makes of some values."""
    from markupsafe import Markup

    # templates escape what they are given; what they give is markup
    return Markup(templates().get_template(template).render(values))  # noqa: S704


@cache
def templates() -> "Environment":
    """The templates of this folder."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("harness.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_finalize,
    )
    made.filters |= {
        "cut": truncate,
        "line": one_line,
        "written": format_json,
        "ms": milliseconds,
        "percent": percent,
    }
    return made


def truncate(text: str, most: int = LONGEST) -> str:
    r"""A text that may have lines, with a note where it was cut.

    >>> truncate("abcdef", 3)
    'abc\n… 3 more characters'
    """
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}\n… {left} more characters"


def format_json(value: Any, most: int = 4000) -> str:
    """A JSON value as indented text."""
    return truncate(to_json(value, indent=2, inf_nan_mode="null").decode(), most)


def milliseconds(value: float | None) -> str:
    """A time for people.

    >>> milliseconds(12.34), milliseconds(3456), milliseconds(None)
    ('12.3 ms', '3.5 s', 'n/a')
    """
    if value is None:
        return "n/a"
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"


def percent(share: float | None) -> str:
    """A share for people.

    >>> percent(0.666), percent(None)
    ('67 %', 'n/a')
    """
    return "n/a" if share is None else f"{share * 100:.0f} %"


def _finalize(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return inert(value)
    return value
