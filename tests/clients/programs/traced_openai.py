"""OpenAI's client as OpenInference traces it, exported over gRPC to the address of the argument."""

import os
import sys

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

question = {"role": "user", "content": "Cancel order A1."}
tool = {"type": "function", "function": {"name": "cancel_order", "parameters": {"type": "object"}}}
answer = openai.OpenAI().chat.completions.create(model="gpt-5", messages=[question], tools=[tool])
print(answer.choices[0].message.tool_calls[0].function.name)
provider.shutdown()
