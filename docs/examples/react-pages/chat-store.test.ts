import { createClient } from "fairlead/client";
import { FunctionTool, LlmAgent } from "fairlead/kit";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";
import { createServer } from "fairlead/server";
import { expect, it } from "vitest";
import { ChatStore } from "./chat-store.ts";

it("streams, asks, confirms, and opens the same conversation again", async () => {
  const model = new ScriptedModel([functionCallResponse("pay", {}), "It is paid."]);
  const pay = new FunctionTool({ name: "pay", description: "Pays.", requireConfirmation: true, execute: () => 1 });
  const clerk = new LlmAgent({ name: "clerk", model, instruction: "Pay.", tools: [pay] });
  await using server = await createServer({ agents: [clerk] });
  const client = createClient({ baseUrl: await server.listen({ port: 0 }) });
  const texts = (store: ChatStore) => store.read().messages.flatMap(({ text }) => (text === "" ? [] : [text]));

  const store = new ChatStore(client);
  let changes = 0;
  const unsubscribe = store.subscribe(() => void (changes += 1));
  const id = await store.open("clerk", null);
  await store.send("Pay!");
  expect([texts(store), store.read().waitingCalls.map(({ name }) => name)]).toEqual([
    ["Pay!"],
    ["adk_request_confirmation"],
  ]);
  unsubscribe();
  const before = changes;
  await store.confirm(true);
  expect([texts(store), store.read().waitingCalls]).toEqual([["Pay!", "It is paid."], []]);
  expect([before > 2, changes]).toEqual([true, before]);

  const reloaded = new ChatStore(client);
  expect(await reloaded.open("clerk", id)).toBe(id);
  expect(texts(reloaded)).toEqual(["Pay!", "It is paid."]);
});
