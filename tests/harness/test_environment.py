import asyncio
import json
import ssl
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from harness.environment import (
    attach_environment,
    fixture_problems,
    frozen_time_environment,
    merged_fixtures,
    seeded_noise,
    session_id,
    session_spec,
    start_environment,
)
from harness.errors import HarnessError, InfrastructureError
from harness.model import (
    Case,
    ExpectedRow,
    Fixtures,
    JsonObject,
    ServerState,
    TextContains,
    Turn,
)
from mockserver.model import SessionSpec

CASE = Case(
    id="T-001",
    turns=(Turn(user="Why?"),),
    fixtures=Fixtures(overrides=("T-001",), seed=40),
    expect=(
        TextContains(needles=("x",)),
        ServerState(rows=(ExpectedRow(collection="orgUnits"), ExpectedRow(collection="users"))),
        ServerState(rows=(ExpectedRow(collection="orgUnits"),)),
    ),
)
UNITS = "admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"


@pytest.mark.slow
async def test_a_session_is_a_world_of_its_own_until_its_report(mock_url: str) -> None:
    """CEP-17, CEP-20: two sessions on one server; what one writes the other does not see."""
    environment = await attach_environment(mock_url)
    async with (
        environment.session(SessionSpec(id="env-a")) as first,
        environment.session(SessionSpec(id="env-b")) as second,
        httpx.AsyncClient() as client,
    ):
        unit = {"name": "Attic", "parentOrgUnitPath": "/"}
        made = await client.post(f"{first.info.base_url}/{UNITS}", json=unit)
        assert made.status_code == 200
        report, other = await first.report(("orgUnits",)), await second.report(("orgUnits",))
    await environment.close()
    assert [entry.method_id for entry in report.journal.entries] == ["directory.orgunits.insert"]
    assert "Attic" in str(report.state["orgUnits"])
    assert "Attic" not in str(other.state["orgUnits"])
    assert other.journal.entries == ()


async def test_a_session_is_closed_however_its_trial_ends(mock_url: str) -> None:
    """Pitfall 14: late calls of an agent are refused."""
    environment = await attach_environment(mock_url)
    with pytest.raises(asyncio.CancelledError):
        async with environment.session(SessionSpec(id="env-c")) as session:
            raise asyncio.CancelledError
    async with httpx.AsyncClient() as client:
        late = await client.get(f"{session.info.base_url}/{UNITS}")
    await environment.close()
    assert late.status_code == 410


async def test_an_id_that_was_used_before_gets_a_suffix(mock_url: str) -> None:
    environment = (await attach_environment(mock_url)).repeatable("seed")
    ids = []
    for _ in range(3):
        async with environment.session(SessionSpec(id="env-d")) as session:
            ids.append(session.info.id)
    await environment.close()
    assert ids == [ids[0], f"{ids[0]}-r2", f"{ids[0]}-r3"]


async def test_ids_and_tokens_are_drawn_anew_but_in_replays(mock_url: str) -> None:
    environment = await attach_environment(mock_url)
    drawn = []
    for each in (environment, environment, environment.repeatable("a")):
        async with each.session(SessionSpec(id="env-n")) as session:
            drawn.append((session.info.id[-32:], session.info.token[-32:]))
    await environment.close()
    assert len({text for pair in drawn for text in pair}) == 6
    again, other = seeded_noise("a"), seeded_noise("b")
    assert drawn[2] == (again("env-n"), again("env-n/token"))
    assert other("env-n") != again("env-n")


async def test_merged_fixtures_are_the_same_with_and_without_a_server(
    mock_url: str, office: Path
) -> None:
    """CEP-14."""
    environment = await attach_environment(mock_url)
    async with environment.session(session_spec(CASE, 1, id="env-e")) as session:
        merged = await session.merged()
    await environment.close()
    assert merged == merged_fixtures(office, CASE)
    assert [unit["name"] for unit in merged["orgUnits"]] == ["Laboratory"]


@pytest.mark.slow
async def test_every_key_of_fixtures_reaches_the_agent(tmp_path: Path) -> None:
    """CEPR-27: one loader for what is served and for what is handed over."""
    token = {"token": "T-1", "status": "expired"}
    base = {"capturedAt": "2026-01-01T00:00:00Z", "browsers": [{"deviceId": "b-1"}]}
    for name, content in {"base": base, "EC-001": {"enrollmentToken": token}}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "overrides.json").write_text(json.dumps(content), encoding="utf-8")
    case = CASE.model_copy(update={"fixtures": Fixtures(overrides=("EC-001",))})
    environment = await start_environment(tmp_path)
    async with environment.session(session_spec(case, 1, id="env-k")) as session:
        served = await session.merged()
    await environment.close()
    assert served == merged_fixtures(tmp_path, case) == {**base, "enrollmentToken": token}


async def test_a_world_that_the_suite_does_not_have_is_an_infrastructure_error(
    mock_url: str,
) -> None:
    environment = await attach_environment(mock_url)
    spec = SessionSpec(id="env-f", overrides=("T-999",))
    with pytest.raises(InfrastructureError, match="T-999"):
        async with environment.session(spec):
            pass
    await environment.close()


async def test_a_server_of_our_own_stops_when_closed(office: Path, tmp_path: Path) -> None:
    """CEP-12, CEP-21."""
    environment = await start_environment(office, log=tmp_path / "log")
    async with environment.session(SessionSpec(id="s")) as session:
        assert session.info.base_url == f"{environment.url}/s/{session.info.id}"
        assert environment.protected
    await environment.close()
    with pytest.raises(InfrastructureError, match="no mock server"):
        await attach_environment(environment.url)


