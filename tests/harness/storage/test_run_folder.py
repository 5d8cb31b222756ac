import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import HarnessError, InfrastructureError
from harness.model import (
    Case,
    CaseDecision,
    Outcome,
    Policy,
    RunManifest,
    TextContains,
    TrialRecord,
    Turn,
)
from harness.storage import RunFolder
from harness.storage.files import (
    CURRENT,
    MIGRATIONS,
    flush_folder,
    up_to_date,
    write_parts,
    write_whole,
)
from tests.harness.records import manifest

CASE = Case(
    id="EC-001",
    turns=(Turn(user="Why?"),),
    expect=(TextContains(needles=("quota",)),),
    policy=Policy(rate=0.5),
)
MANIFEST = RunManifest(
    run="r1", suite="s", agent="echo", cases={"EC-001": "h1"}, trials={"EC-001": 12}
)


def record(number: int = 1, outcome: Outcome = "replied") -> TrialRecord:
    return TrialRecord(
        run="r1", case="EC-001", case_hash="h1", number=number, outcome=outcome, started_at="now"
    )


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "runs" / "r1", MANIFEST, [CASE])


def test_what_is_written_is_read_back(folder: RunFolder) -> None:
    again = RunFolder(folder.path)
    assert again.manifest() == MANIFEST
    assert again.cases() == (CASE,)
    assert (folder.path / "cases" / "EC-001@h1.json").is_file()


def test_records_come_back_in_order_of_their_numbers(folder: RunFolder) -> None:
    for number in (10, 2, 1):
        folder.write_trial(record(number))
    assert [item.number for item in folder.records()] == [1, 2, 10]


def test_a_finished_record_never_changes(folder: RunFolder) -> None:
    folder.write_trial(record())
    with pytest.raises(HarnessError, match="never changes"):
        folder.write_trial(record(outcome="agent_error"))
    assert next(iter(folder.records())).outcome == "replied"


def test_a_record_of_an_infrastructure_error_is_set_aside(folder: RunFolder) -> None:
    """Pitfall 12."""
    for outcome in ("infra_error", "infra_error", "replied"):
        folder.write_trial(record(outcome=outcome))
    assert [item.outcome for item in folder.records()] == ["replied"]
    names = sorted(path.name for path in (folder.path / "trials" / "EC-001").iterdir())
    assert names == ["1.infra-1.json", "1.infra-2.json", "1.json"]


@pytest.mark.parametrize("planted", ["{}", "nonsense", "a whole record"])
def test_what_somebody_else_put_in_the_place_of_a_record_is_set_aside(
    folder: RunFolder, planted: str
) -> None:
    """Also one that would be read: only missing trials are run."""
    text = record().model_dump_json() if planted == "a whole record" else planted
    place = folder.path / "trials" / "EC-001" / "1.json"
    place.write_text(text, encoding="utf-8")
    aside = folder.write_trial(record(outcome="agent_error"))
    assert aside == "trials/EC-001/1.foreign-1.json"
    assert (folder.path / aside).read_text(encoding="utf-8") == text
    assert [item.outcome for item in folder.records()] == ["agent_error"]


def test_records_that_are_others_now_are_known(folder: RunFolder) -> None:
    for number in (1, 2, 3):
        folder.write_trial(record(number))
    place = folder.path / "trials" / "EC-001"
    (place / "2.json").write_text((place / "1.json").read_text("utf-8"), "utf-8")
    (place / "3.json").unlink()
    assert folder.changed_records() == ("trials/EC-001/2.json", "trials/EC-001/3.json")
    assert RunFolder(folder.path).changed_records() == ()


def test_records_of_trials_that_nobody_planned_are_set_aside(folder: RunFolder) -> None:
    """Each would count as a trial."""
    folder.write_trial(record())
    planned = folder.manifest().trials["EC-001"]
    place = folder.path / "trials" / "EC-001"
    (place / f"{planned + 1}.json").write_text((place / "1.json").read_text("utf-8"), "utf-8")
    aside = f"trials/EC-001/{planned + 1}.foreign-1.json"
    assert folder.set_aside_unplanned() == (aside,)
    assert folder.set_aside_unplanned() == ()
    assert folder.records().count() == 1


def test_a_folder_of_records_that_was_taken_away_is_made_again(folder: RunFolder) -> None:
    (folder.path / "trials" / "EC-001").rmdir()
    assert folder.write_trial(record()) == ""
    assert folder.records().count() == 1


