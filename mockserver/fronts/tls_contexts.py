"""TLS in the name of any host that is answered for: a context for each domain, kept in memory."""

import ssl
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from mockserver.fronts.authorities import CertificateAuthority
from mockserver.fronts.hosts import Hosts, Verdict

HTTP1, HTTP2 = "http/1.1", "h2"
_OFFERED = [HTTP1, HTTP2]
"""In this order: only a client that speaks nothing but HTTP/2, as gRPC does, is given that."""

AnyContext = TypeVar("AnyContext", bound=ssl.SSLContext)

_WITHOUT_NAME = "www.googleapis.com"
_MOST = 256
"""Domains that are kept; the list of hosts may hold globs."""


class RefusingContext(ssl.SSLContext):
    """TLS in the name of a host that is not emulated, only to say so in words.

    An alert would not do: the loop drops the connection before it is sent. A client that checks for
    which hosts the authority is hangs up before it hears them.

    Attributes:
        host: The name that the client asked for.
        is_noted: Whether that was noted when it asked.
    """

    host: str
    is_noted: bool


class TlsContexts:
    """TLS contexts by the name that a client asks for.

    Args:
        authority: Who signs.
        hosts: For which hosts; other names get a `RefusingContext`.
        refused: Told of each other name, where nobody else can tell of a client that hangs up.
    """

    def __init__(
        self,
        authority: CertificateAuthority,
        hosts: Hosts,
        *,
        refused: Callable[[str], None] | None = None,
    ) -> None:
        self._authority = authority
        self._hosts = hosts
        self._refused = refused
        self._by_domain: OrderedDict[str, ssl.SSLContext] = OrderedDict()
        self._generation = 0

    def of(self, host: str = "") -> ssl.SSLContext:
        """The context to begin with: that of a host, or of Google's APIs when none is known.

        A client that then names another emulated host gets the certificate of that one.
        """
        generation = self._authority.generation()
        if generation != self._generation:
            self._by_domain.clear()
            self._generation = generation
        domain = self._authority.domain_of(host or _WITHOUT_NAME)
        found = self._by_domain.get(domain)
        if found is None:
            found = self._load(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), domain)
            if len(self._by_domain) >= _MOST:
                self._by_domain.popitem(last=False)
            self._by_domain[domain] = found
        return found

    def _load(self, context: AnyContext, domain: str) -> AnyContext:
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(_OFFERED)
        context.sni_callback = self._choose_context
        # the ssl module reads certificates from files only
        with tempfile.TemporaryDirectory(prefix="mockserver-") as folder:
            file = Path(folder) / "leaf.pem"
            file.write_bytes(self._authority.leaf(domain))
            context.load_cert_chain(file)
        return context

    def _choose_context(
        self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext
    ) -> None:
        if name is None:
            return
        if self._hosts.verdict(name) is Verdict.EMULATED:
            wanted = self.of(name)
        else:
            wanted = self._refusing_context(name)
        if wanted is not context:
            connection.context = wanted

    def _refusing_context(self, name: str) -> RefusingContext:
        context = self._load(RefusingContext(ssl.PROTOCOL_TLS_SERVER), name)
        context.host = name
        context.is_noted = self._refused is not None
        if self._refused is not None:
            self._refused(name)
        return context
