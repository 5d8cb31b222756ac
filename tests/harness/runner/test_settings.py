import pytest

from harness.errors import HarnessError
from harness.model import Policy, RunManifest
from harness.runner import RunSettings, read_policy, settings_of


def test_settings_survive_the_manifest() -> None:
    settings = RunSettings(trials=3, timeout_s=2.5, header_names=("X-A",), synthetic=True)
    manifest = RunManifest(
        run="r", suite="s", agent="echo", cases={}, trials={}, options=settings.options()
    )
    assert settings_of(manifest) == settings


def test_the_settings_that_hold_where_none_are_given() -> None:
    """They name each replay: another default would be another name of the same one."""
    found = RunSettings().options()
    assert {name: each for name, each in found.items() if each} == {
        "concurrency": 4, "timeout_s": 180.0, "retries": 2, "profile": "ai-sdk", "input": "text",
        "agent_cwd": "workspace", "isolate": True, "template": "{prompt}", "use_base": True,
        "use_overrides": True, "made_up": True,
    }  # fmt: skip


def test_a_manifest_of_something_else_is_refused() -> None:
    manifest = RunManifest(
        run="r", suite="s", agent="echo", cases={}, trials={}, options={"foo": 1}
    )
    with pytest.raises(HarnessError, match="options of run r"):
        settings_of(manifest)


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("all", Policy(pass_="all")),
        ("majority", Policy(pass_="majority")),
        ("0.8", Policy(rate=0.8)),
        ("rate:1", Policy(rate=1)),
        ("pass_hat:3:0.7", Policy(pass_hat=3, min=0.7)),
    ],
)
def test_a_policy_is_a_word_or_a_share(text: str, policy: Policy) -> None:
    assert read_policy(text) == policy


@pytest.mark.parametrize(
    "text",
    ["", "most", "0", "1.5", "nan", "pass_hat:3:0", "pass_hat:3", "pass_hat:x:1", "pass_hat:0:1"],
)
def test_a_gate_that_cannot_fail_or_hold_is_refused(text: str) -> None:
    """Pitfall 6."""
    with pytest.raises(HarnessError, match="unknown policy"):
        read_policy(text)
