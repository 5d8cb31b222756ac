"""The environment that leads unchanged clients through a capturing forward proxy."""

from mockserver.sessions.environment import environment
from mockserver.settings import Interception, Settings

_USER = "capture"
_NAMES = frozenset({
    "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy",
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTPLIB2_CA_CERTS",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_USE_ENV_PROXY",
    "NODE_OPTIONS",
})  # fmt: skip


def client_environment(url: str, port: int, files: Interception) -> dict[str, str]:
    """The variables: where the proxy is, and whom to trust.

    Args:
        url: The proxy's own URL.
        port: Its port.
        files: What clients are to trust, and to load.
    """
    settings = Settings(interception=files, fronts={"proxy": port})
    block = environment(_USER, "", url, settings)
    return {name: value for name, value in block.items() if name in _NAMES}
