import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { SqliteSessionStore } from "./sqlite-session-store.ts";

const OWNER = { appName: "app", userId: "user" };
const SESSIONS = 600;
/** Every seventh session has a state that is too long to be read with the others. */
const stateOf = (number: number) => ({ notes: "n".repeat(number % 7 === 0 ? 5000 : 10) });

it("lists more sessions than are read at once, with states of any length, whole and in pages of any size", async () => {
  verifies("operations:session:list");
  using stack = new DisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "fairlead-")), (path) => rmSync(path, { recursive: true }));
  await using store = new SqliteSessionStore({ folder, clock: new FixedClock() });
  const ids = Array.from({ length: SESSIONS }, (_, number) => String(number).padStart(4, "0"));
  await Promise.all(ids.map((id, number) => store.createSession({ ...OWNER, id, state: stateOf(number) })));
  const expected = ids.map((id, number) => [id, stateOf(number)]);
  const whole = await store.listSessions(OWNER);
  expect(whole.sessions.map(({ id, state }) => [id, state])).toEqual(expected);
  for (const page of [
    { pageSize: 1000 },
    { pageSize: 256 },
    { pageSize: 255 },
    { maxCharacters: 40_000 },
    { pageSize: 77, maxCharacters: 1e9 },
  ]) {
    const listed: unknown[] = [];
    for (let pageToken: string | undefined; ; ) {
      const answer = await store.listSessions({ ...OWNER, ...page, ...(pageToken !== undefined && { pageToken }) });
      listed.push(...answer.sessions.map(({ id, state }) => [id, state]));
      pageToken = answer.nextPageToken;
      if (pageToken === undefined) break;
    }
    expect(listed, JSON.stringify(page)).toEqual(expected);
  }
});
