import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ListRunsRequest } from "#kit/sessions/run-journal.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { ActiveRunCount } from "./active-run-count.ts";

/** Counts over a store whose lists have two runs a page and take `listMs`; `asked` are the requests for lists. */
async function createWorld(users: readonly string[], listMs = 0) {
  const clock = new FixedClock();
  const store = new InMemorySessionStore({ clock, ids: new SequentialIds() });
  for (const [index, userId] of users.entries()) {
    const session = { appName: "app", userId, id: `s${index}` };
    await store.createSession(session);
    const begin = { runId: `r${index}`, session, invocationId: "i", request: {}, policy: "enqueue" } as const;
    await store.begin({ ...begin, holder: "me", leaseMs: 60_000, haveRevision: 0 });
  }
  const asked: ListRunsRequest[] = [];
  const list = store.list.bind(store);
  store.list = async (request) => {
    asked.push(request);
    clock.advance(listMs);
    return list({ ...request, pageSize: 2 });
  };
  const running = new ActiveRunCount({ runJournal: store, clock });
  const full = (limits: { readonly maxOfApp?: number; readonly maxOfUser?: number }, hasRecord = false) => {
    const place = { appName: "app", userId: "ada", maxOfApp: 0, maxOfUser: 0, ...limits };
    return running.full(place, { hasRecord });
  };
  return { clock, store, asked, full };
}

describe("active runs", () => {
  it("are counted over all pages, for the app and for the user", async () => {
    const { full, asked } = await createWorld(["ada", "bob", "ada", "ada", "bob"], 1);
    expect([await full({ maxOfUser: 3 }), await full({ maxOfUser: 4 })]).toEqual(["user", undefined]);
    expect([await full({ maxOfApp: 5 }), await full({ maxOfApp: 6 }), await full({})]).toEqual([
      "app",
      undefined,
      undefined,
    ]);
    const page = { appName: "app", statuses: ["running"], pageSize: 200 };
    const next = { pageToken: expect.any(String) };
    const ofUser = { ...page, userId: "ada" };
    expect(asked).toEqual([ofUser, { ...ofUser, ...next }, page, { ...page, ...next }, { ...page, ...next }]);
  });

  it("do not include the run that asks", async () => {
    const { full } = await createWorld(["ada", "ada"], 1);
    expect([await full({ maxOfUser: 2 }, true), await full({ maxOfApp: 2 }, true)]).toEqual([undefined, undefined]);
    expect([await full({ maxOfUser: 1 }, true), await full({ maxOfApp: 1 }, true)]).toEqual(["user", "app"]);
  });

  it("are counted again after ten times as long as the count took", async () => {
    const { full, asked, clock } = await createWorld(["ada"], 20);
    await full({ maxOfApp: 1 });
    clock.advance(199);
    await full({ maxOfApp: 1 });
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await full({ maxOfApp: 1 });
    expect(asked).toHaveLength(2);
  });

  it("are counted again after a second, however long the count took", async () => {
    const { full, asked, clock } = await createWorld(["ada"], 5000);
    await full({ maxOfApp: 1 });
    clock.advance(1000);
    await full({ maxOfApp: 1 });
    expect(asked).toHaveLength(2);
  });

  it("are counted again when a count failed", async () => {
    const { full, store } = await createWorld(["ada"], 1);
    const list = store.list;
    store.list = () => Promise.reject(new PlatformError("STORE_UNAVAILABLE", "away"));
    await expect(full({ maxOfApp: 1 })).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    store.list = list;
    expect(await full({ maxOfApp: 1 })).toBe("app");
  });
});
