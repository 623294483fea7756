import { expect, it } from "vitest";
import { EVALUATION_SESSION_PREFIX } from "#kit/events/state-prefixes.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type IdleSession, idleSessionsOf, MAX_IDLE_PAGE } from "#ports/tenants/idle-sessions.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  NOW,
  record,
  type SessionStoreContract,
  said,
  started,
  startSessionWorld,
} from "../sessions/session-world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The sessions of all tenants by their age, and the closing of those that nobody uses. */
export function idleSessionsContract(contract: SessionStoreContract): void {
  async function walk(store: object, updatedBefore: number, pageSize = MAX_IDLE_PAGE): Promise<IdleSession[]> {
    const found: IdleSession[] = [];
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      const page = await idleSessionsOf(store).listIdleSessions({ updatedBefore, pageSize, pageToken });
      found.push(...page.sessions);
      pageToken = page.nextPageToken;
    }
    return found.sort((one, other) => (nameOf(one.key) < nameOf(other.key) ? -1 : 1));
  }

  it("lists the sessions of all tenants that were updated before a time, page by page", async () => {
    verifies("retention:sessions");
    await using world = await startSessionWorld(contract);
    const keys = [
      { appName: "app", userId: "user", id: "a" },
      { appName: "app", userId: "user", id: "b" },
      { appName: "other/app", userId: "ü", id: "a" },
      { tenantId: "acme", appName: "app", userId: "user", id: "a" },
      { appName: "app", userId: "user", id: `${EVALUATION_SESSION_PREFIX}left` },
    ] satisfies SessionKey[];
    for (const key of keys) await world.store.createSession(key);
    world.clock.advance(DAY_MS);
    const newer = await world.store.createSession({ ...KEY, id: "newer" });
    const used = await world.store.getSession(keys[1]!);
    await world.store.appendEvent(used!, said("event", { timestamp: NOW + DAY_MS }));

    const expected = [keys[0], keys[2], keys[3], keys[4]].map((key) => ({ key, lastUpdateTime: NOW }));
    const sorted = expected.sort((one, other) => (nameOf(one.key!) < nameOf(other.key!) ? -1 : 1));
    expect(await walk(world.store, NOW + 1)).toEqual(sorted);
    expect(await walk(world.store, NOW + 1, 1)).toEqual(sorted);
    expect(await walk(world.store, NOW)).toEqual([]);
    expect((await walk(world.store, NOW + DAY_MS + 1)).map(({ key }) => key.id)).toContain(newer.id);
  });

  it("refuses a token of another list, and a page without a size", async () => {
    await using world = await startSessionWorld(contract);
    const idle = idleSessionsOf(world.store);
    const token = Buffer.from(JSON.stringify(["sessions", 1, ""])).toString("base64url");
    await expect(idle.listIdleSessions({ updatedBefore: NOW, pageSize: 1, pageToken: token })).rejects.toMatchObject({
      reason: "INVALID_CURSOR",
    });
    await expect(idle.listIdleSessions({ updatedBefore: NOW, pageSize: 0 })).rejects.toMatchObject({
      reason: "INVALID_FIELD",
    });
  });

  it("closes an idle session, and finds it again at its time", async () => {
    verifies("retention:sessions");
    await using world = await startSessionWorld(contract);
    await world.store.createSession(KEY);
    world.clock.advance(DAY_MS);
    const idle = idleSessionsOf(world.store);
    expect(await idle.closeIdleSession(KEY, NOW)).toBe(false);
    expect((await world.store.getSession(KEY))?.closedTime).toBeUndefined();
    expect(await idle.closeIdleSession(KEY, NOW + 1)).toBe(true);
    expect(await idle.closeIdleSession(KEY, NOW + 1)).toBe(true);
    expect(await world.store.getSession(KEY)).toMatchObject({ closedTime: NOW + DAY_MS, lastUpdateTime: NOW });
    await expect(world.store.begin(beginRequest("late"))).rejects.toMatchObject({ reason: "SESSION_CLOSED" });
    expect(await walk(world.store, NOW + 1)).toEqual([{ key: expect.objectContaining(KEY), lastUpdateTime: NOW }]);
    expect(await idle.closeIdleSession({ ...KEY, id: "missing" }, NOW + 1)).toBe(false);
  });

  it("leaves a session with a run that is executed, queued or waits for input", async () => {
    verifies("retention:runs-in-progress");
    await using world = await startSessionWorld(contract);
    await world.store.createSession(KEY);
    const idle = idleSessionsOf(world.store);
    const { lease } = await started(world.store, "run 1");
    await world.store.begin(beginRequest("run 2"));
    world.clock.advance(DAY_MS);
    const far = NOW + 10 * DAY_MS;
    expect(await idle.closeIdleSession(KEY, far)).toBe(false);
    const renewed = await world.store.renew(lease, LEASE_MS);
    const question = { lease: renewed.lease, afterRevision: 0, events: [record("question")] };
    await world.store.finish({ ...question, status: "awaiting_input" });
    // The queued run waits for its turn.
    expect(await idle.closeIdleSession(KEY, far)).toBe(false);
    await world.store.cancel("run 2");
    // Only the person's answer is missing.
    expect(await idle.closeIdleSession(KEY, far)).toBe(false);
    await world.store.cancel("run 1");
    expect((await world.store.getSession(KEY))?.closedTime).toBeUndefined();
  });
}

function nameOf({ tenantId = "", appName, userId, id }: SessionKey): string {
  return [tenantId, appName, userId, id].join("\n");
}
