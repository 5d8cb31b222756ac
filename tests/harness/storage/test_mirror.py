"""A run in a store is what it is in a folder, on whatever machine."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.runner import decide
from harness.storage import (
    Baseline,
    Baselines,
    RunFolder,
    StoreDownError,
    mirror_of,
    open_mirror,
    place_of,
    read_calibrations,
    read_run,
    remove_run,
    stored_runs,
)
from harness.verdicts import Limits
from tests.harness.records import record
from tests.harness.storage.stores import Weather
from tests.runfolders import stored_run

TWO: dict[str, list[bool | None]] = {"A": [True, False]}


class Machines:
    """Mirrors of one store, each as on a machine of its own."""

    def __init__(self, base: Path, patch: pytest.MonkeyPatch) -> None:
        self.url = f"memory://{secrets.token_hex(8)}/runs"
        self._base, self._patch = base, patch

    def runs(self, machine: str) -> Path:
        self._patch.setenv("XDG_CACHE_HOME", str(self._base / machine))
        return open_mirror(self.url)


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    return Machines(tmp_path, monkeypatch)


@contextmanager
def storm(folder: RunFolder) -> Iterator[Weather]:
    weather = Weather()
    assert folder.mirror is not None
    store = folder.mirror.store
    before = store._open()
    weather.over(store)
    yield weather
    store._opened = before


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


def test_a_run_of_one_machine_is_read_on_another(machines: Machines) -> None:
    here, there = machines.runs("a"), machines.runs("b")
    assert here != there
    folder = stored_run(here, "1", TWO)
    folder.publish()
    mirror = mirror_of(there)
    assert mirror is not None
    assert mirror.runs() == ["1"]
    assert mirror.pull_run("1")
    assert files(there / "1") == files(here / "1")
    assert place_of(there / "1") == f"{machines.url}/1"
    assert read_run(there / "1").run.folder == f"{machines.url}/1"
    assert not mirror.pull_run("2")


def test_a_trial_is_in_the_store_when_it_is_finished(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", {"A": [True]}, trials={"A": 3}, decided=False)
    there = machines.runs("b")
    other = RunFolder(there / "1")
    assert mirror_of(there).pull_run("1", trials=False)  # type: ignore[union-attr]
    assert other.records().count() == 0
    assert other.records().get("A", 1) is not None  # brought when it is asked for
    folder.write_trial(record("b", case="A", number=2, run="1"))
    assert other.records().get("A", 2) is not None
    assert other.records().get("A", 3) is None


def test_a_store_that_is_down_loses_nothing(machines: Machines) -> None:
    runs = machines.runs("a")
    folder = stored_run(runs, "1", {"A": [True]}, trials={"A": 8}, decided=False)
    with storm(folder) as weather:
        weather.always = OSError("cable")
        for number in range(2, 9):
            folder.write_trial(record("a", case="A", number=number, run="1"))
        tried = weather.calls.count("pipe_file")
        assert tried < 7 * 3  # not each trial waits for a store that is down
        decide(folder, Limits())
        with pytest.raises(StoreDownError, match="cable") as raised:
            folder.publish()
    assert f"harness runs upload {machines.url}/1" in raised.value.hint
    again = RunFolder(runs / "1")
    again.publish()
    there = machines.runs("b")
    assert mirror_of(there).pull_run("1")  # type: ignore[union-attr]
    assert files(there / "1") == files(runs / "1")


def test_a_run_whose_store_is_down_does_not_begin(machines: Machines) -> None:
    runs = machines.runs("a")
    mirror_of(runs)
    (runs / ".store.json").write_text('{"store": "tape://bucket/runs"}')
    with pytest.raises(HarnessError, match="no kind of store"):
        stored_run(runs, "1", {"A": [True]})
    assert not (runs / "1").exists()


def test_two_machines_never_run_trials_of_one_run(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", {"A": [True]}, trials={"A": 2}, decided=False)
    there = machines.runs("b")
    mirror_of(there).pull_run("1")  # type: ignore[union-attr]
    other = RunFolder(there / "1")
    with folder.lock(), pytest.raises(HarnessError, match="is being written by"), other.lock():
        pass
    folder.write_trial(record("a", case="A", number=2, run="1"))
    with other.lock():  # what the other one wrote is here by then
        assert other.records().count() == 2


def test_a_trial_that_another_machine_finished_is_not_replaced(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", {"A": [True]}, trials={"A": 2}, decided=False)
    there = machines.runs("b")
    mirror_of(there).pull_run("1")  # type: ignore[union-attr]
    folder.write_trial(record("a", case="A", number=2, run="1"))
    with pytest.raises(HarnessError, match="the record of another finished trial"):
        RunFolder(there / "1").write_trial(record("other", case="A", number=2, run="1"))
    mirror_of(there).pull_run("1")  # type: ignore[union-attr]
    assert RunFolder(there / "1").records().get("A", 2).text == "a"  # type: ignore[union-attr]
    assert (there / "1" / "trials" / "A" / "2.local-1.json").is_file()


def test_what_was_changed_here_and_not_sent_stays(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", TWO)
    folder.publish()
    folder.write_reports({"summary.md": "mine"})
    assert folder.mirror is not None
    folder.mirror.pull_run("1")
    assert (folder.path / "summary.md").read_text() == "mine"
    assert folder.mirror.push_run("1") == 1
    assert folder.mirror.push_run("1") == 0


def test_what_another_machine_changed_is_brought(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", TWO)
    folder.publish()
    there = machines.runs("b")
    mirror = mirror_of(there)
    assert mirror is not None
    mirror.pull_summaries()
    assert not list((there / "1" / "trials").rglob("*.json"))
    assert RunFolder(there / "1").records().count() == 2  # as the store tells
    folder.write_reports({"summary.md": "newer"})
    folder.publish()
    mirror.pull_summaries()
    assert (there / "1" / "summary.md").read_text() == "newer"


def test_baselines_are_those_of_all_machines(machines: Machines) -> None:
    here, there = machines.runs("a"), machines.runs("b")
    Baselines(here).set(Baseline(run="1", suite="s"))
    Baselines(there).set(Baseline(run="2", suite="s"))
    assert [each.run for each in Baselines(here).all()] == ["1", "2"]
    assert read_calibrations(there) == ()


def test_a_run_that_is_removed_is_gone_everywhere(machines: Machines) -> None:
    here, there = machines.runs("a"), machines.runs("b")
    for name in ("1", "2"):
        stored_run(here, name, TWO).publish()
    mirror = mirror_of(there)
    assert mirror is not None
    mirror.pull_summaries()
    known, unreadable = stored_runs(there)
    assert ([each.name for each in known], unreadable) == (["1", "2"], [])
    assert known[0].bytes > 1000
    Baselines(here).set(Baseline(run="2", suite="office"))
    assert [remove_run(there, each) for each in known] == [True, False]
    assert mirror.runs() == ["2"]
    assert not list(mirror.store.list_objects("1"))
    mirror_of(here).pull_summaries()  # type: ignore[union-attr]
    assert [path.parent.name for path in here.glob("*/manifest.json")] == ["2"]


def test_an_object_that_leads_out_of_the_folder_is_refused(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", TWO)
    folder.publish()
    assert folder.mirror is not None
    fs, root = folder.mirror.store._open()
    fs.pipe_file(f"{root}/1/../../../evil", b"x")
    fs.pipe_file(f"{root}/1/cases//x", b"x")
    shutil.rmtree(folder.path / "cases")
    with pytest.raises(HarnessError, match="that no run has"):
        folder.mirror.pull_run("1")


@pytest.mark.parametrize("content", ["", "[]", '{"store": 1}'])
def test_a_folder_that_does_not_say_what_it_mirrors_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / ".store.json").write_text(content)
    with pytest.raises(HarnessError, match="does not say which store"):
        mirror_of(tmp_path)
