from harness.model import Canary, RunManifest
from tests.harness.records import manifest


def test_a_manifest_survives_the_way_through_json() -> None:
    made = manifest(["C-1"], policy={"rate": 0.6}, note="why")
    assert RunManifest.model_validate_json(made.model_dump_json()) == made


def test_a_canary_without_an_error_sang() -> None:
    assert Canary(when="before", at="2026-11-20T10:15:00Z").error == ""
