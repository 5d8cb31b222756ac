from pathlib import Path

from mockserver.capture.setup import client_environment
from mockserver.settings import Interception


def test_clients_are_told_of_the_proxy_and_whom_to_trust_and_of_nothing_else() -> None:
    files = Interception(Path("/home/ca.pem"), Path("/home/bundle.pem"), Path("/home/node.cjs"))
    block = client_environment("http://127.0.0.1:8766", 8766, files)
    assert block["HTTPS_PROXY"] == "http://capture:x@127.0.0.1:8766"
    assert block["SSL_CERT_FILE"] == "/home/bundle.pem"
    assert not any("MOCK" in name or "GOOGLE" in name or "GCE" in name for name in block)
