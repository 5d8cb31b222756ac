"""The commands of docs/explanation/redaction.md are run, and its rules are read as rules."""

import os
import sys
from pathlib import Path

import pytest

from mockserver.redaction import RuleSet
from mockserver.storage.redaction_settings import redaction_rules
from mockserver.storage.untrusted_yaml import load_yaml
from tests.documents import DOCS
from tests.transcripts import run, steps

DOCUMENT = DOCS["redaction"]


@pytest.mark.slow
def test_what_the_commands_show_is_what_the_document_says(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = steps(DOCUMENT)
    outputs = run(script, folder=tmp_path, environment={"PATH": path})
    for step, output in zip(script, outputs, strict=True):
        assert step.matches(output), output


def test_the_rules_shown_are_rules(tmp_path: Path) -> None:
    shown = DOCUMENT.split("```yaml\n")[1].split("```")[0]
    assert load_yaml(shown, "redaction.md")
    (tmp_path / "redaction.yaml").write_text(shown, encoding="utf-8")
    rules = redaction_rules(tmp_path / "redaction.yaml")
    assert [rule.name for rule in rules.rules if rule not in RuleSet.default().rules] == [
        "ticket",
        "badge",
        "our_builds",
        "coordinates",
    ]
