"""What the documents say is held against the code: names both ways, examples by running them."""

import json
import re
import shutil
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from pydantic import BaseModel
from starlette.routing import Route

from harness.agents import DRIVERS
from harness.agents.profiles import PROFILES
from harness.agents.replies import FINISH, METADATA, ROUNDS, TEXT, TOOL_CALLS, USAGE
from harness.agents.ui_stream import UiStream
from harness.cases import read_suite
from harness.cases.chrome.registry import RegistryCase
from harness.cases.native import NativeCase, NativeFixtures
from harness.checks import CHECKS
from harness.cli.main import COMMANDS, app
from harness.cli.run import KEYS
from harness.errors import Exit
from harness.model import Case, CaseDecision, Expectation, TrialDecision
from harness.reports import REPORTS
from mockserver.apis import APIS
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.layout import INFO
from mockserver.cassettes.files.parser import FACTS
from mockserver.cassettes.files.writer import cassette_text
from mockserver.cassettes.foreign import FORMATS
from mockserver.http.control import Control
from mockserver.model import Fault, JournalEntry, SessionSpec
from mockserver.model.journal import Miss
from mockserver.routing import Routes
from mockserver.sessions.session import Sessions
from mockserver.settings import Settings
from mockserver.snapshots.importer import SERVER_KEYS, Importer
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.state import parse_rfc3339
from mockserver.stubs import MATCHERS
from tests.command_line import command_of
from tests.documents import (
    DOCS,
    FOLDER,
    PAGES,
    ROOT,
    blocks,
    code_in,
    files,
    first_column,
    json_of,
    names_in,
    section,
    table,
    without_blocks,
    write_files,
)
from tests.pictures.house import floors
from tests.ports import free_port
from tests.transcripts import run, steps


