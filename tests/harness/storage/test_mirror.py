"""A run in a store is what it is in a folder, on whatever machine."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.runner import decide
from harness.storage import (
    Baseline,
    Baselines,
    ObjectStore,
    RunFolder,
    StoreDownError,
    mirror_of,
    place_of,
    read_calibrations,
    read_run,
    remove_run,
    stored_runs,
)
from harness.storage.object_store import StoredObject
from harness.storage.synced import content_digest, unsent_records
from harness.verdicts import Limits
from tests.harness.records import record
from tests.harness.storage.stores import Machines, Weather
from tests.runfolders import stored_run

TWO: dict[str, list[bool | None]] = {"A": [True, False]}


@pytest.fixture(params=["times", "digests"])
def machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Machines:
    """Of a store that tells when an object was written, or what its content is, as Amazon's."""
    if request.param == "digests":
        monkeypatch.setattr(ObjectStore, "list_objects", with_digests(ObjectStore.list_objects))
    return Machines(tmp_path, monkeypatch)


def with_digests(listed: Callable[..., Iterator[StoredObject]]) -> Callable[..., object]:
    def list_objects(store: ObjectStore, prefix: str = "") -> Iterator[StoredObject]:
        for each in listed(store, prefix):
            yield each._replace(tag=content_digest(store.get(each.key) or b""))

    return list_objects


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
    assert place_of(there / "1") == RunFolder(there / "1").place == f"{machines.url}/1"
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
    assert f"understudy runs upload {machines.url}/1" in raised.value.hint
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


def test_a_run_that_is_gone_stays_where_it_has_records_that_were_never_sent(
    machines: Machines,
) -> None:
    here, there = machines.runs("a"), machines.runs("b")
    folder = stored_run(here, "1", {"A": [True]}, trials={"A": 3}, decided=False)
    mirror, other = folder.mirror, mirror_of(there)
    assert mirror is not None
    assert other is not None
    other.pull_run("1")
    with storm(folder) as weather:
        weather.always = OSError("cable")
        folder.write_trial(record("a", case="A", number=2, run="1"))
    before = files(folder.path)
    other.delete_run("1")
    assert other.pull_summaries() == {}
    assert not (there / "1").exists()  # all of it had been sent
    told = mirror.pull_summaries()["1"]
    for _ in range(2):
        assert mirror.pull_summaries() == {"1": told}
        assert "1 of its records were never sent" in told
        assert f"understudy runs upload {machines.url}/1" in told
        assert files(folder.path) == before
    known, unreadable = stored_runs(here)
    assert (known, unreadable) == ([], [told])
    assert mirror.push_run("1") == len(before)
    assert mirror.pull_summaries() == {}
    assert other.pull_run("1")
    assert files(there / "1") == before


def test_what_was_brought_or_made_anew_goes_with_its_run(machines: Machines) -> None:
    here, there = machines.runs("a"), machines.runs("b")
    folder = stored_run(here, "1", TWO)
    folder.publish()
    mirror, other = folder.mirror, mirror_of(there)
    assert mirror is not None
    assert other is not None
    other.pull_summaries()
    assert RunFolder(there / "1").records().get("A", 1) is not None
    RunFolder(there / "1").write_reports({"summary.md": "made of the records"})
    mirror.delete_run("1")
    assert other.pull_summaries() == {}
    assert mirror.pull_summaries() == {}
    assert [*here.glob("*/"), *there.glob("*/")] == [here / ".runs", there / ".runs"]


