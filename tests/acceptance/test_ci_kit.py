"""docs/how-to/ci.md, followed: the steps of the kit are run as a runner runs them.

The artefacts of GitHub come from a mock of its API, which GitHub's own `gh` asks.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from mockserver.model import Interaction, RecordedResponse
from mockserver.testing import mock
from tests import warm
from tests.acceptance.pipelines import Finished, run_action, run_gitlab_job
from tests.tapes import JSON, recorded, written
from tests.transcripts import differences, page_files, page_steps, run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
ACTION, TEMPLATE = ROOT / ".ci/action/action.yml", ROOT / ".ci/gitlab.yml"
WORKFLOW, PIPELINE = ".github/workflows/agent.yml", ".gitlab-ci.yml"
REPOSITORY = "owner/agent"
UNFAITHFUL = """
import sys
from pathlib import Path

for name in ("first", "second"):
    try:
        Path(__file__).with_name(name).open("x").close()
    except FileExistsError:
        continue
    print("Order A1 is cancelled.")
    sys.exit()
"""
"""What makes an agent of two lies, and of the truth from then on."""

CURIOUS = """
import socket
from pathlib import Path

try:
    socket.create_connection(("192.0.2.1", 443), timeout=2)
except OSError as error:
    Path(__file__).with_name("seen.txt").write_text(str(error))
"""
"""What opens a connection past every proxy."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gh") is None, reason="GitHub's gh is not installed"),
]


def has_own_network() -> bool:
    try:
        command = ["unshare", "-rn", "ip", "link", "set", "lo", "up"]
        return not subprocess.run(command, check=False, capture_output=True).returncode
    except OSError:
        return False


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files of the README's agent, and those of the page."""
    files = {**page_files(README), **page_files(PAGE)}
    folder = tmp_path / "project"
    for name in [each for each in files if each.startswith(("evals/", "agent.py", "."))]:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name], encoding="utf-8")
    return folder


def inputs_of(project: Path) -> dict[str, str]:
    steps = yaml.safe_load((project / WORKFLOW).read_text())["jobs"]["cases"]["steps"]
    (given,) = (step["with"] for step in steps if "/.ci/action@" in step["uses"])
    return {**given, "install": ""}  # it is installed already


def path_of(*first: Path, forks: bool = True) -> str:
    """Where a job finds programs; ours are forks, which stay in the network that they began in."""
    ours = [warm.programs()] if forks else []
    return os.pathsep.join(
        map(str, [*first, *ours, Path(sys.executable).parent, os.environ["PATH"]])
    )


def on_github(
    project: Path,
    *,
    ref: str = "main",
    event: str = "push",
    baseline: bytes | None = None,
    **inputs: str,
) -> Finished:
    with github(project.parent, baseline) as programs:
        temporary = project.parent / "runner"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        variables = {
            "PATH": path_of(programs, forks=inputs.get("network") != "off"),
            "RUNNER_TEMP": str(temporary),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REF_NAME": ref,
            "GITHUB_EVENT_NAME": event,
        }
        given = inputs_of(project) | inputs
        return run_action(ACTION, given, folder=project, variables=variables)


@contextmanager
def github(folder: Path, baseline: bytes | None) -> Iterator[Path]:
    """The folder of a `gh` that is led to a mock of GitHub with these artefacts."""
    tape = written(folder, artifacts(baseline), name="github.yaml")
    with mock(cassette=tape, listen=True, environment=False) as world:
        programs = folder / "programs"
        programs.mkdir(exist_ok=True)
        led = " ".join(f"{name}='{value}'" for name, value in world.env.items())
        gh = programs / "gh"
        gh.write_text(f'#!/bin/sh\nexec env {led} {shutil.which("gh")} "$@"\n', encoding="utf-8")
        gh.chmod(0o755)
        yield programs


