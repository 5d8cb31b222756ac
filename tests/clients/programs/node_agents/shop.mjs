// Refunds an order with the AI SDK; a function plays its model, and a file is its database.
import { appendFileSync } from "node:fs";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { fromAiSdk, runAgent } from "./understudy-agent.mjs";

const refund = ["refund_order", { order: "A1", amount: 40 }];
const plan = [["look_up_order", { order: "A1" }], ...Array(Number(process.env.REFUNDS ?? 1)).fill(refund)];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

async function doGenerate({ prompt }) {
  const done = prompt.filter((message) => message.role === "tool").length;
  if (done === plan.length) {
    const content = [{ type: "text", text: "I refunded order A1." }];
    return { content, finishReason: { unified: "stop" }, usage, warnings: [] };
  }
  const [toolName, input] = plan[done];
  const content = [{ type: "tool-call", toolCallId: `c${done}`, toolName, input: JSON.stringify(input) }];
  return { content, finishReason: { unified: "tool-calls" }, usage, warnings: [] };
}

const write = (line) => appendFileSync(process.env.SHOP_DB ?? "shop.db", `${line}\n`);
const tools = {
  look_up_order: tool({
    description: "Look an order up.",
    inputSchema: z.object({ order: z.string() }),
    execute: ({ order }) => ({ id: order, total: 40 }),
  }),
  refund_order: tool({
    description: "Refund an order.",
    inputSchema: z.object({ order: z.string(), amount: z.number() }),
    execute: ({ order, amount }) => {
      write(`${order} ${amount}`);
      return { refunded: amount };
    },
  }),
};

await runAgent(async ({ messages }) =>
  fromAiSdk(await generateText({ model: new MockLanguageModelV3({ doGenerate }), messages, tools, stopWhen: stepCountIs(9) })),
);
