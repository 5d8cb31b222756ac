"""What the agent does about a question: the first rule whose words are in it."""

import re
from collections.abc import Callable

from harness.demo.sre.toolbox import Toolbox

Rule = Callable[[Toolbox, str], str]

CHECKOUT = 'run_googleapis_com:request_count{service_name="checkout"}'
_FAILED = 'run_googleapis_com:request_count{service_name="checkout",response_code_class="5xx"}'
_CART_MEMORY = 'kubernetes_io:container_memory_limit_utilization{container_name="cart"}'
_DURATION = 'http_request_duration_seconds_bucket{path="/api/checkout"}'
_RESTARTS = (
    'metric.type = "kubernetes.io/container/restart_count" AND'
    ' resource.labels.container_name = "%s"'
)
_DEPLOYED = (
    'protoPayload.serviceName="run.googleapis.com" AND protoPayload.methodName:"ReplaceService"'
)
_SLOW_S = 2.0
_TRACE = re.compile(r"\b[0-9a-f]{32}\b")
_SERVICES = ("checkout", "cart", "payments", "frontend")


def current_time(tools: Toolbox, _question: str) -> str:
    """The time of day."""
    return f"It is {tools.get_current_time()} UTC."


def projects(tools: Toolbox, _question: str) -> str:
    """Every project, with its state and labels."""
    told = [
        f"{each['projectId']} ({each['state']}, team {each['labels'].get('team', 'unknown')})"
        for each in tools.list_projects()
    ]
    return f"There are {len(told)} projects: {', '.join(told)}."


def project(tools: Toolbox, _question: str) -> str:
    """The number and the owner of the project."""
    found = tools.get_project(tools.cloud.project)
    team = found.get("labels", {}).get("team", "unknown")
    return f"{tools.cloud.project} has the number {found.get('number')}; its team is {team}."


def alerts(tools: Toolbox, _question: str) -> str:
    """What is open, and how grave."""
    told = [
        f"{each['policy']['displayName']} ({each['policy'].get('severity', 'no severity')})"
        for each in tools.list_alerts()
    ]
    return f"{len(told)} alerts are open: {'; '.join(told)}." if told else "No alert is open."


def one_trace(tools: Toolbox, question: str) -> str:
    """The spans of a trace that the question names."""
    named = _TRACE.search(question)
    if named is None:
        return "Which trace? I need its id of 32 digits."
    spans = tools.get_trace(named[0]).get("spans", [])
    told = [f"{span['name']} {span['seconds']:.2f} s" for span in spans]
    return f"Trace {named[0]} has {len(spans)} spans: {', '.join(told)}."


def slowness(tools: Toolbox, _question: str) -> str:
    """Where the time of slow requests goes."""
    found = tools.trace_analyzer("/api/checkout", _SLOW_S)
    if not found:
        return "No slow trace was found, so I cannot say what is slow."
    worst = found[0]
    same = sum(each["span"] == worst["span"] for each in found)
    return (
        f"{len(found)} traces of /api/checkout took over {_SLOW_S:g} s. In {same} of them most of"
        f" the time goes into {worst['span']} of {worst['service']}: the slowest took"
        f" {worst['seconds']:.1f} s, {worst['share']:.0%} of it there."
    )


def percentile(tools: Toolbox, _question: str) -> str:
    """How long the slowest twentieth takes, now and before."""
    query = f"histogram_quantile(0.95, sum by (le) (rate({_DURATION}[30m]%s)))"
    now, before = (_first(tools, query % offset) for offset in ("", " offset 2h"))
    return (
        f"The p95 of /api/checkout is {_seconds(now)} s; two hours ago it was {_seconds(before)} s."
    )


def failures(tools: Toolbox, _question: str) -> str:
    """Which share of requests fails, now and before."""
    query = f"sum(rate({_FAILED}[30m]%s)) / sum(rate({CHECKOUT}[30m]%s))"
    now, before = (_first(tools, query % (offset, offset)) for offset in ("", " offset 2h"))
    return (
        f"{_percent(now)} of the requests to checkout fail with 5xx;"
        f" two hours ago it was {_percent(before)}."
    )


def traffic(tools: Toolbox, _question: str) -> str:
    """How much is asked of checkout."""
    found = _first(tools, f"sum(rate({CHECKOUT}[30m])) * 60")
    about = "an unknown number of" if found is None else f"about {round(found / 50) * 50}"
    return f"checkout gets {about} requests per minute."


