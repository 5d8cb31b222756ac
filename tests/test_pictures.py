"""The pictures of the docs are what their scripts make, and each is told to who cannot see it."""

import itertools
import re
from types import ModuleType
from xml.etree import ElementTree

import pytest

from tests.documents import DOCS, FOLDER, ROOT
from tests.pictures import diagram, house, recording

SHOWN = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
LARGEST = 200_000
"""Bytes: who reads a page on a telephone waits for it."""


def test_every_picture_is_shown_with_words_and_is_small() -> None:
    pages = [*DOCS.values(), (ROOT / "README.md").read_text(encoding="utf-8")]
    shown = [found for page in pages for found in SHOWN.findall(page)]
    assert all(len(words) > 20 for words, _ in shown)
    names = {target.rpartition("/")[2] for _, target in shown}
    assert names == {path.name for path in (FOLDER / "img").iterdir()}
    assert all(path.stat().st_size < LARGEST for path in (FOLDER / "img").iterdir())


def test_the_landing_page_shows_what_it_is_the_demo_both_consoles_and_a_report() -> None:
    names = [target for _, target in SHOWN.findall(DOCS["README"])]
    assert names == [
        "img/understudy.svg", "img/demo.svg", "img/console.png", "img/runs.png", "img/report.png",
    ]  # fmt: skip


@pytest.mark.parametrize("script", [diagram, house])
def test_a_drawing_is_that_of_its_script(script: ModuleType) -> None:
    made = "\n".join(script.drawing()) + "\n"
    assert script.PICTURE.read_text(encoding="utf-8") == made, "run: make pictures"


def test_every_room_is_drawn_once() -> None:
    drawn = ElementTree.parse(house.PICTURE).getroot()
    names = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    for name in ("harness", "mockserver"):
        rooms = {path.stem for path in (ROOT / name).glob("[!_]*") if path.suffix in {"", ".py"}}
        of_house = [room.name for floor in house.floors(name) for room in floor]
        assert sorted(of_house) == sorted(rooms)
        assert set(of_house) <= set(names)


def test_the_film_takes_a_minute_and_leaves_time_for_each_line() -> None:
    lines = ["$ demo", "", "one", "two words", ""]
    cuts = recording.frames(lines)
    assert [frame.shown for frame in cuts] == [1, 3, 4]
    assert cuts[0].at == 0
    assert cuts[-1].at < recording.SECONDS - recording._END_S
    pauses = [after.at - before.at for before, after in itertools.pairwise(cuts)]
    assert pauses[0] > pauses[1] > 0, "a longer line is read for longer"


def test_what_a_terminal_printed_is_shown_as_text() -> None:
    made = "\n".join(recording.film(["$ a <b>", "it FAILED & ended"]))
    root = ElementTree.fromstring(made)
    assert "".join(root.itertext()).count("it FAILED & ended") == 1
    assert "$ a <b>" in "".join(root.itertext())


@pytest.mark.slow
def test_the_film_shows_what_the_demo_prints() -> None:
    made = "\n".join(recording.film(recording.record())) + "\n"
    assert recording.PICTURE.read_text(encoding="utf-8") == made, "run: make pictures"