def test_a_run_that_is_being_run_here_is_not_forgotten(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", TWO)
    folder.publish()
    mirror = folder.mirror
    assert mirror is not None
    with folder.lock():
        mirror.delete_run("1")
        assert mirror_of(folder.path.parent).pull_summaries() == {}  # type: ignore[union-attr]
        assert folder.manifest().run == "1"


def test_another_content_of_the_same_size_is_noticed(machines: Machines) -> None:
    here, there = machines.runs("a"), machines.runs("b")
    folder = stored_run(here, "1", {"A": [True]})
    folder.publish()
    other = mirror_of(there)
    assert other is not None
    other.pull_run("1")
    record_path = "1/trials/A/1.json"
    old = (here / record_path).read_bytes()
    new = old.replace(b'"a"', b'"b"')
    assert len(new) == len(old) != 0
    assert new != old
    other.store.put(record_path, new)
    for runs in (here, there):
        assert mirror_of(runs).pull_run("1")  # type: ignore[union-attr]
        assert (runs / record_path).read_bytes() == new
        assert (runs / "1/trials/A/1.local-1.json").read_bytes() == old
        mirror_of(runs).pull_run("1")  # type: ignore[union-attr]
        assert len(list((runs / "1/trials/A").iterdir())) == 2


def test_records_without_a_note_are_compared_and_noted(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", {"A": [True, False]})
    folder.publish()
    (folder.path / ".synced.jsonl").unlink()
    mirror = folder.mirror
    assert mirror is not None
    before = files(folder.path)
    assert mirror.pull_run("1")
    assert files(folder.path) == before
    assert unsent_records(folder.path) == []


def test_a_record_that_was_replaced_here_is_sent_and_not_taken_back(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", {"A": [None]}, decided=False)
    mirror = folder.mirror
    assert mirror is not None
    with storm(folder) as weather:
        weather.always = OSError("cable")
        folder.write_trial(record("a", case="A", number=1, run="1"))
    mirror.pull_run("1")
    assert folder.records().get("A", 1).text == "a"  # type: ignore[union-attr]
    mirror.push_run("1")
    there = machines.runs("b")
    mirror_of(there).pull_run("1")  # type: ignore[union-attr]
    assert files(there / "1") == files(folder.path)


def test_sending_later_replaces_no_record_of_another_machine(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", {"A": [True]}, trials={"A": 2}, decided=False)
    there = machines.runs("b")
    other = RunFolder(there / "1")
    mirror_of(there).pull_run("1")  # type: ignore[union-attr]
    folder.write_trial(record("a", case="A", number=2, run="1"))
    with storm(other) as weather:
        weather.always = OSError("cable")
        other.write_trial(record("b", case="A", number=2, run="1"))
    other.write_reports({"summary.md": "is sent all the same"})
    with pytest.raises(HarnessError, match="the record of another finished trial"):
        other.publish()
    assert other.mirror is not None
    assert other.mirror.store.get("1/trials/A/2.json") == files(folder.path)["trials/A/2.json"]
    assert other.mirror.store.get("1/summary.md") == b"is sent all the same"


def test_a_record_that_two_machines_replaced_is_not_overwritten(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", {"A": [None]}, decided=False)
    assert folder.mirror is not None
    store, theirs = folder.mirror.store, record("b", case="A", number=1, run="1")
    with storm(folder) as weather:
        weather.always = OSError("cable")
        folder.write_trial(record("a", case="A", number=1, run="1"))
    content = theirs.model_dump_json().encode()
    store.put("1/trials/A/1.json", content)
    with pytest.raises(HarnessError, match="the record of another finished trial"):
        folder.publish()
    assert store.get("1/trials/A/1.json") == content


def test_what_was_changed_here_stays_unsent_until_it_is_sent(machines: Machines) -> None:
    folder = stored_run(machines.runs("a"), "1", TWO)
    folder.publish()
    there = machines.runs("b")
    mirror, other = folder.mirror, mirror_of(there)
    assert mirror is not None
    assert other is not None
    other.pull_run("1")
    RunFolder(there / "1").write_reports({"summary.md": "mine"})
    folder.write_reports({"further.md": "theirs"})
    folder.publish()
    other.pull_run("1")  # brings the one, and does not take the other for sent
    assert (there / "1" / "further.md").read_text() == "theirs"
    assert other.push_run("1") == 1
    assert mirror.store.get("1/summary.md") == b"mine"


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
