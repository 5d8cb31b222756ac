"""OpenAPI documents: what a declaration is made of, where an API has such a document."""
