"""Consents, tokens and what is told of them, with every answer in whole."""

import json
import re
from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from mockserver.apis.oauth import API
from mockserver.apis.oauth.methods import DEVICE_CODE, JWT_BEARER
from mockserver.apis.oauth.snapshot import import_snapshot
from mockserver.googleapi import (
    Call,
    Caller,
    PageAnswer,
    SnapshotImport,
    make_id_token,
    read_jwt,
    signing_key,
)
from mockserver.model import JsonObject
from mockserver.state import refresh_token, service_account_email
from tests.mockserver.apis.oauth.conftest import jwt
from tests.mockserver.apis.scenarios import Scenario, check
from tests.tenants import NOW, world

ANN, ROBOT = "ann@example.com", "robot@project.example"
READ = "https://www.googleapis.com/auth/admin.directory.user.readonly"
BACK = "http://localhost:8080/cb"
VERIFIER = "v" * 43
HASHED = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
CONSENT: JsonObject = {
    "client_id": "c1", "redirect_uri": BACK, "response_type": "code", "scope": "openid email",
    "access_type": "offline",
}  # fmt: skip


def scenario() -> Scenario:
    delegations = [{"client": ROBOT.upper(), "scopes": ["email", READ]}, {"scopes": ["openid"]}]
    tenant = world(API, domainWideDelegations=delegations)
    name = {"givenName": "Ann", "familyName": "Zimmer", "fullName": "Ann Zimmer"}
    tenant.put("users", "1ann", {"id": "1ann", "primaryEmail": ANN, "name": name})
    gone = {"id": "2bo", "primaryEmail": "bo@example.com", "suspended": True}
    tenant.put("users", "2bo", gone)

    def ask(
        method: str, body: Any, who: Any, /, wait: float = 0, strict: bool = False, **params: Any
    ) -> Any:
        tenant.clock.advance(timedelta(seconds=wait))
        email, scopes = who if isinstance(who, tuple) else (who, ())
        call = Call(
            f"oauth2.{method}",
            params,
            body or {},
            tenant,
            profile="strict" if strict else "google",
            caller=Caller("", email, scopes=scopes),
        )
        try:
            answer = API.handlers[call.id](call) or {}
        except PageAnswer as page:
            told = page.headers.get("Location", "") or page.html
            return {"status": page.status, "message": page.message, "page": told}
        token = read_jwt(answer["id_token"]) if "id_token" in answer else None
        return answer if token is None else {**answer, "id_token": [token.header, token.claims]}

    call = Scenario(ask, "oauth")
    _consents(call)
    _devices(call)
    _jwts(call)
    mine = refresh_token(tenant.session, tenant.secret)
    _refreshes(call, mine)
    _tokens(call)
    account = service_account_email(tenant)
    for place in ("robot.x509", "serviceAccounts.jwk"):
        for each in (account, ROBOT):
            call(place, account=each)
    call.lines = [_without_key(line) for line in call.lines]
    return call


def _without_key(line: str) -> str:
    """A line without what the key of each process is seen by."""
    key = signing_key()
    for text in (key.id, key.certificate, str(key.jwk["n"])):
        line = line.replace(json.dumps(text), '"KEY"')
    return re.sub(r"[\w-]+\.([\w-]+)\.[\w-]{300,}", r"HEADER.\1.SIGNATURE", line)


