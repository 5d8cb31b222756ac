// A run with models and tools through two SDKs; every event that comes is printed.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.MODULES}/`);
const OpenAI = require("openai");
const Anthropic = require("@anthropic-ai/sdk");

const system = `It is ${new Date().toISOString()}.`;
const task = "How is the weather?";
const schema = { type: "object", properties: { city: { type: "string" } } };
const tool = { name: "get_weather", description: "The weather of a city." };
const show = (event) => console.log(JSON.stringify(event));
const weather = async ({ city }) => (await fetch(`${process.env.WEATHER_URL}/weather?city=${city}`)).text();

async function withOpenAI() {
  const client = new OpenAI.OpenAI({ maxRetries: 0 });
  const messages = [{ role: "system", content: system }, { role: "user", content: task }];
  const tools = [{ type: "function", function: { ...tool, parameters: schema } }];
  for (;;) {
    const stream = await client.chat.completions.create({ model: "gpt-5", messages, tools, stream: true });
    const calls = [];
    let content = "";
    for await (const chunk of stream) {
      show(chunk);
      const delta = chunk.choices[0]?.delta ?? {};
      content += delta.content ?? "";
      for (const each of delta.tool_calls ?? []) {
        const call = (calls[each.index] ??= { id: each.id, type: "function", function: { name: each.function.name, arguments: "" } });
        call.function.arguments += each.function.arguments ?? "";
      }
    }
    if (!calls.length) break;
    messages.push({ role: "assistant", content: content || null, tool_calls: calls });
    for (const call of calls) {
      messages.push({ role: "tool", tool_call_id: call.id, content: await weather(JSON.parse(call.function.arguments)) });
    }
  }
}

async function withAnthropic() {
  const client = new Anthropic.Anthropic({ maxRetries: 0 });
  const messages = [{ role: "user", content: task }];
  const tools = [{ ...tool, input_schema: schema }];
  for (;;) {
    const stream = client.messages.stream({ model: "claude", max_tokens: 99, system, messages, tools });
    for await (const event of stream) show(event);
    const message = await stream.finalMessage();
    const uses = message.content.filter((block) => block.type === "tool_use");
    if (!uses.length) break;
    messages.push({ role: "assistant", content: message.content });
    const results = [];
    for (const use of uses) results.push({ type: "tool_result", tool_use_id: use.id, content: await weather(use.input) });
    messages.push({ role: "user", content: results });
  }
}

for (const name of process.argv.slice(2)) await { openai: withOpenAI, anthropic: withAnthropic }[name]();
