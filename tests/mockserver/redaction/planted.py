"""Invented secrets of many families, each planted in one message, and values that are none.

The secrets are put together at run time: no scanner finds one in this file.
"""

import gzip
import json
import struct
import zlib
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from hashlib import blake2b
from html import unescape
from quopri import encodestring
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from mockserver.model import Header, Interaction, Json, RecordedRequest, RecordedResponse

LOWER = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
HEX = "0123456789abcdef"
ALNUM = LOWER + LOWER.upper() + DIGITS
UPPER = LOWER.upper() + DIGITS
BASE32 = LOWER.upper() + "234567"


class Planted(NamedTuple):
    """A secret in a message.

    Attributes:
        family: What kind of secret, and where.
        secret: What must be gone.
        message: Where it stands.
        read: Undoes the coding that the message has it in.
    """

    family: str
    secret: str
    message: Interaction
    read: Callable[[bytes], str] = lambda content: content.decode("utf-8", "replace")


def chars(seed: str, alphabet: str, length: int) -> str:
    """Characters that look random, the same for a seed; some of each class."""
    made, count = "", 0
    while len(made) < length:
        digest = blake2b(f"{seed}/{count}".encode(), digest_size=64).digest()
        made += "".join(alphabet[byte % len(alphabet)] for byte in digest)
        count += 1
    return made[:length]


def response(
    body: bytes, media: str = "application/json", *more: Header, reason: str = "OK"
) -> Interaction:
    headers = (("Content-Type", media), *more)
    request = RecordedRequest("GET", "https://api.example.com/v1/things")
    return Interaction(request, RecordedResponse(200, reason, headers, body))


def answer(value: Json) -> Interaction:
    return response(json.dumps(value).encode())


def text(content: str, media: str = "text/plain") -> Interaction:
    return response(content.encode(), media)


def asked(url: str, *headers: Header, body: bytes = b"", method: str = "GET") -> Interaction:
    return Interaction(
        RecordedRequest(method, f"https://api.example.com{url}", headers, body),
        RecordedResponse(204, "No Content"),
    )


def form(content: str) -> Interaction:
    media = ("Content-Type", "application/x-www-form-urlencoded")
    return asked("/v1/login", media, body=content.encode(), method="POST")


def everything(message: Interaction) -> bytes:
    """All bytes of a message."""
    request, answered = message.request, message.response
    headers = [f"{name}: {value}" for name, value in (*request.headers, *answered.headers)]
    head = "\n".join([request.url, answered.reason, *headers]).encode("utf-8", "replace")
    return b"\n".join([head, request.body, answered.body])


def _b64(content: str | bytes) -> str:
    return b64encode(content.encode() if isinstance(content, str) else content).decode()


def _url64(content: str | bytes) -> str:
    raw = content.encode() if isinstance(content, str) else content
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _deflated(content: str) -> str:
    coder = zlib.compressobj(wbits=-15)
    return _b64(coder.compress(content.encode()) + coder.flush())


def _inflated(content: bytes) -> str:
    url = content.split(b"\n", 1)[0].decode()
    coded = parse_qs(urlsplit(url).query)["SAMLRequest"][0]
    return zlib.decompress(b64decode(coded), -15).decode()


