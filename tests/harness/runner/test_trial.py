import asyncio
import dataclasses
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from typing_extensions import override

from harness.agents import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Echo,
    Synthetic,
    Task,
    Transcript,
    build_driver,
)
from harness.environment import Environment, Session, attach_environment
from harness.errors import HarnessError, InfrastructureError
from harness.model import Case, Fixtures, Reply, Turn
from harness.runner import (
    PlannedTrial,
    RunContext,
    check_template,
    fixture_files,
    prompts_of,
    run_trial,
)
from harness.runner.trial import skip_reason
from harness.runner.workspace import LONGEST_TEXT, contents, workspace
from harness.verdicts import decide_trial
from mockserver.model import SessionReport, SessionSpec

Context = Callable[..., RunContext]


class Doing(AgentDriver):
    """Does what a test says, with the task."""

    def __init__(self, do: Callable[[Task, Transcript], Any]) -> None:
        self._do = do

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        await self._do(task, transcript)

    @override
    async def close(self) -> None:
        return


async def test_the_oracle_passes_and_what_it_did_is_recorded(
    context: Context, cases: tuple[Case, ...]
) -> None:
    """CEP-20: the journal shows what was asked, the state what a write left behind."""
    driver = build_driver("oracle", DriverOptions())
    records = [await run_trial(context(driver), PlannedTrial(case, 1)) for case in cases]
    await driver.close()
    for case, record in zip(cases, records, strict=True):
        decision = decide_trial(case, record)
        assert decision.status == "pass", decision
    assert records[0].journal.entries[0].method_id == "tools.listOrgUnits"
    assert "Attic" in str(records[1].state["orgUnits"])
    assert "Attic" in str(records[1].state_diff["orgUnits"])
    assert records[0].faults[0].met == 0


async def test_a_record_says_what_it_is_of(context: Context, cases: tuple[Case, ...]) -> None:
    shared = context(Echo())
    record = await run_trial(shared, PlannedTrial(cases[0], 3))
    assert (record.run, record.case, record.number) == (shared.run, "T-001", 3)
    assert record.case_hash == shared.hashes["T-001"]
    assert record.started_at == "2026-11-20T10:15:00.000Z"
    assert re.fullmatch(f"{shared.run}-T-001-3-[0-9a-f]{{32}}", record.session)
    assert record.duration_ms > record.agent_ms > 0


async def test_two_writing_trials_do_not_see_each_other(
    context: Context, cases: tuple[Case, ...]
) -> None:
    """Pitfall 18: two interleaved trials of a case that writes."""
    driver = build_driver("oracle", DriverOptions())
    shared = context(driver)
    records = await asyncio.gather(
        *(run_trial(shared, PlannedTrial(cases[1], number)) for number in (1, 2, 3))
    )
    await driver.close()
    for record in records:
        assert len(record.state_diff["orgUnits"]["added"]) == 1
        assert {entry.session for entry in record.journal.entries} == {record.session}


async def test_a_timeout_is_the_agents_and_keeps_finished_turns(
    context: Context, cases: tuple[Case, ...]
) -> None:
    """Pitfalls 5 and 14: a late call of the agent meets a closed session."""
    left: list[Task] = []

    async def hang(task: Task, transcript: Transcript) -> None:
        left.append(task)
        transcript.note_reply(Reply(turn=1, prompt=task.prompts[0], text="One"))
        await asyncio.sleep(600)

    shared = context(Doing(hang), timeout_s=0.05)
    record = await run_trial(shared, PlannedTrial(cases[1], 1))
    assert record.outcome == "agent_error"
    assert record.error == "no reply to turn 2 within 0.05 s; the agent was stopped"
    assert [reply.text for reply in record.replies] == ["One"]
    assert (record.attempts[-1].turn, record.attempts[-1].error) == (2, record.error)
    async with httpx.AsyncClient() as client:
        late = await client.get(f"{left[0].env['TOOLS_BASE_URL']}", headers={"x": "y"})
    assert late.status_code == 410


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(AgentFailedError("why"), "agent_error"), (AgentUnreachableError("why"), "infra_error")],
)
async def test_an_error_says_whose_it_is(
    context: Context, cases: tuple[Case, ...], error: Exception, outcome: str
) -> None:
    """Pitfall 5."""

    async def fail(_task: Task, _transcript: Transcript) -> None:
        raise error

    record = await run_trial(context(Doing(fail)), PlannedTrial(cases[0], 1))
    assert (record.outcome, record.error) == (outcome, "why")


