"""Other ways in: a CONNECT proxy and a TLS listener that end TLS in Google's name, and gRPC."""
