from pathlib import Path

import pytest

from mockserver.errors import FormatError
from mockserver.redaction import RuleSet
from mockserver.storage.redaction_rules import redaction_rules

OWN = """
rules:
  - name: ticket
    kind: ticket
    pattern: \\bTCK-(\\d{6})
    about: numbers of tickets
off: [uuid]
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
    assert "uuid" not in {rule.name for rule in rules.rules}
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
