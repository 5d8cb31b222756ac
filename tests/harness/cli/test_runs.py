"""`understudy runs list`: lists, removes, sends."""

import json
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cli.main import app
from harness.errors import HarnessError
from harness.storage import Baseline, Baselines, RunFolder, mirror_of, remove_leftovers, stored_runs
from harness.storage.index import RunIndex, find_runs
from tests.runfolders import stored_run

OLD = "2025-01-02T03:04:05.000Z"


def call(*arguments: str) -> Result:
    done = CliRunner().invoke(app, ["runs", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Four runs, of which one is new."""
    runs = tmp_path / "runs"
    for name in ("1", "2", "3"):
        stored_run(runs, name, {"A": [True]}, started_at=OLD.replace("05.", f"{name}0."))
    stored_run(runs, "4", {"A": [False]}, started_at="2999-01-01T00:00:00Z")
    return runs


def names(runs: Path) -> str:
    return " ".join(sorted(path.parent.name for path in runs.glob("*/manifest.json")))


@pytest.mark.parametrize("arguments", [(), ("list",)])
def test_runs_are_listed_with_and_without_the_word(runs: Path, arguments: tuple[str, ...]) -> None:
    told = call(*arguments, "--run-dir", str(runs), "--limit", "2").stdout
    assert told.splitlines()[1].startswith("4")
    assert len(told.splitlines()) == 3
    assert call(*arguments, "--run-dir", str(runs / "none")).stdout == "no runs\n"


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (("--older-than", "30d"), "4"),
        (("--older-than", "30d", "--dry-run"), "1 2 3 4"),
        (("--keep", "2"), "3 4"),
        (("--max-size", "1"), ""),
        (("--max-size", "9TB"), "1 2 3 4"),
        (("--keep", "1", "--protect", "[12]"), "1 2 4"),
        (("--max-size", "1", "--keep-failed", "52w"), "4"),
        (("--keep", "1", "--suite", "fixtures/other"), "1 2 3 4"),
    ],
)
def test_runs_that_rules_choose_are_removed(
    runs: Path, arguments: tuple[str, ...], left: str
) -> None:
    told = call("prune", *arguments, "--run-dir", str(runs)).stdout
    assert names(runs) == left
    assert told.splitlines()[-1].endswith(" MB")
    assert not list(runs.glob(".removed-*"))


def test_a_baseline_and_what_is_no_run_stay(runs: Path) -> None:
    Baselines(runs).set(Baseline(run="1", suite="office"))
    (runs / "notes").mkdir()
    (runs / "notes" / "manifest.json").write_text("{}")
    (runs / "linked").symlink_to(runs / "2")
    (runs / "plain").mkdir()
    done = call("prune", "--max-size", "0", "--run-dir", str(runs))
    assert names(runs) == "1 linked notes" or names(runs) == "1 notes"
    assert "keeps 1  office: it is a baseline" in done.stdout
    assert "run notes is left as it is" in done.stderr
    assert (runs / "plain").is_dir()
    assert (runs / "linked").is_symlink()


def test_a_run_that_is_being_run_stays(runs: Path) -> None:
    folder = stored_run(runs, "5", {"A": [True]}, trials={"A": 2}, decided=False)
    with folder.lock():
        told = call("prune", "--max-size", "0", "--run-dir", str(runs), "--json").stdout
    said = json.loads(told)
    assert (said["removed"], said["dryRun"], names(runs)) == (4, False, "5")
    (held,) = [each for each in said["runs"] if not each["removed"]]
    assert (held["state"], held["reason"]) == ("running", "its trials are being run")
    assert call("prune", "--max-size", "0", "--run-dir", str(runs)).stdout.startswith("keeps 5")


def test_a_run_that_began_to_be_used_in_the_meantime_stays(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = stored_runs(runs)
    monkeypatch.setattr("harness.storage.stored_runs", lambda _runs: found)
    Baselines(runs).set(Baseline(run="2", suite="office"))
    shutil.rmtree(runs / "3")
    with RunFolder(runs / "1").lock():
        done = call("prune", "--max-size", "0", "--run-dir", str(runs))
    assert names(runs) == "1 2"
    assert done.stderr.count("somebody began to use it") == 3


def test_rows_of_the_index_go_along_and_its_baselines_hold(runs: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    others = tmp_path / "others"
    stored_run(others, "2", {"A": [True]})
    Baselines(others).set(Baseline(run="2", suite="office"))
    index = RunIndex(others, url)
    index.catch_up()
    mine = RunIndex(runs, url)
    mine.catch_up()
    call("prune", "--keep", "1", "--run-dir", str(runs), "--db", url)
    assert names(runs) == "2 4"
    assert sorted(each.run for each in find_runs(mine.database)) == ["2", "4"]
    index.close()
    mine.close()


def test_an_index_that_is_down_is_told(runs: Path) -> None:
    (runs / "index.db").write_bytes(b"no database at all" * 100)
    done = call("prune", "--keep", "1", "--run-dir", str(runs))
    assert "the index still lists them" in done.stderr
    assert names(runs) == "4"


def test_what_a_killed_prune_left_is_removed(runs: Path) -> None:
    (runs / "1").rename(runs / ".removed-1")
    assert remove_leftovers(runs) == 1
    assert not (runs / ".removed-1").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "nothing says which runs may go"),
        (("--older-than", "soon"), "is no duration"),
        (("--max-size", "huge"), "is no size"),
        (("--keep", "0"), "greater than or equal to 1"),
    ],
)
def test_rules_that_make_no_sense_are_refused(
    runs: Path, arguments: tuple[str, ...], told: str
) -> None:
    try:
        said = call("prune", *arguments, "--run-dir", str(runs)).stderr
    except HarnessError as error:
        said = str(error)
    assert told in said
    assert names(runs) == "1 2 3 4"


class TestStores:
    """The same where runs are in a store."""

    @pytest.fixture
    def url(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
        pytest.importorskip("fsspec", reason="the extra `stores` is not installed")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        return f"memory://{secrets.token_hex(8)}/runs"

    @pytest.fixture
    def elsewhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
        return lambda: monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))

    def test_runs_of_a_store_are_listed_reported_compared_and_removed(
        self, url: str, elsewhere: Callable[[], None]
    ) -> None:
        from harness.cli.options import runs_directory

        for name, passed in (("1", True), ("2", True)):
            stored_run(runs_directory(url), name, {"A": [passed]}).publish()
        elsewhere()
        assert call("--run-dir", url).stdout.splitlines()[1].startswith("2")
        runner = CliRunner()
        compared = runner.invoke(app, ["compare", f"{url}/1", "latest", "--run-dir", url])
        assert (compared.exit_code, "2" in compared.stdout) == (0, True)
        reported = runner.invoke(app, ["report", "latest", "--run-dir", url])
        assert reported.stdout == f"report in {url}/2/report.html\n"
        merged = runner.invoke(app, ["merge", "1", "2", "--run-dir", url])
        assert merged.exit_code == 0, merged.output
        rechecked = runner.invoke(app, ["recheck", "1", "--run-dir", url, "--stored"])
        assert rechecked.exit_code == 0, rechecked.output
        assert f"reports in {url}/1\n" in rechecked.stdout
        assert f"this recheck: {url}/1/rechecks/" in rechecked.stdout
        explained = runner.invoke(app, ["explain", f"{url}/1/A/1"])
        assert explained.exit_code == 0, explained.output
        assert "2 of 3 runs" in call("prune", "--keep", "1", "--run-dir", url).stdout
        assert len(call("list", "--run-dir", url).stdout.splitlines()) == 2

    def test_a_dry_run_writes_nothing_to_the_store(self, url: str) -> None:
        from harness.cli.options import runs_directory

        for name in "12":
            stored_run(runs_directory(url), name, {"A": [True]}).publish()
        mirror = mirror_of(runs_directory(url))
        assert mirror is not None
        mirror.store.delete([".runs/1.json", "1/manifest.json"])  # as a killed prune leaves it
        before = list(mirror.store.list_objects())
        assert (
            "would remove 2"
            in call("prune", "--max-size", "1", "--run-dir", url, "--dry-run").stdout
        )
        assert list(mirror.store.list_objects()) == before
        assert "removed 2" in call("prune", "--max-size", "1", "--run-dir", url).stdout
        assert list(mirror.store.list_objects()) == []

    def test_a_run_that_is_gone_and_was_not_sent_is_told(self, url: str) -> None:
        from harness.cli.options import runs_directory

        folder = stored_run(runs_directory(url), "1", {"A": [True]})
        (folder.path / "trials/A/2.json").write_bytes(b"{}")
        mirror = folder.mirror
        assert mirror is not None
        mirror.delete_run("1")
        for command in (("list",), ("prune", "--max-size", "1")):
            assert "were never sent" in call(*command, "--run-dir", url).stderr
        assert (folder.path / "trials/A/2.json").exists()

    def test_a_run_that_a_store_did_not_take_is_sent_later(self, url: str) -> None:
        from harness.cli.options import runs_directory

        folder = stored_run(runs_directory(url), "1", {"A": [True]})
        told = json.loads(call("upload", f"{url}/1", "--json").stdout)
        assert told["run"] == f"{url}/1"
        assert told["sent"] > 0
        assert call("upload", "1", "--run-dir", url).stdout == f"{url}/1: 0 files sent\n"
        assert call("upload", str(folder.path)).stdout.endswith(" 0 files sent\n")

    def test_runs_that_are_not_there_are_told(self, url: str, tmp_path: Path) -> None:
        stored_run(tmp_path / "runs", "1", {"A": [True]})
        with pytest.raises(HarnessError, match="belongs to no store"):
            call("upload", str(tmp_path / "runs" / "1"))
        with pytest.raises(HarnessError, match="this machine has no run '7'"):
            call("upload", f"{url}/7")
        done = CliRunner().invoke(app, ["report", "7", "--run-dir", url])
        assert f"no run '7' in {url}" in str(done.exception)
