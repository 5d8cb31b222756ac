"""Programs that a test starts, gRPC, and clients that are led through the proxy."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import requests

from mockserver.testing.mocks import Mock, mock
from mockserver.testing.transports import ProxyRoute, lead_clients, route_of_environment
from mockserver.testing.transports.routes import UnservedHostError
from tests.mockserver.conftest import write_suite
from tests.patience import PATIENCE_S

UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
SRE = Path("fixtures/sre")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Mock]:
    suite = write_suite(tmp_path / "suite")
    with mock(suite, listen=True, overrides=[{"http": [{"url": "shop.example.com/a"}]}]) as opened:
        yield opened


def test_a_program_that_the_test_starts_meets_the_session(world: Mock) -> None:
    program = f"import urllib.request as u; print(u.urlopen({UNITS!r}).status)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "200\n", done.stderr
    assert [one.method_id for one in world.requests] == ["directory.orgunits.list"]


def test_clients_that_no_variable_leads_are_led_through_the_proxy(world: Mock) -> None:
    route = route_of_environment(world.env)
    assert route is not None
    with lead_clients(route):
        with httpx.Client(trust_env=False) as client:
            assert client.get(UNITS).status_code == 200
        assert requests.get("http://shop.example.com/a", timeout=PATIENCE_S).status_code == 200
    assert [one.host for one in world.requests] == ["admin.googleapis.com", "shop.example.com"]


def test_the_proxy_says_why_it_refuses_a_host(world: Mock) -> None:
    route = route_of_environment(world.env)
    assert route is not None
    with pytest.raises(UnservedHostError, match=r"nowhere\.example is not emulated"):
        route.open("nowhere.example", 443, secure=True, timeout=PATIENCE_S)
    assert world.misses[0].host == "nowhere.example"


def test_a_proxy_that_hangs_up_is_no_answer(local_server: str) -> None:
    port = local_server.rpartition(":")[2].strip("/")
    route = ProxyRoute(f"http://s:x@127.0.0.1:{port}", ["*rect.example"])
    assert [route.leads(host) for host in ("a.example", "DIRECT.example", "127.0.0.1")] == [
        True, False, False,
    ]  # fmt: skip
    with pytest.raises(OSError, match=r"501|Unsupported"):
        route.open("a.example", 443, secure=True, timeout=PATIENCE_S)


@pytest.mark.parametrize(
    "environment", [{}, {"HTTPS_PROXY": "http://corporate:3128"}, {"MOCK_SESSION": "s"}]
)
def test_an_environment_without_a_session_has_no_route(environment: dict[str, str]) -> None:
    assert route_of_environment(environment) is None


GRPC = """
from google.cloud.logging_v2.services.config_service_v2 import ConfigServiceV2Client
from mockserver.testing.mocks import mock

with mock("fixtures/sre", listen=True) as world:
    list(ConfigServiceV2Client().list_buckets(parent="projects/shop-prod/locations/-"))
print([one.http_method for one in world.requests if one.method_id])
"""


@pytest.mark.slow
def test_grpc_of_this_process_follows_the_environment() -> None:
    done = subprocess.run([sys.executable, "-c", GRPC], capture_output=True, text=True, check=False)
    assert "'GRPC'" in done.stdout, done.stdout + done.stderr
