"""The script that holds two checkouts against each other: on its own, and on a changed one."""

import io
import shutil
from pathlib import Path

import orjson
import pytest

from tests.acceptance.equality import HERE, Expected, compare, main


def lines(*answers: tuple[str, int, list[list[str]], str]) -> io.BytesIO:
    return io.BytesIO(b"".join(orjson.dumps(each) + b"\n" for each in answers))


SAME = ("GET /a", 200, [["etag", "1"]], '{"a": 1, "b": 2}')


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (("GET /a", 404, [["etag", "1"]], "{}"), "status"),
        (("GET /a", 200, [["etag", "2"]], SAME[3]), "headers"),
        (("GET /a", 200, [["etag", "1"]], '{"a": 1, "b": 3}'), "body"),
        (("GET /a", 200, [["etag", "1"]], '{"b": 2, "a": 1}'), "form"),
        (("GET /b", 200, [["etag", "1"]], SAME[3]), "request"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_kind_of_difference_is_told(
    answer: tuple[str, int, list[list[str]], str], kind: str
) -> None:
    part = compare("p", lines(SAME, SAME), lines(answer, SAME), Expected())
    assert dict(part.found) == {kind: 1}
    assert list(part.shown) == [(kind, "GET /a")]


def test_a_session_of_one_side_alone_costs_only_itself() -> None:
    none: list[list[str]] = []
    first, second, third = (
        (f'POST /_mock/sessions {{"id": "{name}"}}', 201, none, "{}") for name in "abc"
    )
    one, other = lines(first, SAME, third, SAME), lines(first, SAME, second, SAME, third, SAME)
    for before, after in ((one, other), (io.BytesIO(other.getvalue()), lines(first, SAME, third))):
        part = compare("p", before, after, Expected())
        assert part.found["request"] == part.found.total()
        assert part.equal >= 3


def test_what_is_expected_is_counted_apart() -> None:
    expected = Expected(
        ({"request": "p: GET /a*", "reason": "a"}, {"request": "q*", "reason": "b"})
    )
    other = ("GET /a", 404, [["etag", "1"]], "{}")
    part = compare("p", lines(SAME, SAME), lines(other, SAME), expected)
    assert (part.compared, part.equal, part.expected, part.found.total()) == (2, 1, 1, 0)
    assert list(expected.met) == [0]


@pytest.mark.slow
def test_a_checkout_answers_as_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(HERE), "--limit", "1"]) == 0, capsys.readouterr().out


@pytest.mark.slow
def test_a_changed_answer_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mockserver", "harness", "fixtures"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HERE / name, tmp_path / name, ignore=ignored)
    module = tmp_path / "mockserver/googleapi/errors.py"
    text = module.read_text(encoding="utf-8")
    assert '"notFound"' in text
    module.write_text(text.replace('"notFound"', '"notHere"'), encoding="utf-8")
    assert main([str(tmp_path), "--only", "suites", "--limit", "8"]) == 1
    assert "notHere" in capsys.readouterr().out
