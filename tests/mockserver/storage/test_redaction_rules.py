import json
from pathlib import Path

import pytest

from mockserver.errors import FormatError
from mockserver.model import Json, JsonObject
from mockserver.redaction import RuleSet
from mockserver.storage.redaction_settings import add_entry, redaction_rules

OWN = """
rules:
  - name: ticket
    kind: ticket
    pattern: \\bTCK-(\\d{6})
    about: numbers of tickets
off: [uuid]
on: [coordinates]
allow: ['TCK-000000']
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_without_a_file_the_common_rules_hold() -> None:
    assert redaction_rules() == RuleSet.default()


def test_the_file_of_the_current_folder_changes_them(here: Path) -> None:
    (here / "redaction.yaml").write_text(OWN, encoding="utf-8")
    rules = redaction_rules()
    assert rules.rules[0].name == "ticket"
    names = {rule.name for rule in rules.rules}
    assert "uuid" not in names
    assert "coordinates" in names
    assert rules.allow == ("TCK-000000",)


def test_a_suite_goes_before_the_current_folder(here: Path, tmp_path: Path) -> None:
    (here / "redaction.yaml").write_text(OWN, encoding="utf-8")
    suite = tmp_path / "suite"
    suite.mkdir()
    changed = OWN.replace("numbers of tickets", "the suite's")
    (suite / "redaction.yaml").write_text(changed, encoding="utf-8")
    assert redaction_rules(suite=suite).rules[0].about == "the suite's"


def test_a_file_that_is_named_is_the_only_one(here: Path, tmp_path: Path) -> None:
    (here / "redaction.yaml").write_text("not: read", encoding="utf-8")
    (tmp_path / "mine.yaml").write_text("", encoding="utf-8")
    assert redaction_rules(tmp_path / "mine.yaml") == RuleSet.default()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rules:\n  - name: a\n    kind: b\n    pattern: '('\n", r"redaction\.yaml:4: .*RE2"),
        ("rules:\n  - kind: b\n", r"redaction\.yaml:2: .*name"),
        ("off: [nothing]\n", r"redaction\.yaml:1: .*no rule 'nothing'"),
        ("\nallow: ['(']\n", r"redaction\.yaml:2: .*RE2"),
        ("other: 1\n", "'other' is not known"),
        ("- a\n", "expected a mapping"),
        ("a: [\n", "not YAML|expected"),
        ("!!python/object/apply:os.system [id]\n", r"redaction\.yaml"),
    ],
    ids=["pattern", "name", "off", "allow", "key", "list", "broken", "python"],
)
def test_a_mistake_is_told_with_its_line(here: Path, text: str, message: str) -> None:
    (here / "redaction.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        redaction_rules()


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        redaction_rules(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff")
    with pytest.raises(FormatError, match="not UTF-8"):
        redaction_rules(tmp_path / "bytes.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * (1 << 20) + b"#")
    with pytest.raises(FormatError, match="larger than 1 MiB"):
        redaction_rules(tmp_path / "large.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# mine\noff: [uuid]\n",
        "allow: ['TCK-1']\n",
        "allow: []\nrules: []\n",
        "allow:\n- TCK-1\n- TCK-2\n",
        "allow:\n  # tickets\n  - TCK-1\nrules: []",
        "rules:\n- {name: a, kind: a, fields: [a]}\nallow:\n    - TCK-1\n",
    ],
)
def test_an_entry_is_added_to_rules_however_they_are_written(tmp_path: Path, text: str) -> None:
    path = tmp_path / "redaction.yaml"
    if text:
        path.write_text(text, encoding="utf-8")
    before = redaction_rules(path) if text else RuleSet.default()
    entry: JsonObject = {"kind": "random", "shape": "r_[a-z0-9]{8,12}", "field": "receipt"}
    assert add_entry(path, "allow", entry).startswith("- {")
    assert add_entry(path, "allow", entry) == ""
    after = redaction_rules(path)
    assert (after.rules, after.allow, len(after.public)) == (before.rules, before.allow, 1)
    assert all(line in path.read_text("utf-8") for line in text.split("\n") if "#" in line)


def test_nothing_is_added_where_it_would_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "redaction.yaml"
    path.write_text("allow: {}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="add `- "):
        add_entry(path, "allow", {"kind": "random", "shape": "x{3}"})
    assert path.read_text("utf-8") == "allow: {}\n"


@pytest.mark.parametrize(
    ("entry", "message"),
    [({"kind": "random"}, "shape"), ({"kind": "random", "shape": "("}, "RE2"), (7, "a text, or"),
     ({"kind": "random", "shape": "x", "value": "y"}, "'value' is not known")],
)  # fmt: skip
def test_an_accepted_kind_that_cannot_be_is_told(tmp_path: Path, entry: Json, message: str) -> None:
    path = tmp_path / "redaction.yaml"
    path.write_text(f"allow:\n- {json.dumps(entry)}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        redaction_rules(path)
