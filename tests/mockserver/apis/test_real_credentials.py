"""The real google-auth against a real server: files and variables of a session, nothing else."""

# mypy: disable-error-code="no-untyped-call"
# the library says that it is typed, and most of its functions are not

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from google.auth import (
    _regional_access_boundary_utils,
    compute_engine,
    crypt,
    exceptions,
    iam,
    identity_pool,
    impersonated_credentials,
    jwt,
)
from google.auth.compute_engine import _metadata
from google.auth.transport.requests import AuthorizedSession, Request
from google.oauth2 import id_token, service_account
from google.oauth2.credentials import Credentials

from mockserver.client import MockServer
from mockserver.model import JsonObject, SessionInfo, SessionSpec

SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
CUSTOMER_SCOPES = ["https://www.googleapis.com/auth/admin.directory.orgunit"]
FLAVOR = {"Metadata-Flavor": "Google"}
SNAPSHOT = {
    "capturedAt": "2026-03-02T09:00:00Z",
    "customer": {"id": "C01example", "customerDomain": "example.com"},
    "orgUnits": [{"orgUnitId": "id:03ph8a2z1", "orgUnitPath": "/", "name": "example.com"}],
}


class Server:
    """A server, and what its control API hands out."""

    def __init__(self, runner: asyncio.Runner, server: MockServer) -> None:
        self._runner = runner
        self._server = server
        self.url = server.url

    def open(self, **spec: Any) -> SessionInfo:
        return self._runner.run(self._server.open(SessionSpec(**spec)))

    def credentials(self, session: SessionInfo, kind: str) -> JsonObject:
        return dict(self._ask("GET", session, f"credentials?kind={kind}"))

    def end(self, session: SessionInfo, **how: Any) -> int:
        return int(self._ask("POST", session, "credentials", how)["ended"])

    def advance(self, session: SessionInfo, seconds: float) -> None:
        self._ask("POST", session, "clock", {"advance_s": seconds})

    def asked(self, session: SessionInfo) -> list[tuple[str, int]]:
        entries = self._ask("GET", session, "journal?bodies=0")["entries"]
        return [(entry["method_id"], entry["status"]) for entry in entries]

    def _ask(self, verb: str, session: SessionInfo, what: str, body: Any = None) -> JsonObject:
        url = f"{self.url}/_mock/sessions/{session.id}/{what}"
        headers = {"authorization": f"Bearer {self._server.token}"}
        answer = httpx.request(verb, url, json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        found: JsonObject = answer.json()
        return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "base").mkdir()
    (folder / "base" / "tenant.json").write_bytes(orjson.dumps(SNAPSHOT))
    with asyncio.Runner() as runner:
        started = runner.run(MockServer.start(Path(folder)))
        yield Server(runner, started)
        runner.run(started.close())


@pytest.fixture(autouse=True)
def no_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a proxy, clients would ask Google's own host where an account may be used."""
    monkeypatch.setattr(_regional_access_boundary_utils, "_get_domain", lambda: "127.0.0.1:1")


@pytest.fixture
def request_() -> Iterator[Request]:
    made = Request()
    yield made
    made.session.close()


def units(server: Server) -> str:
    """The plain server: the token alone names the session."""
    path = "admin/directory/v1/customer/my_customer/orgunits"
    return f"{server.url}/admin.googleapis.com/{path}"


def robot(server: Server, session: SessionInfo, scopes: list[str] | None = None) -> Any:
    info = server.credentials(session, "service_account")
    return service_account.Credentials.from_service_account_info(
        info, scopes=scopes or CUSTOMER_SCOPES
    )


def test_a_service_account_gets_tokens_and_asks_with_them(server: Server) -> None:
    session = server.open(auth="scopes")
    with AuthorizedSession(robot(server, session)) as client:
        assert client.get(units(server)).status_code == 200
    assert server.asked(session) == [("oauth2.token", 200), ("directory.orgunits.list", 200)]


def test_an_account_acts_for_a_user(server: Server, request_: Request) -> None:
    session = server.open()
    acting = robot(server, session, ["openid", "email"]).with_subject("ann@example.com")
    acting.refresh(request_)
    info = httpx.get(
        f"{server.url}/openidconnect.googleapis.com/v1/userinfo",
        headers={"Authorization": f"Bearer {acting.token}"},
    )
    assert info.json()["email"] == "ann@example.com"


