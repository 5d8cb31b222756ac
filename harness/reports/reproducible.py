"""A replay's result without what differs from one run to the next, but for durations."""

import hashlib

import orjson

from harness.model import RunManifest, RunResult

_WHEN = {"version", "run", "started_at", "note"}


def reproducible(result: RunResult) -> RunResult:
    """The result of a replay under a name that tells what was replayed, not when and where.

    Any other result is left as it is.
    """
    if not result.manifest.options.get("replay"):
        return result
    named = {"run": replay_name(result.manifest), "started_at": ""}
    manifest = result.manifest.model_copy(update=named)
    return result.model_copy(update={"manifest": manifest, "folder": ""})


def replay_name(manifest: RunManifest) -> str:
    """A name that two runs of the same agent over the same cases have in common.

    >>> manifest = RunManifest(run="a", suite="s", agent="null", cases={}, trials={})
    >>> replay_name(manifest) == replay_name(manifest.model_copy(update={"run": "b"}))
    True
    """
    asked = manifest.model_dump(mode="json", exclude=_WHEN)
    digest = hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return f"replay-{digest[:12]}"
