"""Rules for what opens something: tokens, keys, passwords, cookies."""

from mockserver.redaction.rule import Rule

TOKEN_FIELDS = (
    "accesstoken", "actortoken", "authtoken", "bearertoken", "csrftoken", "idtoken",
    "oauthtoken", "refreshtoken", "securitytoken", "sessiontoken", "signedjwt", "subjecttoken",
    "token", "xauthtoken", "xcsrftoken", "xsrftoken", "xxsrftoken",
)  # fmt: skip
PASSWORD_FIELDS = (
    "passphrase", "passwd", "password", "pwd", "clientsecret", "secret", "secretkey",
    "secretaccesskey", "sharedsecret", "webhooksecret",
)  # fmt: skip
KEY_FIELDS = ("apikey", "privatekey", "privatekeydata", "xapikey", "xgoogapikey", "accesskey")
AUTHORIZATION_FIELDS = ("authorization", "proxyauthorization", "xserverlessauthorization")
COOKIE_FIELDS = ("cookie", "setcookie", "cookies")
ASSERTION_FIELDS = ("assertion", "clientassertion", "samlresponse", "samlassertion")

CREDENTIAL_FIELDS = frozenset(
    TOKEN_FIELDS
    + PASSWORD_FIELDS
    + KEY_FIELDS
    + AUTHORIZATION_FIELDS
    + COOKIE_FIELDS
    + ASSERTION_FIELDS
)
"""Fields that hold nothing but a credential; what no journal ever holds."""

_PEM = (
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?s:.*?)(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z)"
)
_JWT = r"\beyJ[\w-]{5,}\.[\w-]{2,}\.[\w-]*"
_USERINFO = r"://([^\s/@\"'<>?#]{1,256})@[\w.-]"
_SCHEMES = r"(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{8,}"
_COOKIES = r"(?i)\bcookie:\s*([^\s=;\"']+=[^\r\n\"']*)"
_ASSIGNED = (
    r"(?i)[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|pwd|api[_-]?key|apikey|private[_-]?key"
    r"|authorization|assertion|cookie|session[_-]?id|access[_-]?key)"
    r"\\*[\"']?\s*[:=]\s*\\*[\"']?((?:(?:bearer|basic|token)\s+)?[^\s\"'\\,;&<>{}()\[\]]{4,})"
)
_VENDORS = (
    r"\b(?:gh[pousr]_\w{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}"
    r"|sk-[\w-]{20,}|[rs]k_(?:live|test)_\w{10,}|npm_\w{30,}|pypi-[\w-]{40,}|hf_\w{20,}"
    r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_\w{40,})"
)

CREDENTIALS: tuple[Rule, ...] = (
    Rule("private_key", "private_key", KEY_FIELDS[1:3], _PEM, credential=True,
         about="private keys, PEM"),
    Rule("authorization", "authorization", AUTHORIZATION_FIELDS, credential=True,
         about="Authorization headers; their scheme stays"),
    Rule("cookie", "cookie", COOKIE_FIELDS, _COOKIES, credential=True,
         about="cookies; their names and attributes stay"),
    Rule("page_token", "page_token",
         ("pagetoken", "nextpagetoken", "prevpagetoken", "previouspagetoken", "synctoken",
          "nextsynctoken", "continuationtoken", "nextcursor", "startcursor", "endcursor",
          "?cursor", "pagecursor", "resumetoken", "deltatoken", "skiptoken", "?$skiptoken"),
         about="page and sync tokens: they hold what was asked for"),
    Rule("csrf_fields", "token", ("?state", "?nonce", "?code", "?codeverifier", "nonce"),
         check="opaque", credential=True, about="what guards a sign-in"),
    Rule("assertion", "assertion", ASSERTION_FIELDS, credential=True, about="signed assertions"),
    Rule("token", "token", (*TOKEN_FIELDS, "*token"), credential=True,
         about="tokens by the name of their field"),
    Rule("api_key", "api_key",
         ("apikey", "xapikey", "xgoogapikey", "accesskey", "*apikey", "?key", "?apikey",
          "subscriptionkey", "ocpapimsubscriptionkey", "licensekey", "signingkey"),
         r"\bAIza[\w-]{30,40}", credential=True, about="API keys, anywhere"),
    Rule("password", "password",
         (*PASSWORD_FIELDS, "*password", "*passwd", "*secret", "*passphrase"),
         credential=True, about="passwords and shared secrets"),
    Rule("one_time", "secret", ("otp", "totp", "pin", "cvv", "cvc", "securitycode",
                                "verificationcode", "recoverycode", "backupcodes"),
         credential=True, about="codes that are used once"),
    Rule("signature", "signature", ("signature", "?sig", "xgoogsignature", "xamzsignature",
                                    "xhubsignature", "xhubsignature256", "xslacksignature"),
         check="opaque", credential=True, about="signatures of requests and URLs"),
    Rule("session", "session", ("sessionid", "xsessionid", "sid", "jsessionid", "phpsessid",
                                "mcpsessionid"), credential=True, about="session ids of a client"),
    Rule("user_info", "user_info", pattern=_USERINFO, credential=True,
         about="user and password in a URL"),
    Rule("jwt", "jwt", pattern=_JWT, credential=True, about="JWTs; claims stay readable"),
    Rule("google_access_token", "access_token", pattern=r"\bya29\.[\w.~+/=-]{6,}", credential=True,
         about="Google access tokens"),
    Rule("google_refresh_token", "refresh_token", pattern=r"\b1//[\w.~-]{6,}", credential=True,
         about="Google refresh tokens"),
    Rule("google_code", "secret", pattern=r"\b4/[0-9][\w-]{20,}", credential=True,
         about="Google authorization codes"),
    Rule("google_client_secret", "client_secret", pattern=r"\bGOCSPX-[\w-]{10,}", credential=True,
         about="Google OAuth client secrets"),
    Rule("vendor_token", "vendor_token", pattern=_VENDORS, credential=True,
         about="tokens that tell by their beginning whose they are"),
    Rule("webhook", "webhook", pattern=r"\bhooks\.slack\.com/services/([\w/-]{10,})",
         credential=True, about="webhook addresses that are a secret"),
    Rule("scheme", "authorization", pattern=_SCHEMES, credential=True,
         about="Bearer and Basic in a text"),
    Rule("assigned", "assigned", pattern=_ASSIGNED, credential=True,
         about="`password=...` and the like in a text"),
)  # fmt: skip
"""The table."""
