"""What only an extra brings is asked for by the extra's name, and nothing else is needed."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from harness.trials.regexes import PatternError, SearchPattern
from mockserver.errors import MissingExtraError, require_extra
from mockserver.messages import decode_body
from mockserver.messages.content_coding import import_coder
from mockserver.redaction import LeakGate, RuleSet
from mockserver.snapshots.lint import lint_suite

SUITE = Path(__file__).parents[2] / "fixtures" / "chrome-enterprise"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but what is imported already is there."""
    monkeypatch.setattr("mockserver.errors.find_spec", lambda _: None)
    import_coder.cache_clear()


def test_what_is_installed_is_let_through() -> None:
    require_extra("x", "this needs", {"pytest": "pytest"})


def test_an_error_names_the_package_the_extra_and_the_command() -> None:
    with pytest.raises(MissingExtraError) as raised:
        require_extra("shop", "carts need", {"no_such_module": "no-such-package"})
    assert str(raised.value) == (
        "carts need the package no-such-package (pip install 'understudy[shop]')"
    )
    assert (raised.value.extra, raised.value.exit_code) == ("shop", 2)


def test_a_module_within_a_package_that_is_missing_is_missing_too() -> None:
    with pytest.raises(MissingExtraError, match=r"understudy\[shop\]"):
        require_extra("shop", "carts need", {"no_such_package.sub.module": "no-such-package"})


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("file", "text", "extra"),
    [
        ("apis/s.yaml", "api: s\nstubs: [{route: GET /x, body: '{{ fake.name() }}'}]\n", "fake"),
        ("base/h.json", '{"http": [{"url": "/x", "socket": [{"send": "hi"}]}]}', "websocket"),
    ],
)
def test_lint_names_the_extra_that_a_suite_needs(
    tmp_path: Path, file: str, text: str, extra: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    told = {each.hint: each for each in lint_suite(tmp_path).problems}
    found = told[f"pip install 'understudy[{extra}]'"]
    assert found.level == "error"
    assert found.where.startswith(file)


@pytest.mark.usefixtures("bare")
def test_redaction_asks_for_the_extra_of_captures() -> None:
    with pytest.raises(MissingExtraError, match=r"understudy\[capture\]"):
        LeakGate(RuleSet(()))


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_codings_that_python_does_not_know_ask_for_it_too(coding: str) -> None:
    with pytest.raises(MissingExtraError, match=coding):
        decode_body([("Content-Encoding", coding)], b"x")


def test_a_pattern_that_re2_does_not_know_asks_for_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(PatternError, match=r"understudy\[regex\]"):
        SearchPattern("(?<!not )done", ignore_case=True)


EXTRAS = (
    *("numpy", "scipy", "google", "googleapiclient", "grpc", "mcp", "vcr", "brotli", "zstandard"),
    *("detect_secrets", "regex", "watchfiles", "uvloop", "sqlalchemy"),
    *("matplotlib", "faker"),
)
PROGRAM = """
import sys
sys.modules.update(dict.fromkeys({extras!r}))  # none of them can be imported
from harness.cli.understudy import main
main({arguments!r})
"""


def run_bare(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where no package of an extra can be imported."""
    documents = {"googleapiclient"} if arguments[0] != "capture" else set[str]()  # of a checkout
    absent = [name for name in EXTRAS if name not in documents]
    program = PROGRAM.format(extras=absent, arguments=list(arguments))
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_run_needs_no_extra(tmp_path: Path) -> None:
    done = run_bare("run", str(SUITE.parent / "content-review"), "--agent", "oracle",
                    "--ids", "case_01", "--run-dir", str(tmp_path))  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["capture", "proxy", "--upstream", "https://a.example.com", "--cassette", "{}/a.yaml"],
         "capture"),
        (["capture", "google", "--plan", "x.yaml", "--dry-run"], "capture-google"),
        (["serve", "--fixtures", str(SUITE), "--watch", "--port", "0"], "watch"),
        (["serve", "--fixtures", str(SUITE), "--grpc-port", "0", "--port", "0"], "grpc"),
        (["mcp", str(SUITE)], "mcp"),
        (["runs", "--run-dir", "{}"], "store"),
        (["serve-runs", "--run-dir", "{}", "--port", "0"], "store"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)  # fmt: skip
def test_a_command_that_needs_an_extra_names_it(
    tmp_path: Path, arguments: list[str], extra: str
) -> None:
    done = run_bare(*(each.replace("{}", str(tmp_path)) for each in arguments))
    assert done.returncode in {2, 3}, done.stderr
    assert f"pip install 'understudy[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_module_of_an_extra_is_there_when_it_is_absent() -> None:
    assert all(importlib.util.find_spec(name) for name in EXTRAS if name != "google")
