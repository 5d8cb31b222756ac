"""Options that go with workers, and those that do not."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.errors import HarnessError


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--on", "processes:2", "--mock", "http://127.0.0.1:1"), "--mock does not go with --on"),
        (("--on", "processes:2", "--no-manage-server"), "--no-manage-server does not go"),
        (("--on", "processes:2", "--serve", "x"), "--serve does not go with --on"),
        (("--on", "processes:2", "--record-models"), "--record-models does not go with --on"),
        (("--on", "processes:2", "--workers", "2"), "--workers is for --on ray"),
        (("--on", "processes:2", "--ship", "dist"), "--ship is for --on ray"),
        (("--on", "processes:x"), "--on processes:x tells no number of processes"),
        (("--on", "ray", "--sandbox", "bubblewrap"), "--sandbox hides files of this machine"),
        (("--on", "ray:a:1", "--sandbox", "docker:a"), "--sandbox hides files of this machine"),
        (("--on", "cloud"), "--on 'cloud' is no place for trials"),
        (("--workers", "2"), "--workers is about workers, and there are none"),
        (("--ship", "dist"), "--ship is about workers, and there are none"),
    ],
)
def test_what_does_not_go_with_workers_is_told(
    options: tuple[str, ...], said: str, office: Path, tmp_path: Path
) -> None:
    told = ["run", str(office), "--agent", "echo", "--run-dir", str(tmp_path), *options]
    with pytest.raises(HarnessError, match=said):
        CliRunner().invoke(app, told, catch_exceptions=False)
    assert not any(tmp_path.iterdir())
