from harness.model import RunManifest
from tests.harness.records import manifest


def test_a_manifest_survives_the_way_through_json() -> None:
    made = manifest(["C-1"], policy={"rate": 0.6}, note="why")
    assert RunManifest.model_validate_json(made.model_dump_json()) == made
