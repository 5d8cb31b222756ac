"""Invented values of ordinary traffic that are no secrets, where they stand."""

import json
from base64 import b64encode
from collections.abc import Iterator
from hashlib import md5, sha1, sha256, sha512

_SHA = sha1(b"a commit", usedforsecurity=False).hexdigest()
_DIGEST = sha256(b"an image").hexdigest()
_MD5 = md5(b"a file", usedforsecurity=False).hexdigest()
_SRI = b64encode(sha512(b"a package").digest()).decode()

FIELDS: tuple[tuple[str, str | int | float | bool], ...] = (
    ("version", "10.4.2.1"), ("appVersion", "120.0.6099.109"), ("firmware", "v3.12.0.4"),
    ("tag", "v1.22.3-rc.1"), ("release", "2026.11.20"), ("semver", "4.17.21+build.5"),
    ("build", "20261120.3"), ("minVersion", "1.0.0.0"), ("driver_version", "31.0.15.4601"),
    ("ean", "4006381333931"), ("gtin", "0012345678905"), ("barcode", "5901234123457"),
    ("isbn", "978-3-16-148410-0"), ("upc", "036000291452"), ("sku", "KB-2231-BLK"),
    ("sha", _SHA), ("commit", _SHA), ("commitSha", _SHA), ("short", _SHA[:7]),
    ("head", f"refs/heads/{_SHA}"), ("digest", f"sha256:{_DIGEST}"), ("sha256", _DIGEST),
    ("md5", _MD5), ("checksum", _MD5), ("contentHash", _DIGEST), ("image", f"app@sha256:{_DIGEST}"),
    ("integrity", f"sha512-{_SRI}"), ("etag", f'"{_MD5}"'), ("traceId", _MD5),
    ("spanId", _MD5[:16]), ("traceparent", f"00-{_MD5}-{_MD5[:16]}-01"),
    ("X-Amzn-Trace-Id", "Root=1-67891233-abcdef012345678912345678"),
    ("created_at", "2026-11-20T09:12:13.000Z"), ("date", "2026-11-20"), ("updated", 1795166400),
    ("due", "20.11.2026 09:30"), ("time", "09:12:13"), ("duration", "3.5s"), ("iso", "PT1H30M"),
    ("ttl", 3600), ("cron", "*/5 9-17 * * 1-5"), ("timezone", "Europe/Berlin"),
    ("locale", "en-US"), ("language", "pt_BR"), ("currency", "EUR"), ("country", "DE"),
    ("model", "gpt-4o-mini-2024-07-18"), ("model_id", "claude-3-5-sonnet-20241022"),
    ("model_name", "gemini-1.5-pro-002"), ("engine", "text-embedding-3-small"),
    ("theme", "solarized-dark-2"), ("color", "#1e90ff"), ("colour", "#c0ffee80"),
    ("rgb", "rgb(30, 144, 255)"), ("mime", "application/vnd.api+json"),
    ("media_type", "text/html; charset=utf-8"), ("status", "PAYMENT_FAILED"),
    ("state", "in_progress"),
    ("type", "access_token"), ("token_type", "Bearer"), ("grant_type", "client_credentials"),
    ("scope", "openid profile email offline_access"), ("error", "invalid_token"),
    ("auth_method", "client_secret_basic"), ("permission", "secrets:read"), ("role", "admin"),
    ("max_tokens", 4096), ("total_tokens", 1234567), ("token_count", 815), ("passed", True),
    ("password_required", True), ("pin_count", 4), ("keyboard", "qwertz"), ("key", "theme"),
    ("author", "octocat"), ("assignee", "unassigned"), ("owner", "platform-team"),
    ("name", "Quarterly report"), ("title", "Senior Software Engineer"),
    ("plan", "enterprise_plus"),
    ("region", "eu-central-1"), ("zone", "europe-west3-a"), ("instance_type", "n2-standard-4"),
    ("arn_type", "aws:iam::role"), ("cluster", "prod-blue-3"), ("bucket", "build-artifacts"),
    ("path", "/usr/lib/python3.12/site-packages"), ("file", "report_2026-11-20.pdf"),
    ("icon", "icon@2x.png"), ("package", "react@18.3.1"), ("scoped", "@types/node@22.9.0"),
    ("dependency", "lodash@^4.17.21"), ("remote", "git@github.com:acme/app.git"),
    ("ip", "127.0.0.1"),
    ("cidr", "0.0.0.0/0"), ("netmask", "255.255.255.0"), ("oid", "1.3.6.1.4.1.311.21.8"),
    ("lat_ms", 12.345), ("score", 0.98765432101234), ("ratio", "0.123456789"), ("count", 123456),
    ("size", 98765432), ("amount", "1234.56"), ("price", 19.99), ("percent", "42.5%"),
    ("phone_type", "mobile"), ("address_type", "billing"), ("emailVerified", True),
    ("cursor_position", 17), ("line", "src/app.ts:120:14"), ("regex", "^[a-z0-9]+$"),
    ("isin", "US0378331005"), ("ticket", "PROJ-1234"), ("flight", "LH 2034"), ("geohash", "u33dc0"),
    ("full_name", "octo/hello-world"), ("doi", "10.1016/j.cell.2012.11.034"),
    ("X-GitHub-OTP", "required; app"), ("X-GitHub-Request-Id", "E3DA:3212:5DC:B1F:5A428A06"),
    ("isbn13", "978-981-19-0530-8"), ("series", "Lecture notes 978-981-19-0530-8, 068431-1723"),
    ("sort", "-created_at,name"), ("accept", "text/html,application/json;q=0.9"),
    ("user_agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.0.1 Safari/537.36"),
    ("html", '<a class="btn" href="/docs/api#auth">Read</a>'), ("cipher", "TLS_AES_256_GCM_SHA384"),
)  # fmt: skip
"""Fields with values that stay."""