def artifacts(baseline: bytes | None) -> Iterator[Interaction]:
    """The list of artefacts, and the archive of the one that may be trusted.

    The newest is of a fork, whose branch has the same name; one is of another branch.
    """
    runs = [
        (31, "2026-03-03T00:00:00Z", {"head_branch": "main", "head_repository_id": 9}),
        (30, "2026-03-02T00:00:00Z", {"head_branch": "main", "head_repository_id": 1}),
        (29, "2026-03-01T00:00:00Z", {"head_branch": "main", "head_repository_id": 1}),
        (32, "2026-03-04T00:00:00Z", {"head_branch": "other", "head_repository_id": 1}),
    ]
    listed = [
        {
            "id": number,
            "created_at": at,
            "expired": False,
            "workflow_run": {"repository_id": 1, **run},
        }
        for number, at, run in runs
    ]
    folder = f"/repos/{REPOSITORY}/actions/artifacts"
    body = json.dumps({"artifacts": listed if baseline is not None else []}).encode()
    yield recorded(
        path=f"{folder}?name=understudy-baseline&per_page=100",
        origin="https://api.github.com",
        response=RecordedResponse(200, "OK", (JSON,), body),
    )
    if baseline is None:
        return
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("baseline.json", baseline)
    elsewhere = ("Location", "https://store.example.com/30.zip")
    yield recorded(
        path=f"{folder}/30/zip",
        origin="https://api.github.com",
        response=RecordedResponse(302, "Found", (elsewhere,), b""),
    )
    yield recorded(
        path="/30.zip",
        origin="https://store.example.com",
        response=RecordedResponse(
            200, "OK", (("Content-Type", "application/zip"),), archive.getvalue()
        ),
    )


def worsen(project: Path, how: str) -> None:
    agent = project / "agent.py"
    agent.write_text(how + agent.read_text(encoding="utf-8"), encoding="utf-8")


def test_the_first_run_makes_the_baseline_and_a_regression_is_told(project: Path) -> None:
    first = on_github(project)
    assert first.code == 0, first.log
    assert "::notice title=Understudy::There is no baseline yet" in first.log
    assert "Cases passed: **1/1**" in first.summary
    run = first.artifacts["understudy-run"]
    assert {"junit.xml", "report.html", "summary.md"} <= {path.name for path in run.iterdir()}
    assert first.outputs == {"exit-code": "0", "folder": str(run)}
    baseline = first.artifacts["understudy-baseline"].read_bytes()

    request = partial(on_github, project, ref="7/merge", event="pull_request", baseline=baseline)
    same = request()
    assert (same.code, list(same.artifacts)) == (0, ["understudy-run"]), same.log
    assert "### Against " in same.summary

    worsen(project, UNFAITHFUL)
    worse = request()
    assert worse.code == 4, worse.log
    assert "::error title=exit 4::" in worse.log
    assert "CHANGED: " in worse.summary
    assert list(worse.artifacts) == ["understudy-run"]


def test_a_run_of_the_default_branch_that_regressed_leaves_the_baseline_alone(
    project: Path,
) -> None:
    baseline = on_github(project).artifacts["understudy-baseline"].read_bytes()
    worsen(project, UNFAITHFUL)
    worse = on_github(project, baseline=baseline)
    assert (worse.code, list(worse.artifacts)) == (4, ["understudy-run"]), worse.log


def test_a_case_that_fails_is_annotated_beside_its_file(project: Path) -> None:
    lying = on_github(project, agent="command:echo Order A1 is cancelled.")
    assert lying.code == 1, lying.log
    assert "::error file=evals/cases/orders.yaml,line=2,title=CANCEL failed 0/5::" in lying.log


def test_branches_and_requests_of_others_make_no_baseline(project: Path) -> None:
    for ref, event in (("topic", "push"), ("main", "pull_request_target")):
        done = on_github(project, ref=ref, event=event)
        assert (done.code, list(done.artifacts)) == (0, ["understudy-run"]), done.log


