// A program with routes of its own and a server of agents below /agents: sessions in SQLite, and a Gemini model with a
// key of its own. Run it with `TEAM_KEY=… node main.ts`; Ctrl-C closes both.

import { LlmAgent } from "fairlead/kit";
import { Gemini } from "fairlead/models";
import { createServer } from "fairlead/server";
import { openSqliteStores } from "fairlead/stores";
import fastify from "fastify";

const { TEAM_KEY, GEMINI_URL, DATA_DIR = "data", PORT = "3000" } = process.env;
const model = new Gemini({ model: "gemini-3.8-flash", apiKey: TEAM_KEY, baseUrl: GEMINI_URL });
const guide = new LlmAgent({ name: "guide", model, instruction: "You show visitors around the museum." });
const stores = await openSqliteStores({ folder: DATA_DIR });
const agents = await createServer({ agents: [guide], stores, sharedStores: false });

const app = fastify();
app.get("/", async () => "The museum is open.");
await app.register(agents.plugin, { prefix: "/agents" });
console.log(`ready: ${await app.listen({ port: Number(PORT) })}`);
process.once("SIGINT", () => void app.close());
