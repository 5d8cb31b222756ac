"""Runs the steps of a composite action, or the script of a GitLab job, as a runner would."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.patience import PATIENCE_S

_EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
_CONDITION = re.compile(r"always\(\) && ([\w.-]+) != ''")


@dataclass
class Finished:
    """What a job left.

    Attributes:
        code: The exit code of the first step that failed, or 0.
        log: What was printed.
        summary: The Markdown of the job's summary.
        outputs: Those of the action.
        artifacts: What was uploaded: name to file or folder.
    """

    code: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    artifacts: dict[str, Path] = field(default_factory=dict)


def run_action(
    action: Path, inputs: Mapping[str, str], *, folder: Path, variables: Mapping[str, str]
) -> Finished:
    """Run a composite action's steps in a folder; of other actions it knows the upload alone.

    Args:
        action: Its file.
        inputs: What the workflow hands over.
        folder: The work tree.
        variables: The environment of the job: PATH, GITHUB_REPOSITORY and the like.
    """
    definition = yaml.safe_load(action.read_text(encoding="utf-8"))
    given = {name: each.get("default", "") for name, each in definition["inputs"].items()}
    assert inputs.keys() <= given.keys(), inputs
    known = {"github.token": "token-of-the-job", "github.event.repository.default_branch": "main"}
    given = _filled({**given, **inputs}, known)
    known |= {f"inputs.{name}": value for name, value in given.items()}
    done = Finished()
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        files = {key: Path(name, key) for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for step in definition["runs"]["steps"]:
            condition = _CONDITION.fullmatch(step["if"]) if "if" in step else None
            if condition is None and done.code:
                continue
            if condition is not None and not known.get(condition[1]):
                continue
            for path in files.values():
                path.touch()
            if "uses" in step:
                assert step["uses"].startswith("actions/upload-artifact@")
                options = _filled(step["with"], known)
                done.artifacts[options["name"]] = Path(options["path"])
                continue
            assert step["shell"] == "bash"
            environment = {**variables, **{k: str(v) for k, v in files.items()}}
            code, printed = _bash(
                "-eo pipefail", step["run"], folder, environment | _filled(step["env"], known)
            )
            done.code = done.code or code
            done.log += printed
            done.summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
            for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines():
                key, _, value = line.partition("=")
                known[f"steps.{step['id']}.outputs.{key}"] = value
    done.outputs = _filled({k: v["value"] for k, v in definition["outputs"].items()}, known)
    return done


def _filled(values: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, str]:
    """Replace `${{ name }}`; a name that is unknown, but for a step's output, is an error."""

    def value_of(found: re.Match[str]) -> str:
        name = found[1]
        return str(known.get(name, "") if name.startswith("steps.") else known[name])

    return {name: _EXPRESSION.sub(value_of, str(value)) for name, value in values.items()}


def run_gitlab_job(
    template: Path, job: Mapping[str, Any], *, folder: Path, variables: Mapping[str, str]
) -> Finished:
    """Run the script of a job that extends the one job of a template.

    Args:
        template: Its file.
        job: The job as `.gitlab-ci.yml` has it.
        folder: The work tree.
        variables: The environment of the job: PATH, CI_DEFAULT_BRANCH and the like.
    """
    base = yaml.safe_load(template.read_text(encoding="utf-8"))[job["extends"]]
    own = {**base["variables"], **job["variables"]}
    code, log = _bash("-eo pipefail", "\n".join(base["script"]), folder, {**variables, **own})
    paths = [*base["artifacts"]["paths"], *base["artifacts"]["reports"].values()]
    found = {path: next(iter(folder.glob(path)), None) for path in paths}
    return Finished(code, log, artifacts={k: v for k, v in found.items() if v is not None})


def _bash(
    options: str, script: str, folder: Path, environment: Mapping[str, str]
) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", *options.split(), "-c", script],
        cwd=folder,
        env={"HOME": os.environ.get("HOME", "/"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout
