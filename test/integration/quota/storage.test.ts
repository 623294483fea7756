import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const TIMEOUT = { timeout: 60_000 };
const AGENTS = fileURLToPath(new URL("../../../tooling/agents", import.meta.url));
const RULES = `
defaults:
  user: { sessions: 3, storedBytes: 6000, artifactVersions: 3, artifactBytes: 5000, memoryBytes: 2000 }
  app: { evalBytes: 3000 }
overrides: [{ tenant: default, limits: { storedBytes: 1000000 } }]
`;

/** The path of a file with these quotas. */
function writeRules() {
  const folder = mkdtempSync(join(tmpdir(), "storage-"));
  const path = join(folder, "quotas.yaml");
  writeFileSync(path, RULES);
  return { path, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

async function startOneProcess() {
  const rules = writeRules();
  const environment = { QUOTAS_FILE: rules.path, DEV_UI: "false" };
  const server = new CliProcess(["serve", AGENTS, "--port", "0", "--data-dir", join(rules.folder, "data")], {
    environment,
  });
  const [, url = ""] = await server.until(/(http:\/\/127\.0\.0\.1:\d+)/);
  const dispose = async () => {
    await server[Symbol.asyncDispose]();
    rules[Symbol.dispose]();
  };
  return { url, [Symbol.asyncDispose]: dispose };
}

async function startSixProcesses() {
  const rules = writeRules();
  const world = await PlatformWorld.create({ settings: { QUOTAS_FILE: rules.path } });
  world.startAll();
  await world.untilReady();
  const dispose = async () => {
    await world[Symbol.asyncDispose]();
    rules[Symbol.dispose]();
  };
  return { url: world.url, [Symbol.asyncDispose]: dispose };
}

async function refusalOf(response: Response) {
  // The form of every error's body.
  const { reason, message, details } = (await response.json()) as Readonly<Record<string, unknown>>;
  return { status: response.status, retryAfter: response.headers.get("retry-after"), reason, message, details };
}

function exceeded(limit: string, unit: string, max: number, { scope = "user", room = "sessions" } = {}) {
  return {
    status: 429,
    retryAfter: null,
    reason: "QUOTA_EXCEEDED",
    message: `The quota of this ${scope} is used up: ${limit} is ${max}. Delete ${room} to make room.`,
    details: { limit, scope, window: "now", unit, max: String(max) },
  };
}

/** The used amounts by scope and limit, as the command shows them. */
async function usedIn(url: string): Promise<Readonly<Record<string, number>>> {
  await using command = new CliProcess(["usage", "--url", url, "--user", "ada", "--json"]);
  await command.ended;
  const lines: readonly { readonly scope: string; readonly limit: string; readonly used: number }[] = JSON.parse(
    command.output,
  );
  const used = lines.map(({ scope, limit, used }) => [`${scope} ${limit}`, used] as const);
  return Object.fromEntries(used.filter(([name]) => !/artifact|memory|eval/.test(name)));
}

/** The used amounts of a name, by limit. */
async function storedIn(url: string, query: string): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(`${url}/v1/usage?${query}`);
  // The form of the answer.
  const { usage } = (await response.json()) as { usage: readonly { readonly limit: string; readonly used: number }[] };
  return Object.fromEntries(usage.map(({ limit, used }) => [limit, used]));
}

describe("quotas of stored data", TIMEOUT, () => {
  it("are enforced, shown, and free again after deletions, in one process", async () => {
    verifies("quotas:storage");
    verifies("quotas:storage-usage");
    await useUp(await startOneProcess());
  });

  it("limit files, memory and evaluations too, in one process", async () => {
    verifies("quotas:stored-data");
    await fillStores(await startOneProcess());
  });

  it.skipIf(whyNoRedis() !== undefined)("limit files, memory and evaluations too, over six processes", async () => {
    await fillStores(await startSixProcesses());
  });

  it.skipIf(whyNoRedis() !== undefined)("are the same over six processes", async () => {
    await useUp(await startSixProcesses());
  });
});

async function useUp(started: AsyncDisposable & { readonly url: string }): Promise<void> {
  await using server = started;
  const { url } = server;
  const client = new PlatformClient(url);
  const remove = (id: string) => fetch(`${url}/apps/echo/users/ada/sessions/${id}`, { method: "DELETE" });
  for (const id of ["one", "two", "three"]) expect((await client.createSession(id)).status).toBe(200);
  expect(await refusalOf(await client.createSession("four"))).toEqual(exceeded("sessions", "sessions", 3));
  expect(await usedIn(url)).toEqual({ "user sessions": 3, "user storedBytes": 0, "tenant storedBytes": 0 });

  await client.say("one", "x".repeat(1000));
  const stored = (await usedIn(url))["user storedBytes"] ?? 0;
  expect(stored).toBeGreaterThan(2000);
  const tooLarge = exceeded("storedBytes", "bytes", 6000);
  expect(await refusalOf(await client.run("one", "x".repeat(6000)))).toEqual(tooLarge);
  expect((await client.conversation("one")).length).toBe(2);
  expect((await usedIn(url))["user storedBytes"]).toBe(stored);
  await client.say("two", "hello");

  expect((await remove("one")).ok).toBe(true);
  expect((await client.createSession("four")).status).toBe(200);
  const left = await usedIn(url);
  expect(left["user sessions"]).toBe(3);
  expect(left["user storedBytes"]).toBeLessThan(stored);
  expect(left["tenant storedBytes"]).toBe(left["user storedBytes"]);
  for (const id of ["two", "three", "four"]) await remove(id);
  expect(await usedIn(url)).toEqual({ "user sessions": 0, "user storedBytes": 0, "tenant storedBytes": 0 });
}

/** Saves files at the same time, then memory and evaluation sets, until none has room. */
async function fillStores(started: AsyncDisposable & { readonly url: string }): Promise<void> {
  await using server = started;
  const { url } = server;
  const client = new PlatformClient(url);
  await client.createSession("one");
  const files = "/apps/echo/users/ada/sessions/one/artifacts";
  const save = (filename: string, text: string) => client.post(files, { filename, artifact: { text } });
  const saved = await Promise.all(Array.from({ length: 10 }, (_, index) => save(`f${index}`, "x")));
  expect(saved.filter(({ ok }) => ok).length).toBe(3);
  const refused = saved.find(({ ok }) => !ok);
  const room = "artifacts or sessions";
  expect(refused && (await refusalOf(refused))).toEqual(exceeded("artifactVersions", "versions", 3, { room }));
  expect((await storedIn(url, "userId=ada"))["artifactVersions"]).toBe(3);
  // The limit of bytes of sessions does not count files.
  expect((await storedIn(url, "userId=ada"))["storedBytes"]).toBe(0);

  expect((await fetch(`${url}/apps/echo/users/ada/sessions/one`, { method: "DELETE" })).ok).toBe(true);
  await client.createSession("one");
  const empty = { artifactVersions: 0, artifactBytes: 0 };
  await expect.poll(() => storedIn(url, "userId=ada")).toMatchObject(empty);
  const tooLarge = exceeded("artifactBytes", "bytes", 5000, { room });
  expect(await refusalOf(await save("large", "x".repeat(5000)))).toEqual(tooLarge);
  expect(await storedIn(url, "userId=ada")).toMatchObject(empty);

  const remember = () =>
    fetch(`${url}/apps/echo/users/ada/memory`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sessionId: "one" }),
    });
  await client.say("one", "x".repeat(100));
  expect((await remember()).status).toBe(200);
  const remembered = (await storedIn(url, "userId=ada"))["memoryBytes"] ?? 0;
  expect(remembered).toBeGreaterThan(100);
  await client.say("one", "x".repeat(1000));
  const memoryRoom = "sessions that are in memory";
  expect(await refusalOf(await remember())).toEqual(exceeded("memoryBytes", "bytes", 2000, { room: memoryRoom }));
  expect(await storedIn(url, "userId=ada")).toMatchObject({ memoryBytes: remembered });

  const createSet = (id: string, text: string) =>
    client.post("/apps/echo/eval-sets", { evalSet: { evalSetId: id, name: text, evalCases: [] } });
  expect((await createSet("small", "x")).status).toBe(200);
  const evalRoom = { scope: "app", room: "evaluation sets or cases" };
  expect(await refusalOf(await createSet("large", "x".repeat(3000)))).toEqual(
    exceeded("evalBytes", "bytes", 3000, evalRoom),
  );
  const stored = (await storedIn(url, "appName=echo"))["evalBytes"] ?? 0;
  expect(stored).toBeGreaterThan(20);
  expect(stored).toBeLessThan(500);
}
