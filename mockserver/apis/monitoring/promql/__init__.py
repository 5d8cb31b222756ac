"""PromQL: the query language of Prometheus, over any source of tracks."""
