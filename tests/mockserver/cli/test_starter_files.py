import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cli.main import app
from mockserver.cli.starter_files import TEMPLATES, package_files
from mockserver.errors import MockServerError
from mockserver.plugins import GROUPS
from tests.documents import DOCS, blocks, code_in, table


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["init", *arguments])
    if isinstance(result.exception, MockServerError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def write(folder: Path, kind: str, name: str = "") -> None:
    for path, text in package_files(kind, name).items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "of_ours"], ids=["template", "renamed"])
def test_the_tests_of_every_package_pass(name: str, tmp_path: Path) -> None:
    for kind in TEMPLATES:
        write(tmp_path, kind, name and f"{name}_{kind}")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:asyncio"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "24 passed" in done.stdout


def test_the_page_shows_the_modules_and_the_contracts() -> None:
    shown = blocks(DOCS["plugins"])
    for kind, template in TEMPLATES.items():
        module = package_files(kind)[Path(f"understudy_{template.name}") / "__init__.py"]
        assert f"```python\n{module}```" in shown
    told = {
        code_in(row[0])[0]: (code_in(row[1])[0], int(row[4]))
        for row in table(DOCS["plugins"], "Group")
    }
    kinds = {template.group: kind for kind, template in TEMPLATES.items()}
    assert told == {group: (kinds[group], each.contract) for group, each in GROUPS.items()}


def test_a_package_is_written_and_nothing_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = run("--plugin", "check", "--name", "very_good")
    assert "wrote understudy_very_good/__init__.py\n" in told
    assert told in DOCS["plugins"].replace("courtesy", "very_good")
    module = (tmp_path / "understudy_very_good" / "__init__.py").read_text(encoding="utf-8")
    assert "class VeryGood(AnyExpectation):" in module
    assert 'kind: Literal["very_good"] = "very_good"' in module
    project = (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    assert 'very_good = "understudy_very_good:PLUGIN"' in project
    with pytest.raises(MockServerError, match=r"pyproject\.toml is there already"):
        run("--plugin", "check")
    run("--plugin", "check", "--replace")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plugin", "chek"], "there is no kind 'chek' of plug-ins"),
        (["--plugin", "check", "--name", "Very-Good"], "'Very-Good' is no name of a plug-in"),
        (["--plugin", "driver", "--name", "class"], "'class' is no name of a plug-in"),
        (["--plugin", "driver", "--name", "http"], "Understudy itself has 'http'"),
        (["--plugin", "driver", "--all"], "--plugin goes with --name and --replace alone"),
    ],
)
def test_what_cannot_be_written_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(MockServerError) as caught:
        run(*arguments)
    assert message in str(caught.value)
