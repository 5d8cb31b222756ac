from datetime import UTC, datetime, timedelta

import pytest

from harness.demo.clock import now


def test_the_agent_lives_in_the_present(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert datetime.now(UTC) - now() < timedelta(seconds=5)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert datetime.now(UTC) - now() < timedelta(seconds=5)


def test_the_agent_lives_at_the_time_of_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763629200")
    assert now().isoformat() == "2025-11-20T09:00:00+00:00"
