"""Consent: asked by a page, given by a person or a program, exchanged for tokens once."""

from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from mockserver.apis.oauth import API
from mockserver.apis.oauth.methods import DEVICE_CODE
from mockserver.googleapi import PageAnswer, read_jwt
from mockserver.model import JsonObject
from mockserver.state import World, find_token, refresh_token, session_of
from tests.tenants import ask, refused

AUTH = "oauth2.accounts.v2.auth"
VERIFIER = "v" * 43
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
BACK = "http://localhost:8080/cb?x=1"
ASKED: JsonObject = {
    "client_id": "c1", "redirect_uri": BACK, "response_type": "code", "state": "s&t",
    "scope": "openid email profile", "access_type": "offline", "nonce": "n1",
    "code_challenge": CHALLENGE, "code_challenge_method": "S256",
}  # fmt: skip


def page(world: World, method: str = AUTH, /, **params: str | None) -> PageAnswer:
    asked = {**ASKED, **params} if method == AUTH else params
    given = {name: value for name, value in asked.items() if value is not None}
    error = refused(API, world, method, given)
    assert isinstance(error, PageAnswer)
    return error


def led_back(answer: PageAnswer) -> dict[str, str]:
    assert answer.status == 302
    assert answer.headers["Location"].startswith("http://localhost:8080/cb?x=1&")
    return dict(parse_qsl(urlsplit(answer.headers["Location"]).query))


def redeem(world: World, code: str, **further: str) -> JsonObject:
    body = {
        "grant_type": "authorization_code", "code": code, "client_id": "c1",
        "redirect_uri": BACK, "code_verifier": VERIFIER, **further,
    }  # fmt: skip
    return ask(API, world, "oauth2.token", body=body)


def test_a_person_is_asked_and_led_back_with_a_code(tenant: World) -> None:
    asked = page(tenant, client_id="<c1>")
    assert (asked.status, "&lt;c1&gt;" in asked.html, "<c1>" in asked.html) == (200, True, False)
    link = unescape(asked.html.partition("<a id=allow href=")[2].split('"')[1])
    allowed = dict(parse_qsl(link.lstrip("?")))
    found = led_back(page(tenant, **allowed))
    assert (found["state"], session_of(found["code"])) == ("s&t", tenant.session)
    denied = led_back(page(tenant, decision="deny"))
    assert denied == {"x": "1", "state": "s&t", "error": "access_denied"}


def test_a_code_is_good_for_tokens_once(tenant: World) -> None:
    code = led_back(page(tenant, prompt="none", login_hint="ann@example.com"))["code"]
    tokens = redeem(tenant, code)
    read = read_jwt(tokens["id_token"])
    assert read is not None
    assert read.is_ours
    told = {
        "aud": "c1", "azp": "c1", "email": "ann@example.com", "nonce": "n1",
        "name": "Ann Zimmer", "sub": "1ann",
    }  # fmt: skip
    assert told.items() <= read.claims.items()
    found = find_token(tenant, tokens["access_token"])
    assert found is not None
    assert (found["email"], " ".join(found["scopes"])) == ("ann@example.com", tokens["scope"])
    body = {"grant_type": "refresh_token", "client_id": "c1"}
    again = ask(
        API, tenant, "oauth2.token", body={**body, "refresh_token": tokens["refresh_token"]}
    )
    assert read_jwt(again["id_token"]).claims["email"] == "ann@example.com"  # type: ignore[union-attr]
    error = refused(
        API, tenant, "oauth2.token",
        body={"grant_type": "authorization_code", "code": code, "client_id": "c1",
              "redirect_uri": BACK, "code_verifier": VERIFIER},
    )  # fmt: skip
    assert error.reason == "invalid_grant"


@pytest.mark.parametrize(
    ("further", "reason"),
    [
        ({"code_verifier": ""}, "invalid_grant"),
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": "é" * 43}, "invalid_grant"),
        ({"redirect_uri": "http://localhost:8081/"}, "redirect_uri_mismatch"),
        ({"client_id": "c2"}, "unauthorized_client"),
        ({"code": "4/mock~s1~0"}, "invalid_grant"),
        ({"code": ""}, "invalid_request"),
    ],
    ids=str,
)
def test_a_code_is_for_who_asked_for_it(tenant: World, further: JsonObject, reason: str) -> None:
    code = led_back(page(tenant, prompt="none"))["code"]
    body = {
        "grant_type": "authorization_code", "code": code, "client_id": "c1",
        "redirect_uri": BACK, "code_verifier": VERIFIER, **further,
    }  # fmt: skip
    assert refused(API, tenant, "oauth2.token", body=body).reason == reason
    assert "access_token" in redeem(tenant, code)  # what was refused did not use it up


