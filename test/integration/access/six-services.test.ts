import { join } from "node:path";
import type { InjectOptions } from "fastify";
import { expect, it } from "vitest";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { TabularKeyStore } from "#ports/api-keys/tabular-key-store.ts";
import { CredentialSealer } from "#ports/credentials/credential-sealer.ts";
import { TabularCredentialService } from "#ports/credentials/tabular-credential-service.ts";
import { createKey } from "#services/gateway/identity/keys/create-key.ts";
import type { Answer } from "#test/helpers/openapi-examples.ts";
import { describeWithStores, type ServiceStores } from "#test/helpers/servers/service-stores.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";
import { AccessMatrix, type MatrixServer, SHOWING } from "./access-matrix.ts";
import { rulesFile } from "./closed-app.ts";
import { attackCursors } from "./cursors.ts";
import { isNamed, RIGHTS } from "./matrix-callers.ts";

/** Operations on files of the gateway's own machine, and those that make keys: they reach no other service. */
const OF_THE_GATEWAY = /\/builder|^\/v1\/keys/;

/** A key for each caller, in the store of the gateway. */
async function createKeys(stores: ServiceStores, folder: string): Promise<ReadonlyMap<string, string>> {
  await using opened = await stores.openTable("keys", folder);
  const store = new TabularKeyStore({ table: opened.table });
  const ids = new UuidV7Generator();
  const texts = new Map<string, string>();
  for (const name of [...Object.keys(RIGHTS), "expired"]) {
    const { tenantId, userId, apps, scopes } = RIGHTS[isNamed(name) ? name : "owner"];
    // The clock of tests stands in the past.
    const term = name === "expired" ? { expiresInSeconds: 1 } : {};
    const clock = name === "expired" ? new FixedClock() : systemClock;
    const { record, text } = createKey({ name, tenantId, userId, apps, scopes: [...scopes], ...term }, { clock, ids });
    await store.create(record);
    texts.set(name, text);
  }
  return texts;
}

/** The six services as processes, whose callers have API keys. */
async function startPlatform(
  stores: ServiceStores,
  settings: Readonly<Record<string, string>> = {},
): Promise<MatrixServer> {
  const folder = agentsFolder({}).path;
  const keys = await createKeys(stores, folder);
  const world = await PlatformWorld.create({
    settings: { AGENTS_DIR: join(REPOSITORY_ROOT, "agents"), ...stores.settings },
  });
  for (const name of ["session", "artifact", "memory", "eval", "runner"] as const) world.start(name);
  world.start("gateway", 0, {
    AUTH: "api-key",
    INBOX: "memory",
    SCHEDULES: "memory",
    WEBHOOKS: "memory",
    DATA_DIR: folder,
    ...settings,
  });
  await world.untilReady();
  const dataFolder = String(world.environmentOf("session")["DATA_DIR"]);
  const opened = await stores.openTable("credentials", dataFolder);
  const credentialKeys = await stores.credentialKeys(dataFolder);
  const sealer = new CredentialSealer(() => credentialKeys);
  const credentials = new TabularCredentialService({ table: opened.table, clock: systemClock, sealer });
  return {
    credentials,
    send: (request, caller, isEndless = false) => sendTo(world.url, withKey(request, keys.get(caller)), isEndless),
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

function withKey(request: InjectOptions, key: string | undefined): InjectOptions {
  return { ...request, headers: { ...request.headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) } };
}

async function sendTo(
  base: string,
  { url, method, headers, payload }: InjectOptions,
  isEndless: boolean,
): Promise<Answer> {
  const controller = new AbortController();
  const isObject = typeof payload === "object";
  const response = await fetch(base + String(url), {
    method: method ?? "GET",
    // The requests of the matrix have one text for each header.
    headers: { ...(headers as Record<string, string>), ...(isObject && { "content-type": "application/json" }) },
    ...(payload !== undefined && { body: isObject ? JSON.stringify(payload) : String(payload) }),
    signal: controller.signal,
  });
  const type = String(response.headers.get("content-type")).split(";", 1)[0] ?? "";
  const status = String(response.status);
  const answered = { status, type, headers: Object.fromEntries(response.headers) };
  if (!isEndless) return { ...answered, text: await response.text() };
  const reader = response.body?.getReader();
  const first = await reader?.read();
  controller.abort();
  return { ...answered, text: Buffer.from(first?.value ?? new Uint8Array()).toString() };
}

const options = { timeout: 240_000, isSkipped: whyNoRedis() !== undefined };

describeWithStores("what callers with API keys may do on six services", options, (nextStores) => {
  it.each(["owner", "admin"] as const)("is the same for every operation, in a round of the %s", async (user) => {
    verifies("authentication:tenants", "authentication:foreign-user", "authentication:scopes", "authentication:apps");
    await using server = await startPlatform(nextStores());
    const round = user === "owner" ? 0 : 1;
    const matrix = await AccessMatrix.of(server, { round, leaveOut: OF_THE_GATEWAY });
    await matrix.useAll(user);
    expect(await matrix.plant()).toEqual(SHOWING);
    const before = await matrix.snapshot();
    await matrix.attack();
    expect(await matrix.compareWithAbsent()).toBeGreaterThan(20);
    await matrix.attackFromTenant();
    expect(await matrix.compareWithAbsent("foreignAdmin")).toBeGreaterThan(10);
    // All operations with the same names in the other tenant, and its deletions.
    const twin = await AccessMatrix.of(server, { round, leaveOut: OF_THE_GATEWAY });
    await twin.useAll("twin");
    await twin.deleteAll("twin");
    expect(await matrix.changesSince(before)).toEqual([]);
    await matrix.deleteAll(user);
  });

  it("is nothing with cursors and page tokens of another user", async () => {
    verifies("authentication:foreign-user");
    await using server = await startPlatform(nextStores());
    const { covered, offered } = await attackCursors(server);
    expect(covered).toEqual(offered);
  });

  it("is nothing with an app that is closed to them, as with none of its name", async () => {
    verifies("authentication:apps");
    await using server = await startPlatform(nextStores(), rulesFile());
    const matrix = await AccessMatrix.of(server, { round: 0, leaveOut: OF_THE_GATEWAY });
    for (const caller of ["owner", "admin", "eve", "foreignAdmin"] as const)
      expect(await matrix.compareClosedWithAbsent(caller)).toBeGreaterThan(20);
  });
});
