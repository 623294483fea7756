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
defaults: { user: { sessions: 3, storedBytes: 6000 } }
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

function exceeded(limit: string, unit: string, max: number) {
  return {
    status: 429,
    retryAfter: null,
    reason: "QUOTA_EXCEEDED",
    message: `The quota of this user is used up: ${limit} is ${max}. Delete sessions to make room.`,
    details: { limit, scope: "user", window: "now", unit, max: String(max) },
  };
}

/** The used amounts by scope and limit, as the command shows them. */
async function usedIn(url: string): Promise<Readonly<Record<string, number>>> {
  await using command = new CliProcess(["usage", "--url", url, "--user", "ada", "--json"]);
  await command.ended;
  const lines: readonly { readonly scope: string; readonly limit: string; readonly used: number }[] = JSON.parse(
    command.output,
  );
  return Object.fromEntries(lines.map(({ scope, limit, used }) => [`${scope} ${limit}`, used]));
}

describe("quotas of stored data", TIMEOUT, () => {
  it("are enforced, shown, and free again after deletions, in one process", async () => {
    verifies("quotas:storage");
    verifies("quotas:storage-usage");
    await useUp(await startOneProcess());
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