def test_paths_are_absolute_and_named_as_they_were(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.path.parent)
    same = RunFolder(Path(folder.path.name))
    assert (same.path, str(same.named)) == (folder.path, folder.path.name)


def test_decisions_and_reports_have_their_places(folder: RunFolder) -> None:
    assert folder.place == str(folder.named)
    decision = CaseDecision(case="EC-001", verdict="passed", trials=(), valid=1, passed=1)
    assert folder.decisions({"pass": "all"}) is None
    folder.write_decisions({"pass": "all"}, [decision])
    folder.write_reports({"report.json": "{}"})
    assert folder.decisions({"pass": "all"}) == (decision,)
    assert folder.decisions({"rate": 0.5}) is None
    assert (folder.path / "report.json").read_text(encoding="utf-8") == "{}"


def test_a_run_never_overwrites_another(folder: RunFolder) -> None:
    with pytest.raises(HarnessError, match="cannot make the run directory"):
        RunFolder.create(folder.path, MANIFEST, [CASE])


def test_a_name_that_no_file_system_takes_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="is no run directory") as refused:
        RunFolder(tmp_path / ("a" * 4_000)).manifest()
    assert len(refused.value.message) < 500


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="is no run directory"):
        RunFolder(tmp_path).manifest()


@pytest.mark.parametrize("text", ["{", '{"version": 2}', "\udcff"])
def test_a_broken_file_is_named(folder: RunFolder, text: str) -> None:
    path = folder.path / "trials" / "EC-001" / "1.json"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(HarnessError, match=r"1\.json: cannot be read as a trial"):
        list(folder.records())


def test_what_cannot_be_written_is_an_error(folder: RunFolder) -> None:
    (folder.path / "trials" / "EC-001").rmdir()
    (folder.path / "trials").rmdir()
    with pytest.raises(HarnessError, match="cannot write"):
        folder.write_trial(record())
    with pytest.raises(InfrastructureError, match="cannot write"):
        folder.write_reports({"manifest.json/report.json": "{}"})
    (folder.path / "decisions").rmdir()
    with pytest.raises(InfrastructureError, match=r"cannot write .*--resume"):
        folder.write_decisions({}, [])


