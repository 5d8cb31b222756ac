import { createOpenAI } from "@ai-sdk/openai";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";

const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
provider.register();

const cancel = tool({
  description: "Cancel an order.",
  inputSchema: jsonSchema({ type: "object", properties: { order: { type: "string" } }, required: ["order"] }),
  execute: async (order) => {
    if (process.argv.includes("--lie")) return { status: "cancelled" };
    const answer = await fetch(`${process.env.TOOLS_BASE_URL}/cancel_order`, { method: "POST", body: JSON.stringify(order) });
    return (await answer.json()).result;
  },
});

const asked = {
  model: createOpenAI().chat("gpt-5-mini"),
  prompt: (await process.stdin.toArray()).join(""),
  stopWhen: stepCountIs(5),
  tools: { cancel_order: cancel },
  experimental_telemetry: { isEnabled: true },
};
const said = process.argv.includes("--stream") ? streamText(asked) : await generateText(asked);
console.log(await said.text);
await provider.shutdown();