@pytest.mark.skipif(not has_own_network(), reason="this machine has no namespaces of networks")
def test_a_run_in_a_network_of_its_own_reaches_nothing(project: Path) -> None:
    worsen(project, CURIOUS)
    done = on_github(project, network="off")
    assert done.code == 0, done.log
    assert "Network is unreachable" in (project / "seen.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("network", "code", "says"),
    [
        ("off", 3, "::error title=Understudy::This runner cannot give the run a network"),
        ("auto", 0, "::notice title=Understudy::The network stays on"),
        ("of", 2, "::error title=Understudy::network is off, auto or on, not 'of'."),
    ],
)
def test_a_runner_without_namespaces_says_so(
    project: Path, network: str, code: int, says: str
) -> None:
    programs = project.parent / "programs"
    programs.mkdir()
    (programs / "unshare").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (programs / "unshare").chmod(0o755)
    done = on_github(project, network=network)
    assert (done.code, says in done.log) == (code, True), done.log


def on_gitlab(project: Path, *, branch: str, stubs: list[Any], **variables: str) -> Finished:
    shutil.rmtree(project / "understudy", ignore_errors=True)
    job = yaml.safe_load((project / PIPELINE).read_text(encoding="utf-8"))["agent"]
    with mock(overrides=[{"http": stubs}], listen=True, environment=False) as world:
        environment = {
            "PATH": path_of(),
            "CI_API_V4_URL": f"{world.base_url}/gitlab.example.com/api/v4",
            "CI_PROJECT_ID": "12",
            "CI_PROJECT_DIR": str(project),
            "CI_JOB_NAME": "agent",
            "CI_JOB_URL": "https://gitlab.example.com/owner/agent/-/jobs/5",
            "CI_JOB_TOKEN": "token-of-the-job",
            "CI_DEFAULT_BRANCH": "main",
            "CI_COMMIT_BRANCH": branch,
        }
        job["variables"] = {**job["variables"], "UNDERSTUDY_INSTALL": ""}
        return run_gitlab_job(TEMPLATE, job, folder=project, variables=environment | variables)


def test_gitlab_compares_with_the_file_of_the_default_branch(project: Path) -> None:
    url = "gitlab.example.com/api/v4/projects/12/jobs/artifacts/main/raw/understudy/baseline.json"
    none = {"url": url, "status": 404}
    first = on_gitlab(project, branch="main", stubs=[none])
    assert first.code == 0, first.log
    assert "There is no baseline yet" in first.log
    assert {"junit.xml", "understudy/links.json"} <= {
        path if path.startswith("understudy/l") else Path(path).name for path in first.artifacts
    }
    links = json.loads((project / "understudy/links.json").read_text(encoding="utf-8"))
    (link,) = links["Understudy"]
    assert link["external_link"]["url"].endswith("/report.html")
    baseline = (project / "understudy/baseline.json").read_text(encoding="utf-8")

    worsen(project, UNFAITHFUL)
    kept: Mapping[str, Any] = {"url": f"{url}?job=agent", "body": baseline}
    worse = on_gitlab(project, branch="", stubs=[kept])
    assert worse.code == 4, worse.log
    assert (project / "understudy/baseline.json").read_text(encoding="utf-8") == baseline

    refused = on_gitlab(project, branch="", stubs=[{"url": url, "status": 403}])
    assert (refused.code, "UNDERSTUDY_TOKEN" in refused.log) == (3, True), refused.log


def test_the_commands_for_other_services_go_as_shown(project: Path) -> None:
    script = page_steps("".join(PAGE.partition("## Anywhere else")[1:]))
    assert not (told := differences(script, run(script, folder=project, environment={}))), told


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("github-actions", ACTION),
        ("gitlab-ci", TEMPLATE),
        ("github-workflows", WORKFLOW),
        ("gitlab-ci", PIPELINE),
    ],
)
def test_each_file_is_valid_by_the_public_schema(
    project: Path, schema: str, name: str | Path
) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run(
        [*command, str(project / name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_input_of_the_action_is_on_the_page() -> None:
    inputs = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["inputs"]
    assert all(f"`{name}`" in PAGE for name in inputs)
    variables = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))[".understudy"]["variables"]
    assert all(name in PAGE for name in variables if name.startswith("UNDERSTUDY_"))