def vendor_tokens() -> Iterator[tuple[str, str]]:
    """Tokens that tell by their form whose they are.

    Yields:
        Vendor and token.
    """
    for vendor, front, alphabet, length in (
        ("github", "ghp_", ALNUM, 36), ("github server", "ghs_", ALNUM, 36),
        ("github fine", "github_pat_", ALNUM + "_", 60), ("gitlab", "glpat-", ALNUM, 20),
        ("gitlab deploy", "gldt-", ALNUM, 20), ("gitlab runner", "glrt-", ALNUM, 20),
        ("gitlab trigger", "glptt-", HEX, 40), ("gitlab old runner", "GR1348941", ALNUM, 20),
        ("bitbucket", "ATBB", ALNUM, 32), ("atlassian", "ATATT3xFfGF0", ALNUM + "-_", 90),
        ("atlassian connect", "ATCTT3xFfGN0", ALNUM + "-_", 90),
        ("npm", "npm_", ALNUM, 36), ("pypi", "pypi-AgEIcHlwaS5vcmc", ALNUM + "-_", 70),
        ("rubygems", "rubygems_", HEX, 48), ("crates", "cio", ALNUM, 32),
        ("clojars", "CLOJARS_", HEX, 60), ("nuget", "oy2", LOWER + DIGITS, 43),
        ("slack bot", "xoxb-", DIGITS, 12), ("slack app", "xapp-1-", UPPER, 30),
        ("sendgrid", "SG.", ALNUM, 22), ("mailgun", "key-", HEX, 32),
        ("brevo", "xkeysib-", HEX, 64), ("new relic user", "NRAK-", UPPER, 27),
        ("new relic ingest", "NRII-", ALNUM + "-_", 32), ("new relic browser", "NRJS-", HEX, 19),
        ("dynatrace", "dt0c01.", UPPER, 24), ("sentry user", "sntryu_", HEX, 64),
        ("sentry org", "sntrys_", ALNUM, 60), ("shopify", "shpat_", HEX, 32),
        ("shopify shared", "shpss_", HEX, 32), ("airtable", "pat", ALNUM, 14),
        ("openai", "sk-", ALNUM, 48), ("openai project", "sk-proj-", ALNUM + "-_", 60),
        ("anthropic", "sk-ant-api03-", ALNUM + "-_", 90), ("hugging face", "hf_", ALNUM, 34),
        ("replicate", "r8_", ALNUM, 37), ("groq", "gsk_", ALNUM, 52), ("xai", "xai-", ALNUM, 80),
        ("perplexity", "pplx-", ALNUM, 48), ("posthog", "phx_", ALNUM, 43),
        ("discord bot", "MT", ALNUM, 24), ("stripe", "sk_live_", ALNUM, 24),
        ("stripe restricted", "rk_live_", ALNUM, 24), ("stripe webhook", "whsec_", ALNUM, 32),
        ("twilio key", "SK", HEX, 32), ("linear", "lin_api_", ALNUM, 40),
        ("linear oauth", "lin_oauth_", HEX, 64), ("notion", "ntn_", ALNUM, 46),
        ("notion old", "secret_", ALNUM, 43), ("figma", "figd_", ALNUM + "-_", 40),
        ("docker", "dckr_pat_", ALNUM + "-_", 27), ("docker org", "dckr_oat_", ALNUM, 32),
        ("vault", "hvs.", ALNUM, 24), ("vault batch", "hvb.", ALNUM + "-_", 100),
        ("vault old", "s.", ALNUM, 24), ("grafana service", "glsa_", ALNUM, 32),
        ("grafana cloud", "glc_", ALNUM, 60), ("databricks", "dapi", HEX, 32),
        ("square", "EAAA", ALNUM + "-_", 60), ("square old", "sq0atp-", ALNUM + "-_", 22),
        ("square secret", "sq0csp-", ALNUM + "-_", 43),
        ("age", "AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
        ("digitalocean", "dop_v1_", HEX, 64), ("doppler", "dp.pt.", ALNUM, 43),
        ("planetscale", "pscale_tkn_", ALNUM, 43), ("supabase", "sbp_", HEX, 40),
        ("fly", "FlyV1 fm2_", ALNUM, 60), ("netlify", "nfp_", ALNUM, 40),
        ("postman", "PMAK-", HEX, 24), ("pulumi", "pul-", HEX, 40),
        ("buildkite", "bkua_", HEX, 40), ("circleci", "CCIPAT_", ALNUM, 40),
        ("sonarqube", "squ_", HEX, 40), ("contentful", "CFPAT-", ALNUM + "-_", 43),
        ("alibaba", "LTAI", ALNUM, 20), ("tencent", "AKID", ALNUM, 32),
        ("scaleway", "SCW", UPPER, 17), ("aws", "AKIA", UPPER, 16), ("aws sts", "ASIA", UPPER, 16),
        ("google key", "AIza", ALNUM + "-_", 35), ("google secret", "GOCSPX-", ALNUM, 28),
        ("google access", "ya29.", ALNUM, 60), ("heroku", "HRKU-", ALNUM + "-_", 60),
        ("dropbox", "sl.", ALNUM + "-_", 130), ("facebook", "EAACEdEose0cBA", ALNUM, 60),
        ("mapbox", "sk.eyJ1Ijoi", ALNUM, 60), ("clickup", "pk_12345678_", UPPER, 32),
        ("flutterwave", "FLWSECK-", HEX, 32), ("razorpay", "rzp_live_", ALNUM, 14),
        ("launchdarkly", "sdk-", HEX, 8), ("prefect", "pnu_", ALNUM, 36),
        ("readme", "rdme_", LOWER + DIGITS, 70), ("typeform", "tfp_", ALNUM + "-_", 59),
        ("sendinblue smtp", "xsmtpsib-", HEX, 64), ("easypost", "EZAK", ALNUM, 54),
        ("duffel", "duffel_live_", ALNUM + "-_", 43), ("1password", "ops_eyJ", ALNUM, 250),
        ("infracost", "ico-", ALNUM, 32), ("snyk", "snyk_uat.", ALNUM, 30),
    ):  # fmt: skip
        body = chars(vendor, alphabet, length)
        tail = {
            "slack bot": "-" + chars("slack", ALNUM, 24), "sendgrid": "." + chars("sg", ALNUM, 43),
            "airtable": "." + chars("air", HEX, 64), "dynatrace": "." + chars("dt", UPPER, 64),
            "discord bot": "." + chars("d1", ALNUM, 6) + "." + chars("d2", ALNUM, 30),
            "launchdarkly": "-" + "-".join(chars(f"ld{n}", HEX, n) for n in (4, 4, 4, 12)),
            "mapbox": "." + chars("mapbox2", ALNUM, 22), "flutterwave": "-X",
            "grafana service": "_" + chars("gs", HEX, 8),
        }.get(vendor, "")  # fmt: skip
        yield vendor, front + body + tail
    yield "telegram", "7" + chars("tg", DIGITS, 9) + ":AA" + chars("tg2", ALNUM + "-_", 33)
    yield "mailchimp", chars("mc", HEX, 32) + "-us" + "14"
    yield "terraform", chars("tf", ALNUM, 14) + ".atlas" + "v1." + chars("tf2", ALNUM, 67)
    yield "azure client", chars("az", ALNUM, 3) + "8Q~" + chars("az2", ALNUM, 34)
    yield "azure devops", chars("azd", ALNUM, 76) + "AZDO" + chars("azd2", ALNUM, 4)
    yield "paseto local", "v4.lo" + "cal." + chars("pas", ALNUM + "-_", 80)
    yield "paseto public", "v2.pub" + "lic." + chars("pas2", ALNUM + "-_", 90)
    yield "bcrypt", "$2b$" + "12$" + chars("bc", ALNUM + "./", 53)
    yield "argon2", "$argon2id$" + "v=19$m=65536,t=3,p=4$" + _b64("salty-salt")[:14] + "$" + chars(
        "argon", ALNUM, 43)  # fmt: skip
    yield "sha512crypt", "$6$" + "rounds=5000$" + chars("s6", ALNUM, 12) + "$" + chars(
        "s62", ALNUM + "./", 86)  # fmt: skip
    yield "apr1", "$apr1$" + chars("ap", ALNUM, 8) + "$" + chars("ap2", ALNUM + "./", 22)
    yield "ldap", "{SSHA}" + _b64(chars("ldap", ALNUM, 24))
    jws = _url64('{"alg":"HS256","typ":"JWT"}')
    yield "jwt of a text", f"{jws}.{_url64('not json but a text')}.{chars('js', ALNUM, 43)}"
    jwe = _url64('{"alg":"RSA-OAEP","enc":"A256GCM"}')
    parts = [chars(f"jwe{n}", ALNUM + "-_", n) for n in (120, 16, 40, 22)]
    yield "jwe", ".".join([jwe, *parts])
    yield "plaid", "access-" + "production-" + "-".join(
        chars(f"pl{n}{length}",
        HEX, length) for n, length in enumerate((8, 4, 4, 4, 12)))  # fmt: skip


SAID = "Tulip-42-Quarry"
"""A password that nothing tells of but its place."""

_NAMES = (
    "password", "pass", "pswd", "passwd", "pwd", "kennwort", "passwort", "mot_de_passe", "senha",
    "wachtwoord", "contraseña", "pin", "cvv", "cvc2", "DB_PASS", "SMTP_PASS", "mysqlRootPassword",
    "client_secret", "secretAccessKey", "aws_secret_access_key", "aws_session_token", "api_key",
    "apiKey", "X-Api-Key", "x_api_token", "access_token", "refresh_token", "id_token", "authToken",
    "private_key", "passphrase", "otp", "otp_code", "totp_secret", "mfaCode", "recovery_code",
    "backup_codes", "security_answer", "device_code", "user_code", "code_verifier",
    "encryption_key",
    "signing_key", "webhook_secret", "hmac_key", "master_key", "storageAccountKey",
    "connectionString",
    "auth_token", "twilio_auth_token", "DD-API-KEY", "DD-APPLICATION-KEY", "license_key",
    "session_id", "sessionKey", "csrfToken", "bearer", "jwt", "credentials", "mnemonic",
    "seed_phrase",
    "registrationToken", "fcm_token", "push_token", "bot_token", "invite_code", "magic_link_token",
    "sas_token", "RelayState", "authorization_code", "account_key", "consumer_secret",
    "oauth_verifier",
    "ssh_key_passphrase", "keystore_pass", "wifiPassword", "psk", "snmp_community", "db_dsn_pw",
)  # fmt: skip


def _field_rows() -> Iterator[Planted]:
    for place, name in enumerate(_NAMES):
        secret = f"{SAID}{place}"
        value: Json = [secret] if name.endswith("codes") else secret
        if place % 3 == 0:
            yield Planted(f"field {name}", secret, answer({"data": {name: value}}))
        elif place % 3 == 1:
            yield Planted(f"field {name}", secret, form(f"a=1&{quote(name)}={secret}&b=2"))
        else:
            yield Planted(f"pair {name}", secret, answer([{"name": name, "value": value}]))


def _texts() -> Iterator[tuple[str, str, str]]:
    pw = SAID
    code = "48" + "2913"
    for name, form in (
        ("dotenv", "DB_HOST=x\nDB_PASS={}\n"), ("export", "export MYSQL_PWD='{}'"),
        ("yaml", "database:\n  user: app\n  password: {}\n"),
        ("properties", "spring.datasource.password={}"), ("ini", "[db]\npass = {}\n"),
        ("jdbc", "jdbc:sqlserver://h:1433;user=app;password={};encrypt=true"),
        ("odbc", "Driver=x;Server=h;Uid=app;Pwd={};"), ("go dsn", "app:{}@tcp(db:3306)/shop"),
        ("url", "postgres://app:{}@db.internal/shop"), ("redis", "redis://:{}@cache:6379/0"),
        ("netrc", "machine api.internal login ann password {}"),
        ("npmrc", "//registry.internal/:_authToken={}"), ("pgpass", "db.internal:5432:shop:app:{}"),
        ("curl -u", "curl -u ann:{} https://api.internal/x"),
        ("curl --user", "curl --user 'ann:{}' u"),
        ("curl -H", 'curl -H "X-Api-Key: {}" https://api.internal'),
        ("flag", "deploy --password {} --verbose"), ("flag =", "deploy --token={} -v"),
        ("mysql -p", "mysql -u root -p{} shop"), ("sshpass", "sshpass -p {} ssh host"),
        ("prose", "Hi Ann, the password is {} until Monday."),
        ("prose quoted", 'The new passphrase is "{}".'),
        ("prose german", "Ihr Kennwort lautet {}."),
        ("prose temp", "Use the temporary password {} to sign in."),
        ("prose your", "Your password has been reset to {}"), ("prose pw", "login ann / pw {}"),
        ("authorization token", "Authorization: token {}"), ("log header", "> X-Auth-Token: {}"),
        ("python", "client = Client(api_key=\"{}\")"), ("ruby", ":password => '{}'"),
        ("graphql", 'mutation {{ login(user: "a", password: "{}") {{ id }} }}'),
        ("azure account", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}==;"),
        ("service bus", "Endpoint=sb://x/;SharedAccessKeyName=R;SharedAccessKey={}="),
        ("xml", "<config><db-password>{}</db-password></config>"),
        ("xml attribute", '<user name="ann" password="{}"/>'),
        ("xml pair", '<add key="ApiKey" value="{}"/>'),
        ("plist", "<key>Password</key><string>{}</string>"),
        ("html input", '<input type="hidden" name="csrf_token" value="{}">'),
        ("html meta", '<meta name="csrf-token" content="{}">'),
        ("html data", '<div data-api-key="{}">x</div>'),
        ("html entity", "<p>password&#61;{}</p>"),
        ("html json", '<div data-p="{{&quot;password&quot;:&quot;{}&quot;}}">x</div>'),
        ("putty", "PuTTY-User-Key-File-3: x\nPrivate-Lines: 1\n{}AAAABBBBCCCCDDDD\nPrivate-MAC: x"),
        ("k8s yaml", "kind: Secret\nmetadata:\n  name: x\nstringData:\n  thing: {}\n"),
        ("cookie js", 'document.cookie = "sid={}; path=/"'),
        ("set-cookie", "Set-Cookie: sid={}; Path=/"),
    ):  # fmt: skip
        yield name, form.format(pw), pw
    for name, form in (
        ("code", "Your verification code is {}"), ("google code", "G-{} is your code"),
        ("use code", "Use {} to verify your account"), ("pin", "Your PIN is {}."),
        ("otp", "OTP: {}"), ("german code", "Ihr Code lautet {}"),
        ("2fa", "Enter 2FA code {} to continue"),
    ):  # fmt: skip
        yield name, form.format(code), code
    words = "ladder orbit velvet magnet cactus ripple anchor timber falcon pepper sunset glider"
    yield "mnemonic", words, "velvet magnet cactus"
    yield "seed phrase", f"My seed phrase: {words}.", "velvet magnet cactus"
    seed = chars("totp", BASE32, 32)
    yield "otpauth", f"otpauth://totp/App:ann?secret={seed}&issuer=App", seed
    yield "totp seed", f"Enter this key in your authenticator: {seed}", seed
    pem = "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + chars("pem", ALNUM, 70)
    yield "ssh key", pem + "\n-----END OPENSSH PRIVATE KEY-----", chars("pem", ALNUM, 70)
    hook = chars("hook", ALNUM, 24)
    for name, url in (
        ("slack hook", "https://hooks.slack.com/services/T0AAAA/B0BBBB/{}"),
        ("discord hook", "https://discord.com/api/webhooks/123456789012345678/{}"),
        ("teams hook", "https://x.webhook.office.com/webhookb2/a@b/IncomingWebhook/{}/c"),
        ("zapier hook", "https://hooks.zapier.com/hooks/catch/123456/{}/"),
    ):
        yield name, f"posting to {url.format(hook)}", hook


def _people() -> Iterator[tuple[str, str, str]]:
    yield from (
        ("e-mail", "mail annika.lund@corp-nine.io", "annika.lund"),
        ("phone +", "call +49 170 5551234 now", "170 5551234"),
        ("phone us", "call (415) 867-5309", "867-5309"),
        ("phone us dots", "tel 415.867.5309", "867.5309"),
        ("phone de", "Tel.: 030 901820-17", "901820"),
        ("phone de mobile", "Handy 0170/5553218", "5553218"),
        ("phone uk", "phone 020 7946 1958", "7946 1958"),
        ("phone fr", "tél. 06 12 34 57 78", "34 57 78"),
        ("phone au", "mobile: 0412 346 678", "346 678"),
        ("tel uri", "tel:+14158675309", "4158675309"),
        ("street us", "at 742 Evergreen Terrace", "Evergreen"),
        ("street de", "Lindenstraße 17b, 10969 Berlin", "Lindenstra"),
        ("street de 2", "wohnt Hauptstr. 5, 80331 München", "Hauptstr"),
        ("street fr", "12 rue de la Paixverte, 75002 Paris", "Paixverte"),
        ("street es", "Calle Mayorga 25, Madrid", "Mayorga"),
        ("street it", "Via Garibaldina 12", "Garibaldina"),
        ("street nl", "Kerkstraat 112, Utrecht", "Kerkstraat"),
        ("po box", "P.O. Box 48213", "48213"),
        ("uk postcode", "London SW1A 2AB", "SW1A 2AB"),
        ("ssn", "SSN 219-09-9999", "219-09-9999"),
        ("passport", "passport no. C01X0T478", "C01X0T478"),
        ("mrz", "P<UTOERIKSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<<<", "ERIKSON"),
        ("ni number", "NI: QQ 12 34 56 C", "12 34 56"),
        ("dni", "DNI 12345678Z", "12345678Z"),
        ("codice", "RSSMRA85T10A562S", "RSSMRA85T10A562S"),
        ("cpf", "CPF 111.444.777-35", "111.444.777-35"),
        ("ahv", "AHV 756.9217.0769.85", "9217.0769"),
        ("insee", "2 55 08 14 168 025 38", "14 168 025"),
        ("iban", "IBAN DE89 3704 0044 0532 0130 00", "3704 0044"),
        ("card", "4242 4242 4242 4242", "4242 4242"),
        ("mac", "a4:5e:60:c1:22:0f", "c1:22:0f"),
        ("mac dash", "A4-5E-60-C1-22-0F", "C1-22-0F"),
        ("mac cisco", "a45e.60c1.220f", "60c1.220f"),
        ("mac eui64", "a4:5e:60:ff:fe:c1:22:0f", "c1:22:0f"),
        ("mac hp", "a45e60-c1220f", "c1220f"),
        ("ipv4", "from 81.2.69.142", "81.2.69.142"),
        ("ipv6", "from 2a02:8109:9c40::17", "9c40"),
    )


def _person_rows() -> Iterator[Planted]:
    name = "Annika Lundqvist"
    for field, value in (
        ("customer", {"customer": {"id": "c-1", "name": name}}), ("assignee", {"assignee": name}),
        ("assignee object", {"assignee": {"displayName": name, "active": True}}),
        ("author", {"commit": {"author": {"name": name, "date": "2026-01-02"}}}),
        ("author text", {"author": name}), ("reporter", {"fields": {"reporter": {"name": name}}}),
        ("owner", {"owner": {"full_name": name}}), ("patient", {"patient": {"name": name}}),
        ("cardholder", {"card": {"cardholder_name": name}}),
        ("billing", {"billing_details": {"name": name, "phone": None}}),
        ("recipient", {"recipient": name}), ("created by", {"created_by": {"name": name}}),
        ("contact", {"contacts": [{"name": name}]}), ("first", {"first_name": "Annika Lundqvist"}),
    ):  # fmt: skip
        yield Planted(f"name {field}", "Lundqvist", answer(value))
    card = f"BEGIN:VCARD\r\nFN:{name}\r\nN:Lundqvist;Annika;;;\r\nORG:Nine\r\nEND:VCARD\r\n"
    yield Planted("vcard", "Lundqvist", text(card, "text/vcard"))
    card = "BEGIN:VCARD\r\nADR;TYPE=home:;;Ahornweg 3;Ulm;;89073;DE\r\nEND:VCARD\r\n"
    yield Planted("vcard address", "Ahornweg", text(card, "text/vcard"))
    event = f'BEGIN:VEVENT\r\nATTENDEE;CN="{name}";ROLE=X:mailto:a@example.com\r\nEND:VEVENT\r\n'
    yield Planted("icalendar", "Lundqvist", text(event, "text/calendar"))
    csv = f'id,full_name,dob,token\r\n1,"{name}",1987-03-04,{SAID}\r\n2,x,1990-01-01,y\r\n'
    for secret in ("Lundqvist", "1987-03-04", SAID):
        yield Planted(f"csv {secret}", secret, text(csv, "text/csv"))
    yield Planted("tsv", SAID, text(f"user\tpassword\nann\t{SAID}\n", "text/tab-separated-values"))
    for field in (
        "passportNumber",
        "national_id",
        "ssn",
        "taxId",
        "drivers_license",
        "dateOfBirth",
    ):
        yield Planted(f"field {field}", "K7T-55821-Q", answer({field: "K7T-55821-Q"}))


def _url_rows() -> Iterator[Planted]:
    signed = chars("sig", HEX, 128)
    sas = quote(_b64(chars("sas", ALNUM, 32)), safe="")
    front = chars("cf", ALNUM + "-~", 120)
    key = chars("path", ALNUM, 32)
    for name, url, secret in (
        ("gcs v4", f"/b/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature={signed}", signed),
        ("gcs v2", f"/b/o?GoogleAccessId=x&Expires=1&Signature={sas}", sas),
        ("aws v4", f"/b/o?X-Amz-Date=20260101T000000Z&X-Amz-Signature={signed[:64]}", signed[:64]),
        ("aws sts", f"/b/o?X-Amz-Security-Token={front}", front),
        ("azure sas", f"/c/b?sv=2022-11-02&sp=r&sig={sas}", sas),
        ("cloudfront", f"/p.mp4?Expires=1&Signature={front}&Key-Pair-Id=APKAJX", front),
        ("cloudfront policy", f"/p.mp4?Policy={front}&Signature=x", front),
        ("oauth code", f"/cb?code={key}&state=abc", key), ("oauth state", f"/cb?state={key}", key),
        ("fragment", f"/cb#access_token={key}&token_type=bearer", key),
        ("relay state", f"/acs?RelayState={key}", key),
        ("user code", f"/device?user_code={key[:9]}", key[:9]),
        ("reset", f"/reset-password/{key}", key), ("invite", f"/invite/{key}", key),
        ("verify", f"/v1/verify/{key}/now", key), ("confirm", f"/users/confirm/{key}", key),
        ("unsubscribe", f"/unsubscribe/{key}", key), ("magic", f"/magic-link/{key}", key),
        ("activate", f"/activate/{key}", key), ("telegram", f"/bot71234567:AA{key}x/getMe", key),
        ("hook path", f"/hooks/catch/12/{key}", key), ("share", f"/share/{key}", key),
        ("api key param", f"/x?apikey={key}", key), ("key param", f"/x?key={key}", key),
        ("token param", f"/x?confirmation_token={key}", key), ("hash param", f"/x?auth={key}", key),
    ):  # fmt: skip
        yield Planted(f"url {name}", secret, asked(url))
    issuer = (
        "<AuthnRequest><Issuer>https://sp.corp-nine.io</Issuer><NameID>ann@corp-nine.io</NameID>"
    )
    yield Planted(
        "url saml",
        "ann@corp",
        asked(f"/sso?SAMLRequest={quote(_deflated(issuer), safe='')}"),
        _inflated,
    )


def _header_rows() -> Iterator[Planted]:
    key = chars("header", ALNUM, 32)
    for name, value in (
        ("WWW-Authenticate", f'Digest realm="x", nonce="{key}", qop="auth"'),
        ("WWW-Authenticate", f'Digest realm="x", nonce="n1", opaque="{key}"'),
        ("Proxy-Authenticate", f'Digest realm="x", nonce="{key}"'),
        ("Authentication-Info", f'nextnonce="{key}"'), ("X-Vault-Token", key),
        ("PRIVATE-TOKEN", key), ("X-Shopify-Access-Token", key), ("X-Figma-Token", key),
        ("X-Postmark-Server-Token", key), ("Ocp-Apim-Subscription-Key", key),
        ("X-Amz-Security-Token", key), ("Stripe-Signature", f"t=1,v1={key}"),
        ("X-Hub-Signature-256", f"sha256={key}"), ("X-Twilio-Signature", key),
        ("X-Algolia-API-Key", key), ("X-Auth-Key", key), ("X-Session-Token", key),
        ("Set-Cookie", f"sid={key}; HttpOnly"), ("X-Amz-Cf-Pop-Auth-Key", key), ("api-key", key),
        ("Link", f'<https://api.example.com/x?access_token={key}>; rel="next"'),
    ):  # fmt: skip
        yield Planted(f"header {name}", key, response(b"", "text/plain", (name, value)))
    for scheme in ("Bearer", "SSWS", "Token", "DSN", "GenieKey", "OAuth", "Splunk"):
        message = asked("/x", ("Authorization", f"{scheme} {key}"))
        yield Planted(f"header {scheme}", key, message)
    digest = f'Digest username="annika", realm="r", nonce="n", uri="/x", response="{key}"'
    yield Planted("header digest", key, asked("/x", ("Authorization", digest)))
    yield Planted("header basic", SAID, asked("/x", ("Authorization",
    f"Basic {_b64(f'a:{SAID}')}")),
                  _basic)  # fmt: skip
    reason = f"Denied for ann@corp-nine.io token={SAID}"
    yield Planted("reason", SAID, response(b"", reason=reason))
    yield Planted("reason e-mail", "ann@corp", response(b"", reason=reason))


def _basic(content: bytes) -> str:
    return b64decode(content.split(b"Basic ")[1].split()[0]).decode()


def msgpack(value: Json) -> bytes:
    """MessagePack of small values."""
    if isinstance(value, dict):
        pairs = b"".join(msgpack(key) + msgpack(item) for key, item in value.items())
        return bytes([0x80 | len(value)]) + pairs
    if isinstance(value, list):
        return bytes([0x90 | len(value)]) + b"".join(map(msgpack, value))
    if isinstance(value, str):
        raw = value.encode()
        return (bytes([0xA0 | len(raw)]) if len(raw) < 32 else bytes([0xD9, len(raw)])) + raw
    return struct.pack(">BI", 0xCE, value) if isinstance(value, int) else b"\xc0"


def cbor(value: Json) -> bytes:
    """CBOR of small values."""
    if isinstance(value, dict):
        pairs = b"".join(cbor(key) + cbor(item) for key, item in value.items())
        return bytes([0xA0 | len(value)]) + pairs
    if isinstance(value, list):
        return bytes([0x80 | len(value)]) + b"".join(map(cbor, value))
    if isinstance(value, str):
        raw = value.encode()
        return (bytes([0x60 | len(raw)]) if len(raw) < 24 else bytes([0x78, len(raw)])) + raw
    return struct.pack(">BI", 0x1A, value) if isinstance(value, int) else b"\xf6"


def _coded_rows() -> Iterator[Planted]:
    person: Json = {"user": "ann", "password": SAID, "items": ["ann@corp-nine.io", 7], "n": None}
    both = (SAID, "ann@corp")
    content = json.dumps(person)
    sentence = f"password={SAID} for ann@corp-nine.io"
    body = (
        "--b\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: {}\r\n\r\n{}\r\n--b--"
    )
    quoted = encodestring(f"Grüße, {sentence} and so on".encode()).decode()
    coded: tuple[tuple[str, Interaction, Callable[[bytes], str]], ...] = (
        ("msgpack", response(msgpack(person), "application/msgpack"), _plain),
        ("x-msgpack", response(msgpack([person]), "application/x-msgpack"), _plain),
        ("cbor", response(cbor(person), "application/cbor"), _plain),
        ("cbor problem", response(cbor([person]), "application/problem+cbor"), _plain),
        ("utf-16", response(content.encode("utf-16"), "application/json"), _utf16),
        ("utf-16le", response(content.encode("utf-16-le"), "application/json; charset=utf-16le"),
        _utf16),
        ("utf-16 text", response(sentence.encode("utf-16"), "text/plain; charset=utf-16"), _utf16),
        ("utf-16be text", response(sentence.encode("utf-16-be"), "text/plain; charset=utf-16be"),
        _utf16),
        ("entities", text(f"<p>ann&#64;corp-nine.io &#x70;assword={SAID}</p>", "text/html"),
        _entities),
        ("quoted-printable", text(body.format("quoted-printable", quoted),
        "multipart/mixed; boundary=b"),
         _quoted),
        ("base64 part", text(body.format("base64", _b64(sentence)), "multipart/mixed; boundary=b"),
        _part),
        ("base64 field", answer({"data": _b64(sentence)}), _in_json),
        ("gzip base64 field", answer({"data": _b64(gzip.compress(sentence.encode()))}), _in_json),
        ("zlib base64 field", answer({"data": _b64(zlib.compress(sentence.encode()))}), _in_json),
        ("hex field", answer({"data": sentence.encode().hex()}), _in_json),
        ("json in json", answer({"payload": json.dumps({"inner": content})}), _plain),
        ("json in form", form(f"payload={quote(content)}"), _unquoted),
        ("json lines", text(f"{content}\n{content}\n", "application/x-ndjson"), _plain),
        ("event stream", text(f"data: {content}\n\n", "text/event-stream"), _plain),
    )  # fmt: skip
    for secret in both:
        for name, message, read in coded:
            yield Planted(f"{name} {secret}", secret, message, read)
    data = {"kind": "Secret", "data": {"thing": _b64(SAID)}}
    yield Planted("k8s", SAID, answer(data), _k8s)
    yield Planted("k8s list", SAID, answer({"kind": "SecretList", "items": [data]}), _k8s)
    yield Planted("k8s string data", SAID, answer({"kind": "Secret", "stringData": {"t": SAID}}))
    for keys in (("ParameterKey", "ParameterValue"), ("Key", "Value"), ("OptionName", "Value"),
                 ("field", "value"), ("k", "v"), ("label", "value"),
                 ("Name", "Value")):  # fmt: skip
        pair = {keys[0]: "DbPassword", keys[1]: SAID}
        yield Planted(f"pair {keys}", SAID, answer({"list": [pair]}))
    for argv in (
        ["mysql", "-u", "root", f"-p{SAID}"], ["x", "--password", SAID, "-v"],
        ["curl", "-u", f"ann:{SAID}", "https://x"], ["x", f"--token={SAID}"],
        ["sh", "-c", f"export DB_PASS={SAID}"], ["docker", "login", "-p", SAID],
        ["x", "--api-key", SAID], ["sshpass", "-p", SAID, "ssh"],
    ):  # fmt: skip
        yield Planted(f"argv {argv[1]}", SAID, answer({"command": argv}))
    graph = {"query": "mutation($p: String!){login(p: $p){id}}", "variables": {"password": SAID}}
    yield Planted("graphql variables", SAID, answer(graph))


def _plain(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _utf16(content: bytes) -> str:
    return "".join(content[at:].decode("utf-16-le", "replace") for at in (0, 1))


def _entities(content: bytes) -> str:
    return unescape(content.decode())


def _unquoted(content: bytes) -> str:
    return unquote(content.decode())


def _quoted(content: bytes) -> str:
    from quopri import decodestring

    return decodestring(content).decode("utf-8", "replace")


def _part(content: bytes) -> str:
    return b64decode(content.split(b"\r\n\r\n")[1].split(b"\r\n--")[0]).decode()


def _k8s(content: bytes) -> str:
    value = json.loads(content.split(b"\n")[-1])
    return b64decode(value.get("items", [value])[0]["data"]["thing"]).decode()


def _in_json(content: bytes) -> str:
    coded = json.loads(content.split(b"\n")[-1])["data"]
    if set(coded) <= set(HEX):
        return bytes.fromhex(coded).decode()
    raw = b64decode(coded)
    opened = zlib.decompress(raw, 47) if raw[:1] in b"\x1f\x78" else raw
    return opened.decode()


def planted() -> Iterator[Planted]:
    """All of them, each in a message of its own.

    Yields:
        Each secret.
    """
    for vendor, token in vendor_tokens():
        secret = token.rpartition(".")[2] if vendor.startswith("jw") else token
        yield Planted(f"token {vendor}", secret, answer({"note": f"use {token} now"}))
    for name, content, secret in (*_texts(), *_people()):
        media = "text/html" if name.startswith("html") else "text/plain"
        message = answer({"note": content}) if len(name) % 2 else text(content, media)
        yield Planted(f"text {name}", secret, message)
    yield from _field_rows()
    yield from _person_rows()
    yield from _url_rows()
    yield from _header_rows()
    yield from _coded_rows()
    from tests.mockserver.redaction import planted_notations

    yield from planted_notations.planted()
