"""With the key of a server's authority one answers for its hosts, and for no other."""

import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typing_extensions import override

from mockserver.fronts.certificates import Issuer, SignedNames, new_key
from tests.patience import PATIENCE_S

OWN, FOREIGN = "api.orders.example.com", "login.bank.example"

NODE = """
const [host, port, ca] = process.argv.slice(1);
const lookup = (_, options, done) => options.all
  ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);
require("node:https").get({ host, port, lookup, ca: require("node:fs").readFileSync(ca) },
  (answer) => answer.on("data", (data) => process.stdout.write(data)))
  .on("error", (error) => { console.error(error.code, error.message); process.exit(1); });
"""
HTTPX = """
import ssl, sys, httpx, httpcore
host, port, ca = sys.argv[1:]
client = httpx.Client(verify=ssl.create_default_context(cafile=ca), trust_env=False)
asked = {"headers": {"Host": host}, "extensions": {"sni_hostname": host}}
print(client.get(f"https://127.0.0.1:{port}/", **asked).text)
"""
REQUESTS = """
import socket, sys, requests
host, port, ca = sys.argv[1:]
real = socket.getaddrinfo
socket.getaddrinfo = lambda name, *further, **named: real("127.0.0.1", *further, **named)
session = requests.Session()
session.trust_env = False
print(session.get(f"https://{host}:{port}/", verify=ca).text)
"""
GRPC = """
import sys, grpc
host, port, ca = sys.argv[1:]
trust = grpc.ssl_channel_credentials(open(ca, "rb").read())
named = [("grpc.ssl_target_name_override", host)]
with grpc.secure_channel(f"127.0.0.1:{port}", trust, options=named) as channel:
    call = channel.unary_unary("/a.B/C")
    try:
        call(b"", timeout=30)
    except grpc.RpcError as error:
        told = error.details() or ""
        # what answers speaks no HTTP/2: a handshake that came so far has verified the certificate
        print("hello" if "CERTIFICATE_VERIFY_FAILED" not in told else told)
"""
JAVA = """
import java.io.*; import java.net.*; import java.security.*; import java.security.cert.*;
import javax.net.ssl.*;

class Client {
  public static void main(String[] given) throws Exception {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (var file = new FileInputStream(given[2])) {
      var made = CertificateFactory.getInstance("X.509").generateCertificate(file);
      store.setCertificateEntry("ca", made);
    }
    var trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(store);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    var plain = new Socket("127.0.0.1", Integer.parseInt(given[1]));
    var socket = (SSLSocket) context.getSocketFactory().createSocket(plain, given[0], 443, true);
    var checked = socket.getSSLParameters();
    checked.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(checked);
    var asked = "GET / HTTP/1.0\\r\\nHost: x\\r\\n\\r\\n";
    socket.getOutputStream().write(asked.getBytes());
    System.out.println(new String(socket.getInputStream().readAllBytes()));
  }
}
"""


class Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    @override
    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    @override
    def handle_error(self, *_: object) -> None:
        """A client that hangs up is what is looked for."""


@dataclass
class Thief:
    """A server that has the key of an authority, and shows whatever certificate it likes."""

    port: int
    trusted: Path
    folder: Path

    def ask(self, client: str, host: str) -> subprocess.CompletedProcess[str]:
        where = [host, str(self.port), str(self.trusted)]
        if client == "curl":
            led = ["--resolve", f"{host}:{self.port}:127.0.0.1", "--noproxy", "*"]
            trust = ["--cacert", str(self.trusted)]
            command = ["curl", "-sS", *led, *trust, f"https://{host}:{self.port}/"]
        elif client == "node":
            command = ["node", "-e", NODE, *where]
        elif client == "java":
            source = self.folder / "Client.java"
            source.write_text(JAVA, encoding="utf-8")
            command = ["java", str(source), *where]
        else:
            programs = {"httpx": HTTPX, "requests": REQUESTS, "gRPC": GRPC}
            command = [sys.executable, "-c", programs[client], *where]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )


@pytest.fixture(scope="module")
def thief(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Thief]:
    folder, now = tmp_path_factory.mktemp("thief"), datetime.now(UTC)
    issuer = Issuer.new(now, timedelta(days=7), SignedNames.of([OWN, "*.googleapis.com"]))
    (folder / "ca.pem").write_bytes(issuer.public)
    contexts = {}
    for host in (OWN, FOREIGN):
        file = folder / f"{host}.pem"
        file.write_bytes(issuer.leaf(host, now, new_key()))
        contexts[host] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        contexts[host].load_cert_chain(file)
        contexts[host].set_alpn_protocols(["http/1.1", "h2"])

    def choose(connection: ssl.SSLSocket | ssl.SSLObject, name: str | None, _: object) -> None:
        connection.context = contexts[name or OWN]

    contexts[OWN].sni_callback = choose
    with Server(("127.0.0.1", 0), Hello) as server:
        server.socket = contexts[OWN].wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Thief(server.server_port, folder / "ca.pem", folder)
        server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("client", ["curl", "httpx", "requests", "gRPC", "node"])
def test_clients_accept_the_hosts_of_the_server_and_no_other(thief: Thief, client: str) -> None:
    if client in ("curl", "node") and shutil.which(client) is None:
        pytest.skip(f"there is no {client} here")
    accepted, refused = thief.ask(client, OWN), thief.ask(client, FOREIGN)
    assert "hello" in accepted.stdout, accepted.stderr
    assert "hello" not in refused.stdout
    told = (refused.stdout + refused.stderr).lower()
    assert "certificat" in told or "permitted subtree" in told


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="there is no java here")
def test_java_accepts_the_authority(thief: Thief) -> None:
    """It does not look at the constraints of an authority that it trusts, only of those below."""
    accepted = thief.ask("java", OWN)
    assert "hello" in accepted.stdout, accepted.stderr
