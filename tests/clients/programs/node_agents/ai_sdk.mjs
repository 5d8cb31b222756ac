import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { fromAiSdk, runAgent } from "./understudy-agent.mjs";

const openai = createOpenAI();

async function call(name, args) {
  const answer = await fetch(`${process.env.TOOLS_BASE_URL}/${name}`, { method: "POST", body: JSON.stringify(args) });
  return (await answer.json()).result;
}

const served = (name, ...fields) =>
  tool({
    description: name,
    inputSchema: jsonSchema({ type: "object", properties: Object.fromEntries(fields.map((field) => [field, {}])) }),
    execute: (args) => call(name, args),
  });

await runAgent(async ({ messages }) =>
  fromAiSdk(
    await generateText({
      model: openai(process.env.TRAVEL_MODEL ?? "gpt-5-mini"),
      messages,
      stopWhen: stepCountIs(5),
      tools: {
        search_flights: served("search_flights", "from", "to", "date", "maxPrice"),
        book_flight: served("book_flight", "flightId", "name", "email", "seats"),
        cancel_booking: served("cancel_booking", "id"),
      },
    }),
  ),
);