def _consents(call: Scenario) -> None:
    changes: tuple[JsonObject, ...] = (
        {}, {"client_id": ""}, {"scope": ""}, {"redirect_uri": "javascript:x"},
        {"redirect_uri": "http://[x"}, {"redirect_uri": "urn:x"}, {"redirect_uri": "nowhere"},
        {"redirect_uri": "http://a/\n"}, {"response_type": "token"},
        {"code_challenge_method": "x"}, {"decision": "deny", "state": "s&t"},
        {"login_hint": "none@example.com", "prompt": "none"}, {"decision": "perhaps"},
        {"client_id": "<b>", "scope": "<i> email"},
        {"decision": "allow", "redirect_uri": f"{BACK}?x=1&y#z", "login_hint": ANN},
    )  # fmt: skip
    for change in changes:
        call("accounts.v2.auth", **{**CONSENT, **change})
    hashed = {"code_challenge": HASHED, "code_challenge_method": "S256"}
    plain = {"code_challenge": VERIFIER, "code_challenge_method": "plain"}
    given = {"code_verifier": VERIFIER}
    for asked, sent in (
        ({}, {}), ({}, {"client_id": ""}), ({}, {"client_id": "c2"}), ({}, {"redirect_uri": "x"}),
        (hashed, {}), (hashed, {"code_verifier": "w"}), (hashed, {"code_verifier": "ü"}),
        (hashed, given), (plain, given), ({"access_type": "online", "nonce": "n"}, {}),
    ):  # fmt: skip
        code = _consented(call, **asked)
        body = {"code": code, "client_id": "c1", "redirect_uri": BACK, **sent}
        for _ in range(2):
            call("token", {"grant_type": "authorization_code", **body})
    for wait in (599, 600):
        code = _consented(call)
        body = {"code": code, "client_id": "c1", "redirect_uri": BACK}
        call("v4.token", {"grant_type": "authorization_code", **body}, wait=wait)
    call("token", {"grant_type": "authorization_code", "code": "4/none"})
    for body in ({"grant_type": "authorization_code"}, {"grant_type": "x"}, {}):
        call("token", body)


def _consented(call: Scenario, **changes: str) -> str:
    page = call("accounts.auth", **{**CONSENT, "prompt": "none", "login_hint": ANN, **changes})
    return str(parse_qs(urlsplit(page["page"]).query)["code"][0])


def _devices(call: Scenario) -> None:
    for body in ({}, {"client_id": "tv"}, {"scope": "email"}):
        call("device.code", body)
    call("accounts.device")
    for user_code in ("", "XXXX-XXXX", " "):
        call("accounts.device", user_code=user_code)
    for decision, wait in (("allow", 0), ("deny", 0), ("", 1799), ("", 1800), ("allow", 1799)):
        told = call("device.code", {"client_id": "tv", "scope": "openid email profile"})
        form = {"grant_type": DEVICE_CODE, "device_code": told["device_code"]}
        call("token", {**form, "client_id": "other"})
        call("token", form, wait=wait)
        shown = f" {told['user_code'].lower()} "
        for answer in ("", decision, decision):
            call("accounts.device", user_code=shown, decision=answer)
        for _ in range(2):
            call("token", {**form, "client_id": "tv"})


def _jwts(call: Scenario) -> None:
    for claims in (
        {}, {"sub": ANN}, {"sub": ANN, "scope": "email"}, {"sub": ANN, "scope": f"{READ} openid"},
        {"sub": ANN, "scope": "profile"}, {"sub": "none@example.com"}, {"sub": "bo@example.com"},
        {"target_audience": "https://x"}, {"scope": ""}, {"iss": "x"}, {"iss": None}, {"aud": "x"},
        {"aud": "https://oauth2.googleapis.com/tokens"}, {"exp": 1}, {"iat": "now"}, {"aud": 1},
        {"iss": "other@project.example", "sub": ANN, "scope": "openid"},
        {"iss": "other@project.example", "sub": ANN, "scope": "email"},
        {"sub": "ANN@example.com", "scope": READ},
    ):  # fmt: skip
        call("token", {"grant_type": JWT_BEARER, "assertion": jwt(**claims)})
    for text in ("", "x", "a.b", "e30.e30", "e30.W10.x", "é.é.é", "e30=.e30=.x"):
        call("token", {"grant_type": JWT_BEARER, "assertion": text})
    call("token", {"grant_type": JWT_BEARER, "assertion": jwt()}, strict=True)
    start = int(NOW.timestamp())
    for early, late in ((300, 3900), (301, 3600), (-300, 3300), (-3899, -299), (-3899, -300)):
        times = {"iat": start + early, "exp": start + late}
        call("token", {"grant_type": JWT_BEARER, "assertion": jwt(**times)})


