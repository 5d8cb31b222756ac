"""TLS in the name of whatever host is asked for: one context for each parent domain, in memory."""

import ssl
import tempfile
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar

from mockserver.fronts.authority import Authority
from mockserver.fronts.hosts import Hosts, Verdict

HTTP1, HTTP2 = "http/1.1", "h2"
_OFFERED = [HTTP1, HTTP2]
"""In this order: only a client that speaks nothing but HTTP/2, as gRPC does, is given that."""

AnyContext = TypeVar("AnyContext", bound=ssl.SSLContext)

_WITHOUT_NAME = "*.googleapis.com"
_MOST = 256
"""Domains that are kept; the list of hosts may hold globs."""


class Refusing(ssl.SSLContext):
    """TLS in the name of a host that is not emulated, only to say so in words.

    An alert would not do: the loop drops the connection before it is sent.

    Attributes:
        host: The name that the client asked for.
    """

    host: str


class Contexts:
    """TLS contexts by the name that a client asks for.

    Args:
        authority: Who signs.
        hosts: For which hosts; other names get a `Refusing` context.
    """

    def __init__(self, authority: Authority, hosts: Hosts) -> None:
        self._authority = authority
        self._hosts = hosts
        self._by_domain: dict[str, ssl.SSLContext] = {}

    def of(self, host: str = "") -> ssl.SSLContext:
        """The context to begin with: that of a host, or of Google's APIs when none is known.

        A client that then names another emulated host gets the certificate of that one.
        """
        domain = domain_of(host) if host else _WITHOUT_NAME
        found = self._by_domain.get(domain)
        if found is None:
            found = self._load(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), domain)
            if len(self._by_domain) >= _MOST:
                del self._by_domain[next(iter(self._by_domain))]
            self._by_domain[domain] = found
        return found

    def _load(self, context: AnyContext, domain: str) -> AnyContext:
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(_OFFERED)
        context.sni_callback = self._named
        # the ssl module reads certificates from files only
        with tempfile.TemporaryDirectory(prefix="mockserver-") as folder:
            file = Path(folder) / "leaf.pem"
            file.write_bytes(self._authority.leaf(domain))
            context.load_cert_chain(file)
        return context

    def _named(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        if name is None:
            return
        if self._hosts.verdict(name) is Verdict.EMULATED:
            wanted = self.of(name)
        else:
            wanted = self._refusing(name)
        if wanted is not context:
            connection.context = wanted

    def _refusing(self, name: str) -> Refusing:
        context = self._load(Refusing(ssl.PROTOCOL_TLS_SERVER), name)
        context.host = name
        return context


def domain_of(host: str) -> str:
    """What a host's certificate is for: its siblings too, or itself where it has no siblings.

    >>> domain_of("logging.googleapis.com"), domain_of("monitoring.us-central1.rep.googleapis.com")
    ('*.googleapis.com', '*.us-central1.rep.googleapis.com')
    >>> domain_of("metadata"), domain_of("127.0.0.1"), domain_of("google.com")
    ('metadata', '127.0.0.1', 'google.com')
    """
    name = host.lower().rstrip(".")
    try:
        return str(ip_address(name))
    except ValueError:
        parent = name.partition(".")[2]
        return f"*.{parent}" if "." in parent else name
