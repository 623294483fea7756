import { createApp } from "fairlead/adk";
import { LlmAgent, PreloadMemoryTool, Runner, textOf, userContent } from "fairlead/kit";
import { ScriptedModel } from "fairlead/kit/testing";
import { inMemoryStores } from "fairlead/stores";

const stores = inMemoryStores();
const model = new ScriptedModel([
  "Noted.",
  ({ systemInstruction }) => (/lives in Lisbon/.test(String(systemInstruction)) ? "In Lisbon." : "I do not know."),
]);
const rootAgent = new LlmAgent({
  name: "friend",
  model,
  instruction: "Talk with the user.",
  tools: [new PreloadMemoryTool()],
});
const app = createApp({ name: "friend", rootAgent });
const runner = new Runner({ app, ...stores, journal: stores.runJournal, runConfig: { autoCreateSession: true } });

for (const [sessionId, text] of [
  ["monday", "Ada lives in Lisbon"],
  ["friday", "Where does Ada live?"],
] as const) {
  for await (const { author, content } of runner.runAsync({ userId: "ada", sessionId, newMessage: userContent(text) }))
    console.log(`${sessionId}, ${author}: ${textOf(content)}`);
  // A server does this with MEMORY_INGESTION, or when the app asks for it.
  const session = await stores.sessionService.getSession({ appName: "friend", userId: "ada", id: sessionId });
  if (session !== undefined) await stores.memoryService.addSessionToMemory(session);
}