def _refreshes(call: Scenario, mine: str) -> None:
    form = {"grant_type": "refresh_token", "client_id": "c1"}
    for body in (
        {}, {"client_id": ""}, {"refresh_token": mine}, {"refresh_token": "1//else"},
        {"refresh_token": mine, "scope": "email"}, {"refresh_token": mine, "scope": "openid x"},
        {"refresh_token": mine, "client_id": ""},
    ):  # fmt: skip
        call("accounts.token", {**form, **body})
        call("accounts.token", {**form, **body}, strict=True)
    body = {"client_id": "c1", "redirect_uri": BACK}
    for scope in ("openid email", "profile email openid"):
        code = _consented(call, scope=scope)
        told = call("token", {"grant_type": "authorization_code", "code": code, **body})
        again = {**form, "refresh_token": told["refresh_token"]}
        for asked in ("", "email", "profile", "openid", READ):
            call("token", {**again, "scope": asked})
        for _ in range(2):
            call("revoke", {"token": told["refresh_token"]})
        call("token", again)


def _tokens(call: Scenario) -> None:
    infos = ("v1.tokeninfo", "v2.tokeninfo", "v3.tokeninfo", "tokeninfo.get")
    for scope in ("email", "openid", "email profile"):
        told = call("token", {"grant_type": JWT_BEARER, "assertion": jwt(scope=scope)})
        for name in infos:
            call(name, access_token=told["access_token"])
        call("v3.tokeninfo", access_token=told["access_token"], wait=3598)
        call("v2.tokeninfo", access_token=told["access_token"], wait=0.5)
        call("v3.tokeninfo", access_token=told["access_token"], wait=0.5)
    for name in infos:
        for params in ({}, {"access_token": "ya29.x"}, {"access_token": "x"}):
            call(name, **params)
    now = int(NOW.timestamp())
    for issued in (now - 3600, now - 3599, now):
        made = make_id_token(
            audience="a", address=ANN, account_id="1ann", issued=issued, email=True
        )
        call("v3.tokeninfo", id_token=made)
    call("v3.tokeninfo", id_token="x.y.z")
    told = call("token", {"grant_type": JWT_BEARER, "assertion": jwt()})
    for _ in range(2):
        call("revoke.get", token=told["access_token"])
    for token in ("", "1//any", "1//any"):
        call("accounts.revoke", {"token": token})
    email, profile = (f"https://www.googleapis.com/auth/userinfo.{n}" for n in ("email", "profile"))
    for who in ("", ANN, ROBOT, (ANN, (email,)), (ANN, (profile,)), (ROBOT, (email, profile))):
        for name in ("v1.userinfo", "userinfo.get", "v3.userinfo", "openidconnect.userinfo"):
            call(name, None, who)
    call("v1.certs")
    call("v3.certs")


def test_every_answer_is_told_in_whole() -> None:
    check(__file__, scenario())


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"client": "c"}, "/scopes: expected an array of scopes"),
        ({"scopes": "email"}, "/scopes: expected an array of scopes"),
        ({"scopes": ["email", 1]}, "/scopes: expected an array of scopes"),
        ({"scopes": [], "name": "x"}, "/name: a delegation has `client` and `scopes`"),
        ({"client": "c", "scopes": ["email"]}, ""),
    ],
)
def test_a_delegation_has_a_client_and_scopes(row: JsonObject, problem: str) -> None:
    good = {"scopes": ["openid"]}
    found = SnapshotImport(raw={"domainWideDelegations": [row, good]})
    import_snapshot(found)
    told = [f"{each.where}: {each.message}" for each in found.problems]
    assert told == ([f"/domainWideDelegations/0{problem}"] if problem else [])
    kept = [good] if "/scopes" in problem else [row, good]
    assert [*found.tables["domainWideDelegations"].values()] == kept
