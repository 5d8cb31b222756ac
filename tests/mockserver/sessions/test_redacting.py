"""What captures and replays redact with."""

from pathlib import Path

import pytest

from mockserver.apis import APIS
from mockserver.sessions.cassette_library import load_rules, make_redactor
from mockserver.settings import Settings

OWN = "rules:\n  - {name: badge, kind: badge, fields: [badge]}\n"


def test_rules_of_the_apis_and_of_the_user_stand_before_the_common_ones(tmp_path: Path) -> None:
    file = tmp_path / "redaction.yaml"
    file.write_text(OWN, encoding="utf-8")
    names = [rule.name for rule in load_rules(file, None, APIS).rules]
    assert {"badge", "directory_account", "directory_accounts"} & set(names) >= {"badge"}
    assert any(name.startswith("directory_") for name in names)
    assert len(names) == len(set(names))


def test_the_key_is_that_of_this_machine_and_none_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MOCKSERVER_REDACTION_KEY", raising=False)
    without = make_redactor(Settings(), ()).key_id
    assert not (tmp_path / "home").exists()
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key of these tests")
    assert make_redactor(Settings(), ()).key_id != without
