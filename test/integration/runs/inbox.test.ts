import { expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { thinking } from "#test/helpers/worlds/resume-scenarios.ts";
import { type ServerWorld, startServerWorld } from "#test/helpers/worlds/server-world.ts";

interface Entry extends JsonObject {
  readonly id: string;
  readonly sessionId: string;
  readonly questions: readonly (JsonObject & { readonly id: string })[];
}

interface Inbox {
  readonly entries: readonly Entry[];
  readonly nextPageToken?: string;
}

/** An agent that clears tasks once somebody agrees, and asks a person for the weather. */
function createDesk(cleared: unknown[] = [], held?: Promise<string>) {
  return new LlmAgent({
    name: "desk",
    model: thinking(({ contents }) => {
      const last = contents.at(-1)?.parts?.at(-1);
      if (last?.text?.startsWith("clear"))
        return functionCallResponse("clear_tasks", { list: last.text.slice(6) }, `clear-${last.text}`);
      if (last?.text === "hold") return held ?? "done";
      if (last?.text === "weather") return functionCallResponse("ask_weather", { place: "here" }, "weather-1");
      return "done";
    }),
    tools: [
      new FunctionTool({
        name: "clear_tasks",
        description: "Clears a list.",
        parameters: { type: "object", properties: { list: { type: "string" } } },
        execute: ({ list }, context) => {
          if (context.toolConfirmation === undefined) {
            context.requestConfirmation({ hint: "This deletes all tasks.", payload: { keep: 0 } });
            return { status: "waits" };
          }
          cleared.push({ list, ...context.toolConfirmation });
          return { cleared: true };
        },
      }),
      new LongRunningFunctionTool({ name: "ask_weather", description: "Asks a person.", execute: () => undefined }),
    ],
  });
}

async function inboxOf(world: ServerWorld, query = ""): Promise<Inbox> {
  const { status, text } = await world.send("GET", `/v1/inbox${query}`);
  expect([status, text]).toEqual([200, text]);
  return JSON.parse(text) as Inbox;
}

async function answer(world: ServerWorld, id: string, body: JsonObject): Promise<{ status: number; body: JsonObject }> {
  const { status, text } = await world.send("POST", `/v1/inbox/${id}`, body);
  return { status, body: JSON.parse(text) as JsonObject };
}

async function entryOf(world: ServerWorld): Promise<Entry> {
  const [entry] = (await inboxOf(world)).entries;
  if (entry === undefined) throw new Error("Nothing waits.");
  return entry;
}

it("lists what waits for people, with its tool, arguments and reason, until it is answered", async () => {
  verifies("platform:inbox:list");
  const cleared: unknown[] = [];
  await using world = await startServerWorld({ agent: createDesk(cleared) });
  expect(await inboxOf(world)).toEqual({ entries: [] });
  await world.say("clear home");
  const entry = await entryOf(world);
  expect(entry).toEqual({
    id: expect.any(String),
    appName: "app",
    userId: "ada",
    sessionId: "talk",
    message: "clear home",
    waitingSince: expect.any(Number),
    questions: [
      {
        id: expect.any(String),
        name: "adk_request_confirmation",
        kind: "confirmation",
        agent: "desk",
        tool: "clear_tasks",
        args: { list: "home" },
        reason: "This deletes all tasks.",
        payload: { keep: 0 },
      },
    ],
  });
  expect((await inboxOf(world, "?appName=app&userId=ada")).entries).toEqual([entry]);
  expect(await inboxOf(world, "?userId=grace")).toEqual({ entries: [] });
  const answered = await answer(world, entry.id, { confirmed: true, payload: { keep: 2 } });
  expect(answered).toMatchObject({ status: 202, body: { appName: "app", userId: "ada", sessionId: "talk" } });
  await expect.poll(() => cleared).toMatchObject([{ list: "home", confirmed: true, payload: { keep: 2 } }]);
  await expect.poll(() => inboxOf(world)).toEqual({ entries: [] });
});

it("takes one answer: the same one again gets its run, and another one is refused", async () => {
  verifies("platform:inbox:answer");
  const cleared: unknown[] = [];
  await using world = await startServerWorld({ agent: createDesk(cleared) });
  await world.say("clear home");
  const { id } = await entryOf(world);
  const given = await Promise.all(
    [true, true, false, false, true].map((confirmed) => answer(world, id, { confirmed })),
  );
  const runs = new Set(given.flatMap(({ status, body }) => (status === 202 ? [body["runId"]] : [])));
  expect(runs.size).toBe(1);
  const [winner] = runs;
  for (const { status, body } of given) {
    if (status === 202) continue;
    expect([status, body["reason"], body["details"]]).toEqual([409, "NOT_WAITING", { runId: id, answeredBy: winner }]);
  }
  await expect.poll(() => inboxOf(world)).toEqual({ entries: [] });
  expect(await answer(world, id, { confirmed: true })).toMatchObject({ status: 409, body: { reason: "NOT_WAITING" } });
  await expect.poll(() => world.stored()).toHaveLength(6);
  expect(cleared).toHaveLength(1);
});

it("takes the result of work that waits for a person, and refuses what does not fit the questions", async () => {
  verifies("platform:inbox:answer");
  await using world = await startServerWorld({ agent: createDesk() });
  await world.say("weather");
  const { id, questions } = await entryOf(world);
  expect(questions).toMatchObject([{ id: "weather-1", kind: "work", tool: "ask_weather", args: { place: "here" } }]);
  const refused = async (body: JsonObject) => {
    const given = await answer(world, id, body);
    expect(given.status).toBe(422);
    return JSON.stringify(given.body["detail"]);
  };
  expect(await refused({ confirmed: true })).toContain('["body","answers","weather-1"]');
  expect(await refused({ answers: { "weather-1": { sky: "blue" }, other: {} } })).toContain(
    '["body","answers","other"]',
  );
  expect(await refused({ answers: { "weather-1": "blue" } })).toContain("weather-1");
  expect((await inboxOf(world)).entries).toHaveLength(1);
  expect((await answer(world, id, { answers: { "weather-1": { sky: "blue" } } })).status).toBe(202);
  await expect.poll(() => world.stored()).toContain('user: ask_weather -> {"sky":"blue"}');
  expect(await answer(world, "no-such-run", { confirmed: true })).toMatchObject({
    status: 404,
    body: { reason: "RUN_NOT_FOUND" },
  });
});

it("has pages, and cuts arguments that are too long for a list", async () => {
  verifies("platform:inbox:list");
  await using world = await startServerWorld({ agent: createDesk() });
  const long = "x".repeat(20_000);
  for (const text of ["one", "two", long]) {
    const sessionId = text.slice(0, 3);
    await world.send("POST", `/apps/app/users/ada/sessions/${sessionId}`);
    const newMessage = { role: "user", parts: [{ text: `clear ${text}` }] };
    await world.send("POST", "/run", { appName: "app", userId: "ada", sessionId, newMessage });
  }
  const first = await inboxOf(world, "?pageSize=2");
  expect(first.entries.map(({ sessionId }) => sessionId)).toEqual(["xxx", "two"]);
  expect(first.entries[0]?.questions).toEqual([
    {
      id: expect.any(String),
      name: "adk_request_confirmation",
      kind: "confirmation",
      agent: "desk",
      tool: "clear_tasks",
      reason: "This deletes all tasks.",
      argsCut: true,
    },
  ]);
  const whole = await world.send("GET", `/v1/inbox/${first.entries[0]?.id}`);
  expect(JSON.parse(whole.text)).toMatchObject({ id: first.entries[0]?.id, questions: [{ args: { list: long } }] });
  const second = await inboxOf(world, `?pageSize=2&pageToken=${first.nextPageToken}`);
  expect([second.entries.map(({ sessionId }) => sessionId), second.nextPageToken]).toEqual([["one"], undefined]);
});

it("takes an answer although the entry's user has had many answers cancelled, and sends no key of the server's", async () => {
  verifies("platform:inbox:answer");
  const cleared: unknown[] = [];
  const held = Promise.withResolvers<string>();
  await using world = await startServerWorld({ agent: createDesk(cleared, held.promise) });
  await world.say("clear home");
  const { id } = await entryOf(world);
  const hold = world.say("hold");
  await expect.poll(() => world.stored()).toContain("user: hold");
  for (let lost = 0; lost < 13; lost += 1) {
    const given = await answer(world, id, { confirmed: false });
    expect(given).toMatchObject({ status: 202, body: { status: "pending" } });
    expect((await world.send("POST", `/v1/runs/${String(given.body["runId"])}/cancel`)).status).toBeLessThan(300);
  }
  const last = answer(world, id, { confirmed: true });
  held.resolve("done");
  await hold;
  expect((await last).status).toBe(202);
  await expect.poll(() => cleared).toMatchObject([{ list: "home", confirmed: true }]);
  const response = await fetch(`${world.url}/v1/runs`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "fairlead:inbox:0" },
    body: JSON.stringify({
      appName: "app",
      userId: "ada",
      sessionId: "talk",
      newMessage: { role: "user", parts: [{ text: "x" }] },
    }),
  });
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining("must not begin with fairlead:"),
  ]);
});
