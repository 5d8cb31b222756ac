"""Reports, one module each."""
