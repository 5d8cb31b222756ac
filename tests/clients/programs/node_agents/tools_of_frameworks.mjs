// Calls a tool as a framework does, with a session that answers, one that lets it run, and one that refuses.
import fs from "node:fs";
import { createServer } from "node:http";
import { z } from "zod";

const ran = [];
const inputSchema = z.object({ cents: z.coerce.number() });
const details = { description: "Pay.", inputSchema };

async function pay({ cents }) {
  ran.push(cents);
  fs.writeFileSync(`${process.env.HOME}/paid.txt`, String(cents));
  return { ran: cents };
}

const FRAMEWORKS = {
  async ai_sdk() {
    const { generateText, tool } = await import("ai");
    const { MockLanguageModelV3 } = await import("ai/test");
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const call = { type: "tool-call", toolCallId: "1", toolName: "pay", input: '{"cents": "5"}' };
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({ content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] }),
    });
    const result = await generateText({ model, prompt: "Pay 5.", tools: { pay: tool({ ...details, execute: pay }) } });
    const failed = result.content.find((part) => part.type === "tool-error");
    if (failed) throw failed.error;
    return result.toolResults[0].output;
  },
  async langchain() {
    const { tool } = await import("@langchain/core/tools");
    return tool(pay, { name: "pay", description: "Pay.", schema: inputSchema }).invoke({ cents: "5" });
  },
  async openai_agents() {
    const { RunContext, tool } = await import("@openai/agents");
    const parameters = z.object({ cents: z.number() });
    const made = tool({ name: "pay", description: "Pay.", parameters, execute: pay, errorFunction: null });
    return made.invoke(new RunContext(), '{"cents": 5}');
  },
  async mastra() {
    const { createTool } = await import("@mastra/core/tools");
    return createTool({ id: "pay", ...details, execute: pay }).execute({ cents: "5" });
  },
};

const sent = [];
let answer = {};
let status = 200;
const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = JSON.parse(Buffer.concat(parts).toString());
  sent.push([request.method, request.url.split("/").at(-1), body]);
  const told = request.method === "POST" ? answer : { result: body.result };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(told));
});
server.listen(Number(new URL(process.env.UNDERSTUDY_TOOLS).port), "127.0.0.1", async () => {
  const call = FRAMEWORKS[process.argv[2]];
  const told = [];
  for (answer of [{ result: { mocked: 5 } }, { real: 7, named: false }]) told.push(await call());
  [status, answer] = [500, { error: { message: "RangeError: too much" } }];
  const refused = await call().then(
    () => "",
    (error) => `${error.name}: ${error.message}`,
  );
  process.stdout.write(`${JSON.stringify({ told, refused, ran, sent })}\n`);
  process.exit(0);
});