def test_plain_challenges_and_none_will_do_and_nothing_more_is_given_than_asked(
    tenant: World,
) -> None:
    plain = page(tenant, prompt="none", code_challenge=VERIFIER, code_challenge_method="plain")
    assert "id_token" in redeem(tenant, led_back(plain)["code"])
    spare = page(tenant, prompt="none", code_challenge=None, access_type=None, scope="email")
    tokens = redeem(tenant, led_back(spare)["code"], code_verifier="")
    assert set(tokens) == {"access_token", "expires_in", "token_type", "scope"}


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"client_id": None}, "client_id"),
        ({"scope": ""}, "scope"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"redirect_uri": "javascript:alert(1)"}, "redirect_uri"),
        ({"redirect_uri": "urn:ietf:wg:oauth:2.0:oob"}, "redirect_uri"),
        ({"redirect_uri": "http://a\r\nX: y"}, "redirect_uri"),
        ({"redirect_uri": "http://[x/"}, "redirect_uri"),
        ({"code_challenge_method": "S512"}, "code_challenge_method"),
    ],
    ids=str,
)
def test_what_cannot_be_led_back_is_told_by_a_page(
    tenant: World, params: dict[str, str | None], says: str
) -> None:
    answer = page(tenant, prompt="none", **params)
    assert (answer.status, says in answer.html, dict(answer.headers)) == (400, True, {})


def test_nobody_consents_for_a_stranger(tenant: World) -> None:
    answer = page(tenant, prompt="none", login_hint="eve@example.com")
    assert led_back(answer)["error"] == "access_denied"


def test_a_code_is_over_after_ten_minutes(tenant: World) -> None:
    code = led_back(page(tenant, prompt="none"))["code"]
    tenant.clock.advance(timedelta(minutes=10))
    body = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK}
    assert refused(API, tenant, "oauth2.token", body=body).reason == "invalid_grant"


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_a_device_waits_until_somebody_decides(tenant: World, decision: str) -> None:
    asked = {"client_id": "c1", "scope": "openid email"}
    device = ask(API, tenant, "oauth2.device.code", body=asked)
    body = {"grant_type": DEVICE_CODE, "device_code": device["device_code"], "client_id": "c1"}
    waiting = refused(API, tenant, "oauth2.token", body=body)
    assert (waiting.status, waiting.reason) == (428, "authorization_pending")
    assert device["verification_url"].endswith("/accounts.google.com/device")
    assert "<input name=user_code" in page(tenant, "oauth2.accounts.device").html
    typed = device["user_code"].lower()
    question = page(tenant, "oauth2.accounts.device", user_code=typed)
    assert f"user_code={device['user_code']}" in question.html
    done = page(tenant, "oauth2.accounts.device", user_code=typed, decision=decision)
    assert f"{'allowed' if decision == 'allow' else 'denied'}" in done.html
    assert page(tenant, "oauth2.accounts.device", user_code=typed).status == 404
    if decision == "allow":
        tokens = ask(API, tenant, "oauth2.token", body=body)
        assert {"id_token", "refresh_token", "access_token"} <= set(tokens)
        assert refused(API, tenant, "oauth2.token", body=body).reason == "invalid_grant"
    else:
        assert refused(API, tenant, "oauth2.token", body=body).reason == "access_denied"


def test_a_device_must_say_what_it_wants_and_be_let_in_soon(tenant: World) -> None:
    for body in ({"client_id": "c1"}, {"scope": "email"}):
        error = refused(API, tenant, "oauth2.device.code", body=body)
        assert error.reason == "invalid_request"
    device = ask(API, tenant, "oauth2.device.code", body={"client_id": "c1", "scope": "email"})
    tenant.clock.advance(timedelta(minutes=30))
    body = {"grant_type": DEVICE_CODE, "device_code": device["device_code"]}
    assert refused(API, tenant, "oauth2.token", body=body).reason == "expired_token"


def test_a_refresh_asks_for_no_more_than_was_given(tenant: World) -> None:
    code = led_back(page(tenant, prompt="none", scope="email"))["code"]
    token = redeem(tenant, code)["refresh_token"]
    body = {"grant_type": "refresh_token", "client_id": "c1", "refresh_token": token}
    assert (
        refused(
            API,
            tenant,
            "oauth2.token",
            body={**body, "scope": "https://www.googleapis.com/auth/drive"},
        ).reason
        == "invalid_scope"
    )
    assert ask(API, tenant, "oauth2.token", body={**body, "scope": "email"})["scope"].endswith(
        "email"
    )
    ask(API, tenant, "oauth2.revoke", body={"token": token})
    assert refused(API, tenant, "oauth2.token", body=body).reason == "invalid_grant"


def test_a_refresh_that_grants_openid_says_who_it_is(tenant: World) -> None:
    own = refresh_token(tenant.session, tenant.secret)
    body = {"grant_type": "refresh_token", "client_id": "c1", "refresh_token": own}
    read = read_jwt(ask(API, tenant, "oauth2.token", body=body)["id_token"])
    assert read is not None
    assert (read.claims["aud"], read.claims["email"]) == ("c1", "admin@example.com")
    narrow = ask(API, tenant, "oauth2.token", body={**body, "scope": "email"})
    assert "id_token" not in narrow
