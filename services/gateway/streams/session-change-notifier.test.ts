import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { DEFAULT_TENANT, inTenant } from "#kit/names/tenant.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { type JournalHead, MAX_HEADS } from "#kit/sessions/journal-head.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { SessionChangeNotifier, type SessionFollower } from "./session-change-notifier.ts";

const CHECK_MS = 10_000;
const FIRST: JournalHead = { incarnation: "1", revision: 3 };
const RUN = { runId: "r", invocationId: "i", epoch: 1, attempts: 1, baseRevision: 3 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});

afterEach(() => {
  vi.useRealTimers();
});

function key(id: string, userId = "ada"): SessionKey {
  return { appName: "app", userId, id };
}

/** A waiting reader that has shown three events of the session's first incarnation. */
function follower(session: SessionKey): SessionFollower & { isWaiting: boolean; changes: number } {
  const reader = {
    ...{ session, isWaiting: true, incarnation: "1", revision: 3, changes: 0 },
    change: () => {
      reader.changes += 1;
    },
  };
  return reader;
}

function startNews(heads: ReadonlyMap<string, JournalHead> = new Map()) {
  const calls: { readonly ids: readonly string[]; readonly principal: Principal | undefined }[] = [];
  const watched = new Map<string, () => void>();
  const world = { isAway: false };
  const news = new SessionChangeNotifier({
    runJournal: {
      getHeads: async (sessions) => {
        calls.push({ ids: sessions.map(({ id }) => id), principal: currentCallScope()?.principal });
        if (world.isAway) throw new PlatformError("STORE_UNAVAILABLE", "The store is unavailable.");
        return sessions.map(({ id }) => heads.get(id));
      },
    },
    runStream: {
      watch: (session, tell) => {
        watched.set(session.id, tell);
        return { [Symbol.dispose]: () => void watched.delete(session.id) };
      },
    },
    logger: silentLogger,
  });
  return { news, calls, watched, world };
}

async function check(): Promise<void> {
  await vi.advanceTimersByTimeAsync(CHECK_MS);
}

it("reads the heads of all waiting readers' sessions in one call, and notifies those whose session has changed", async () => {
  const heads = new Map<string, JournalHead>([
    ["quiet", FIRST],
    ["longer", { ...FIRST, revision: 4 }],
    ["running", { ...FIRST, run: RUN }],
    ["another", { incarnation: "2", revision: 0 }],
    ["busy", { ...FIRST, revision: 9 }],
  ]);
  const { news, calls } = startNews(heads);
  const readers = ["quiet", "longer", "running", "another", "gone", "busy"].map((id) => follower(key(id)));
  for (const reader of readers) {
    reader.isWaiting = reader.session.id !== "busy";
    news.join(reader);
  }
  const second = follower(key("longer"));
  news.join(second);
  await check();
  expect(calls.map(({ ids }) => ids)).toEqual([["quiet", "longer", "running", "another", "gone"]]);
  expect([...readers, second].map(({ changes }) => changes)).toEqual([0, 1, 1, 1, 1, 0, 1]);
});

it("names at most as many sessions in a call as the journal accepts", async () => {
  const { news, calls } = startNews();
  for (let index = 0; index <= MAX_HEADS; index += 1) news.join(follower(key(String(index))));
  await check();
  expect(calls.map(({ ids }) => ids.length)).toEqual([MAX_HEADS, 1]);
});

it("keeps the waiting readers when a check fails, and checks again", async () => {
  const { news, calls, world } = startNews(new Map([["s", { ...FIRST, revision: 4 }]]));
  const reader = follower(key("s"));
  news.join(reader);
  world.isAway = true;
  await check();
  expect([calls.length, reader.changes]).toEqual([1, 0]);
  world.isAway = false;
  await check();
  expect([calls.length, reader.changes]).toEqual([2, 1]);
});

it("passes on immediately what a run stream reports, on one watch for a session, until the last reader has left", async () => {
  const { news, watched } = startNews();
  const readers = [follower(key("s")), follower(key("s"))] as const;
  for (const reader of readers) news.join(reader);
  watched.get("s")?.();
  news.leave(readers[0]);
  watched.get("s")?.();
  expect(readers.map(({ changes }) => changes)).toEqual([1, 2]);
  expect([watched.size, vi.getTimerCount()]).toEqual([1, 1]);
  news.leave(readers[1]);
  news.leave(readers[1]);
  expect([watched.size, vi.getTimerCount()]).toEqual([0, 0]);
});

it("answers the requests of one turn with one call, and each with its own failure", async () => {
  const { news, calls, world } = startNews(new Map([["a", FIRST]]));
  const looks = ["a", "b", "a"].map((id) => news.look(key(id)));
  expect(await Promise.all(looks)).toEqual([FIRST, undefined, FIRST]);
  expect(calls.map(({ ids }) => ids)).toEqual([["a", "b"]]);
  world.isAway = true;
  const failed = await Promise.allSettled([news.look(key("a")), news.look(key("b"))]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

it("opens in the request's call scope, and checks waiting readers in a scope for all users", async () => {
  const { news, calls } = startNews(new Map([["s", FIRST]]));
  const principal = { tenantId: DEFAULT_TENANT, appName: "app", userId: "ada", scopes: [] };
  const reader = follower(key("s"));
  await inCallScope({ principal }, async () => {
    news.join(reader);
    expect(await news.open(reader.session)).toEqual(FIRST);
    await news.look(reader.session);
  });
  await check();
  const everyUser = { tenantId: DEFAULT_TENANT, scopes: ["users:all"] };
  expect(calls.map((call) => call.principal)).toEqual([principal, everyUser, everyUser]);
});

it("checks the sessions of each tenant for that tenant", async () => {
  const { news, calls } = startNews(new Map([["s", FIRST]]));
  const tenants = ["acme", "default", "acme"];
  const looks = tenants.map((tenantId, n) => news.look({ ...key(`s${n}`), ...inTenant(tenantId) }));
  await Promise.all(looks);
  const made = calls.map(({ ids, principal }) => [principal?.tenantId, ...ids]);
  expect(made).toEqual([
    ["acme", "s0", "s2"],
    ["default", "s1"],
  ]);
});