async def test_a_server_that_dies_in_the_middle_is_an_infrastructure_error(
    mortal_mock: tuple[str, Callable[[], None]],
) -> None:
    url, kill = mortal_mock
    environment = await attach_environment(url)
    async with environment.session(SessionSpec(id="s")) as session:
        kill()
        with pytest.raises(InfrastructureError):
            await session.merged()
    with pytest.raises(InfrastructureError):
        await session.report()
    with pytest.raises(InfrastructureError):
        async with environment.session(SessionSpec(id="t")):
            pass
    await environment.close()


async def test_a_server_that_does_not_come_up_is_an_infrastructure_error(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError):
        await start_environment(tmp_path / "none")


def test_each_trial_has_its_own_seed_and_the_switches_its_layers() -> None:
    """CEP-22, CEP-23, CEP-58."""
    both = session_spec(CASE, 2, id="s")
    assert (both.seed, both.base, both.overrides) == (42, True, ("T-001",))
    bare = session_spec(CASE, 2, id="s", use_base=False, use_overrides=False)
    assert (bare.base, bare.overrides) == (False, ())


def test_a_case_with_cassettes_is_answered_by_them_first() -> None:
    played = CASE.model_copy(update={"fixtures": Fixtures(cassettes=("calls",), repeats="last")})
    spec = session_spec(played, 1, id="s")
    sources = ("stub", "cassette", "state", "document")
    assert (spec.sources, spec.cassettes) == (sources, ("calls",))
    assert (spec.repeats, spec.pace) == ("last", 1)
    assert session_spec(CASE, 1, id="s").sources == ("stub", "state", "document")


def test_nothing_is_made_up_where_that_is_said() -> None:
    assert session_spec(CASE, 1, id="s", made_up=False).sources == ("stub", "state")


@pytest.mark.parametrize(
    ("clock", "replayed"),
    [
        ("shift", "frozen"),
        ("real", "frozen"),
        ("frozen", "frozen"),
        ("frozen:2026-11-01T00:00:00Z", "frozen:2026-11-01T00:00:00Z"),
    ],
    ids=str,
)
def test_clocks_stand_still_in_a_replay(clock: str, replayed: str) -> None:
    asked = CASE.model_copy(update={"fixtures": Fixtures(clock=clock)})
    spec = session_spec(asked, 1, id="s", replay=True)
    assert (spec.clock, spec.pace) == (replayed, 0)


@pytest.mark.parametrize(
    ("clock", "merged", "told"),
    [
        ("frozen", {"capturedAt": "2026-11-01T00:00:00Z"}, "1793491200"),
        ("frozen:2026-11-01T00:00:01Z", {"capturedAt": "2020-01-01T00:00:00Z"}, "1793491201"),
        ("frozen", {}, None),
        ("shift", {"capturedAt": "2026-11-01T00:00:00Z"}, None),
    ],
    ids=str,
)
def test_agents_are_told_at_what_time_a_session_stands_still(
    clock: str, merged: JsonObject, told: str | None
) -> None:
    found = frozen_time_environment(SessionSpec(clock=clock), merged)
    assert found.get("SOURCE_DATE_EPOCH") == told


def test_session_ids_are_short_and_safe() -> None:
    ids = {session_id("20261120-101500-ab12cd", "E" * 60 + tail, 1) for tail in "ab"}
    assert len(ids) == 2
    for name in (*ids, session_id("r", "ä b", 1)):
        assert SessionSpec(id=name).id == name


def test_problems_of_snapshots_are_told_with_their_place(office: Path, tmp_path: Path) -> None:
    assert [item for item in fixture_problems(office) if item.level == "error"] == []
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "a.json").write_text('{"orgUnit": []}', encoding="utf-8")
    problems = [item for item in fixture_problems(tmp_path) if item.level == "error"]
    assert "orgUnit" in str(problems[0])


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "a.json").write_text("{", encoding="utf-8")
    (problem,) = fixture_problems(tmp_path)
    assert problem.where == f"{tmp_path}/base/a.json:1:2"
    with pytest.raises(HarnessError, match="no such folder"):
        fixture_problems(tmp_path / "none")
    with pytest.raises(HarnessError, match=r"a\.json"):
        merged_fixtures(tmp_path, CASE.model_copy(update={"fixtures": Fixtures()}))


async def test_a_server_tells_the_same_problems_as_the_files(tmp_path: Path) -> None:
    override = tmp_path / "A-1"
    for folder in (tmp_path / "base", override):
        folder.mkdir()
    (tmp_path / "base" / "a.json").write_text('{"orgUnit": []}', encoding="utf-8")
    (override / "overrides.json").write_text("{", encoding="utf-8")
    environment = await start_environment(tmp_path)
    found = await environment.fixture_problems(tmp_path)
    await environment.close()
    assert found == fixture_problems(tmp_path, content=False)
    assert {each.where.rpartition("/")[0] for each in found} >= {str(override)}


async def test_unchanged_clients_are_led_to_a_session_by_its_proxy(office: Path) -> None:
    environment = await start_environment(office, intercept=True)
    async with environment.session(SessionSpec(id="s")) as session:
        proxy = session.info.env["HTTPS_PROXY"]
        bundle = ssl.create_default_context(cafile=session.info.env["SSL_CERT_FILE"])
        async with httpx.AsyncClient(proxy=proxy, verify=bundle, trust_env=False) as client:
            headers = {"authorization": f"Bearer {session.info.token}"}
            answer = await client.get(f"https://{UNITS}", headers=headers)
        report = await session.report()
    await environment.close()
    assert answer.status_code == 200
    assert [entry.method_id for entry in report.journal.entries] == ["directory.orgunits.list"]
