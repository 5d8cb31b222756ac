"""OpenAPI documents: read, checked, and answered from where no collection serves an operation."""
