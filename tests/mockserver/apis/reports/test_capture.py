from mockserver.apis.reports.capture import CAPTURES


def test_activities_are_told_by_time_qualifier_and_application() -> None:
    [capture] = CAPTURES["reports.activities.list"]
    assert (capture.collection, capture.items, len(capture.identity)) == ("auditEvents", "items", 3)