TEXTS = (
    "uses Basic authentication",
    "Bearer auth is required",
    "Token service v2 is healthy",
    "error: invalid token: expired",
    "the password is required",
    "Password must be at least 12 characters",
    "Your password is incorrect",
    "the secret is missing",
    "token: null",
    "password: ********",
    "Reset your password",
    "The API key is not valid",
    "see section 10.4.2.1 of the standard",
    "upgraded from 9.8.7.6 to version 10.0.0.1",
    f"Merge commit {_SHA} into main",
    f"pulled app@sha256:{_DIGEST}",
    "released pkg-1.2.3.4.tar.gz",
    "requires foo>=1.2.3.4",
    "EAN 4006381333931 is in stock",
    "lookup::find(a::b) failed",
    "std::vector<int>",
    "retry in 30 s, attempt 2 of 5",
    "from 2026-11-20 09:12:13 to 2026-11-21 10:00:00",
    "9 to 5 on this way",
    "This is the way",
    "1 Court case",
    "PIN is required",
    "Your code is invalid",
    "use the code to verify",
    "the code is in review",
    "call the API 1000 times",
    "order 123456 shipped",
    "Error 404 at line 120, column 14",
    "SELECT id, name FROM users WHERE id = ?",
    "chmod -p 755",
    "mkdir -p build/output",
    "docker run -p 8080:80 nginx",
    "ssh -p 2222 host",
    "curl -u",
    "tar -u file",
    "make --key-file x.pem",
    "git commit --author-date-is-committer-date",
    "01/02/2026",
    "12-24-2026",
    "room 030 1234",
    "3 Easy Ways",
    "Windows NT 10.0; Win64",
    "Cookie: consent=yes; theme=dark",
    "the driver for New York Avenue line",
    "passport required",
    "key=value",
    "?sort=asc&key=name",
    "a secret: nobody knows",
    "tokens: 128",
    "pass: 12, fail: 0",
)
"""Texts that stay."""


def harmless() -> Iterator[tuple[str, bytes, str]]:
    """Each in a message of its own.

    Yields:
        Name, body, media type.
    """
    for name, value in FIELDS:
        yield name, json.dumps({"id": 7, name: value}).encode(), "application/json"
    for text in TEXTS:
        yield text, json.dumps({"note": text}).encode(), "application/json"
        yield f"text {text}", text.encode(), "text/plain"
