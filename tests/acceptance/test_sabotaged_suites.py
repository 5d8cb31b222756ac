"""Suites spoilt on purpose: lint, or the doctor, names what is wrong, where, and of which case."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from tests.acceptance.sabotage import SABOTAGES, SOUND, Sabotage, written

pytestmark = pytest.mark.slow


def linted(suite: Path) -> list[dict[str, Any]]:
    """Every finding of lint, with its case."""
    said = json.loads(CliRunner().invoke(app, ["lint", str(suite), "--json"]).stdout)
    return [
        {**finding, "case": group["case"]}
        for group in said["suites"][0]["problems"]
        for finding in group["findings"]
    ]


def examined(suite: Path) -> list[dict[str, Any]]:
    """Every finding of the doctor that asks for something."""
    result = CliRunner().invoke(app, ["doctor", str(suite), "--agent", "none", "--json"])
    findings: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return [finding for finding in findings if finding["level"] != "note"]


def names(finding: dict[str, Any], sabotage: Sabotage) -> bool:
    told = f"{finding.get('where', '')}: {finding['message']} {finding.get('hint', '')}".casefold()
    return all(any(word.casefold() in told for word in words.split("|")) for words in sabotage.says)


def test_a_sound_suite_has_no_finding(tmp_path: Path) -> None:
    suite = written(tmp_path, SOUND)
    assert linted(suite) == []
    assert examined(suite) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: f"\ufeff{text}",
        lambda text: f"# a remark\n{text}" if not text.startswith(("{", "[", "B")) else text,
    ],
    ids=["CRLF", "byte order mark", "remarks"],
)
def test_how_a_file_is_written_down_is_no_finding(tmp_path: Path, change: Any) -> None:
    cases = {name: change(text) for name, text in SOUND.items() if name.startswith("cases/")}
    assert linted(written(tmp_path, {**SOUND, **cases})) == []


def test_anchors_and_merged_keys_are_read_as_yaml_has_them(tmp_path: Path) -> None:
    text = SOUND["cases/OU-001.yaml"]
    anchored = text.replace("budget: {rounds: 5}", "budget: &few {rounds: 5}")
    assert linted(written(tmp_path, {**SOUND, "cases/OU-001.yaml": anchored})) == []


@pytest.mark.parametrize(
    "sabotage", [each for each in SABOTAGES if not each.doctor], ids=lambda each: each.name
)
def test_lint_names_what_was_done(tmp_path: Path, sabotage: Sabotage) -> None:
    files = sabotage.files()
    assert files != SOUND
    found = linted(written(tmp_path, files))
    about = [each for each in found if names(each, sabotage) and each["case"] == sabotage.case]
    place = f"{tmp_path}/{sabotage.where or sabotage.path}"
    if line := sabotage.line():
        place += f":{line}"
    assert [each for each in about if f"{each['where']}:".startswith((f"{place}:", f"{place}#"))], (
        found
    )


@pytest.mark.parametrize(
    "sabotage", [each for each in SABOTAGES if each.doctor], ids=lambda each: each.name
)
def test_the_doctor_names_what_only_trials_show(tmp_path: Path, sabotage: Sabotage) -> None:
    found = examined(written(tmp_path, sabotage.files()))
    assert [each for each in found if names(each, sabotage) and each["case"] == sabotage.case], (
        found
    )
