"""What recorded messages are made of: headers, content coding, media types, forms; pure."""

from typing import TYPE_CHECKING

from mockserver.lazy_names import lazy_names

if TYPE_CHECKING:
    from mockserver.messages.content_coding import *
    from mockserver.messages.headers import *
    from mockserver.messages.json_bodies import *
    from mockserver.messages.multipart import *
    from mockserver.messages.relocation import *
    from mockserver.messages.urls import *

__getattr__ = lazy_names(
    __name__,
    {
        "content_coding": "READABLE content_encoding decode_body encode_body",
        "headers": (
            "charset header header_values is_event_stream is_form is_json is_json_lines "
            "is_multipart is_text media_parameter media_type with_header without"
        ),
        "json_bodies": "read_json read_json_object",
        "multipart": "Multipart Part boundary_of split_multipart",
        "relocation": "names_address relocate_links restore_links",
        "urls": "Pair Url join_pairs split_pairs split_url",
    },
)
