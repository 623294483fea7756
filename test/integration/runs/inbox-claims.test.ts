import { expect, it, onTestFinished } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse } from "#kit/testing/scripted-model.ts";
import { LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { thinking } from "#test/helpers/worlds/resume-scenarios.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

const SCOPES = "staff=sessions:read,staff=sessions:write,staff=runs:write,support=users:all";
const ANSWER = { answers: { "weather-1": { sky: "blue" } } };

/** A server whose proxy names the callers: ada, who is asked, and people who answer for all. */
async function startDesk(settings: Readonly<Record<string, string>> = { INBOX: "memory" }) {
  const agent = new LlmAgent({
    name: "desk",
    model: thinking(({ contents }) =>
      contents.at(-1)?.parts?.at(-1)?.text === "weather"
        ? functionCallResponse("ask_weather", {}, "weather-1")
        : "done",
    ),
    tools: [new LongRunningFunctionTool({ name: "ask_weather", description: "Asks.", execute: () => undefined })],
  });
  const proxy = { AUTH: "proxy", TRUSTED_PROXIES: "127.0.0.1", PROXY_SCOPE_MAP: SCOPES };
  const world = await startServerWorld({ agent, settings: { ...proxy, ...settings } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const as = (user: string) => async (method: string, path: string, body?: object) => {
    const headers = {
      "x-forwarded-user": user,
      "x-forwarded-groups": user === "ada" || user === "eve" ? "staff" : "staff,support",
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const response = await fetch(world.url + path, { method, headers, body: body && JSON.stringify(body) });
    // Each answer here is JSON.
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  const ada = as("ada");
  await ada("POST", "/apps/app/users/ada/sessions/s1");
  const newMessage = { role: "user", parts: [{ text: "weather" }] };
  await ada("POST", "/run", { appName: "app", userId: "ada", sessionId: "s1", newMessage });
  const { entries } = (await ada("GET", "/v1/inbox")).body as unknown as { entries: readonly { id: string }[] };
  const id = entries[0]?.id ?? "";
  return { ada, grace: as("grace"), linus: as("linus"), eve: as("eve"), id, place: `/v1/inbox/${id}` };
}

it("refuses answers and claims of others while somebody has the entry, and shows who", async () => {
  verifies("platform:inbox:claims");
  const { grace, linus, eve, id, place } = await startDesk();
  const made = await grace("POST", `${place}/claim`, {});
  const claim = { by: "grace", mine: true, since: expect.any(Number), until: expect.any(Number) };
  expect(made).toEqual({ status: 200, body: claim });
  expect(Number(made.body["until"]) - Number(made.body["since"])).toBe(15 * 60_000);
  const shown = { ...made.body, mine: false };
  expect((await linus("GET", "/v1/inbox")).body).toMatchObject({ keepsClaims: true, entries: [{ claim: shown }] });
  expect((await linus("GET", place)).body).toMatchObject({ claim: shown });
  const refusal = {
    status: 409,
    body: { reason: "CLAIMED", details: { runId: id, claimedBy: "grace", claimedUntil: String(made.body["until"]) } },
  };
  expect(await linus("POST", place, ANSWER)).toMatchObject(refusal);
  expect(await linus("POST", `${place}/claim`, {})).toMatchObject(refusal);
  expect(await linus("DELETE", `${place}/claim`)).toMatchObject(refusal);
  for (const [method, path] of [
    ["POST", `${place}/claim`],
    ["DELETE", `${place}/claim`],
  ] as const)
    expect(await eve(method, path, method === "POST" ? { takeOver: true } : undefined)).toMatchObject({
      status: 404,
      body: { reason: "RUN_NOT_FOUND" },
    });
  expect(await linus("POST", `${place}/claim`, { takeOver: true })).toMatchObject({
    status: 200,
    body: { by: "linus" },
  });
  expect(await grace("POST", place, ANSWER)).toMatchObject({ status: 409, body: { details: { claimedBy: "linus" } } });
  expect(await linus("POST", place, ANSWER)).toMatchObject({ status: 202 });
  // The claim ends with the answer.
  await expect.poll(async () => (await grace("GET", place)).body).not.toHaveProperty("claim");
  expect(await grace("POST", `${place}/claim`, {})).toMatchObject({ status: 409, body: { reason: "NOT_WAITING" } });
});

it("lets others answer when the claimer has released the entry, or when they take over", async () => {
  verifies("platform:inbox:claims");
  const { ada, grace, linus, place } = await startDesk();
  await grace("POST", `${place}/claim`, {});
  expect(await grace("DELETE", `${place}/claim`)).toEqual({ status: 200, body: null });
  expect((await linus("GET", place)).body).not.toHaveProperty("claim");
  await grace("POST", `${place}/claim`, {});
  expect(await ada("POST", place, ANSWER)).toMatchObject({ status: 409 });
  expect(await ada("POST", place, { ...ANSWER, takeOver: true })).toMatchObject({ status: 202 });
});

it("has no claims without a store for them", async () => {
  verifies("platform:inbox:claims");
  const { grace, place } = await startDesk({});
  expect((await grace("GET", "/v1/inbox")).body).not.toHaveProperty("keepsClaims");
  for (const method of ["POST", "DELETE"])
    expect(await grace(method, `${place}/claim`, method === "POST" ? {} : undefined)).toMatchObject({
      body: { reason: "CLAIMS_OFF", error: "This server keeps no claims: set INBOX, for example to sqlite." },
    });
  expect(await grace("POST", place, ANSWER)).toMatchObject({ status: 202 });
});
