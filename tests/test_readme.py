"""What the README shows is run, in one shell, in a fresh folder."""

import re
import shutil
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.transcripts import run, steps

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="the transcript uses curl")
def test_the_first_ten_minutes_go_as_shown(tmp_path: Path) -> None:
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    for name, code in re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", README, re.M | re.S):
        (tmp_path / name).write_text(code, encoding="utf-8")
    port = str(free_port())
    script = steps(
        README.replace("serve --fixtures", f"serve --port {port} --fixtures").replace("8765", port)
    )
    environment = {"MOCK_SERVER_URL": f"http://127.0.0.1:{port}"}
    outputs = run(script, folder=tmp_path, environment=environment)
    assert len(outputs) == len(script)
    differing = [
        f"$ {step.command}\n--- shown\n{step.shown}--- printed\n{output}"
        for step, output in zip(script, outputs, strict=True)
        if not step.matches(output)
    ]
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("link", re.findall(r"\]\((?!http)([^)#]+)", README))
def test_every_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
