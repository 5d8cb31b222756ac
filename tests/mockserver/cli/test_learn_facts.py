"""Facts of Google's services, learned from recordings and served."""

from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from mockserver.cli.main import app
from mockserver.testing import EmulatorTransport

LOG = """GET https://workflows.googleapis.com/v1/projects/shop/locations/eu/workflows/{name}

404 Not Found

{{"error": {{"code": 404, "message": "No workflow {name} here.", "status": "NOT_FOUND"}}}}

---

POST https://workflows.googleapis.com/v1/projects/shop/locations/eu/workflows?workflowId={name}

{{"sourceContents": "main"}}

200 OK

{{"name": "projects/shop/locations/eu/operations/op-{name}", "metadata": {{"verb": "make"}}}}

---

GET https://workflows.googleapis.com/v1/projects/shop/locations/eu/workflows/{name}

200 OK

{{"name": "projects/shop/locations/eu/workflows/{name}", "sourceContents": "main",
  "callLogLevel": "LOG_PARROTS"}}
"""


def test_a_recording_of_google_teaches_the_server(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "base").mkdir()
    (suite / "base" / "data.json").write_text('{"resources": {"workflows:v1": {}}}')
    for name in ("first-flow", "second-flow"):
        (tmp_path / f"{name}_http.log").write_text(LOG.format(name=name))
    files = [
        f"--cassette={tmp_path / f'{name}_http.log'}" for name in ("first-flow", "second-flow")
    ]
    runner = CliRunner()
    told = runner.invoke(app, ["learn", *files, "--suite", str(suite)], catch_exceptions=False)
    assert "workflows: 1 resources" in told.output
    assert "first-flow" not in (suite / "base" / "facts.json").read_text()
    place = "https://workflows.googleapis.com/v1/projects/p/locations/l/workflows"
    with httpx.Client(transport=EmulatorTransport(suite)) as client:
        missing = client.get(f"{place}/w").json()
        assert missing["error"]["message"] == "No workflow w here."
        started = client.post(f"{place}?workflowId=w", json={"sourceContents": "x"}).json()
        assert started["metadata"]["verb"] == "make"
        assert client.get(f"{place}/w").json()["callLogLevel"] == "LOG_PARROTS"
    again = runner.invoke(app, ["learn", *files, "--suite", str(suite)])
    assert again.exit_code
    assert "is there already" in str(again.exception or again.output)


@pytest.mark.parametrize("facts", ["[]", '{"workflows": {"resources": {"W": {"a": [{}]}}}}'])
def test_facts_that_are_none_are_told(tmp_path: Path, facts: str) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "facts.json").write_text(f'{{"facts": {facts}}}')
    with pytest.raises(Exception, match="facts"):
        EmulatorTransport(tmp_path)
