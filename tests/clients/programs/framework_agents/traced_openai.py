"""OpenAI's client as OpenInference traces it, exported over gRPC to the address of the argument."""

import os
import sys
from typing import Any

import openai
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

provider = TracerProvider()
session = (("x-mock-session", os.environ["MOCK_SESSION"]),)
exporter = OTLPSpanExporter(endpoint=sys.argv[1], insecure=True, headers=session)
provider.add_span_processor(SimpleSpanProcessor(exporter))
OpenAIInstrumentor().instrument(tracer_provider=provider)

question: Any = {"role": "user", "content": "Cancel order A1."}
tool: Any = {
    "type": "function",
    "function": {"name": "cancel_order", "parameters": {"type": "object"}},
}
answer: Any = openai.OpenAI().chat.completions.create(
    model="gpt-5", messages=[question], tools=[tool]
)
sys.stdout.write(f"{answer.choices[0].message.tool_calls[0].function.name}\n")
provider.shutdown()
