import { expect, it } from "vitest";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ListEventsRequest, ListSessionsRequest } from "#kit/sessions/session-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { KEY, OWNER, type SessionServiceContract, said, startSessionWorld } from "./session-world.ts";

const LONG = "l".repeat(40_000);

/** What keeps the memory of a reader bounded: pages by size, long events alone, shared state once. */
export function sessionSizesContract(contract: SessionServiceContract): void {
  eventSizesContract(contract);
  it("lists sessions in pages by the size of their own state", async () => {
    verifies("listings:sessions");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const ids = ["a", "b", "c", "d", "e"];
    for (const id of ids)
      await store.createSession({ ...OWNER, id, state: { text: "s".repeat(1000), "user:u": LONG } });
    const pages = async (request: Omit<ListSessionsRequest, keyof SessionKey>): Promise<readonly string[]> => {
      const read: string[] = [];
      let pageToken: string | undefined;
      do {
        const place = pageToken === undefined ? {} : { pageToken };
        const page = await store.listSessions({ ...OWNER, ...request, ...place });
        read.push(page.sessions.map(({ id }) => id).join());
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined);
      return read;
    };
    expect(await pages({ maxCharacters: 1500 })).toEqual(["a,b", "c,d", "e"]);
    expect(await pages({ maxCharacters: 1 })).toEqual(ids);
    expect(await pages({ maxCharacters: 1e6 })).toEqual(["a,b,c,d,e"]);
    expect(await pages({ maxCharacters: 2500, pageSize: 2 })).toEqual(["a,b", "c,d", "e"]);
    expect(await pages({ maxCharacters: 1500, pageSize: 4 })).toEqual(["a,b", "c,d", "e"]);
  });

  it("returns the state that sessions share once, if asked for", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await store.createSession({ ...OWNER, id: "a", state: { own: 1, "user:u": { deep: [1] }, "app:a": "x" } });
    await store.createSession({ ...OWNER, id: "b" });
    const merged = await store.listSessions(OWNER);
    const { sessions, sharedState } = await store.listSessions({ ...OWNER, sharedState: "apart" });
    expect(sharedState).toEqual({ "user:u": { deep: [1] }, "app:a": "x" });
    expect(sessions.map(({ state }) => state)).toEqual([{ own: 1 }, {}]);
    const together = sessions.map((session) => ({ ...session, state: { ...session.state, ...sharedState } }));
    expect(together).toEqual(merged.sessions);
    expect([merged.sharedState, merged.sessions.length]).toEqual([undefined, 2]);
    const nobody = await store.listSessions({ ...OWNER, userId: "nobody", sharedState: "apart" });
    expect(nobody).toEqual({ sessions: [] });
  });
}

/** Pages of events, and long events alone. */
export function eventSizesContract(contract: SessionServiceContract): void {
  it("ends a page before an event that is longer than the request allows, and says how long it is", async () => {
    verifies("listings:events");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const events = ["1", "2", "3", "4"].map((id) =>
      said(id, id === "3" ? { content: { role: "user", parts: [{ text: LONG }] } } : {}),
    );
    await store.createSession({ ...KEY, events });
    const list = async (request: Omit<ListEventsRequest, keyof SessionKey>) => {
      const { events: page, longEventCharacters, nextPageToken } = await store.listEventRecords({ ...KEY, ...request });
      return { ids: page.map(({ id }) => id).join(), longEventCharacters, nextPageToken };
    };
    const first = await list({ maxEventCharacters: 30_000, maxCharacters: 1e6 });
    expect(first).toMatchObject({ ids: "1,2", nextPageToken: expect.any(String) });
    const place = { pageToken: first.nextPageToken ?? "" };
    const second = await list({ maxEventCharacters: 30_000, ...place });
    expect(second.ids).toBe("");
    // Encrypted texts are longer.
    expect(second.longEventCharacters).toBeGreaterThan(LONG.length);
    expect(second.longEventCharacters).toBeLessThan(2 * LONG.length);
    const third = await list({ pageSize: 1, maxCharacters: 1, pageToken: second.nextPageToken ?? "" });
    expect([third.ids, third.longEventCharacters]).toEqual(["3", undefined]);
    expect(await list({ maxEventCharacters: 30_000, pageToken: third.nextPageToken ?? "" })).toEqual({ ids: "4" });
    expect((await list({ maxEventCharacters: 1e6 })).ids).toBe("1,2,3,4");
  });
}