def aliases(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


# --- snapshots ---


def test_the_table_of_collections_is_what_the_apis_and_the_server_declare() -> None:
    owners = {item.name: api.name for api in APIS for item in api.collections}
    declared = {(key, about, owners.get(key, "-")) for key, about in Importer(APIS).keys.items()}
    rows = table(DOCS["snapshots"], "Key")
    assert {(row[0].strip("`"), row[1], row[2]) for row in rows} == declared
    assert set(SERVER_KEYS) <= {row[0].strip("`") for row in rows}


def test_the_names_of_errors_are_those_the_apis_declare() -> None:
    declared = {name: method for api in APIS for name, method in api.error_names.items()}
    assert {row[0].strip("`"): row[1].strip("`") for row in table(DOCS["snapshots"], "Name")} == (
        declared
    )


def test_every_matcher_of_prepared_responses_is_named() -> None:
    text = without_blocks(section("snapshots", "## Errors, faults, tools, http"))
    assert set(code_in(text)) >= MATCHERS


def test_the_snapshot_examples_hold_nothing_that_is_refused() -> None:
    text = blocks(section("snapshots", "## Errors, faults, tools, http"))
    layers = tuple(json_of(block) for block in text)
    assert len(layers) == 4
    assert SnapshotResolver(None).resolve(SessionSpec(overrides=layers)).problems() == ()


# --- the server ---


def test_the_routes_of_the_control_api_are_those_there_are() -> None:
    worlds = SnapshotResolver(None)
    sessions = Sessions(
        worlds,
        real=lambda: parse_rfc3339("2026-11-20T09:00:00Z"),
        journal_bytes=1,
        limit=1,
    )
    there = {
        f"{verb} {route.path.replace(':int', '')}"
        for route in Control(sessions, Settings(), worlds, Routes(())).application().routes
        if isinstance(route, Route)
        for verb in (route.methods or set()) - {"HEAD"}
    }
    assert set(first_column(section("server", "## Control API"), "Route")) == there


def test_every_route_of_the_control_api_is_asked_in_an_example() -> None:
    text = section("server", "## Control API")
    asked = {_asked(step.command) for step in steps(text) if "/_mock/" in step.command}
    assert asked == set(first_column(text, "Route"))


def _asked(command: str) -> str:
    """`VERB /path` of a curl command on session `a`."""
    verb = re.search(r"-X (\w+)", command)
    path = re.search(r"\$MOCK(/_mock/[\w/.]*)", command)
    assert path is not None
    default = "POST" if " --json " in command else "GET"
    route = re.sub("/directory(?=/|$)", "/{name}", path[1].replace("/sessions/a", "/sessions/{id}"))
    route = route.replace("/journal/1", "/journal/{number}")
    return f"{verb[1] if verb else default} {route}"


@pytest.mark.parametrize(
    ("heading", "first", "model"),
    [
        ("## Control API", "Field", SessionSpec),
        ("## Faults", "Field", Fault),
        ("## Journal", "Field", JournalEntry),
    ],
    ids=["session", "fault", "journal"],
)
def test_tables_of_fields_are_those_of_the_model(
    heading: str, first: str, model: type[BaseModel]
) -> None:
    assert set(first_column(section("server", heading), first)) == set(model.model_fields)


def test_the_defaults_of_a_session_are_as_said() -> None:
    rows = table(section("server", "## Control API"), "Field")
    said = {row[0].strip("`"): row[1].strip("`") for row in rows if row[1].startswith("`")}
    spec = SessionSpec().model_dump(mode="json")
    assert {name: _as_text(spec[name]) for name in said} == said


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def test_every_part_of_a_miss_and_every_header_is_named() -> None:
    text = section("server", "## Journal")
    blames = set(get_args(get_type_hints(Miss)["blame"])) - {"infrastructure"}
    named = set(code_in(text))
    assert blames | set(Miss.model_fields) <= named
    assert {"X-Mock-Source", "X-Mock-Ignored", "X-Mock-Miss"} <= named


def test_the_limits_are_those_of_the_code() -> None:
    from mockserver.asgi.requests import MAX_BODY_BYTES
    from mockserver.googleapi import DEEPEST

    settings = Settings()
    text = section("server", "## Limits")
    assert f"{MAX_BODY_BYTES >> 20} MiB" in text
    assert f"{settings.journal_bytes >> 20} MiB" in text
    assert f"{settings.max_sessions:,}" in text
    assert f"depth of a JSON body | {DEEPEST} " in text


# --- cases ---


def test_the_table_of_expectations_has_every_kind() -> None:
    assert first_column(DOCS["cases"], "Kind in reports") == list(_kinds())


def _kinds() -> dict[str, type[BaseModel]]:
    return {kind.model_fields["kind"].default: kind for kind in get_args(get_args(Expectation)[0])}


def test_the_examples_load_and_show_every_kind(tmp_path: Path) -> None:
    write_files(DOCS["cases"], tmp_path)
    suite = read_suite(tmp_path)
    assert [str(problem) for problem in suite.problems] == []
    shown = {item.kind for case in suite.cases for item in case.expect}
    assert shown == set(_kinds())


def test_the_examples_use_every_key_of_the_grammar() -> None:
    text = "\n".join(content for name, content in files(DOCS["cases"]) if "yaml" in name)
    prose = " ".join(code_in(without_blocks(DOCS["cases"])))
    keys = set(re.findall(r"\b([a-z_]+):", text)) | set(re.findall(r"\b[a-z_]+\b", prose))
    grammar = {name for model in _models_in(NativeCase) for name in aliases(model)}
    faults = {name for model in _models_in(Fault) for name in model.model_fields}
    told = set(re.findall(r"\b[a-z_]+\b", section("server", "## Faults")))
    assert faults <= told, "faults are in the server's document"
    grammar -= faults
    assert grammar - keys == set()


def _models_in(model: type[BaseModel]) -> set[type[BaseModel]]:
    """A model and all models inside it, but for expectations as data, which have their table."""
    fields = {name: field for name, field in model.model_fields.items() if name != "checks"}
    found, waiting = {model}, [*fields.values()]
    annotations: list[Any] = [field.annotation for field in waiting]
    while annotations:
        kind = annotations.pop()
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            if kind not in found or kind is model:
                found.add(kind)
                annotations += [field.annotation for field in kind.model_fields.values()]
        else:
            annotations += get_args(kind)
    return found


def test_the_tables_of_case_keys_are_the_models() -> None:
    assert set(first_column(DOCS["cases"], "Key of a case")) == set(aliases(NativeCase))
    assert set(first_column(DOCS["cases"], "Key of an entry")) == set(aliases(RegistryCase))
    row = next(row for row in table(DOCS["cases"], "Key of a case") if row[0] == "`fixtures`")
    assert set(code_in(row[2])) == set(aliases(NativeFixtures))


def test_every_mode_is_explained() -> None:
    modes = get_args(Case.model_fields["mode"].annotation)
    assert first_column(section("cases", "## Modes"), "Mode") == list(modes)


# --- running ---


def _options() -> dict[frozenset[str], str]:
    """The options of `understudy run`: names to environment variable, or an empty string."""
    params = command_of(app, "run").params
    return {
        frozenset((*param.opts, *param.secondary_opts)): str(param.envvar or "")
        for param in params
        if param.param_type_name == "option"
    }


def test_the_table_of_options_is_the_command() -> None:
    rows = table(DOCS["running"], "Option")
    told = {frozenset(names_in(row[:1])): "".join(names_in(row[1:2])) for row in rows}
    there = {names: variable for names, variable in _options().items() if "--help" not in names}
    assert told == there
    assert sum(variable.startswith("EVAL_") for variable in told.values()) >= 10


def test_the_keys_of_a_project_are_those_that_are_read() -> None:
    rows = table(section("running", "### understudy.yaml"), "Key")
    assert [row[0].strip("`") for row in rows] == list(KEYS)
    options = frozenset().union(*_options())
    told = [name for row in rows for name in names_in(row[1:]) if name.startswith("--")]
    assert set(told) <= options


def _keys_to(value: Any, wanted: str) -> list[str] | None:
    """The keys that lead to a text in what authors write; None where it is not there."""
    if value == wanted:
        return []
    pairs = value.items() if isinstance(value, dict) else ()
    for key, item in [*pairs, *(("", each) for each in value if isinstance(value, list))]:
        if (inner := _keys_to(item, wanted)) is not None:
            return [key, *inner] if key else inner
    return None


def test_the_words_of_authors_that_are_no_fields_are_told() -> None:
    """`text.contains` is the field `needles` of `text_contains`, and so on."""
    found: dict[tuple[str, str], list[str]] = {}
    for kind, check in CHECKS.items():
        section_of_kind = check.section
        for field in check.kind.model_fields.keys() - {"kind", "turn", "required"}:
            written = section_of_kind.write(kind, {field: [{"name": "MARK"}]})
            keys = _keys_to({section_of_kind.name: written}, "MARK") or []
            keys = [key for key in keys if key != "name"]
            if keys[-1] != field:
                found.setdefault((".".join(keys), kind), []).append(field)
    rows = table(DOCS["architecture"], "Authors write")
    told = {tuple(names_in(row[:2])): sorted(names_in(row[2:])) for row in rows}
    assert told == {key: sorted(fields) for key, fields in found.items()}


def test_every_driver_has_its_row() -> None:
    specs = first_column(section("running", "## Agents"), "Spec")
    assert {spec.partition(":")[0] for spec in specs} == set(DRIVERS)
    row = next(row for row in table(DOCS["running"], "Option") if row[0] == "`--profile`")
    assert names_in(row[2:]) == list(PROFILES)


def test_the_names_of_json_replies_are_those_that_are_read() -> None:
    rows = table(section("running", "### Chat servers"), "Fact")
    tables = (TEXT, METADATA, TOOL_CALLS, ROUNDS, FINISH, USAGE)
    assert [tuple(code_in(row[1].partition(":")[0])) for row in rows] == list(tables)


def test_the_parts_of_a_stream_are_those_that_are_read() -> None:
    parts = first_column(section("running", "### Chat servers"), "Part")
    assert set(parts) == {*UiStream()._takers, "data-*"}


def test_statuses_verdicts_and_exit_codes_are_those_there_are() -> None:
    text = section("running", "## Trials, verdicts, exit codes")
    statuses = get_args(TrialDecision.model_fields["status"].annotation)
    verdicts = get_args(CaseDecision.model_fields["verdict"].annotation)
    assert first_column(text, "Status of a trial") == list(statuses)
    assert set(first_column(text, "Verdict of a case")) == set(verdicts)
    assert [int(row[0]) for row in table(text, "Exit code")] == [int(code) for code in Exit]


def test_every_report_is_named() -> None:
    assert set(REPORTS) <= set(first_column(DOCS["running"], "Path below `runs/<run>/`"))


# --- cassettes ---


def test_the_tables_of_a_cassette_s_keys_are_those_that_are_read() -> None:
    assert first_column(DOCS["cassettes"], "Key of `recorded_with`") == list(INFO)
    assert first_column(DOCS["cassettes"], "Key of `recorded`") == list(FACTS)


def test_every_format_of_recordings_has_its_row() -> None:
    rows = [row[0] for row in table(DOCS["cassettes"], "Format")]
    assert set(FORMATS) == set(rows)


def test_the_cassette_that_is_shown_is_one(tmp_path: Path) -> None:
    fenced = blocks(section("cassettes", "## What is in the file"))[0]
    shown = fenced.removeprefix("```yaml\n").removesuffix("```")
    path = tmp_path / "a.yaml"
    path.write_text(shown, encoding="utf-8")
    assert b"".join(cassette_text(read_cassette(path))).decode() == shown


# --- architecture ---


@pytest.mark.slow
@pytest.mark.parametrize("house", ["mockserver", "harness"])
def test_the_rooms_are_those_of_the_house(house: str) -> None:
    there = {
        path.name.removesuffix(".py")
        for path in (ROOT / house).iterdir()
        if (path / "__init__.py").is_file()
        or (path.suffix == ".py" and not path.stem.startswith("__"))
    }
    listed = [row for row in table(DOCS["architecture"], "Package") if row[0] == f"`{house}`"]
    shown = [sorted(code_in(row[2])) for row in listed]
    assert shown == [sorted(room.name for room in rooms) for rooms in floors(house)]
    assert {name for names in shown for name in names} == there
    for row, names in zip(listed, shown, strict=True):
        page = DOCS[re.findall(r"\]\((.*)\.md\)", row[1])[0]]
        assert (
            sorted(
                Path(room).parts[0].removesuffix(".py")
                for room in first_column(page, f"`{house}/`")
            )
            == names
        )
        first = [code_in(each[0])[0] for each in table(page, "Module")]
        assert len(first) == 3
        assert [path for path in first if not (ROOT / path).is_file()] == []


def test_every_place_for_a_line_is_there() -> None:
    for row in table(DOCS["architecture"], "To add"):
        for path in re.findall(r"`((?:mockserver|harness)/[\w/]+\.py)`", row[2]):
            content = (ROOT / path).read_text(encoding="utf-8")
            word = code_in(row[2])[0]
            assert re.search(rf"\b{word}\b", content), (word, path)


# --- all ---

# tutorials, how-to guides and these pages have tests of their own, which run them
RUN_ELSEWHERE = {"plugins", "pytest", "redaction", "replay"}
TRANSCRIPTS = [
    name
    for name, text in DOCS.items()
    if "```console" in text and "/" not in name and name not in RUN_ELSEWHERE
]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="the transcripts use curl")
@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts_go_as_shown(name: str, tmp_path: Path) -> None:
    for folder in ("cassettes", "fixtures"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    document = DOCS[name]
    write_files(document, tmp_path)
    port = str(free_port())
    document = document.replace("serve --fixtures", f"serve --port {port} --fixtures")
    script = steps(document.replace("8765", port))
    outputs = run(script, folder=tmp_path, environment={})
    assert len(outputs) == len(script)
    differing = [
        f"$ {step.command}\n--- shown\n{step.shown}--- printed\n{output}"
        for step, output in zip(script, outputs, strict=True)
        if not step.matches(output)
    ]
    assert not differing, "\n".join(differing)


READERS = {
    path.relative_to(ROOT).as_posix(): path
    for path in (*PAGES.values(), *ROOT.glob("*.md"), *ROOT.glob("fixtures/*/README.md"))
}


@pytest.mark.parametrize("name", sorted(READERS))
def test_links_lead_somewhere(name: str) -> None:
    text = without_blocks(READERS[name].read_text(encoding="utf-8"))
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)", text):
        path = READERS[name].parent / target if target else READERS[name]
        assert path.exists(), target
        assert not anchor or anchor in _anchors(path.read_text(encoding="utf-8")), (target, anchor)


