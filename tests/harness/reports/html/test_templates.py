from typing import get_args

import pytest

from harness.model import TrialStatus
from harness.reports.html.templates import (
    GLYPHS,
    asset,
    format_json,
    milliseconds,
    page_templates,
    render,
    truncate,
)


def test_texts_are_inert_and_escaped_in_every_template() -> None:
    made = (
        page_templates()
        .from_string("{{ a }}|{{ b }}|{{ 3 }}")
        .render(a="<b>\x1b&</b> Bearer abcdefgh12345678", b=None)
    )
    assert made == "&lt;b&gt;\\x1b&amp;&lt;/b&gt; [redacted]||3"


def test_a_name_that_nobody_gave_is_a_mistake_of_ours() -> None:
    with pytest.raises(Exception, match="undefined"):
        render("case.html")


def test_json_that_is_too_long_is_cut() -> None:
    assert format_json({"a": "x"}) == '{\n  "a": "x"\n}'
    assert format_json(["x" * 100], 10).endswith("more characters")
    assert format_json(float("nan")) == "null"
    assert truncate("abc", 3) == "abc"


@pytest.mark.parametrize(
    ("time", "text"),
    [(99.94, "99.9 ms"), (100, "100 ms"), (250, "250 ms"), (999, "999 ms"), (1000, "1.0 s")],
)
def test_times_are_for_people(time: float, text: str) -> None:
    assert milliseconds(time) == text


def test_every_status_has_a_sign_of_its_own() -> None:
    assert set(GLYPHS) == set(get_args(TrialStatus))
    assert len(set(GLYPHS.values())) == len(GLYPHS)


def test_pages_of_another_package_can_hold_what_stands_here() -> None:
    made = page_templates("harness.reports.html").from_string('{% include "page.css" %}').render()
    assert made == asset("page.css").rstrip("\n")
