import { createClient, textOf } from "fairlead/client";
import { LlmAgent } from "fairlead/kit";
import { ScriptedModel, streamedText } from "fairlead/kit/testing";
import { createServer } from "fairlead/server";

const model = new ScriptedModel([streamedText("It ", "is ", "sunny.")]);
const meteo = new LlmAgent({ name: "meteo", model, instruction: "Report the weather." });
// A page on another origin needs its own: CORS_ORIGINS: ["https://app.example.com"].
await using server = await createServer({ agents: [meteo] });
const baseUrl = await server.listen({ port: 0 });

// From here on it is the page's code, with baseUrl "/".
const client = createClient({ baseUrl });
const session = await client.sessions.create({ appName: "meteo", userId: "me" });
for await (const event of await client.stream({ session, newMessage: "What is the weather?" }))
  console.log(`${event.partial === true ? "chunk" : "whole"}: ${textOf(event)}`);
