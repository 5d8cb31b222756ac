"""The other ways in that `mockserver serve` opens."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.cli.serve import front_options, prepare_fronts
from mockserver.errors import MockServerError
from mockserver.fronts.grpc import GrpcListener
from mockserver.fronts.interception import InterceptionFront, InterceptionOptions


@pytest.mark.parametrize(
    ("ports", "no_proxy", "wanted", "insists"),
    [
        ((None, None), False, InterceptionOptions(0, None), False),
        ((None, None), True, InterceptionOptions(None, None), True),
        ((3128, None), False, InterceptionOptions(3128, None), True),
        ((None, 443), False, InterceptionOptions(0, 443), True),
    ],
    ids=["default", "without", "port", "tls"],
)
def test_the_proxy_is_there_unless_it_is_left_out(
    ports: tuple[int | None, int | None], no_proxy: bool, wanted: InterceptionOptions, insists: bool
) -> None:
    assert front_options(proxy_port=ports[0], tls_port=ports[1], no_proxy=no_proxy) == (
        wanted,
        insists,
    )


def test_hosts_are_named_on_both_sides() -> None:
    wanted, _ = front_options(emulate=["a.example"], tunnel=["b.example"])
    assert (wanted.emulate, wanted.tunnel) == (("a.example",), ("b.example",))


def test_a_proxy_cannot_be_asked_for_and_left_out() -> None:
    with pytest.raises(MockServerError, match="--no-proxy leaves it out"):
        front_options(proxy_port=1, no_proxy=True)


@pytest.mark.parametrize("option", ["tunnel", "emulate"])
def test_hosts_of_the_proxy_are_not_named_without_it(option: str) -> None:
    hosts: Any = {option: ["a"]}
    with pytest.raises(MockServerError, match="--no-proxy leaves it out"):
        front_options(**hosts, no_proxy=True)


def test_the_grpc_listener_stands_beside_the_proxy_or_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    both = prepare_fronts(InterceptionOptions(), insist=True)
    assert [type(front) for front in both.fronts] == [InterceptionFront, GrpcListener]
    assert both.interception is not None
    assert prepare_fronts(InterceptionOptions(None, None), insist=True).fronts == ()
    (alone,) = prepare_fronts(InterceptionOptions(None, None), insist=True, grpc_port=0).fronts
    assert isinstance(alone, GrpcListener)


def test_without_a_place_for_its_authority_the_proxy_is_left_out_unless_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "file" / "home"))
    assert prepare_fronts(InterceptionOptions(), insist=False).fronts == ()
    assert "mockserver: no proxy: " in capsys.readouterr().err
    with pytest.raises(MockServerError):
        prepare_fronts(InterceptionOptions(), insist=True)
