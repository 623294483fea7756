import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { SqliteSessionStore } from "./sqlite-session-store.ts";

const KEY = { appName: "app", userId: "user", id: "long" };
const EVENTS = 200;

/** Every seventh event is longer than the others. */
const events = Array.from({ length: EVENTS }, (_, number) =>
  createEvent({
    id: `e${number}`,
    invocationId: "i",
    author: "user",
    timestamp: number,
    content: { role: "user", parts: [{ text: "x".repeat(number % 7 === 0 ? 6000 : 10) }] },
  }),
);

it("reads many events, of any length, in the pages of the store in memory", async () => {
  verifies("operations:session:list-events");
  using stack = new DisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "fairlead-")), (path) => rmSync(path, { recursive: true }));
  await using store = new SqliteSessionStore({ folder, clock: new FixedClock() });
  const expected = new InMemorySessionStore({ clock: new FixedClock() });
  for (const one of [store, expected]) await one.createSession({ ...KEY, events });
  for (const page of [
    ...[{}, { pageSize: 1 }, { pageSize: 63 }, { pageSize: 64 }, { pageSize: 65 }, { maxCharacters: 20_000 }],
    ...[{ pageSize: 100, maxCharacters: 1e9 }, { afterTimestamp: 70, pageSize: 64 }, { maxEventCharacters: 1e6 }],
  ]) {
    for (let pageToken: string | undefined; ; ) {
      const request = { ...KEY, ...page, ...(pageToken !== undefined && { pageToken }) };
      const answer = await store.listEventRecords(request);
      expect(answer, JSON.stringify(request)).toEqual(await expected.listEventRecords(request));
      pageToken = answer.nextPageToken;
      if (pageToken === undefined) break;
    }
  }
  const short = { ...KEY, maxEventCharacters: 4500 };
  const reasonOf = ({ reason }: { readonly reason: string }): string => reason;
  expect(await store.listEventRecords(short).catch(reasonOf)).toEqual(
    await expected.listEventRecords(short).catch(reasonOf),
  );
});
