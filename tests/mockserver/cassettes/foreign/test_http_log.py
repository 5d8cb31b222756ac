from pathlib import Path

import pytest

from mockserver.cassettes.foreign import read_foreign
from mockserver.cassettes.foreign.http_log import STANDS_FOR_ID
from mockserver.errors import FormatError

LOG = """POST https://shop.example.com/v1/${projectId}/orders?id=o-${uniqueId}
Content-Type: application/json

{
  "number": "${orderID}"
}

200 OK
Content-Type: application/json

{"id": "${orderID}", "from": "${publicEndpointIPV4}"}

---

DELETE https://shop.example.com/v1/${projectId}/orders/${orderID}

204 No Content

---

GRPC /example.Shop/GetOrder

{}

OK

{}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "_http.log"
    path.write_text(text)
    return path


def test_a_log_is_read(tmp_path: Path) -> None:
    cassette, imported = read_foreign(write(tmp_path, LOG))
    created, deleted = cassette.interactions
    assert imported.format == "HTTP log"
    assert (created.request.method, created.response.status) == ("POST", 200)
    assert created.request.headers == (("Content-Type", "application/json"),)
    assert (deleted.response.status, deleted.response.reason) == (204, "No Content")
    ident = deleted.request.url.rpartition("/")[2]
    assert STANDS_FOR_ID.fullmatch(ident)
    assert created.request.body.decode().split('"')[3] == ident
    assert created.response.body.decode().split('"')[7].startswith("203.0.113.")
    assert "$" not in created.request.url
    assert imported.notes == ("#/2: a call of gRPC, which is no exchange of HTTP; left out",)


def test_paths_need_an_upstream(tmp_path: Path) -> None:
    path = write(tmp_path, "GET /v1/orders\nAccept: */*\n\n200 OK\n\n[]\n")
    cassette, _ = read_foreign(path, upstream="https://shop.example.com/")
    assert cassette.interactions[0].request.url == "https://shop.example.com/v1/orders"
    with pytest.raises(FormatError, match="names only a path"):
        read_foreign(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("GET https://shop.example.com/\n\n{}\n", "no line with the status"),
        ("GET https://a.example.com/\n\n200\n\n---\nnonsense\n", ""),
        ("nonsense\n", "no recording|not"),
    ],
)
def test_broken_logs_are_told(tmp_path: Path, text: str, reason: str) -> None:
    path = write(tmp_path, text)
    if reason:
        with pytest.raises(FormatError, match=reason):
            read_foreign(path)
    else:
        cassette, imported = read_foreign(path)
        assert len(cassette.interactions) == 1
        assert "does not begin with a request" in imported.notes[0]