async def test_an_error_of_a_driver_is_not_taken_for_a_timeout(
    context: Context, cases: tuple[Case, ...]
) -> None:
    async def fail(_task: Task, _transcript: Transcript) -> None:
        raise TimeoutError("a bug")

    with pytest.raises(TimeoutError, match="a bug"):
        await run_trial(context(Doing(fail)), PlannedTrial(cases[0], 1))


async def test_a_server_that_dies_makes_no_verdict(
    context: Context, cases: tuple[Case, ...], mortal_mock: tuple[str, Callable[[], None]]
) -> None:
    url, kill = mortal_mock

    async def die(task: Task, transcript: Transcript) -> None:
        kill()
        transcript.note_reply(Reply(turn=1, prompt=task.prompts[0], text="One"))

    environment = await attach_environment(url)
    shared = dataclasses.replace(context(Doing(die)), environment=environment)
    records = [await run_trial(shared, PlannedTrial(cases[0], number)) for number in (1, 2)]
    await environment.close()
    assert [record.outcome for record in records] == ["infra_error", "infra_error"]
    assert [len(record.replies) for record in records] == [1, 0]


async def test_a_server_that_could_take_no_connection_makes_no_verdict(
    context: Context, cases: tuple[Case, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Session.report

    async def report(session: Session, collections: tuple[str, ...] = ()) -> SessionReport:
        made = await real(session, collections)
        return made.model_copy(update={"problem": "no descriptors left"})

    async def reply(task: Task, transcript: Transcript) -> None:
        transcript.note_reply(Reply(turn=1, prompt=task.prompts[0], text="One"))

    monkeypatch.setattr(Session, "report", report)
    record = await run_trial(context(Doing(reply)), PlannedTrial(cases[0], 1))
    assert (record.outcome, record.error) == ("infra_error", "no descriptors left")
    assert record.replies


async def test_the_workspace_holds_the_fixtures_and_its_end_is_kept(
    context: Context, cases: tuple[Case, ...], office: Path
) -> None:
    """CEPR-25: a plain-text fixture is a file, and part of the prompt on request."""
    (office / "T-001" / "net.log").write_text("ERR_FAILED", encoding="utf-8")
    case = cases[0].model_copy(update={"fixtures": Fixtures(files=("T-001/net.log",))})
    seen: list[Task] = []

    async def write(task: Task, _transcript: Transcript) -> None:
        seen.append(task)
        (task.workspace / "note.txt").write_text("done", encoding="utf-8")

    shared = context(Doing(write), inject_prompt=True)
    record = await run_trial(shared, PlannedTrial(case, 1))
    (office / "T-001" / "net.log").unlink()
    assert {name: file.text for name, file in record.files.items()} == {
        "net.log": "ERR_FAILED",
        "note.txt": "done",
    }
    assert "ERR_FAILED" in seen[0].prompts[0]
    assert not seen[0].workspace.exists()


async def test_injected_fixtures_are_base_and_overrides_merged(
    context: Context, cases: tuple[Case, ...]
) -> None:
    """CEP-14."""
    seen: list[Any] = []

    async def look(task: Task, _transcript: Transcript) -> None:
        seen.append(task.fixtures)

    await run_trial(context(Doing(look), inject=True), PlannedTrial(cases[0], 1))
    await run_trial(
        context(Doing(look), inject=True, use_overrides=False), PlannedTrial(cases[0], 2)
    )
    await run_trial(context(Doing(look)), PlannedTrial(cases[0], 3))
    names = [[unit["name"] for unit in item["orgUnits"]] for item in seen[:2]]
    assert names == [["Laboratory"], ["Office"]]
    assert seen[0]["customer"]["customerDomain"] == "example.com"
    assert seen[2] is None


async def test_a_synthetic_reply_is_no_verdict(context: Context, cases: tuple[Case, ...]) -> None:
    """CEP-24, CEP-35."""
    record = await run_trial(context(Synthetic(), synthetic=True), PlannedTrial(cases[0], 1))
    assert record.synthetic
    assert decide_trial(cases[0], record).status == "skipped"


CASE = Case(id="C-1", turns=(Turn(user="Why {prompt}?"), Turn(user="And now?")))


def test_a_prompt_is_sent_exactly_as_the_case_says_it() -> None:
    """CEP-08, pitfall 16."""
    assert prompts_of(CASE) == ("Why {prompt}?", "And now?")


def test_a_template_stands_around_every_turn() -> None:
    """CEPR-24."""
    said = prompts_of(CASE, template="{prompt}\nBe short.")
    assert said == ("Why {prompt}?\nBe short.", "And now?\nBe short.")


def test_plain_text_fixtures_follow_the_first_prompt() -> None:
    """CEPR-25."""
    said = prompts_of(CASE, texts={"net.log": "ERR_FAILED\n"})
    assert said[0] == "Why {prompt}?\n\n--- net.log ---\nERR_FAILED\n--- end of net.log ---"
    assert said[1] == "And now?"


def test_a_template_without_a_place_for_the_prompt_is_refused() -> None:
    assert check_template("Q: {prompt}") == "Q: {prompt}"
    with pytest.raises(HarnessError, match=r"no \{prompt\}"):
        check_template("Hello")


@pytest.mark.parametrize(
    ("required", "declared", "said"),
    [
        ((), (), ""),
        (("run_command",), ("run_*",), ""),
        (("listOrgUnits",), (), ""),
        (
            ("run_command", "search"),
            ("run_*",),
            "the agent lacks tools that the case needs: 'search'",
        ),
        (
            ("search",),
            (),
            "the agent lacks tools that the case needs: 'search', and nobody says which tools it"
            " has: give --tools",
        ),
    ],
    ids=["none", "declared", "of the server", "another", "nobody says"],
)
async def test_tools_are_those_declared_and_those_of_the_server(
    environment: Environment,
    cases: tuple[Case, ...],
    required: tuple[str, ...],
    declared: tuple[str, ...],
    said: str,
) -> None:
    """CTX-16."""
    case = cases[0].model_copy(update={"required_tools": required})
    assert await skip_reason(case, declared, environment, SessionSpec()) == said


@pytest.mark.parametrize(("tools", "outcome"), [((), "skipped"), (("run_command",), "agent_error")])
async def test_a_trial_without_its_tools_is_skipped_with_a_reason_and_does_not_fail(
    context: Context, cases: tuple[Case, ...], tools: tuple[str, ...], outcome: str
) -> None:
    """CTX-16: skipped, so outside of every rate."""
    case = cases[0].model_copy(update={"required_tools": ("run_command",)})
    driver = build_driver("command:false", DriverOptions())
    record = await run_trial(context(driver, tools=tools), PlannedTrial(case, 1))
    decision = decide_trial(case, record)
    assert (record.outcome, decision.status) == (outcome, outcome)
    assert ("lacks tools" in decision.reason) == (outcome == "skipped")


@pytest.mark.parametrize("spec", ["oracle", "null", "echo", "scripted:lines.yaml"])
@pytest.mark.parametrize(
    ("tools", "outcome"), [((), "replied"), (("run_*",), "replied"), (("read_*",), "skipped")]
)
async def test_what_plays_a_part_has_every_tool_unless_the_user_names_some(
    context: Context,
    cases: tuple[Case, ...],
    tmp_path: Path,
    spec: str,
    tools: tuple[str, ...],
    outcome: str,
) -> None:
    """CTX-16: --tools says which, for a script as for any agent."""
    case = cases[0].model_copy(update={"required_tools": ("run_command",)})
    (tmp_path / "lines.yaml").write_text(f"{case.id}: [Done.]", encoding="utf-8")
    driver: Any = build_driver(spec, DriverOptions(folder=tmp_path))
    record = await run_trial(context(driver, tools=tools), PlannedTrial(case, 1))
    await driver.close()
    assert record.outcome == outcome


def case(*files: str) -> Case:
    return Case(id="C-1", turns=(Turn(user="Why?"),), fixtures=Fixtures(files=files))


def test_a_workspace_holds_copies_and_is_gone_afterwards(tmp_path: Path) -> None:
    (tmp_path / "C-1").mkdir()
    (tmp_path / "C-1" / "net.log").write_text("ERR", encoding="utf-8")
    with workspace(fixture_files(tmp_path, case("C-1/net.log"))) as place:
        folder = place.folder()
        assert (folder / "net.log").read_text(encoding="utf-8") == "ERR"
        (folder / "net.log").write_text("changed", encoding="utf-8")
    assert not folder.exists()
    assert (tmp_path / "C-1" / "net.log").read_text(encoding="utf-8") == "ERR"


def test_a_workspace_is_listed_with_sizes_and_short_texts(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "note.txt").write_text("done", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\x00")
    (tmp_path / "longest").write_text("x" * LONGEST_TEXT, encoding="utf-8")
    (tmp_path / "long").write_text("x" * (LONGEST_TEXT + 1), encoding="utf-8")
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "up").symlink_to("/etc", target_is_directory=True)
    shown = {name: (file.size, file.text) for name, file in contents(tmp_path).items()}
    assert shown == {
        "out/note.txt": (4, "done"),
        "binary": (2, None),
        "longest": (LONGEST_TEXT, "x" * LONGEST_TEXT),
        "long": (LONGEST_TEXT + 1, None),
    }


@pytest.mark.parametrize(
    ("name", "said"),
    [("../secret", "outside the suite"), ("/etc/hostname", "outside"), ("none.txt", "no file")],
)
def test_a_file_that_is_not_the_suites_is_refused(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        fixture_files(tmp_path, case(name))


def test_a_workspace_starts_with_the_files_that_the_case_says() -> None:
    """CTXR-09: in the trial's own folder, never in that of the process."""
    with workspace(texts={"src/a.py": "x = 1\n", "src/in/c.py": "1", "b.txt": ""}) as place:
        folder = place.folder()
        assert (folder / "src" / "a.py").read_text(encoding="utf-8") == "x = 1\n"
        assert {name: file.size for name, file in place.contents().items()} == {
            "b.txt": 0,
            "src/a.py": 6,
            "src/in/c.py": 1,
        }


@pytest.mark.parametrize("name", ["../up.txt", "/tmp/up.txt", "a/../../up.txt"])
def test_no_file_is_written_outside_of_the_workspace(name: str) -> None:
    with pytest.raises(HarnessError, match="leaves the workspace"), workspace(texts={name: "x"}):
        pass


def test_a_file_cannot_be_a_folder_too() -> None:
    with (
        pytest.raises(HarnessError, match="cannot write 'a/b'"),
        workspace(texts={"a": "", "a/b": ""}),
    ):
        pass


def test_a_folder_that_the_agent_removed_holds_nothing() -> None:
    with workspace() as place:
        folder = place.folder()
        folder.rmdir()
        assert place.contents() == {}
    assert not folder.exists()


def test_a_workspace_that_nobody_asks_for_is_never_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with workspace() as place:
        assert (place.contents(), list(tmp_path.iterdir())) == ({}, [])
        assert [place.folder(), place.folder()] == [*tmp_path.iterdir()] * 2
    assert not list(tmp_path.iterdir())


def test_a_workspace_that_cannot_be_made_is_no_fault_of_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with (
        pytest.raises(InfrastructureError, match="cannot make a workspace: No such file"),
        workspace() as place,
    ):
        place.folder()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(InfrastructureError, match="the trial is over"):
        place.folder()


async def test_what_the_framework_traced_is_recorded(
    context: Context, cases: tuple[Case, ...]
) -> None:
    async def do(task: Task, transcript: Transcript) -> None:
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}
        span: dict[str, Any] = {
            "traceId": "ab" * 16, "spanId": "cd" * 8, "name": "chat gpt-5",
            "attributes": [{"key": key, "value": {"stringValue": value}}
                           for key, value in attributes.items()],
        }  # fmt: skip
        for name in ("input", "output"):
            key = f"gen_ai.usage.{name}_tokens"
            span["attributes"].append({"key": key, "value": {"intValue": "1000000"}})
        content = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
        url = task.env["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces"
        async with httpx.AsyncClient(trust_env=False) as client:
            (await client.post(url, json=content)).raise_for_status()
        transcript.replies.append(Reply(turn=1, prompt=task.prompts[0], text="Done."))

    record = await run_trial(context(Doing(do)), PlannedTrial(cases[0], 1))
    (call,) = record.trace.model_calls
    assert (call.model, record.trace.received) == ("gpt-5", 1)
    usage = record.replies[0].usage
    assert (usage.input_tokens, usage.cost_usd, record.replies[0].rounds) == (1_000_000, 11.25, 1)
