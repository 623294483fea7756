import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { PostgresSessionStore } from "#adapters/postgres/sessions/postgres-session-store.ts";
import { changing, KEY, LEASE_MS, record, started } from "#test/contract/sessions/session-world.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";

const isMissing = whyNoPostgres() !== undefined;
const UNAVAILABLE = { reason: "STORE_UNAVAILABLE" };

/** Repeats a call while the database is away, as runners do. */
async function insistOn<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      expect(error).toMatchObject(UNAVAILABLE);
      await setTimeout(20);
    }
  }
}

describe.skipIf(isMissing)("a server that is lost", { timeout: 120_000 }, () => {
  const { newSchema, openDatabase, server } = usePostgres({ settings: ["max_connections=20"] });

  it("keeps all that it has acknowledged, once, when it is killed while sessions are written", async () => {
    verifies("postgres:unavailable");
    const schema = newSchema();
    await using database = await openDatabase({ schema });
    const store = new PostgresSessionStore({ database });
    const keys = Array.from({ length: 8 }, (_, index) => ({ ...KEY, id: `session ${index}` }));
    for (const key of keys) await store.createSession(key);
    const acknowledged = new Map(keys.map(({ id }) => [id, [] as string[]]));
    let isOver = false;
    const writers = [...acknowledged].map(async ([id, ids]) => {
      const session = { ...KEY, id };
      const { lease } = await insistOn(() => started(store, `run of ${id}`, { session }));
      for (let n = 0; !isOver; n += 1) {
        const events = [record(`${id}-${n}`, { n })];
        // A run repeats its append with the same events, after those that it knows to be stored.
        await insistOn(() => store.append({ lease, leaseMs: LEASE_MS, afterRevision: n, events }));
        ids.push(`${id}-${n}`);
      }
    });
    for (let kills = 0; kills < 3; kills += 1) {
      const before = [...acknowledged.values()].map((ids) => ids.length);
      const hasMore = () => [...acknowledged.values()].every((ids, index) => ids.length > (before[index] ?? 0) + 5);
      await expect.poll(hasMore).toBe(true);
      await server().kill();
      await server().start();
    }
    isOver = true;
    await Promise.all(writers);
    for (const key of keys) {
      const session = await store.getSession(key);
      expect(session?.events.map(({ id }) => id)).toEqual(acknowledged.get(key.id));
      expect(session?.state).toEqual({ n: (acknowledged.get(key.id)?.length ?? 0) - 1 });
    }
  });

  it("refuses what it cannot answer as a temporary fault, and answers again after its start", async () => {
    verifies("postgres:unavailable");
    await using database = await openDatabase();
    const store = new PostgresSessionStore({ database });
    await store.createSession(KEY);
    await server().kill();
    await expect(store.getSession(KEY)).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.createSession({ ...KEY, id: "other" })).rejects.toMatchObject(UNAVAILABLE);
    await server().start();
    expect((await store.getSession(KEY))?.id).toBe(KEY.id);
    expect(await store.getSession({ ...KEY, id: "other" })).toBeUndefined();
  });

  it("is a temporary fault while it is a standby, which may not be written", async () => {
    verifies("postgres:unavailable");
    await using database = await openDatabase();
    const store = new PostgresSessionStore({ database });
    await store.createSession(KEY);
    const session = await store.getSession(KEY);
    const set = (value: string) => database.write(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    const reload = () => database.read("SELECT pg_reload_conf()");
    await set("on");
    await reload();
    await expect
      .poll(() => store.appendEvent(session!, changing("1", {})).catch(({ reason }) => reason))
      .toBe("STORE_UNAVAILABLE");
    expect((await store.getSession(KEY))?.events).toEqual([]);
    await server().kill();
    await writeFile(join(server().folder, "data", "postgresql.auto.conf"), "");
    await server().start();
    await insistOn(() => store.appendEvent({ ...session!, events: [] }, changing("1", {})));
    expect((await store.getSession(KEY))?.events.map(({ id }) => id)).toEqual(["1"]);
  });

  it("is a temporary fault when it has no connection left", async () => {
    verifies("postgres:unavailable");
    const all = await PostgresDatabase.open({ pool: { url: server().url(), maxConnections: 30 } });
    const held = Array.from({ length: 30 }, () => all.read("SELECT pg_sleep(2)").catch(({ reason }) => reason));
    expect(await Promise.race(held)).toBe("STORE_UNAVAILABLE");
    await using database = await openDatabase();
    await expect(database.read("SELECT 1")).rejects.toMatchObject(UNAVAILABLE);
    await Promise.all(held);
    await all[Symbol.asyncDispose]();
    expect(await database.read("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("is a temporary fault if a statement takes too long, and its connection is not used again", async () => {
    verifies("postgres:unavailable");
    await using database = await openDatabase({ deadlineMs: 100, pool: { url: server().url(), maxConnections: 1 } });
    await expect(database.read("SELECT pg_sleep(5)")).rejects.toMatchObject(UNAVAILABLE);
    expect(await database.read("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("is a temporary fault if it ends a new connection as soon as it has accepted it", async () => {
    verifies("postgres:unavailable");
    const fields = ["SFATAL", "VFATAL", "C57P01", "Mterminating connection due to administrator command"];
    const error = Buffer.from(`${fields.map((field) => `${field}\0`).join("")}\0`);
    const message = (kind: string, body: Buffer) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length + 4);
      return Buffer.concat([Buffer.from(kind), length, body]);
    };
    // The client reads all three at the same time: it is authenticated, may send, and is ended.
    const answer = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I")), message("E", error)]);
    const ending = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(answer));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => ending.once("listening", resolve));
    const address = ending.address();
    const port = typeof address === "object" ? address?.port : 0;
    await using database = await PostgresDatabase.open({ pool: { url: `postgresql://a@127.0.0.1:${port}/a` } });
    await expect(database.read("SELECT 1")).rejects.toMatchObject(UNAVAILABLE);
    await expect(database.write("SELECT 1")).rejects.toMatchObject(UNAVAILABLE);
    ending.close();
  });

  it("is a temporary fault if nobody answers a new connection", { timeout: 30_000 }, async () => {
    verifies("postgres:unavailable");
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    await using database = await PostgresDatabase.open({ pool: { url: `postgresql://a@127.0.0.1:${port}/a` } });
    const before = performance.now();
    await expect(database.read("SELECT 1")).rejects.toMatchObject(UNAVAILABLE);
    expect(performance.now() - before).toBeLessThan(8_000);
    silent.close();
  });
});

