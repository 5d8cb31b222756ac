from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cli.main import app


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
    made = call(app, ["cassette", "redact", str(raw), str(tmp_path / "safe.yaml"), "--seal", seal])
    assert made.exit_code == 0, made.output
    assert "pseudonyms, sealed" in made.stderr
    assert "corp-one" not in made.output
    assert "ann.lee@corp-one.io" in call(app, ["redaction", "unseal", seal]).stdout
