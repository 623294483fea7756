import { copyFile, mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import type { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreMemoryService } from "#adapters/firestore/firestore-memory-service.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { createGcsArtifactService } from "#adapters/gcs/create-gcs-artifact-service.ts";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import type { ContentEncryption } from "#ports/encryption/content-encryption.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import { KEY, LEASE_MS, NOW, type SessionStore, said, started } from "#test/contract/sessions/session-world.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";

const SECRET = "the-planted-secret";
const ACME = { tenantId: "acme", ...KEY };
const KEY_MISSING = { reason: "CONTENT_KEY_UNAVAILABLE", details: { tenantId: "acme" } };
const UNREADABLE = { reason: "CONTENT_UNREADABLE", details: { tenantId: "acme" } };
const MAX_AGE_MS = 300_000;

interface Stores {
  readonly sessions: SessionStore;
  readonly artifacts: ArtifactService;
  readonly memory: MemoryService;
}

/** Puts the secret into everything that is content. */
async function plant({ sessions, artifacts, memory }: Stores, tenantId: string): Promise<void> {
  const session = { ...KEY, tenantId };
  const state = { own: SECRET, "app:shared": [SECRET], "user:mine": { a: SECRET } };
  const created = await sessions.createSession({ ...session, state });
  await sessions.appendEvent(created, said("e", { content: { role: "user", parts: [{ text: SECRET }] } }));
  const request = { newMessage: { role: "user", parts: [{ text: SECRET }] }, stateDelta: { other: SECRET } };
  const { lease } = await started(sessions, "run", { session, request, haveRevision: 1 });
  const error = { code: "INTERNAL", reason: "INTERNAL", message: SECRET };
  await sessions.finish({ lease, events: [], afterRevision: 1, status: "failed", error });
  for (const filename of ["file.txt", "user:file.txt"]) {
    const artifact = { inlineData: { mimeType: "text/plain", data: btoa(SECRET), displayName: SECRET } };
    await artifacts.saveArtifact({ session, filename, artifact, customMetadata: { note: SECRET } });
  }
  await memory.addMemoryEntries(session, [{ id: "m", content: { parts: [{ text: SECRET }] } }]);
}

async function readBack({ sessions, artifacts, memory }: Stores, tenantId: string): Promise<string> {
  const session = { ...KEY, tenantId };
  return JSON.stringify([
    await sessions.getSession(session),
    await sessions.get("run", tenantId),
    await artifacts.loadArtifact({ session, filename: "file.txt" }),
    await artifacts.getArtifactVersion({ session, filename: "user:file.txt" }),
    await memory.searchMemory(session, SECRET),
  ]);
}

/** How often the secret is in the text: in plain, in base64 and in hex. */
function secretsIn(text: string): number {
  const forms = [SECRET, btoa(SECRET).replaceAll("=", "").slice(0, -2), Buffer.from(SECRET).toString("hex")];
  return forms.reduce((count, form) => count + text.split(form).length - 1, 0);
}

async function filesBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
}