def test_the_navigation_of_the_site_lists_every_page() -> None:
    text = (ROOT / ".ci" / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"[\w./-]+\.md\b", text.partition("\nnav:\n")[2]))
    listed -= {"front-page.md", "changelog.md"}  # made from files outside docs/ by the build
    pages = {path.relative_to(FOLDER).as_posix() for path in PAGES.values()}
    assert listed == pages, "list every page of docs/, and no other, in nav of .ci/mkdocs.yml"


@pytest.mark.parametrize("name", sorted(READERS))
def test_lists_and_tables_stand_behind_an_empty_line(name: str) -> None:
    """GitHub forgives where there is none, the site does not."""
    text = without_blocks(READERS[name].read_text(encoding="utf-8"))
    glued = re.findall(r"^[^\s|*>#-].*\n(?:[*-] |\|).*", text, re.MULTILINE)
    assert not [each for each in glued if not re.match(r"\d+\. ", each)]


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", without_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", DOCS)
def test_json_examples_arejson_of(name: str) -> None:
    for block in re.findall(r"^```json\n(.*?)^```", DOCS[name], re.DOTALL | re.MULTILINE):
        json_of(block)


@pytest.mark.parametrize("name", DOCS)
def test_commands_are_those_there_are(name: str) -> None:
    known = {entry.name for entry in COMMANDS}
    used = re.findall(r"(?:`|^\$ )harness ([a-z-]+)", DOCS[name], re.MULTILINE)
    assert set(used) <= known
