"""The environment block of a session: what makes an unchanged agent meet it."""

from urllib.parse import urlsplit

from mockserver.sessions.session import DEFAULT_ID
from mockserver.settings import Interception, Settings
from mockserver.traces import SESSION

_HERE = ("localhost", "127.0.0.1", "::1")


TOOLS_OF_AGENT = "UNDERSTUDY_TOOLS"
"""Where the tools inside an agent ask who answers them; `mockserver.tools` reads it."""


def environment(session_id: str, token: str, server_url: str, settings: Settings) -> dict[str, str]:
    """The variables of a session, with those that lead clients through the proxy where it is on.

    Args:
        session_id: The session.
        token: Its bearer token.
        server_url: How the caller reached the server; the proxy is on the same machine.
        settings: What the server was started with.

    Raises:
        MockServerError: The files that clients of the proxy need cannot be written.
    """
    base_url = f"{server_url}/s/{session_id}"
    block = {
        "MOCK_SESSION": session_id,
        "MOCK_SERVER_URL": server_url,
        "GOOGLE_API_BASE_URL": base_url,
        "TOOLS_BASE_URL": f"{base_url}/tools",
        "MCP_SERVER_URL": f"{base_url}/mcp",
        "GOOGLE_OAUTH_ACCESS_TOKEN": token,
    } | _tracing(session_id, base_url)
    port = settings.fronts.get("proxy")
    if port is not None and settings.interception is not None:
        settings.interception.prepare()
        host = urlsplit(server_url).hostname or _HERE[1]
        block |= _through_proxy(session_id, host, port) | _trust_variables(settings.interception)
        block |= _with_default_credentials(session_id, base_url)
    return block


def _tracing(session_id: str, base_url: str) -> dict[str, str]:
    """What makes a framework that traces itself by OpenTelemetry send its spans to the session."""
    return {
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_LOGS_EXPORTER": "none",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"{base_url}/otlp",
        "OTEL_EXPORTER_OTLP_HEADERS": f"x-mock-session={session_id}",
        "OTEL_RESOURCE_ATTRIBUTES": f"{SESSION}={session_id}",
        "OTEL_BSP_SCHEDULE_DELAY": "200",  # milliseconds: a trial ends soon after its answer
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
    }


def _with_default_credentials(session_id: str, base_url: str) -> dict[str, str]:
    """What clients without credentials of their own ask for some: the session's metadata server.

    Node's client drops the path that names the session; it is kept from meeting another one.
    """
    place = base_url.partition("://")[2]
    return {
        "GCE_METADATA_HOST": place,
        "GCE_METADATA_IP": place,
        "METADATA_SERVER_DETECTION": "assume-present" if session_id == DEFAULT_ID else "none",
    }


def _through_proxy(session_id: str, host: str, port: int) -> dict[str, str]:
    named = f"[{host}]" if ":" in host else host
    # a password, because several clients drop a user without one
    proxy = f"http://{session_id}:x@{named}:{port}"
    direct = ",".join(dict.fromkeys([*_HERE, host]))
    return {
        "HTTPS_PROXY": proxy,
        "https_proxy": proxy,  # gRPC reads only the lower-case name
        "HTTP_PROXY": proxy,
        "http_proxy": proxy,
        "NO_PROXY": direct,
        "no_proxy": direct,
    }


def _trust_variables(files: Interception) -> dict[str, str]:
    bundle, preload = str(files.bundle), str(files.node_preload)
    if " " in preload:
        preload = f'"{preload}"'
    return {
        "SSL_CERT_FILE": bundle,
        "REQUESTS_CA_BUNDLE": bundle,
        "CURL_CA_BUNDLE": bundle,
        "HTTPLIB2_CA_CERTS": bundle,
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": bundle,
        "NODE_EXTRA_CA_CERTS": str(files.certificate),  # is added to what Node trusts
        "NODE_USE_ENV_PROXY": "1",
        "NODE_OPTIONS": f"--require={preload}",
    }
