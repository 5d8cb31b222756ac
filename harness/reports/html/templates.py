"""Templates, in which every text is inert unless a template made it."""

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from harness.model import TrialStatus
from harness.reports.texts import inert, one_line

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

GLYPHS: Mapping[TrialStatus, str] = {
    "pass": "✓",
    "fail": "✗",
    "agent_error": "!",
    "not_evaluated": "○",
    "infra_error": "⊘",
    "replay_miss": "?",
    "skipped": "-",
}
"""What stands for a trial, so that nothing hangs on a colour; templates know it as `glyphs`."""

LONGEST = 12_000
"""So many characters of one text are shown."""


def render(template: str, **values: Any) -> "Markup":
    """What a template makes of some values."""
    return markup(page_templates().get_template(template).render(values))


def markup(text: str) -> "Markup":
    """A text that is markup: our own, with every text in it escaped."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


@cache
def page_templates(package: str = "") -> "Environment":
    """The templates of this folder; behind those of another package, which come first.

    A page of that package writes `{% include "matrix.html" %}` and `{% include "page.css" %}`.

    Args:
        package: A package with a folder `templates`.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    packages = [package, "harness.reports.html"] if package else ["harness.reports.html"]
    made = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_finalize,
    )
    made.globals["glyphs"] = GLYPHS
    made.filters |= {
        "cut": truncate,
        "line": one_line,
        "written": format_json,
        "ms": milliseconds,
        "percent": percent,
    }
    return made


@cache
def asset(name: str) -> "Markup":
    """A style sheet or a script of this folder, to stand in an element of its own or in a file."""
    return markup(files("harness.reports.html").joinpath("templates", name).read_text("utf-8"))


def content_hash(text: str) -> str:
    """What a content security policy calls an inline style or script.

    >>> content_hash("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


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
