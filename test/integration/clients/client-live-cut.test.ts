import { createClient, type LiveCall } from "fairlead/client";
import { expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LiveTurn } from "#kit/testing/scripted-connection.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";
import { FaultProxy } from "#tooling/processes/fault-proxy.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };
const says = (text: string): LiveTurn => [{ content: modelContent(text) }, { turnComplete: true }];
const retry = { maxAttempts: 100, baseDelayMs: 20, maxDelayMs: 20 };

/** A call over a link, to a server whose model says "one", "two" and so on. */
async function startCall() {
  await using stack = new AsyncDisposableStack();
  const model = new ScriptedModel([], { live: ["one", "two", "three"].map(says) });
  const world = stack.use(await startServerWorld({ agent: new LlmAgent({ name: "helper", model }) }));
  const link = stack.use(await FaultProxy.to(Number(new URL(world.url).port)));
  const client = createClient({ baseUrl: `http://127.0.0.1:${link.port}`, retry });
  const reconnects: number[] = [];
  const call = client.live(KEY, {
    modalities: ["TEXT"],
    onReconnect: ({ failures }) => void reconnects.push(failures),
  });
  const texts: string[] = [];
  const ended = readTexts(call, texts);
  call.say("a");
  await expect.poll(() => texts).toEqual(["one"]);
  const owned = stack.move();
  const turns = () => model.connections.map(({ sent }) => sent.flatMap(turnOf));
  return {
    world,
    link,
    client,
    call,
    texts,
    ended,
    model,
    reconnects,
    turns,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function readTexts(call: LiveCall, texts: string[]): Promise<void> {
  for await (const { content } of call) texts.push(...(content?.parts?.flatMap(({ text }) => text ?? []) ?? []));
}

function turnOf(sent: ScriptedModel["connections"][number]["sent"][number]): readonly string[] {
  return sent.kind === "content" ? [sent.content.parts?.[0]?.text ?? ""] : [];
}

it("continues the run whose socket was cut, without a missing or repeated event or message", async () => {
  verifies("platform:live:client");
  await using world = await startCall();
  const { link, call, texts, model, reconnects } = world;
  // Lost on its way, with the socket.
  link.set({ kind: "drop" });
  call.say("b");
  model.connections[0]?.say({ content: modelContent("meanwhile") }, { turnComplete: true });
  await expect.poll(async () => (await world.world.stored()).join()).toContain("meanwhile");
  link.reset();
  link.heal();
  await expect.poll(() => texts).toEqual(["one", "meanwhile", "two"]);
  expect(reconnects.length).toBeGreaterThan(0);
  // A second cut, with nothing lost.
  link.reset();
  call.say("c");
  await expect.poll(() => texts).toEqual(["one", "meanwhile", "two", "three"]);
  call.close();
  await world.ended;
  expect(world.turns()).toEqual([["a", "b", "c"]]);
  const { runs } = await world.client.runs.list(KEY);
  expect(runs.map(({ status, attempts }) => [status, attempts])).toEqual([["succeeded", 1]]);
});

it("begins a new run with what was not sent if the first one has ended meanwhile", async () => {
  await using world = await startCall();
  const { link, call, texts } = world;
  const runOf = async () => (await createClient({ baseUrl: world.world.url }).runs.list(KEY)).runs[0]?.runId ?? "";
  link.set({ kind: "refuse" });
  link.reset();
  await createClient({ baseUrl: world.world.url }).runs.cancel(await runOf());
  await expect.poll(() => world.reconnects.length).toBeGreaterThan(0);
  call.say("b");
  link.heal();
  await expect.poll(() => world.turns()).toEqual([["a"], ["b"]]);
  await expect.poll(() => texts).toEqual(["one", "one"]);
  call.close();
  await world.ended;
});
