"""What recorded messages are made of: headers, content coding, media types, forms; pure."""