function openOnDisk(folder: string, encryption: ContentEncryption | undefined) {
  const stack = new AsyncDisposableStack();
  const clock = new FixedClock(NOW);
  const sources = { clock, ids: new SequentialIds(), sealer: encryption?.sealer };
  const keyed = <Store extends object>(store: Store): Store => encryption?.withKeys(store) ?? store;
  const sessions = stack.use(new SqliteSessionStore({ folder, maxCachedSessions: 0, ...sources }));
  const memory = stack.use(new SqliteMemoryService({ path: join(folder, "memory.sqlite"), ...sources }));
  const artifacts = new FileArtifactService({ root: join(folder, "artifacts"), ...sources });
  return {
    clock,
    sessions: keyed<SessionStore>(sessions),
    memory: keyed<MemoryService>(memory),
    artifacts: keyed<ArtifactService>(artifacts),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe("content on disk", () => {
  const inFolder = (test: (folder: string) => Promise<void>) => async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-content-"));
    await test(folder.path);
  };

  it(
    "has no planted secret in any file with encryption, and has them without",
    inFolder(async (folder) => {
      verifies("platform:encryption");
      const { start } = createTenantKeys();
      for (const encryption of [undefined, start()]) {
        const place = join(folder, encryption === undefined ? "plain" : "sealed");
        {
          await using stores = openOnDisk(place, encryption);
          for (const tenantId of ["default", "acme"]) {
            await plant(stores, tenantId);
            expect(secretsIn(await readBack(stores, tenantId))).toBeGreaterThan(8);
          }
        }
        const found = secretsIn(await filesBelow(place));
        if (encryption === undefined) expect(found).toBeGreaterThan(20);
        else expect(found).toBe(0);
      }
    }),
  );

  it(
    "is read after a restart and a rotation, and beside what was stored before encryption was on",
    inFolder(async (folder) => {
      verifies("platform:encryption:rotation");
      const { start, keys } = createTenantKeys();
      {
        await using stores = openOnDisk(folder, undefined);
        await plant(stores, "default");
      }
      {
        await using stores = openOnDisk(folder, start());
        await plant(stores, "acme");
      }
      keys.set("acme", [Buffer.alloc(32, 9), ...(keys.get("acme") ?? [])]);
      await using stores = openOnDisk(folder, start());
      expect(secretsIn(await readBack(stores, "acme"))).toBeGreaterThan(8);
      // Its memory is not found: what was stored in plain is opened like the rest.
      expect(secretsIn(await readBack(stores, "default"))).toBeGreaterThan(8);
    }),
  );

  it(
    "is unreadable without its tenant's key, and does not keep other tenants from their runs and content",
    inFolder(async (folder) => {
      verifies("platform:encryption:key-deleted");
      const { start, keys, clock } = createTenantKeys();
      await using stores = openOnDisk(folder, start());
      for (const tenantId of ["acme", "globex"]) {
        await plant(stores, tenantId);
        await started(stores.sessions, "lost", { session: { ...KEY, tenantId }, haveRevision: 1 });
        await stores.sessions.createSession({ ...KEY, tenantId, id: "idle", state: { a: SECRET } });
      }
      keys.delete("acme");
      clock.advance(MAX_AGE_MS);
      for (const call of [
        () => stores.sessions.getSession(ACME),
        () => stores.sessions.listEventRecords(ACME),
        () => stores.sessions.get("run", "acme"),
        () => stores.sessions.createSession({ ...ACME, id: "new", state: { a: 1 } }),
        () => stores.artifacts.loadArtifact({ session: ACME, filename: "file.txt" }),
        () => stores.artifacts.saveArtifact({ session: ACME, filename: "new", artifact: { text: "x" } }),
        () => stores.memory.searchMemory(ACME, SECRET),
        () => stores.memory.addMemoryEntries(ACME, [{ content: { parts: [{ text: "x" }] } }]),
      ])
        await expect(call()).rejects.toMatchObject(KEY_MISSING);
      expect(secretsIn(await readBack(stores, "globex"))).toBeGreaterThan(8);
      stores.clock.advance(LEASE_MS + 1);
      // The run of acme is the oldest, and does not fill the page.
      for (const limit of [1, 10]) {
        const abandoned = await stores.sessions.listAbandoned({ minAgeMs: 0, limit });
        expect(abandoned.map(({ session }) => session.tenantId)).toEqual(["globex"]);
      }
      // Content can be deleted without its key, except in sessions with unfinished runs.
      await expect(stores.sessions.deleteSession(ACME)).rejects.toMatchObject(KEY_MISSING);
      await stores.sessions.deleteSession({ ...ACME, id: "idle" });
      await stores.artifacts.deleteSessionArtifacts(ACME);
      await stores.memory.deleteSessionMemory(ACME, KEY.id);
      expect(await stores.artifacts.listArtifactKeys(ACME)).toEqual({ filenames: ["user:file.txt"] });
    }),
  );

  it(
    "makes lists fail as a whole if one entry needs a key that was removed, until that entry is deleted by its id",
    inFolder(async (folder) => {
      verifies("platform:encryption:removed-key");
      const { start, keys } = createTenantKeys();
      const create = (stores: Stores, id: string) =>
        stores.sessions.createSession({ ...ACME, id, state: { own: SECRET } });
      {
        await using stores = openOnDisk(folder, start());
        await create(stores, "old");
      }
      keys.set("acme", [Buffer.alloc(32, 9)]);
      await using stores = openOnDisk(folder, start());
      await create(stores, "new");
      await expect(stores.sessions.listSessions(ACME)).rejects.toMatchObject(KEY_MISSING);
      expect(await stores.sessions.getSession({ ...ACME, id: "new" })).toMatchObject({ state: { own: SECRET } });
      const names = await tenantDataOf(stores.sessions).listData({ tenantId: "acme", pageSize: 10 });
      expect(names.items.map(({ kind, id }) => [kind, id])).toEqual([
        ["session", "new"],
        ["session", "old"],
      ]);
      await stores.sessions.deleteSession({ ...ACME, id: "old" });
      const { sessions } = await stores.sessions.listSessions(ACME);
      expect(sessions.map(({ id }) => id)).toEqual(["new"]);
    }),
  );

  it(
    "leaves nothing half-written when its key is missing, so that the call can be repeated with the key",
    inFolder(async (folder) => {
      const { start, keys, clock } = createTenantKeys();
      await using stores = openOnDisk(folder, start());
      const acme = keys.get("acme") ?? [];
      keys.delete("acme");
      const create = () => stores.sessions.createSession({ ...ACME, state: { a: 1 } });
      await expect(create()).rejects.toMatchObject(KEY_MISSING);
      expect(await stores.sessions.getSession(ACME)).toBeUndefined();
      keys.set("acme", acme);
      clock.advance(MAX_AGE_MS);
      expect(await create()).toMatchObject({ state: { a: 1 } });
      expect(await stores.sessions.getSession(ACME)).toMatchObject({ state: { a: 1 } });
    }),
  );

  it(
    "that is damaged keeps neither the session from other runs nor other sessions from recovery",
    inFolder(async (folder) => {
      const { start } = createTenantKeys();
      const encryption = start();
      {
        await using stores = openOnDisk(folder, encryption);
        for (const id of ["key", "text", "sound"]) {
          const session = { ...ACME, id };
          await stores.sessions.createSession(session);
          await started(stores.sessions, `run of ${id}`, { session });
        }
        const created = await stores.sessions.createSession({ ...ACME, id: "idle" });
        await stores.sessions.appendEvent(created, said("first"));
      }
      const file = join(folder, "sessions.sqlite");
      damage(file, "runs", "request", { where: "run_id = 'run of key'", byte: 50 });
      damage(file, "runs", "request", { where: "run_id = 'run of text'", byte: -1 });
      damage(file, "events", "json", { where: "true", byte: -1 });
      await using stores = openOnDisk(folder, start());
      stores.clock.advance(LEASE_MS + 1);
      const abandoned = await stores.sessions.listAbandoned({ minAgeMs: 0, limit: 1 });
      expect(abandoned.map(({ session }) => session.id)).toEqual(["sound"]);
      const begun = started(stores.sessions, "refused", { session: { ...ACME, id: "idle" } });
      await expect(begun).rejects.toMatchObject(UNREADABLE);
      expect(await stores.sessions.get("refused", "acme")).toBeUndefined();
    }),
  );

  it(
    "is refused if rows or files are exchanged",
    inFolder(async (folder) => {
      const { start } = createTenantKeys();
      const encryption = start();
      {
        await using stores = openOnDisk(folder, encryption);
        for (const id of ["session", "other"]) {
          const created = await stores.sessions.createSession({ ...ACME, id, state: { of: id } });
          await stores.sessions.appendEvent(created, said("first"));
          await stores.sessions.appendEvent({ ...created, events: [], revision: 1 }, said("second"));
          await started(stores.sessions, `run of ${id}`, { session: { ...ACME, id }, haveRevision: 2 });
          for (const filename of ["a", "b"])
            await stores.artifacts.saveArtifact({ session: { ...ACME, id }, filename, artifact: { text: id } });
        }
        await stores.memory.addMemoryEntries(
          ACME,
          ["one", "two"].map((id) => ({ id, content: { parts: [{ text: "tea" }] } })),
        );
      }
      exchange(join(folder, "sessions.sqlite"), "events", "json");
      exchange(join(folder, "sessions.sqlite"), "session_state", "state");
      exchange(join(folder, "sessions.sqlite"), "runs", "request");
      exchange(join(folder, "memory.sqlite"), "memory_entry", "json");
      const files = (id: string) => join(folder, "artifacts", ".tenants", "acme", "app", "user", "s", id);
      await copyFile(join(files("other"), "a", "0.data"), join(files("session"), "a", "0.data"));
      await copyFile(join(files("other"), "a", "0.json"), join(files("other"), "b", "0.json"));
      await using stores = openOnDisk(folder, encryption);
      for (const call of [
        () => stores.artifacts.loadArtifact({ session: ACME, filename: "a" }),
        () => stores.artifacts.getArtifactVersion({ session: { ...ACME, id: "other" }, filename: "b" }),
        () => stores.sessions.listEventRecords(ACME),
        () => stores.sessions.getSession(ACME),
        () => stores.sessions.get("run of session", "acme"),
        () => stores.memory.searchMemory(ACME, "tea"),
      ])
        await expect(call()).rejects.toMatchObject(UNREADABLE);
    }),
  );
});

/** Changes one byte of the encrypted texts of a column; a negative index counts from the end. */
function damage(file: string, table: string, column: string, { where, byte }: { where: string; byte: number }): void {
  using database = new DatabaseSync(file);
  for (const row of database.prepare(`SELECT rowid AS id, ${column} AS text FROM ${table} WHERE ${where}`).all()) {
    const bytes = Buffer.from(String(row["text"]).slice("fl1.".length), "base64url");
    const index = byte < 0 ? bytes.length + byte : byte;
    bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
    const text = `fl1.${bytes.toString("base64url")}`;
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(text, Number(row["id"]));
  }
}

/** Gives the first row of a table the encrypted text of the last one. */
function exchange(file: string, table: string, column: string): void {
  using database = new DatabaseSync(file);
  database.exec(
    `UPDATE ${table} SET ${column} = (SELECT ${column} FROM ${table} ORDER BY rowid DESC LIMIT 1)
     WHERE rowid = (SELECT min(rowid) FROM ${table})`,
  );
}

describe.skipIf(whyNoFirestore() !== undefined)(
  "content in Firestore and Cloud Storage",
  { timeout: 60_000 },
  async () => {
    const { openDatabase } = useFirestore();
    const found = await findGcsEmulator();

    it("has no planted secret in any document or object with encryption", async (context) => {
      verifies("platform:encryption:documents");
      if ("missing" in found) return context.skip(found.missing);
      const { start, keys, clock: keyClock } = createTenantKeys();
      const emulator = await GcsEmulator.start(found.program);
      await using _emulator = emulator;
      await using database: FirestoreDatabase = openDatabase();
      const encryption = start();
      const clock = new FixedClock(NOW);
      const sources = { clock, ids: new SequentialIds(), sealer: encryption.sealer };
      const bucketName = await emulator.createBucket();
      const artifacts = createGcsArtifactService({ bucketName, apiEndpoint: emulator.url, ...sources });
      const stores: Stores = {
        sessions: encryption.withKeys(new FirestoreSessionStore({ database, maxRememberedSessions: 0, ...sources })),
        artifacts: encryption.withKeys(artifacts),
        memory: encryption.withKeys(new FirestoreMemoryService({ database, ...sources })),
      };
      for (const tenantId of ["acme", "globex"]) {
        await plant(stores, tenantId);
        expect(secretsIn(await readBack(stores, tenantId))).toBeGreaterThan(8);
      }
      const documents = await database.query({ parent: "", collection: "", allDescendants: true });
      expect(documents.length).toBeGreaterThan(10);
      expect(secretsIn(JSON.stringify(documents))).toBe(0);
      const objects = await emulator.objects(bucketName);
      expect(objects).toHaveLength(4);
      const bodies = await Promise.all(
        objects.map(async ({ name }) => {
          const url = `${emulator.url}/storage/v1/b/${bucketName}/o/${encodeURIComponent(name)}?alt=media`;
          return Buffer.from(await (await fetch(url)).arrayBuffer()).toString("latin1");
        }),
      );
      expect(secretsIn(JSON.stringify(objects) + bodies.join())).toBe(0);
      expect(
        await artifacts.createSignedUrl({ session: ACME, filename: "file.txt" }, { expiresInMs: 1 }),
      ).toBeUndefined();

      verifies("platform:encryption:key-deleted:documents");
      keys.delete("acme");
      keyClock.advance(MAX_AGE_MS);
      await expect(readBack(stores, "acme")).rejects.toMatchObject(KEY_MISSING);
      await expect(stores.artifacts.loadArtifact({ session: ACME, filename: "file.txt" })).rejects.toMatchObject(
        KEY_MISSING,
      );
      expect(secretsIn(await readBack(stores, "globex"))).toBeGreaterThan(8);
    });
  },
);
