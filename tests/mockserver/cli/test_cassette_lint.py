from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cli.cassette import lint
from mockserver.errors import LeakError, MockServerError
from mockserver.redaction import Redactor, RuleSet

TEXT = "sent to ann@corp.io with password=hunter2hunter2\n"


def output(*arguments: object) -> str:
    import typer

    app = typer.Typer()
    app.command()(lint)
    result = CliRunner().invoke(app, [str(item) for item in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_what_is_clean_passes(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(Redactor(RuleSet.default(), b"key").redact_text(TEXT))
    (tmp_path / "picture.png").write_text(TEXT)
    assert output(tmp_path) == "no secrets in 1 files\n"


def test_places_are_told_and_never_values(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"one\n{TEXT}")
    with pytest.raises(LeakError) as raised:
        output(tmp_path / "a.log")
    assert raised.value.exit_code == 1
    assert f"{tmp_path}/a.log: line 2: email (as it is)" in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert "corp.io" not in str(raised.value)


def test_the_users_own_rules_count(tmp_path: Path) -> None:
    rules = tmp_path / "own.yaml"
    rules.write_text("rules: [{name: ticket, kind: ticket, pattern: 'TCK-[0-9]+'}]")
    (tmp_path / "a.log").write_text("see TCK-4711")
    assert output(tmp_path / "a.log").startswith("no secrets")
    with pytest.raises(LeakError, match="ticket"):
        output(tmp_path / "a.log", "--redaction", rules)


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match="cannot be read"):
        output(tmp_path / "none.yaml")
