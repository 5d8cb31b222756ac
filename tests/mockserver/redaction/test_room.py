"""What the documentation says of the room is there."""

import re
from pathlib import Path

import mockserver.redaction

ROOT = Path(mockserver.redaction.__file__).parents[1]
PAGE = ROOT.parent / "docs" / "architecture.md"


def test_every_function_of_the_trip_of_a_capture_is_in_its_module() -> None:
    trip = PAGE.read_text(encoding="utf-8").split("### A capture, function by function")[1]
    rows = re.findall(r"(?m)^\| (`.+?`) \| `([\w/.]+)` \|", trip.split("\n## ")[0])
    assert len(rows) > 10
    for functions, module in rows:
        path = ROOT / module
        files = [path] if path.suffix else path.glob("*.py")
        text = "".join(file.read_text(encoding="utf-8") for file in files)
        for name in re.findall(r"`(\w+(?:\.\w+)?)`", functions):
            for part in name.split("."):
                assert re.search(rf"(?:def|class) {part}\b", text), (name, module)


def test_the_map_of_the_room_names_every_module() -> None:
    folder = ROOT / "redaction"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"} | {"readers"}
    named = set(re.findall(r"`(\w+)`", mockserver.redaction.__doc__ or ""))
    assert named == modules
