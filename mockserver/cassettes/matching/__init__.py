"""When two requests are the same, and which recording is nearest; pure."""

from mockserver.cassettes.matching.canonical import (
    MODEL_HOST,
    Canonical,
    Scrub,
    by_pointers,
    canonical,
    canonical_key,
    counted_host,
    counts_times,
    differing_places,
    is_model_path,
    is_plain,
    keep_text,
    loose_canonical,
    text_key,
)
from mockserver.cassettes.matching.conversations import (
    explain_difference,
    is_model_call,
    nearest_call,
    place_of,
)
from mockserver.cassettes.matching.differences import NearestRecording, differences, nearest
from mockserver.cassettes.matching.effects import (
    READING_POSTS,
    Effect,
    Scope,
    effect_of,
    is_related,
)
from mockserver.cassettes.matching.time_stamps import TimeStamp, are_explained, stamps_in
from mockserver.cassettes.matching.varying import KINDS, VaryingValue, mask_varying, varied_values
from mockserver.cassettes.matching.volatile import (
    COUNTED_HEADERS,
    RULES,
    VOLATILE,
    IgnoredParts,
    Volatile,
    VolatileRule,
)

__all__ = [
    "COUNTED_HEADERS",
    "KINDS",
    "MODEL_HOST",
    "READING_POSTS",
    "RULES",
    "VOLATILE",
    "Canonical",
    "Effect",
    "IgnoredParts",
    "NearestRecording",
    "Scope",
    "Scrub",
    "TimeStamp",
    "VaryingValue",
    "Volatile",
    "VolatileRule",
    "are_explained",
    "by_pointers",
    "canonical",
    "canonical_key",
    "counted_host",
    "counts_times",
    "differences",
    "differing_places",
    "effect_of",
    "explain_difference",
    "is_model_call",
    "is_model_path",
    "is_plain",
    "is_related",
    "keep_text",
    "loose_canonical",
    "mask_varying",
    "nearest",
    "nearest_call",
    "place_of",
    "stamps_in",
    "text_key",
    "varied_values",
]
