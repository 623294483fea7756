import { expect, it } from "vitest";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { KEY, started } from "#test/contract/sessions/session-world.ts";
import { GrantedJournal } from "./granted-journal.ts";

/** A runner counts the active runs of its slots by these lists. */
it("lists the active runs of one app or user to upkeep calls, without ids and content", async () => {
  const store = new InMemorySessionStore();
  const sessions = ["ada", "bob"].flatMap((userId) =>
    ["shop", "desk"].flatMap((appName) =>
      [undefined, "acme"].map((tenantId) => ({ ...KEY, userId, appName, ...(tenantId !== undefined && { tenantId }) })),
    ),
  );
  for (const [index, session] of sessions.entries()) {
    await store.createSession(session);
    const { lease } = await started(store, `run ${index}`, { session });
    // One run of the user has ended.
    if (index === 0) await store.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
  }
  const active = async (owner: { tenantId?: string; appName?: string; userId?: string }) => {
    const pages = await Array.fromAsync(new GrantedJournal(store, undefined).activeRuns(owner));
    return pages.flat().map(({ runId, invocationId, request, session }) => ({ runId, invocationId, request, session }));
  };
  const nameless = { runId: "", invocationId: "", request: {} };
  const shown = (session: object) => ({ ...nameless, session });
  expect(await active({ appName: "shop" })).toEqual([shown({ appName: "shop", userId: "", id: "" })]);
  expect(await active({ appName: "desk", userId: "bob" })).toEqual([shown({ appName: "desk", userId: "bob", id: "" })]);
  expect(await active({ appName: "shop", userId: "ada" })).toEqual([]);
  const acme = { tenantId: "acme", appName: "desk" };
  expect(await active(acme)).toEqual(Array(2).fill(shown({ ...acme, userId: "", id: "" })));
});
