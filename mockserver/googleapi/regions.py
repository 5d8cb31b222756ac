"""Regions and zones of Google Cloud. Source: the reference page of regions and zones."""

from collections.abc import Mapping, Sequence

_LETTERS: Mapping[str, str] = {"europe-west1": "bcd", "us-central1": "abcf", "us-east1": "bcd"}
REGIONS: Mapping[str, Sequence[str]] = {
    region: [f"{region}-{letter}" for letter in _LETTERS.get(region, "abc")]
    for region in (
        "africa-south1", "asia-east1", "asia-east2", "asia-northeast1", "asia-northeast2",
        "asia-northeast3", "asia-south1", "asia-south2", "asia-southeast1", "asia-southeast2",
        "asia-southeast3", "australia-southeast1", "australia-southeast2", "europe-central2",
        "europe-north1", "europe-north2", "europe-southwest1", "europe-west1", "europe-west10",
        "europe-west12", "europe-west2", "europe-west3", "europe-west4", "europe-west6",
        "europe-west8", "europe-west9", "me-central1", "me-central2", "me-west1",
        "northamerica-northeast1", "northamerica-northeast2", "northamerica-south1",
        "southamerica-east1", "southamerica-west1", "us-central1", "us-east1", "us-east4",
        "us-east5", "us-south1", "us-west1", "us-west2", "us-west3", "us-west4",
    )
}  # fmt: skip
"""Regions to their zones."""
ZONES: Sequence[str] = [zone for zones in REGIONS.values() for zone in zones]
