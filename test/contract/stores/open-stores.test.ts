import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as stores from "fairlead/stores";
import { describe, expect, it, onTestFinished } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { verifies } from "#test/helpers/verifies.ts";

const KEY = { appName: "app", userId: "ada", id: "first" };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stores-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "data");
}

/** The content of all files below the folder. */
function readAll(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => readFileSync(file, "latin1")).join("\n");
}

describe("what fairlead/stores exports", () => {
  it("loads no SDK, no database and no adapter when it is imported, and one adapter when a function is called", async () => {
    verifies("operations:stores:opened-by-program");
    const script = `
      import { registerHooks } from "node:module";
      const loaded = [];
      const found = [];
      registerHooks({
        resolve: (name, context, next) => (found.push(name), next(name, context)),
        load: (url, context, next) => (loaded.push(url), next(url, context)),
      });
      const stores = await import("fairlead/stores");
      await using memory = stores.inMemoryStores();
      const before = { loaded: [...loaded], found: [...found] };
      await using sqlite = await stores.openSqliteStores({ folder: ${JSON.stringify(temporaryFolder())} });
      console.log(JSON.stringify({ before, after: { loaded, found } }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
    const {
      before,
      after,
    }: Record<"before" | "after", Record<"loaded" | "found", readonly string[]>> = JSON.parse(stdout);
    const heavy = /node_modules\/(?!typebox\/|zod\/)|node:sqlite|\/adapters\/[a-z]+\//;
    expect(before.loaded.some((url) => url.endsWith("/adapters/index.ts"))).toBe(true);
    expect([...before.loaded, ...before.found].filter((name) => heavy.test(name))).toEqual([]);
    expect(after.found).toContain("node:sqlite");
    expect(after.loaded.filter((url) => /node_modules\/(@google|ioredis|@grpc)/.test(url))).toEqual([]);
  });

  it("keeps sessions, memory, artifacts and evaluation sets in one folder over a second opening", async () => {
    verifies("operations:stores:opened-by-program");
    const folder = temporaryFolder();
    const part = { text: "saved" };
    {
      await using sqlite = await stores.openSqliteStores({ folder });
      await using files = await stores.openFileStores({ folder });
      await sqlite.sessionService.createSession({ ...KEY, state: { city: "Paris" } });
      await sqlite.memoryService.addMemoryEntries(KEY, [
        { content: { role: "user", parts: [{ text: "likes rain" }] } },
      ]);
      await files.artifactService.saveArtifact({ session: KEY, filename: "note.txt", artifact: part });
      await files.evalStore.createEvalSet({ appName: "app", evalSetId: "first" });
    }
    await using sqlite = await stores.openSqliteStores({ folder });
    await using files = await stores.openFileStores({ folder });
    expect((await sqlite.sessionService.getSession(KEY))?.state).toEqual({ city: "Paris" });
    expect((await sqlite.memoryService.searchMemory(KEY, "rain")).memories).toHaveLength(1);
    expect(await files.artifactService.loadArtifact({ session: KEY, filename: "note.txt" })).toMatchObject(part);
    expect(await files.evalStore.listEvalSets({ appName: "app" })).toEqual(["first"]);
  });

  it("opens a folder once for each kind of stores, and again after the first was disposed of, also twice", async () => {
    verifies("operations:stores:opened-by-program");
    const folder = temporaryFolder();
    for (const open of [stores.openSqliteStores, stores.openFileStores]) {
      const first = await open({ folder });
      await expect(open({ folder })).rejects.toMatchObject({
        reason: "DATA_DIR_IN_USE",
        message: `This process already uses the data folder "${folder}". Dispose of the stores in it, or choose another folder with the option folder.`,
      });
      await first[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
      await (await open({ folder }))[Symbol.asyncDispose]();
    }
  });

  it("refuses a folder that another process uses", async () => {
    const folder = temporaryFolder();
    await using _held = await stores.openSqliteStores({ folder });
    const script = `
      const { openFileStores } = await import("fairlead/stores");
      await openFileStores({ folder: ${JSON.stringify(folder)} }).catch(({ reason, message }) => console.log(reason, message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
    expect(stdout.trim()).toBe(
      `DATA_DIR_IN_USE Another server uses the data folder "${folder}". Stop it, or choose another folder with the option folder.`,
    );
  });

  it("uses the given clock, ids and limits, and leaves no file if an option is refused", async () => {
    verifies("operations:stores:opened-by-program");
    const folder = temporaryFolder();
    const options = { clock: new FixedClock(5), ids: new SequentialIds("id"), limits: { maxStateKeys: 1 } };
    await using sqlite = await stores.openSqliteStores({ folder, ...options });
    for (const { sessionService } of [sqlite, stores.inMemoryStores({ ...options, ids: new SequentialIds("id") })]) {
      const created = await sessionService.createSession({ appName: "app", userId: "ada" });
      expect([created.id, created.lastUpdateTime]).toEqual(["id-1", 5]);
      const state = { one: 1, two: 2 };
      await expect(sessionService.createSession({ ...KEY, state })).rejects.toMatchObject({
        reason: "STATE_TOO_LARGE",
      });
    }
    const other = temporaryFolder();
    const bad = { folder: other, maxCachedSessions: -1 };
    await expect(stores.openSqliteStores(bad)).rejects.toMatchObject({ reason: "INVALID_FIELD" });
    expect(existsSync(other)).toBe(false);
  });

  it("encrypts what is stored with the keys of a provider, and cannot read it without them", async () => {
    verifies("platform:encryption:embedders");
    const folder = temporaryFolder();
    const acme = { ...KEY, tenantId: "acme" };
    const secret = "the-planted-secret";
    const tenants = { default: [Buffer.alloc(32, 1)], acme: [Buffer.alloc(32, 2)] };
    {
      const keyProvider = stores.localKeyProvider({ tenants });
      await using sqlite = await stores.openSqliteStores({ folder, keyProvider });
      await using files = await stores.openFileStores({ folder, keyProvider });
      for (const session of [KEY, acme]) {
        await sqlite.sessionService.createSession({ ...session, state: { secret } });
        await sqlite.memoryService.addMemoryEntries(session, [{ content: { parts: [{ text: secret }] } }]);
        await files.artifactService.saveArtifact({ session, filename: "note.txt", artifact: { text: secret } });
      }
    }
    expect(readAll(folder)).not.toContain(secret);
    const keyProvider = stores.localKeyProvider({ tenants: { default: tenants.default } });
    await using sqlite = await stores.openSqliteStores({ folder, keyProvider });
    await using files = await stores.openFileStores({ folder, keyProvider });
    expect((await sqlite.sessionService.getSession(KEY))?.state).toEqual({ secret });
    for (const read of [
      () => sqlite.sessionService.getSession(acme),
      () => sqlite.memoryService.searchMemory(acme, secret),
      () => files.artifactService.loadArtifact({ session: acme, filename: "note.txt" }),
    ])
      await expect(read()).rejects.toMatchObject({ reason: "CONTENT_KEY_UNAVAILABLE" });
  });

  it("keeps users' credentials, sealed with the given keys or with those of a file in the folder", async () => {
    verifies("platform:credentials:embedders");
    const credential = { authType: "apiKey", apiKey: "the-planted-secret" } as const;
    const keys = { old: Buffer.alloc(32, 1), new: Buffer.alloc(32, 2) };
    for (const given of [
      [],
      [
        { current: "old", keys },
        { current: "new", keys },
      ],
    ]) {
      const folder = temporaryFolder();
      const open = (credentialKeys: (typeof given)[number] | undefined) =>
        stores.openSqliteStores({ folder, ...(credentialKeys && { credentialKeys }) });
      {
        await using sqlite = await open(given[0]);
        await sqlite.credentialService.saveCredential(KEY, "tool", credential);
      }
      expect(readAll(folder)).not.toContain(credential.apiKey);
      expect(existsSync(join(folder, "credential-keys.yaml"))).toBe(given.length === 0);
      await using sqlite = await open(given[1]);
      expect((await sqlite.credentialService.loadCredential(KEY, "tool"))?.credential).toEqual(credential);
    }
  });

  it("limits what is stored by the given limits", async () => {
    verifies("quotas:storage-embedders");
    const storage = { user: { sessions: 1 }, tenant: { storedBytes: 100_000 } };
    await using sqlite = await stores.openSqliteStores({ folder: temporaryFolder(), storage });
    for (const { sessionService } of [sqlite, stores.inMemoryStores({ storage })]) {
      await sessionService.createSession(KEY);
      await expect(sessionService.createSession({ ...KEY, id: "second" })).rejects.toMatchObject({
        reason: "QUOTA_EXCEEDED",
        details: { limit: "sessions", scope: "user", max: "1" },
      });
      await sessionService.deleteSession(KEY);
      await sessionService.createSession({ ...KEY, id: "second" });
    }
  });

  it.each([
    ["openSqliteStores", {}, "folder must be a non-empty string, not undefined."],
    [
      "openSqliteStores",
      { folder: "x", path: "y" },
      /^openSqliteStores: path is not an option; the options are folder, /,
    ],
    ["openSqliteStores", { folder: "x", clock: Date }, /clock must be an object with now\(\) and monotonic\(\), not/],
    [
      "openSqliteStores",
      { folder: "x", credentialKeys: { current: "a" } },
      /credentialKeys.keys must be an object, not/,
    ],
    [
      "openSqliteStores",
      { folder: "x", credentialKeys: { current: "a", keys: {} } },
      /credentialKeys needs a `current`/,
    ],
    ["openSqliteStores", { folder: "x", limits: { maxStateKeys: 0 } }, /limits.maxStateKeys must be an integer of at/],
    [
      "openSqliteStores",
      { folder: "x", keyProvider: {} },
      /keyProvider must be an object with wrap\(\) and unwrap\(\)/,
    ],
    [
      "openSqliteStores",
      { folder: "x", storage: { key: {} } },
      /storage.key is not an option; the options are user, app, /,
    ],
    [
      "openSqliteStores",
      { folder: "x", storage: { user: { sessions: -1 } } },
      /storage.user.sessions must be an integer/,
    ],
    ["openFirestoreStores", { projectId: "p", storage: 5 }, /storage must be an object, not 5/],
    ["openFirestoreStores", { projectId: "p", keyProvider: "x" }, /keyProvider must be an object with wrap\(\)/],
    ["openCloudStorageArtifacts", { bucket: "b", keyProvider: "x" }, /keyProvider must be an object with wrap\(\)/],
    ["localKeyProvider", {}, "tenants must be an object, not undefined."],
    ["localKeyProvider", { tenants: { acme: [] } }, "tenants needs a list of keys for acme."],
    [
      "localKeyProvider",
      { tenants: { Acme: [Buffer.alloc(32)] } },
      "tenants has a name that is not a tenant id: use lower-case letters, digits and hyphens.",
    ],
    ["localKeyProvider", { tenants: { acme: [Buffer.alloc(31)] } }, "tenants needs 32 bytes as key 1 of acme."],
    ["openCloudKmsKeys", {}, "keyName must be a non-empty string, not undefined."],
    ["openFileStores", { folder: "" }, "folder must be a non-empty string, not an empty string."],
    ["openFirestoreStores", {}, "projectId must be a non-empty string, not undefined."],
    ["openFirestoreStores", { projectId: "p", root: "a/b" }, /root must be the path of a collection/],
    ["openFirestoreStores", { projectId: "p", emulatorHost: "http://x" }, /emulatorHost must be host:port/],
    ["openFirestoreStores", { projectId: "p", embedder: {} }, /embedder must be an object with embed\(\)/],
    ["openCloudStorageArtifacts", { bucket: "b", layout: "x" }, 'layout must be "fairlead" or "adk", not this string.'],
    ["openRedisRunStream", { url: "http://secret@host" }, "url must be a redis:// or rediss:// URL, not this string."],
    ["openRedisRunStream", { clusterNodes: ["host:1"] }, /clusterNodes must be a list that is not empty, each member/],
    ["openRedisRunStream", { url: "redis://h", keyPrefix: "a b" }, /keyPrefix must be 1 to 100 characters/],
    ["inMemoryStores", { ids: {} }, "ids must be an object with next(), not this object."],
  ] as const)("refuses bad options by name: %s(%o)", async (name, options, message) => {
    verifies("operations:stores:opened-by-program");
    const open = async (): Promise<unknown> => Reflect.apply(stores[name], undefined, [options]);
    await expect(open()).rejects.toMatchObject({
      reason: "INVALID_FIELD",
      message: typeof message === "string" ? `${name}: ${message}` : expect.stringMatching(message),
    });
  });

  it("refuses two addresses of Redis, and one where nothing answers", async () => {
    verifies("operations:stores:opened-by-program");
    const two = { url: "redis://127.0.0.1:1", clusterNodes: [{ host: "127.0.0.1", port: 1 }] };
    await expect(stores.openRedisRunStream(two)).rejects.toMatchObject({ reason: "CONFIGURATION" });
    await expect(stores.openRedisRunStream({ url: "redis://:secret@127.0.0.1:1" })).rejects.toMatchObject({
      reason: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/^openRedisRunStream: Redis did not accept a connection .*\(ECONNREFUSED\)/),
    });
  });
});
