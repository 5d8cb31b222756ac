"""What captured answers of the Cloud Identity API are in a snapshot."""

from mockserver.model import Capture, Captures

CAPTURES: Captures = {
    "cloudidentity.policies.list": (Capture("identityPolicies", "policies"),),
    "cloudidentity.policies.get": (Capture("identityPolicies"),),
}
"""Discovery id to what its answers fill."""