def test_an_account_acts_for_users_with_the_scopes_that_it_was_given(
    server: Server, request_: Request
) -> None:
    users = [{"id": str(number), "primaryEmail": f"{name}@example.com", "isAdmin": name == "ann",
              "name": {"fullName": name}, "suspended": name == "cy"}
             for number, name in enumerate(("ann", "bo", "cy"))]  # fmt: skip
    layer = {"users": users, "domainWideDelegations": [{"scopes": CUSTOMER_SCOPES}]}
    session = server.open(auth="permissions", overrides=(layer,))
    account = robot(server, session)
    for name, status in (("ann", 200), ("bo", 403)):
        with AuthorizedSession(account.with_subject(f"{name}@example.com")) as client:
            assert client.get(units(server)).status_code == status
    with AuthorizedSession(account) as client:  # the account itself is no administrator
        assert client.get(units(server)).status_code == 403
    for acting, why in (
        (account.with_subject("cy@example.com"), "Account has been deleted"),
        (account.with_subject("dee@example.com"), "Invalid email or User ID"),
        (account.with_subject("ann@example.com").with_scopes(SCOPES), "unauthorized_client"),
    ):
        with pytest.raises(exceptions.RefreshError, match=why):
            acting.refresh(request_)


def test_a_token_that_expires_in_the_middle_is_renewed_unnoticed(server: Server) -> None:
    session = server.open()
    with AuthorizedSession(robot(server, session)) as client:
        assert client.get(units(server)).status_code == 200
        assert server.end(session, expire=True) == 2
        assert client.get(units(server)).status_code == 200
        server.advance(session, 3600)
        assert client.get(units(server)).status_code == 200
    once = [
        ("directory.orgunits.list", 401),
        ("oauth2.token", 200),
        ("directory.orgunits.list", 200),
    ]
    assert server.asked(session)[2:] == once + once


def test_what_is_revoked_is_told_as_the_clients_own_error(server: Server) -> None:
    session = server.open()
    user = authorized_user(server, session)
    with AuthorizedSession(robot(server, session)) as client:
        assert client.get(units(server)).status_code == 200
        server.end(session, revoke="all")
        with pytest.raises(exceptions.RefreshError, match=r"Invalid JWT Signature\."):
            client.get(units(server))
    expected = pytest.raises(exceptions.RefreshError, match="expired or revoked")
    with AuthorizedSession(user) as client, expected:
        client.get(units(server))


def test_one_token_is_revoked_alone(server: Server) -> None:
    session = server.open()
    headers = {"Authorization": f"Bearer {session.token}"}
    assert server.end(session, revoke=session.token) == 1
    assert httpx.get(units(server), headers=headers).status_code == 401


def test_a_client_signs_its_own_tokens(server: Server) -> None:
    """So do the google-cloud clients with a service account's file."""
    session = server.open(auth="scopes")
    signer = robot(server, session, SCOPES).with_always_use_jwt_access(True)
    signer._create_self_signed_jwt("https://admin.googleapis.com/")
    with AuthorizedSession(signer) as client:
        assert client.get(units(server)).status_code == 403
    narrow = jwt.Credentials.from_signing_credentials(
        robot(server, session), audience="https://admin.googleapis.com/"
    )
    with AuthorizedSession(narrow) as client:
        assert client.get(units(server)).status_code == 200
        server.end(session, expire=True)
        assert client.get(units(server)).status_code == 200
    assert [status for _, status in server.asked(session)] == [403, 200, 401, 200]


def authorized_user(server: Server, session: SessionInfo) -> Any:
    info = server.credentials(session, "authorized_user")
    made: Any = Credentials.from_authorized_user_info(info)
    # the client asks Google's own endpoint whatever the file says, so without a proxy it is set
    made._token_uri = f"{server.url}/oauth2.googleapis.com/token"
    return made


def test_a_users_refresh_token_alone_names_the_session(server: Server) -> None:
    session = server.open()
    with AuthorizedSession(authorized_user(server, session)) as client:
        assert client.get(units(server)).status_code == 200
    assert server.asked(session)[0] == ("oauth2.token", 200)


def external(server: Server, session: SessionInfo, source: JsonObject | None = None) -> Any:
    info = server.credentials(session, "external_account")
    if source:
        info["credential_source"] = source
    return identity_pool.Credentials.from_info(info)


def test_an_identity_of_elsewhere_is_exchanged(server: Server) -> None:
    session = server.open()
    with AuthorizedSession(external(server, session).with_scopes(SCOPES)) as client:
        assert client.get(units(server)).status_code == 200
    assert [method for method, _ in server.asked(session)] == [
        "metadata.identity", "sts.token", "directory.orgunits.list",
    ]  # fmt: skip