def test_broken_decisions_are_named(folder: RunFolder) -> None:
    folder.write_decisions({}, [])
    (path,) = (folder.path / "decisions").iterdir()
    path.write_text("{", encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot be read as decisions"):
        folder.decisions({})


def test_decisions_of_an_older_version_are_read(folder: RunFolder) -> None:
    """They were a bare list, which did not say what had been decided under."""
    decision = CaseDecision(case="EC-001", verdict="passed", trials=(), valid=0, passed=0)
    path = folder.decisions_path({"pass": "all"})
    path.write_text(f"[{decision.model_dump_json()}]", encoding="utf-8")
    assert folder.decisions({"pass": "all"}) == (decision,)
    folder.write_decisions({"pass": "all"}, [decision])
    held = json.loads(path.read_text(encoding="utf-8"))
    assert (held["version"], held["policy"], held["cases"]) == (
        2,
        {"pass": "all"},
        {"EC-001": "h1"},
    )


def test_a_record_of_a_later_version_is_told_apart_from_a_broken_one(folder: RunFolder) -> None:
    folder.write_trial(record())
    path = folder.path / "trials" / "EC-001" / "1.json"
    path.write_text(path.read_text("utf-8").replace('"version":1', '"version":9'), "utf-8")
    with pytest.raises(HarnessError, match="version 9 of a trial file is not known"):
        list(folder.records())
    path.write_text("{", "utf-8")
    with pytest.raises(HarnessError, match="cannot be read as a trial"):
        list(folder.records())


def test_broken_canaries_are_named(folder: RunFolder) -> None:
    (folder.path / "canaries.json").write_text("{", encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot be read as canaries"):
        folder.canaries()


def test_more_trials_are_planned_and_never_fewer(tmp_path: Path) -> None:
    folder = RunFolder.create(
        tmp_path / "r",
        manifest(["A", "B"], trials={"A": 3, "B": 5}),
        [CASE.model_copy(update={"id": id}) for id in ("A", "B")],
    )
    folder.extend({"A": 6, "B": 2, "C": 9})
    assert folder.manifest().trials == {"A": 6, "B": 5}


def test_a_record_that_lies_in_the_place_of_another_is_told(folder: RunFolder) -> None:
    folder.write_trial(record(number=2))
    path = folder.path / "trials" / "EC-001"
    (path / "2.json").rename(path / "1.json")
    with pytest.raises(HarnessError, match="the record of trial 2 of case 'EC-001'"):
        list(folder.records())


def test_a_case_that_lies_in_the_place_of_another_is_told(folder: RunFolder) -> None:
    (path,) = (folder.path / "cases").iterdir()
    path.write_text(path.read_text("utf-8").replace("EC-001", "EC-002"), encoding="utf-8")
    with pytest.raises(HarnessError, match="is case 'EC-002', not 'EC-001'"):
        folder.cases()


@pytest.mark.parametrize(
    ("written", "spoilt"),
    [
        ('"pass"', '"fail"'),
        ('"trials": {', '"trials": {"EC-9": 1, '),
        ('"options": {', f'"options": {{"a": {10**30}'),
    ],
    ids=["policy", "trials of no case", "integer"],
)
def test_a_manifest_that_contradicts_itself_is_refused(
    folder: RunFolder, written: str, spoilt: str
) -> None:
    path = folder.path / "manifest.json"
    text = path.read_text("utf-8")
    assert written in text
    path.write_text(text.replace(written, spoilt), encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot be read as the manifest of a run"):
        folder.manifest()


def test_two_at_a_time_do_not_run_the_trials_of_one_run(folder: RunFolder) -> None:
    again = RunFolder(folder.path)
    with folder.lock(), pytest.raises(HarnessError, match="being run by another"), again.lock():
        pass
    with again.lock():
        assert again.manifest().run


def test_what_a_killed_process_left_is_removed_unless_another_one_runs(folder: RunFolder) -> None:
    left = [folder.path / f".{name}.tmp" for name in ("canaries.json", "custody.json")]
    for path in left:
        path.write_text("[", encoding="utf-8")
    with RunFolder(folder.path).lock():
        folder.remove_unfinished()
        assert all(path.exists() for path in left)
    folder.remove_unfinished()
    assert not any(path.exists() for path in left)


def test_each_older_version_has_a_step_to_the_next() -> None:
    steps = {(kind, version) for kind, current in CURRENT.items() for version in range(1, current)}
    assert set(MIGRATIONS) == steps


def test_a_bare_list_of_decisions_is_brought_up_to_date() -> None:
    assert up_to_date("decisions", [1])["decisions"] == [1]


def test_what_is_of_today_stays_as_it_is() -> None:
    held = {"version": CURRENT["decisions"], "decisions": []}
    assert up_to_date("decisions", held) is held
    assert up_to_date("trial", {"case": "A"}) == {"case": "A"}


@pytest.mark.parametrize("kind", CURRENT)
def test_a_later_version_is_told_as_that(kind: str) -> None:
    with pytest.raises(HarnessError, match="newer understudy"):
        up_to_date(kind, {"version": CURRENT[kind] + 1})


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, b"old")
    write_whole(path, b"new")
    flush_folder(tmp_path)
    assert path.read_bytes() == b"new"
    assert [item.name for item in tmp_path.iterdir()] == ["a.json"]


def test_a_file_that_is_made_while_it_is_written_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    (tmp_path / ".a.txt-0.tmp").write_bytes(b"of a killed process")
    write_parts(path, iter([b"o", b"ld"]))
    with pytest.raises(ZeroDivisionError):
        write_parts(path, (b"%d" % (1 // number) for number in (1, 0)))
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["a.txt"]


def test_a_report_in_parts_that_cannot_be_written_is_named(folder: RunFolder) -> None:
    with pytest.raises(InfrastructureError, match="cannot write"):
        folder.write_reports({"manifest.json/report.json": iter("{}")})


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_whole(tmp_path / "none" / "a.json", b"")


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_whole_files_only(tmp_path: Path) -> None:
    """Rule 4: a crash at any moment leaves the old file, the new one, or none."""
    script = (
        "import itertools,sys; from pathlib import Path; from harness.storage.files import *\n"
        "for n in itertools.count():\n"
        "    write_whole(Path(sys.argv[1]) / f'{n % 3}.json', b'[' + b'7' * 100_000 + b']')\n"
        "    print(n, flush=True)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    for lines in (1, 2, 5, 9):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            for _ in range(lines):
                writer.stdout.readline()
            writer.kill()
    for path in tmp_path.glob("*.json"):
        assert path.read_bytes() == b"[" + b"7" * 100_000 + b"]"
