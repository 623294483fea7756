import { describe, expect, it } from "vitest";
import { Parameters } from "#adapters/postgres/database/parameters.ts";
import { PostgresSessionStore } from "#adapters/postgres/sessions/postgres-session-store.ts";
import { KEY } from "#test/contract/sessions/session-world.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";

describe.skipIf(whyNoPostgres() !== undefined)("the statements of a PostgresSessionStore", { timeout: 120_000 }, () => {
  const { newSchema, openDatabase } = usePostgres();

  it("reads the heads of sessions that arrive together in few statements", async () => {
    verifies("postgres:shared-reads");
    const schema = newSchema();
    const calls: string[] = [];
    await using database = await openDatabase({ schema, observeCall: (text) => calls.push(text) });
    const [one, other] = [new PostgresSessionStore({ database }), new PostgresSessionStore({ database })];
    const keys = Array.from({ length: 40 }, (_, index) => ({ ...KEY, userId: `user ${index % 3}`, id: `s${index}` }));
    for (const [index, key] of keys.entries())
      await one.createSession({ ...key, state: { own: index, [`user:${index}`]: 1, "app:shared": 1 } });
    calls.splice(0);
    const sessions = await Promise.all(keys.map((key) => other.getSession(key, { numRecentEvents: 0 })));
    expect(calls.length).toBeLessThanOrEqual(5);
    const ofUser = (user: number) => keys.flatMap((_, index) => (index % 3 === user ? [[`user:${index}`, 1]] : []));
    expect(sessions.map((session) => session?.state)).toEqual(
      keys.map((_, index) => ({ own: index, "app:shared": 1, ...Object.fromEntries(ofUser(index % 3)) })),
    );
  });

  it("fails no other session's read with one whose tenant has no key any more", async () => {
    verifies("postgres:shared-reads");
    await using database = await openDatabase({ schema: newSchema() });
    const keys = createTenantKeys();
    const open = () => {
      const encryption = keys.start();
      const { sealer } = encryption;
      return encryption.withKeys(new PostgresSessionStore({ database, sealer }));
    };
    const sessions = ["default", "acme", "globex"].map((tenantId) => ({
      ...KEY,
      tenantId,
      state: { "user:of": tenantId },
    }));
    const writer = open();
    for (const session of sessions) await writer.createSession(session);
    keys.keys.delete("acme");
    const reader = open();
    const read = () => Promise.allSettled(sessions.map((session) => reader.getSession(session)));
    for (const results of [await read(), await read()])
      expect(results.map((result) => (result.status === "fulfilled" ? result.value?.state : result.reason))).toEqual([
        { "user:of": "default" },
        expect.objectContaining({ reason: "CONTENT_KEY_UNAVAILABLE" }),
        { "user:of": "globex" },
      ]);
  });

  it("finds a session by its id alone, although nothing is known of the tables", async () => {
    await using database = await openDatabase({ schema: newSchema() });
    const store = new PostgresSessionStore({ database });
    await Promise.all(Array.from({ length: 300 }, (_, index) => store.createSession({ ...KEY, id: `s${index}` })));
    const isOwn = "tenant_id = 'default' AND user_id = 'ada' AND app_name = 'app'";
    const plan = async (where: string) =>
      JSON.stringify(await database.read(`EXPLAIN SELECT * FROM fairlead.sessions WHERE ${where}`));
    expect(await plan(`${isOwn} AND id = 's1'`)).not.toContain("sessions_listed");
    expect(await plan(`${isOwn} AND update_step >= 0 ORDER BY update_step DESC LIMIT 9`)).toContain("sessions_listed");
  });

  it("sends texts, numbers and missing values of any form in columns", async () => {
    await using database = await openDatabase({ schema: newSchema() });
    const texts = [
      '"',
      "\\",
      '\\"',
      "{a,b}",
      "NULL",
      "",
      " ",
      "a\tb\nc\r",
      "\u0001\u001f\u007f",
      "é€\u{1f600}",
      "\u2028",
      '{"a":"\\n"}',
    ];
    const rows = [...texts, null].map((text, ord) => ({
      ord,
      text,
      number: ord === 0 ? null : ord / 4,
      flag: ord % 2 === 0,
    }));
    const columns = { ord: "integer", text: "text", number: "double precision", flag: "boolean" } as const;
    const parameters = new Parameters();
    const sql = `SELECT * FROM ${parameters.table("given", columns, rows)} ORDER BY ord`;
    expect(await database.read(sql, parameters.values)).toEqual(rows);
  });
});