def test_so_is_an_identity_in_a_file(server: Server, tmp_path: Path) -> None:
    session = server.open()
    source = server.credentials(session, "external_account")["credential_source"]
    file = tmp_path / "identity.jwt"
    file.write_text(httpx.get(source["url"], headers=FLAVOR).text, encoding="utf-8")
    account = external(server, session, {"file": str(file)}).with_scopes(SCOPES)
    with AuthorizedSession(account) as client:
        assert client.get(units(server)).status_code == 200


@pytest.fixture
def machine(server: Server, monkeypatch: pytest.MonkeyPatch) -> SessionInfo:
    session = server.open()
    variables = server.credentials(session, "metadata")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(_metadata, "_GCE_METADATA_HOST", variables["GCE_METADATA_HOST"])
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    return session


def test_a_machine_has_its_credentials(
    server: Server, machine: SessionInfo, request_: Request
) -> None:
    assert _metadata.ping(request_, retry_count=1)
    assert _metadata.get_project_id(request_) == "example-com"
    assert _metadata.get_universe_domain(request_) == "googleapis.com"
    account = compute_engine.Credentials()
    with AuthorizedSession(account) as client:
        assert client.get(units(server)).status_code == 200
        server.end(machine, expire=True)
        assert client.get(units(server)).status_code == 200
    assert account.service_account_email == f"mock~{machine.id}@example-com.iam.gserviceaccount.com"


def test_a_machine_tells_who_it_is(server: Server, machine: SessionInfo, request_: Request) -> None:
    account = compute_engine.IDTokenCredentials(
        request_, "https://app.example.com", use_metadata_identity_endpoint=True
    )
    account.refresh(request_)
    certs = f"{machine.base_url}/www.googleapis.com/oauth2/v1/certs"
    claims = id_token.verify_token(str(account.token), request_, "https://app.example.com", certs)
    assert claims["iss"] == "https://accounts.google.com"


def test_an_account_tells_who_it_is(server: Server, request_: Request) -> None:
    session = server.open()
    info = server.credentials(session, "service_account")
    account = service_account.IDTokenCredentials.from_service_account_info(
        info, target_audience="https://app.example.com"
    )
    account.refresh(request_)
    certs = f"{session.base_url}/www.googleapis.com/oauth2/v1/certs"
    claims = id_token.verify_token(str(account.token), request_, "https://app.example.com", certs)
    assert claims["email"] == info["client_email"]


def test_accounts_are_impersonated_and_sign(
    server: Server, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = server.open()
    place = f"{server.url}/iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/{{}}"
    monkeypatch.setattr(iam, "_IAM_SIGN_ENDPOINT", f"{place}:signBlob")
    other = "deployer@shop-prod.iam.gserviceaccount.com"
    account: Any = impersonated_credentials.Credentials(
        source_credentials=robot(server, session, SCOPES),
        target_principal=other,
        target_scopes=SCOPES,
        iam_endpoint_override=f"{place.format(other)}:generateAccessToken",
    )
    with AuthorizedSession(account) as client:
        assert client.get(units(server)).status_code == 200
        signature = account.sign_bytes(b"content")
    certificate = httpx.get(f"{session.base_url}/www.googleapis.com/oauth2/v1/certs").json()[
        server.credentials(session, "service_account")["private_key_id"]
    ]
    crypt.verify_signature(b"content", signature, certificate)
    assert server.asked(session)[1][0].endswith("generateAccessToken")


def test_tokens_work_for_their_session_only(server: Server, request_: Request) -> None:
    one, other = server.open(), server.open()
    account = robot(server, one)
    account.refresh(request_)
    headers = {"Authorization": f"Bearer {account.token}"}
    path = "admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
    assert httpx.get(f"{one.base_url}/{path}", headers=headers).status_code == 200
    refusal = httpx.get(f"{other.base_url}/{path}", headers=headers)
    assert refusal.status_code == 400
    assert refusal.json()["error"]["errors"][0]["reason"] == "differentSessions"


def test_a_scope_that_is_missing_is_named_in_the_challenge(server: Server) -> None:
    session = server.open(auth="scopes")
    with AuthorizedSession(robot(server, session, SCOPES)) as client:
        refusal = client.get(units(server))
    assert refusal.status_code == 403
    error = refusal.json()["error"]
    assert error["message"] == "Request had insufficient authentication scopes."
    assert error["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert refusal.headers["WWW-Authenticate"].startswith(
        'Bearer realm="https://accounts.google.com/", error="insufficient_scope", scope="https://'
    )
