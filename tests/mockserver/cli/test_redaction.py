import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cli.main import app as main_app
from mockserver.cli.redaction import app
from mockserver.errors import MockServerError
from mockserver.redaction import Redactor, RuleSet

KEY = "the key of a test"
TEXT = "".join(f"line {number} of person{number}@corp.io\n" for number in range(8))


def output(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(item) for item in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_rules_are_listed_with_what_they_look_for() -> None:
    listed = output("rules")
    assert "e-mail addresses, anywhere" in listed
    for word in ("fields: ", "pattern: ", "collections: ", "beside: ", "apart: ", "check: "):
        assert f"\n    {word}" in listed
    assert "\n    within: customer, customers, " in listed
    for line in (
        r"kept_version +kept +keep +versions",
        r"kubernetes_secret +secret +credential +`data` and `stringData`",
        r"coordinates +coordinate +where somebody is",
    ):
        assert re.search(rf"(?m)^{line}", listed), line
    assert listed.count("\n    optional: not asked\n") == 2


def test_optional_rules_that_are_asked_say_so(tmp_path: Path) -> None:
    (tmp_path / "redaction.yaml").write_text("on: [hash]\n")
    listed = output("rules", "--redaction", tmp_path / "redaction.yaml")
    assert listed.count("\n    optional: asked, named under on\n") == 1
    assert listed.count("\n    optional: not asked\n") == 1


def test_each_rules_hits_are_counted_and_placed_and_never_shown(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(TEXT)
    shown = output("test", tmp_path / "a.log")
    assert f"{tmp_path}/a.log: 8 values would be replaced\n" in shown
    first = "      line 1, column 11: by its form\n"
    assert f"  email                       email                 8\n{first}" in shown
    assert "      and 3 more\n" in shown
    assert "corp.io" not in shown


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
    redactor = Redactor(RuleSet.default(), KEY.encode())
    redactor.redact_text("ann@corp.io and bob@corp.io")
    path = tmp_path / "map.sealed"
    path.write_bytes(redactor.seen.seal(KEY.encode()))
    return path


def test_the_owner_of_the_key_is_told_what_pseudonyms_stand_for(sealed: Path) -> None:
    pseudonym = Redactor(RuleSet.default(), KEY.encode()).redact_text("ann@corp.io")
    assert output("unseal", sealed, pseudonym) == f"{pseudonym}\temail\tann@corp.io\n"
    assert "bob@corp.io" in output("unseal", sealed)


def test_nobody_else_is(sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MockServerError, match="does not know"):
        output("unseal", sealed, "user-00000000@example.com")
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "another key")
    with pytest.raises(MockServerError, match="another key, or damaged"):
        output("unseal", sealed)
    monkeypatch.delenv("MOCKSERVER_REDACTION_KEY")
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    with pytest.raises(MockServerError, match="no redaction key"):
        output("unseal", sealed)


def test_what_was_replaced_is_sealed_and_unsealed_by_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")
    raw = tmp_path / "raw.json"
    raw.write_text(
        '{"version": 1, "interactions": [{"request": {"method": "GET", "body": null, "headers": {},'
        ' "uri": "https://api.example.com/u?email=ann.lee@corp-one.io"}, "response": {"status":'
        ' {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": ""}}}]}',
        encoding="utf-8",
    )
    call, seal = CliRunner().invoke, str(tmp_path / "map.sealed")
    made = call(
        main_app, ["cassette", "redact", str(raw), str(tmp_path / "safe.yaml"), "--seal", seal]
    )
    assert made.exit_code == 0, made.output
    assert "pseudonyms, sealed" in made.stderr
    assert "corp-one" not in made.output
    assert "ann.lee@corp-one.io" in call(main_app, ["redaction", "unseal", seal]).stdout
