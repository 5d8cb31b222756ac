// Agents in JavaScript under test: what a framework returns, as the reply that `command:` agents write.
// Copy this file into your project; it needs nothing but Node 20 or newer.
//
//   import { generateText } from "ai";
//   import { fromAiSdk, runAgent } from "./understudy-agent.mjs";
//   await runAgent(async ({ messages }) => fromAiSdk(await generateText({ model, tools, messages, ... })));
//
//   understudy run SUITE --input json --agent "command:node agent.mjs"

/** Reads the conversation from stdin, asks the agent, and writes its reply to stdout, one line of JSON. */
export async function runAgent(agent) {
  const messages = readMessages(await readAll(process.stdin));
  const reply = await agent({ messages, prompt: messages.at(-1)?.content ?? "" });
  process.stdout.write(`\n${JSON.stringify(typeof reply === "string" ? { text: reply } : reply)}\n`);
}

/** The conversation that `--input json` sends, or the prompt alone. */
export function readMessages(text) {
  try {
    const given = JSON.parse(text);
    if (Array.isArray(given?.messages)) return given.messages;
  } catch {
    // a prompt that is no JSON
  }
  return [{ role: "user", content: text }];
}

/** What `generateText` or an awaited `streamText` of the Vercel AI SDK returns, or `agent.generate`. */
export async function fromAiSdk(result) {
  const steps = await result.steps;
  const toolCalls = steps.flatMap((step, number) =>
    (step.toolCalls ?? []).map((call) => {
      const parts = [...(step.content ?? []), ...(step.toolResults ?? [])];
      const own = parts.filter((part) => part.toolCallId === call.toolCallId);
      const failed = own.find((part) => part.type === "tool-error");
      const done = own.find((part) => part.output !== undefined || part.result !== undefined);
      return {
        id: call.toolCallId,
        name: call.toolName,
        args: call.input ?? call.args ?? {},
        step: number,
        status: failed ? "error" : done ? "ok" : "unknown",
        result: failed ? String(failed.error?.message ?? failed.error) : (done?.output ?? done?.result ?? null),
      };
    }),
  );
  const usage = (await (result.totalUsage ?? result.usage)) ?? {};
  return {
    text: await result.text,
    toolCalls,
    rounds: steps.length,
    finish: (await result.finishReason) ?? "",
    usage: {
      input_tokens: usage.inputTokens ?? usage.promptTokens,
      output_tokens: usage.outputTokens ?? usage.completionTokens,
    },
  };
}

/** What an agent or graph of LangChain.js returns: a state with `messages`; `before` are those it was given. */
export function fromLangChain(state, before = 0) {
  const messages = state.messages.slice(before);
  const said = messages.filter((message) => kind(message) === "ai");
  const results = new Map(
    messages.filter((message) => kind(message) === "tool").map((message) => [message.tool_call_id, message]),
  );
  const toolCalls = said.flatMap((message, step) =>
    (message.tool_calls ?? []).map((call) => {
      const result = results.get(call.id);
      const status = result === undefined ? "unknown" : result.status === "error" ? "error" : "ok";
      return { id: call.id, name: call.name, args: call.args, step, status, result: result ? value(result) : null };
    }),
  );
  const sum = (name) => said.reduce((total, message) => total + (message.usage_metadata?.[name] ?? 0), 0);
  return {
    text: said.length ? text(said.at(-1).content) : "",
    toolCalls,
    rounds: said.length,
    usage: { input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens") },
  };
}

function kind(message) {
  return message.type ?? message.getType?.() ?? message._getType?.();
}

function text(content) {
  if (typeof content === "string") return content;
  return content.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("");
}

function value(message) {
  const said = text(message.content);
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}

async function readAll(stream) {
  let content = "";
  for await (const piece of stream.setEncoding("utf8")) content += piece;
  return content;
}
