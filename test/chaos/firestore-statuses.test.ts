import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { ERROR_CODES } from "#kit/errors/codes.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { beginRequest, changing, KEY, LEASE_MS, NOW, record, started } from "#test/contract/sessions/session-world.ts";
import {
  type FirestoreEmulator,
  startFirestoreEmulator,
  whyNoFirestore,
} from "#tooling/emulators/firestore-emulator.ts";
import { StatusProxy } from "./rig/status-proxy.ts";

const OPERATIONS = ["begin", "append", "finish", "renew"] as const;
const REFUSED = [
  "UNAVAILABLE",
  "DEADLINE_EXCEEDED",
  "ABORTED",
  "RESOURCE_EXHAUSTED",
  "PERMISSION_DENIED",
  "NOT_FOUND",
] as const;
/** With these statuses the write may have been carried out. */
const OPEN = ["UNAVAILABLE", "DEADLINE_EXCEEDED"] as const;

const CASES = OPERATIONS.flatMap((operation) => [
  ...REFUSED.map((code) => ({ operation, code, isDone: false, when: "instead of the commit" })),
  ...OPEN.map((code) => ({ operation, code, isDone: true, when: "after the commit" })),
]);

/** F7: each status of Firestore, at each write of a run. The emulator itself returns none of them. */
describe.skipIf(whyNoFirestore() !== undefined)("F7status Firestore answers", () => {
  let emulator: FirestoreEmulator;
  let proxy: StatusProxy;
  let projects = 0;
  beforeAll(async () => {
    emulator = await startFirestoreEmulator();
    proxy = await StatusProxy.to(emulator.host);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await emulator[Symbol.asyncDispose]();
  });

  function openWorld() {
    projects += 1;
    const database = new FirestoreDatabase({
      projectId: `statuses-${projects}`,
      emulatorHost: `127.0.0.1:${proxy.port}`,
    });
    const clock = new FixedClock(NOW);
    const store = new FirestoreSessionStore({ database, clock, ids: new SequentialIds() });
    return { store, clock, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  }

  it.each(CASES)(
    "$code $when of $operation: done once or not at all, and a repeat finds it so",
    async ({ operation, code, isDone }) => {
      await using world = openWorld();
      const { store, clock } = world;
      await store.createSession(KEY);
      const begin = beginRequest("run");
      const lease = operation === "begin" ? undefined : (await started(store, "run")).lease;
      clock.advance(10);
      const call = () => {
        if (lease === undefined) return store.begin(begin);
        const write = { lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1", { said: 1 })] };
        if (operation === "append") return store.append(write);
        return operation === "finish" ? store.finish({ ...write, status: "succeeded" }) : store.renew(lease, LEASE_MS);
      };
      proxy.inject({ status: ERROR_CODES[code].grpc, method: "/Commit", isDone });
      const first = await call().then(
        () => "done",
        ({ reason, httpStatus }) => `${httpStatus} ${reason}`,
      );
      expect(proxy.isInjected).toBe(true);
      // A lost race is decided again immediately; the caller repeats everything else.
      expect(first).toBe(code === "ABORTED" || code === "NOT_FOUND" ? "done" : "503 STORE_UNAVAILABLE");
      await call();

      const { events } = await store.listEventRecords(KEY);
      const session = await store.getSession(KEY);
      const writes = operation === "append" || operation === "finish";
      expect([events.map(({ id }) => id), session?.state]).toEqual(writes ? [["1"], { said: 1 }] : [[], {}]);
      expect((await store.list({ session: KEY })).runs).toMatchObject([
        { runId: "run", status: operation === "finish" ? "succeeded" : "running" },
      ]);
      const next = await store.begin(beginRequest("next"));
      expect(next.kind).toBe(operation === "finish" ? "started" : "queued");
    },
  );

  it.each(REFUSED)("%s to a read: unavailable, and the next one is answered", async (code) => {
    await using world = openWorld();
    const { store } = world;
    await store.createSession({ ...KEY, events: [changing("0", { a: 1 })] });
    proxy.inject({ status: ERROR_CODES[code].grpc, method: "/BatchGetDocuments", isDone: false });
    await expect(store.getSession(KEY)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE", httpStatus: 503 });
    expect((await store.getSession(KEY))?.state).toEqual({ a: 1 });
  });
});
