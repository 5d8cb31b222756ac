from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mockserver.sessions.environment import environment
from mockserver.settings import Interception, Settings

URL = "http://127.0.0.1:8765"


def block(url: str = URL, session: str = "s1", folder: str = "/home/ann") -> dict[str, str]:
    home = Path(folder)
    files = Interception(home / "ca.pem", home / "bundle.pem", home / "preload.cjs")
    settings = Settings(interception=files, fronts={"proxy": 3128})
    return environment(session, "t", url, settings)


def test_without_a_proxy_the_block_holds_the_urls_and_the_token() -> None:
    assert environment("s1", "t", URL, Settings()) == {
        "MOCK_SESSION": "s1",
        "MOCK_SERVER_URL": URL,
        "GOOGLE_API_BASE_URL": f"{URL}/s/s1",
        "TOOLS_BASE_URL": f"{URL}/s/s1/tools",
        "MCP_SERVER_URL": f"{URL}/s/s1/mcp",
        "GOOGLE_OAUTH_ACCESS_TOKEN": "t",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_LOGS_EXPORTER": "none",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"{URL}/s/s1/otlp",
        "OTEL_EXPORTER_OTLP_HEADERS": "x-mock-session=s1",
        "OTEL_RESOURCE_ATTRIBUTES": "mock.session=s1",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
    }


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"])
def test_the_proxys_user_is_the_session_and_has_a_password(name: str) -> None:
    proxy = urlsplit(block()[name])
    assert (proxy.username, proxy.hostname, proxy.port) == ("s1", "127.0.0.1", 3128)
    assert proxy.password


@pytest.mark.parametrize(
    ("url", "proxy", "direct"),
    [
        (URL, "http://s1:x@127.0.0.1:3128", "localhost,127.0.0.1,::1"),
        ("http://mock:80", "http://s1:x@mock:3128", "localhost,127.0.0.1,::1,mock"),
        ("http://[::1]:80", "http://s1:x@[::1]:3128", "localhost,127.0.0.1,::1"),
    ],
    ids=["loopback", "name", "IPv6"],
)
def test_the_proxy_is_where_the_server_was_reached(url: str, proxy: str, direct: str) -> None:
    found = block(url)
    assert (found["HTTPS_PROXY"], found["NO_PROXY"], found["no_proxy"]) == (proxy, direct, direct)


def test_clients_that_replace_their_trust_get_the_bundle_and_node_the_certificate() -> None:
    found = block()
    replaced = {name for name, value in found.items() if value == "/home/ann/bundle.pem"}
    assert replaced == {
        "SSL_CERT_FILE",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "HTTPLIB2_CA_CERTS",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    }
    assert found["NODE_EXTRA_CA_CERTS"] == "/home/ann/ca.pem"


def test_a_path_with_spaces_is_quoted_for_node() -> None:
    assert block()["NODE_OPTIONS"] == "--require=/home/ann/preload.cjs"
    assert block(folder="/my home")["NODE_OPTIONS"] == '--require="/my home/preload.cjs"'


@pytest.mark.parametrize(("session", "node"), [("s1", "none"), ("default", "assume-present")])
def test_default_credentials_come_from_the_sessions_metadata_server(
    session: str, node: str
) -> None:
    found = block(session=session)
    assert found["GCE_METADATA_HOST"] == found["GCE_METADATA_IP"] == f"127.0.0.1:8765/s/{session}"
    assert found["METADATA_SERVER_DETECTION"] == node
