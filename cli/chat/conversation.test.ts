import { expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { Conversation } from "./conversation.ts";

async function open(sessionId?: string) {
  const agent = new LlmAgent({ name: "helper", model: new ScriptedModel(["Hello.", "Again."]) });
  const { runner, store } = await createAgentWorld(agent);
  const conversation = new Conversation({ runner, ids: new SequentialIds("talk"), sessionId });
  const say = async (text: string) => {
    const newMessage = { role: "user", parts: [{ text }] };
    const { userId, sessionId: id } = conversation;
    await Array.fromAsync(runner.runAsync({ userId, sessionId: id, newMessage, stateDelta: { said: text } }));
  };
  return { conversation, say, store };
}

it("begins anew with /new, in a session that exists, and keeps the earlier one", async () => {
  const { conversation, say } = await open();
  expect(await conversation.open()).toEqual([]);
  await say("one");
  expect((await conversation.open()).map(({ author }) => author)).toEqual(["user", "helper"]);
  expect(await conversation.read("/state")).toEqual({ kind: "print", text: '{\n  "said": "one"\n}' });
  expect(await conversation.read(" /NEW ")).toEqual({
    ...{ kind: "print", text: "A new conversation begins: session talk-2." },
  });
  expect([conversation.sessionId, await conversation.open()]).toEqual(["talk-2", []]);
  await say("two");
  expect(await conversation.read("/state")).toEqual({ kind: "print", text: '{\n  "said": "two"\n}' });
});

it("creates the session that it is given, and has no state before", async () => {
  const { conversation, store } = await open("mine");
  expect(await conversation.read("/state")).toEqual({ kind: "print", text: "{}" });
  await conversation.open();
  expect(await store.getSession({ appName: "app", userId: "user", id: "mine" })).toMatchObject({ events: [] });
});

it("takes lines of one word that begin with a slash as commands, and others as messages", async () => {
  const { conversation } = await open();
  const kinds = await Promise.all(
    ["/exit", "/Exit ", "hello", "/ exit", "/exit now", "/etc/hosts", "/1"].map((line) => conversation.read(line)),
  );
  expect(kinds.map(({ kind }) => kind)).toEqual(["exit", "exit", ...Array(5).fill("message")]);
  const texts = await Promise.all(["/help", "/stat", "/xyzzy"].map((line) => conversation.read(line)));
  expect(texts).toEqual([
    { kind: "print", text: expect.stringMatching(/\/new .*\n.*\/state .*\n.*\/help .*\n.*\/exit /) },
    { kind: "print", text: 'There is no command "/stat": did you mean "/state"?' },
    { kind: "print", text: 'There is no command "/xyzzy". /help lists them.' },
  ]);
});
