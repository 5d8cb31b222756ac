from harness.model import Cluster


def test_a_cluster_survives_the_way_through_json() -> None:
    made = Cluster(kind="evidence", what="402", cases=("A", "B"), trials=3)
    assert Cluster.model_validate_json(made.model_dump_json()) == made