def memory(tools: Toolbox, _question: str) -> str:
    """How close each pod of cart is to its limit, and how close it came."""
    found = tools.query_promql(f"max by (pod_name) ({_CART_MEMORY})")
    peak = _first(tools, f"max(max_over_time({_CART_MEMORY}[1h]))")
    pods = sorted(found, key=lambda each: -each["value"])
    told = [f"{each['metric']['pod_name']} at {each['value']:.0%}" for each in pods]
    return (
        f"Of its memory limit cart uses: {', '.join(told) or 'nothing that I know of'}."
        f" Within the last hour it reached {_percent(peak)}."
    )


def restarts(tools: Toolbox, question: str) -> str:
    """How often the containers of a service were started again."""
    service = next((name for name in _SERVICES if name in question.casefold()), "cart")
    series = tools.list_time_series(_RESTARTS % service, 10)
    counts = [int(each["points"][0]["value"]["int64Value"]) for each in series]
    return f"The {len(counts)} pods of {service} restarted {sum(counts)} times in all."


def deployment(tools: Toolbox, _question: str) -> str:
    """Who changed checkout last."""
    found = tools.list_log_entries(_DEPLOYED, 1)
    if not found:
        return "No deployment is in the audit log."
    payload = found[0]["payload"]
    who = payload["authenticationInfo"]["principalEmail"]
    metadata = payload["request"]["service"]["spec"]["template"]["metadata"]
    return (
        f"{who} deployed checkout last: revision {metadata['name']} at"
        f" {found[0]['time']:%H:%M} UTC."
    )


def errors(tools: Toolbox, _question: str) -> str:
    """Which errors there are, most frequent first."""
    told = [
        f"{each['service']}: {each['error']}, {each['count']} times"
        + (f" ({', '.join(each['issues'])})" if each["issues"] else "")
        for each in tools.list_error_groups()
    ]
    return f"{len(told)} groups of errors today. {'. '.join(told)}."


def killed(tools: Toolbox, _question: str) -> str:
    """What the log says of containers that ran out of memory."""
    found = tools.list_log_entries('textPayload:"OOMKilled"', 50)
    latest = f" The latest: {found[0]['payload']}." if found else ""
    return f"{len(found)} log lines tell of OOMKilled containers.{latest}"


def incident(tools: Toolbox, question: str) -> str:
    """What is broken: alerts, errors, and where the time goes."""
    told = (alerts(tools, question), errors(tools, question), slowness(tools, question))
    return " ".join(told)


def first_step(tools: Toolbox, question: str) -> str:
    """What to do: undo the latest change, and watch the memory."""
    return (
        f"{deployment(tools, question)} Roll it back to the revision before,"
        f" then look at cart: {memory(tools, question)}"
    )


RULES: tuple[tuple[str, Rule], ...] = (
    (r"\btime is it|current time", current_time),
    (r"project number|owns? ", project),
    (r"which projects|projects can", projects),
    (r"alert", alerts),
    (r"\btrace\b.*[0-9a-f]{32}", one_trace),
    (r"p95|percentile", percentile),
    (r"what broke|what happened|what is broken", incident),
    (r"do first|what now|next step", first_step),
    (r"slow|latency|takes so long|time goes", slowness),
    (r"share of|error rate|error ratio", failures),
    (r"memory", memory),
    (r"restart", restarts),
    (r"traffic|per minute", traffic),
    (r"deployed|rolled out", deployment),
    (r"log lines|oom", killed),
    (r"errors|exceptions", errors),
)
"""Pattern to rule; the first that is found in the question counts."""


def rule_of(question: str) -> Rule | None:
    """What to do about a question, or None when nothing is known about it."""
    folded = question.casefold()
    return next((rule for pattern, rule in RULES if re.search(pattern, folded)), None)


def _first(tools: Toolbox, query: str) -> float | None:
    found = tools.query_promql(query)
    return found[0]["value"] if found else None


def _percent(value: float | None) -> str:
    if value is None:
        return "an unknown share"
    return f"{value:.1%}" if value < 0.01 else f"{value:.0%}"


def _seconds(value: float | None) -> str:
    if value is None:
        return "an unknown number of"
    return f"{value:.1f}" if value < 1 else f"{value:.0f}"
