import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { fromLangChain, runAgent } from "./understudy-agent.mjs";

async function call(name, args) {
  const answer = await fetch(`${process.env.TOOLS_BASE_URL}/${name}`, { method: "POST", body: JSON.stringify(args) });
  return JSON.stringify((await answer.json()).result);
}

const served = (name, schema) => tool((args) => call(name, args), { name, description: name, schema: z.object(schema) });
const text = z.string();
const llm = new ChatOpenAI({
  model: process.env.TRAVEL_MODEL ?? "gpt-5-mini",
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
});
const tools = [
  served("search_flights", { from: text, to: text, date: text, maxPrice: z.number() }),
  served("book_flight", { flightId: text, name: text, email: text, seats: z.number() }),
  served("cancel_booking", { id: text }),
];
const agent = createReactAgent({ llm, tools });
await runAgent(async ({ messages }) => fromLangChain(await agent.invoke({ messages }), messages.length));
