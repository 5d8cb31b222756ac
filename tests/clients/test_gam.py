"""GAM, unchanged, through a usual day of an administrator, with both kinds of its credentials."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mockserver.model import JsonObject
from tests.clients.conftest import Served
from tests.clients.packages import GAM, packages_of
from tests.clients.running import PROGRAMS, run

pytestmark = pytest.mark.slow  # installs GAM, and runs a process for each of its commands

NOON = "2026-11-19T12:00:00Z"
UNIT = {"orgUnitPath": "/Finance", "orgUnitId": "id:03ph8a2zx3qh4wr"}
SCOPES = (
    "admin.directory.customer",
    "admin.directory.domain",
    "admin.directory.group",
    "admin.directory.orgunit",
    "admin.directory.user",
    "admin.directory.userschema",
    "admin.reports.audit.readonly",
    "admin.reports.usage.readonly",
    "apps.groups.settings",
    "apps.licensing",
    "cloud-identity.groups",
)
ADA = "ada.lindqvist@example.com"
WORLD: JsonObject = {
    "chromeReports": {"installedApps": [{"appId": "a", "displayName": "A"}]},
    "resources": {
        "admin:directory_v1": {
            "chromeosdevices": [
                {"deviceId": each, "serialNumber": each, "status": "ACTIVE", "lastSync": NOON,
                 "model": "Book", "autoUpdateExpiration": "1893456000000", **UNIT}
                for each in ("cros-001", "cros-002")
            ],
            "mobiledevices": [{"resourceId": "mob-001", "status": "APPROVED", "email": [ADA]}],
        },
        "cloudidentity:v1": {
            "devices": [{"name": "devices/dev-1", "deviceType": "WINDOWS"}],
            "deviceUsers": [
                {"name": "devices/dev-1/deviceUsers/u-1", "userEmail": ADA,
                 "managementState": "PENDING_APPROVAL"}
            ],
        },
        "alertcenter:v1beta1": {"alerts": [{"alertId": "al-1", "createTime": NOON}]},
    },
}  # fmt: skip


@pytest.mark.parametrize(("credentials", "count"), [("service_account", 75), ("oauth2_txt", 12)])
def test_a_usual_day_passes(credentials: str, count: int, served: Served, tmp_path: Path) -> None:
    packages = packages_of("gam-1", *GAM)
    if isinstance(packages, str):
        pytest.skip(packages)
    session = served.open(overrides=[WORLD])
    key = tmp_path / "oauth2service.json"
    block = served.block(session, "--credentials", "service_account", "-o", str(key))
    is_key = credentials == "service_account"
    (tmp_path / "gam.cfg").write_text(
        f"[DEFAULT]\nenable_dasa = {str(is_key).lower()}\ncustomer_id = C03xq7b2k\n"
        "domain = example.com\nadmin_email = admin@example.com\nno_cache = true\n"
        f"config_dir = {tmp_path}\ncacerts_pem = {block['SSL_CERT_FILE']}\n"
        "api_calls_rate_check = false\n"
    )
    if not is_key:
        person = tmp_path / "person.json"
        served.block(session, "--credentials", "authorized_user", "-o", str(person))
        (tmp_path / "oauth2.txt").write_text(json.dumps(signed_in(json.loads(person.read_text()))))
    command = (sys.executable, "-W", "ignore", str(PROGRAMS / "gam_day.py"), str(count))
    block |= {"PYTHONPATH": str(packages), "GAMCFGDIR": str(tmp_path)}
    facts = run(command, block, tmp_path).facts
    assert facts == {"commands": count, "failed": {}}


def signed_in(person: dict[str, Any]) -> dict[str, Any]:
    """What GAM keeps of an administrator who signed in."""
    claims = {
        "email": "admin@example.com",
        "hd": "example.com",
        "iss": "https://accounts.google.com",
    }
    return {
        **person,
        "token": "",
        "token_expiry": "2026-01-01T00:00:00Z",
        "id_token": "",
        "decoded_id_token": claims,
        "scopes": [f"https://www.googleapis.com/auth/{each}" for each in SCOPES],
    }
