"""When two requests are the same, and which recording is nearest; pure."""

from mockserver.cassettes.matching.canonical import (
    Canonical,
    Scrub,
    canonical,
    canonical_key,
    counts_times,
    is_plain,
    keep_text,
    loose_canonical,
    text_key,
)
from mockserver.cassettes.matching.differences import NearestRecording, differences, nearest
from mockserver.cassettes.matching.effects import (
    READING_POSTS,
    Effect,
    Scope,
    effect_of,
    is_related,
)
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
    "READING_POSTS",
    "RULES",
    "VOLATILE",
    "Canonical",
    "Effect",
    "IgnoredParts",
    "NearestRecording",
    "Scope",
    "Scrub",
    "Volatile",
    "VolatileRule",
    "canonical",
    "canonical_key",
    "counts_times",
    "differences",
    "effect_of",
    "is_plain",
    "is_related",
    "keep_text",
    "loose_canonical",
    "nearest",
    "text_key",
]