describe.skipIf(isMissing)("connections", { timeout: 60_000 }, () => {
  const settings = ["ssl=on", "password_encryption=scram-sha-256"];
  const { openDatabase, server } = usePostgres();
  let folder: string;
  const fileOf = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = server().folder;
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
        ...["-keyout", fileOf("data/server.key"), "-out", fileOf("data/server.crt"), "-subj", "/CN=localhost"],
        ...["-addext", "subjectAltName=DNS:localhost"],
      ],
      { stdio: "ignore" },
    );
    chmodSync(fileOf("data/server.key"), 0o600);
    for (const name of ["server.key", "server.crt"]) chownAsData(folder, name);
    await using database = await openDatabase();
    for (const setting of settings) await database.write(`ALTER SYSTEM SET ${setting.replace("=", " = '")}'`);
    await database.read("SELECT pg_reload_conf()");
    await setTimeout(200);
    await database.write("CREATE ROLE app LOGIN PASSWORD 'first'");
    await writeFile(fileOf("data/pg_hba.conf"), "host all app all scram-sha-256\nhost all all all trust\n");
    await database.read("SELECT pg_reload_conf()");
    await setTimeout(200);
  });

  const isEncrypted = async (url: string, files: { readonly caFile?: string; readonly passwordFile?: string } = {}) => {
    await using database = await PostgresDatabase.open({ pool: { url, ...files } });
    const [row] = await database.read<{ readonly ssl: boolean }>(
      "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
    );
    return row?.ssl;
  };

  it("are encrypted, and the server is compared with the authorities, as sslmode says", async () => {
    verifies("postgres:connections");
    const url = (host: string, mode: string) =>
      `postgresql://postgres@${host}:${server().port}/postgres${mode && `?sslmode=${mode}`}`;
    const caFile = fileOf("data/server.crt");
    expect(await isEncrypted(url("127.0.0.1", ""))).toBe(false);
    expect(await isEncrypted(url("127.0.0.1", "disable"))).toBe(false);
    expect(await isEncrypted(url("127.0.0.1", "require"))).toBe(true);
    expect(await isEncrypted(url("127.0.0.1", "verify-ca"), { caFile })).toBe(true);
    expect(await isEncrypted(url("localhost", "verify-full"), { caFile })).toBe(true);
    expect(await isEncrypted(url("localhost", ""), { caFile })).toBe(true);
    // The name is another one, and the authority is not known.
    await expect(isEncrypted(url("127.0.0.1", "verify-full"), { caFile })).rejects.toMatchObject(UNAVAILABLE);
    await expect(isEncrypted(url("localhost", "verify-full"))).rejects.toMatchObject(UNAVAILABLE);
    await expect(isEncrypted(url("localhost", "verify-ca"))).rejects.toMatchObject(UNAVAILABLE);
  });

  it("read the password of a file each time, which may change", async () => {
    verifies("postgres:connections");
    const passwordFile = fileOf("password");
    await writeFile(passwordFile, "first\n");
    const url = `postgresql://app@127.0.0.1:${server().port}/postgres`;
    await using admin = await openDatabase();
    await using database = await PostgresDatabase.open({ pool: { url, passwordFile, maxConnections: 1 } });
    const userOf = async () => (await database.read<{ readonly name: string }>("SELECT current_user AS name"))[0]?.name;
    expect(await userOf()).toBe("app");
    await admin.write("ALTER ROLE app PASSWORD 'second'");
    await admin.read("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
    await expect.poll(() => userOf().catch(({ reason }) => reason)).toBe("STORE_UNAVAILABLE");
    await writeFile(passwordFile, "second");
    expect(await userOf()).toBe("app");
  });

  it.each([
    ["mysql://a@b/c", "must be postgresql://user@host:port/database"],
    ["not a url with s3cret", "must be postgresql://user@host:port/database"],
    ["postgresql://a:s3cret@b/c?sslmode=prefer", "needs sslmode disable, require, verify-ca, verify-full"],
    ["postgresql://a:s3cret@b/c?sslmod=require", "has the parameter sslmod"],
  ])("are refused for the URL %s", async (url, problem) => {
    const error: Error = await PostgresDatabase.open({ pool: { url, name: "DATABASE_URL" } }).then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error).toMatchObject({
      reason: "CONFIGURATION",
      message: expect.stringContaining(`DATABASE_URL ${problem}`),
    });
    expect(error.message).not.toContain("s3cret");
  });
});

/** Gives a file of the server to the user of its folder. */
function chownAsData(folder: string, name: string): void {
  const { uid, gid } = statSync(join(folder, "data"));
  chownSync(join(folder, "data", name), uid, gid);
}
