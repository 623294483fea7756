import { openPostgresStores } from "fairlead/stores";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { migrate } from "#adapters/postgres/schema/migrate.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openCredentialStore } from "#shared/stores/credential-store.ts";
import { openEvalJobStore } from "#shared/stores/eval-job-store.ts";
import { openEvalStore } from "#shared/stores/eval-store.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { openMemoryStore } from "#shared/stores/memory-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";

const KEY = { appName: "app", userId: "ada", id: "first" };

describe.skipIf(whyNoPostgres() !== undefined)("the settings of Postgres", { timeout: 60_000 }, () => {
  const { openDatabase, server } = usePostgres();
  let schemas = 0;

  function configOf(settings: Readonly<Record<string, string>> = {}) {
    schemas += 1;
    return loadConfig(standaloneConfigSchema, {
      DATABASE_URL: server().url(),
      DATABASE_SCHEMA: `settings_${schemas}`,
      DATABASE_POOL_SIZE: "3",
      CREDENTIAL_KEYS_FILE: "/dev/null",
      ...Object.fromEntries(
        ["SESSION", "MEMORY", "EVAL", "CREDENTIAL", "KEY"].map((name) => [`${name}_STORE`, "postgres"]),
      ),
      ...settings,
    });
  }

  function contextOf(config: ReturnType<typeof configOf>, stack: AsyncDisposableStack) {
    const sources = { clock: new FixedClock(), ids: new SequentialIds(), logger: silentLogger };
    return createStoreContext({ config, stack, ...sources });
  }

  it("open all stores of a process on one pool, which is closed with the last of them", async () => {
    verifies("postgres:rows");
    const config = configOf();
    await using one = new AsyncDisposableStack();
    const other = new AsyncDisposableStack();
    const context = contextOf(config, one);
    const sessions = await openSessionStore(context);
    const memory = await openMemoryStore(context);
    const evals = await openEvalStore(context);
    await openEvalJobStore(context);
    await openKeyStore({ config, stack: other });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => sessions.store.createSession({ ...KEY, id: `session ${index}` })),
    );
    await memory.store.addMemoryEntries(KEY, [{ content: { parts: [{ text: "likes rain" }] } }]);
    await evals.store.createEvalSet({ appName: "app", evalSetId: "set" });
    for (const { probe } of [sessions, memory, evals]) await probe?.();
    await using database = await openDatabase();
    const connections = async () => {
      const [row] = await database.read<{ readonly count: number }>(
        "SELECT count(*) AS count FROM pg_stat_activity WHERE query LIKE '%settings_%' AND pid <> pg_backend_pid()",
      );
      return row?.count;
    };
    expect(await connections()).toBeLessThanOrEqual(3);
    await one.disposeAsync();
    expect(await connections()).toBeGreaterThan(0);
    await other.disposeAsync();
    await expect.poll(connections).toBe(0);
  });

  it("do not start a process whose schema is not up to date, if they say so", async () => {
    verifies("postgres:migrations:command");
    const config = configOf({ DATABASE_MIGRATIONS: "check" });
    await using stack = new AsyncDisposableStack();
    await expect(openSessionStore(contextOf(config, stack))).rejects.toMatchObject({
      reason: "CONFIGURATION",
      message: expect.stringContaining("Run: fairlead db migrate"),
    });
    await using database = await openDatabase({ schema: config.DATABASE_SCHEMA, prepare: undefined });
    await migrate(database);
    const { store } = await openSessionStore(contextOf(config, stack));
    expect((await store.createSession(KEY)).id).toBe(KEY.id);
  });

  it("let a process start before its database", async () => {
    verifies("postgres:unavailable");
    const config = configOf();
    await using stack = new AsyncDisposableStack();
    await server().kill();
    const { store, probe } = await openSessionStore(contextOf(config, stack));
    await expect(probe?.()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    await server().start();
    await probe?.();
    expect((await store.createSession(KEY)).id).toBe(KEY.id);
  });

  it.each([
    [{ DATABASE_URL: "" }, "DATABASE_URL"],
    [{ DATABASE_URL: "mysql://a@b/c" }, "DATABASE_URL"],
    [{ DATABASE_POOL_SIZE: "0" }, "DATABASE_POOL_SIZE"],
    [{ DATABASE_SCHEMA: 'a"; DROP' }, "DATABASE_SCHEMA"],
    [{ DATABASE_MIGRATIONS: "never" }, "DATABASE_MIGRATIONS"],
    [{ CREDENTIAL_KEYS_FILE: "" }, "CREDENTIAL_KEYS_FILE"],
  ])("are refused: %j", (settings, name) => {
    expect(() => configOf(settings)).toThrow(name);
  });

  it("seal credentials with the keys of the file", async () => {
    await using stack = new AsyncDisposableStack();
    const opening = openCredentialStore(contextOf(configOf(), stack));
    await expect(opening).rejects.toThrow("CREDENTIAL_KEYS_FILE");
  });

  it("have their counterpart in programs: a URL, or a pool that stays open", async () => {
    await using stores = await openPostgresStores({ url: server().url(), schema: "program" });
    await stores.sessionService.createSession({ ...KEY, state: { city: "Paris" } });
    await stores.memoryService.addMemoryEntries(KEY, [{ content: { parts: [{ text: "likes rain" }] } }]);
    const pool = new pg.Pool({ connectionString: server().url() });
    {
      await using own = await openPostgresStores({ pool, schema: "program" });
      expect((await own.sessionService.getSession(KEY))?.state).toEqual({ city: "Paris" });
      expect((await own.memoryService.searchMemory(KEY, "RAIN")).memories).toHaveLength(1);
      expect(await own.evalStore.listEvalSets({ appName: "app" })).toEqual([]);
      expect(own.credentialService).toBeUndefined();
    }
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
    for (const options of [{}, { url: server().url(), pool }])
      await expect(openPostgresStores(options)).rejects.toThrow("give exactly one of url and pool");
    await expect(openPostgresStores({ url: "postgres://a:secret@b/c?sslmode=x" })).rejects.toThrow("url needs sslmode");
  });
});
