import { describe, expect, it } from "vitest";
import type { BeginRunRequest } from "#kit/sessions/run-journal.ts";
import type { Lease, RunRecord } from "#kit/sessions/run-record.ts";
import { beginRequest, KEY, LEASE_MS } from "#test/contract/sessions/session-world.ts";
import { cancelPending, decideBegin, extendLease, findAbandoned, handOver, requireLease } from "./run-rules.ts";
import type { SessionHead } from "./session-head.ts";

const NOW = 1_000_000;
const LEASE: Lease = { runId: "active", session: KEY, holder: "runner 1", epoch: 3, expiresAt: NOW };

function run(runId: string, more: Partial<RunRecord> = {}): RunRecord {
  return {
    ...{ runId, session: KEY, invocationId: `invocation of ${runId}`, request: {}, status: "pending" },
    ...{ policy: "enqueue", attempts: 0, epoch: 0, createdTime: NOW - 5000, cancelRequested: false, baseRevision: 0 },
    ...more,
  } as RunRecord;
}

const ACTIVE = run("active", { status: "running", attempts: 1, epoch: 3, holder: "runner 1", startedTime: NOW - 100 });

function head(more: Partial<SessionHead> = {}): SessionHead {
  return { key: KEY, epoch: 3, revision: 7, pending: [], ...more } as SessionHead;
}

const busy = (more: Partial<SessionHead> = {}): SessionHead => head({ active: { run: ACTIVE, lease: LEASE }, ...more });
const begin = (runId: string, more: Partial<BeginRunRequest> = {}): BeginRunRequest =>
  beginRequest(runId, { holder: "runner 2", ...more });

describe("a run that begins", () => {
  it("starts in a free session with the next epoch, at the session's revision", () => {
    const decision = decideBegin(head(), undefined, begin("new"), NOW);
    expect(decision).toMatchObject({
      ...{ kind: "start", created: true, dropped: [] },
      active: {
        run: { status: "running", attempts: 1, epoch: 4, holder: "runner 2", startedTime: NOW, baseRevision: 7 },
        lease: { runId: "new", session: KEY, holder: "runner 2", epoch: 4, expiresAt: NOW + LEASE_MS },
      },
    });
    expect(Object(decision).interrupted).toBeUndefined();
  });

  it.each([
    [undefined, LEASE_MS],
    [500, 500],
    [0, 0],
  ])(
    "waits for the holder of an expired lease (abandonAfterMs %j), and then ends its run",
    (abandonAfterMs, waitMs) => {
      const given = begin("new", { ...(abandonAfterMs !== undefined && { abandonAfterMs }) });
      expect(decideBegin(busy(), undefined, given, NOW + waitMs - 1)).toMatchObject({
        kind: "queue",
        behind: "active",
      });
      expect(decideBegin(busy(), undefined, given, NOW + waitMs)).toMatchObject({
        kind: "start",
        interrupted: { runId: "active", status: "interrupted", error: { reason: "RUN_INTERRUPTED" } },
      });
    },
  );

  it("is queued behind the last run that waits, up to the limit", () => {
    const waiting = busy({ pending: [run("one"), run("two")] });
    const queue = (maxQueued: number) => decideBegin(waiting, undefined, begin("new", { maxQueued }), NOW - 1);
    expect(queue(2)).toMatchObject({ kind: "queue", behind: "two", created: true, run: { status: "pending" } });
    expect(() => queue(1)).toThrow(
      expect.objectContaining({ reason: "QUEUE_FULL", details: expect.objectContaining({ maxQueued: "1" }) }),
    );
    const reject = begin("new", { policy: "reject" });
    expect(() => decideBegin(waiting, undefined, reject, NOW - 1)).toThrow(
      expect.objectContaining({ reason: "SESSION_BUSY", details: expect.objectContaining({ runId: "active" }) }),
    );
    expect(decideBegin(head(), undefined, reject, NOW).kind).toBe("start");
  });

  it.each(["interrupt", "rollback"] as const)(
    "takes the place of the others by %s, but for those that were started",
    (policy) => {
      const pending = [run("one"), run("started", { attempts: 1 })];
      expect(decideBegin(busy({ pending }), undefined, begin("new", { policy }), NOW - 1)).toMatchObject({
        ...{ kind: "queue", behind: "started", cancelled: { runId: "active", cancelRequested: true } },
        dropped: [
          {
            runId: "one",
            status: "cancelled",
            cancelRequested: true,
            finishedTime: NOW - 1,
            error: { reason: "RUN_CANCELLED" },
          },
          { runId: "started", status: "pending", cancelRequested: true },
        ],
      });
      const asked = { run: { ...ACTIVE, cancelRequested: true }, lease: LEASE };
      const again = decideBegin(busy({ active: asked }), undefined, begin("new", { policy }), NOW - 1);
      expect(Object(again).cancelled).toBeUndefined();
    },
  );

  it("is refused in a closed session, and with the id of another session's run", () => {
    expect(() => decideBegin(head({ closedTime: NOW }), undefined, begin("new"), NOW)).toThrow(
      expect.objectContaining({ reason: "SESSION_CLOSED" }),
    );
    for (const other of [{ id: "other" }, { userId: "eve" }, { appName: "other" }, { tenantId: "acme" }])
      expect(() => decideBegin(head(), run("new", { session: { ...KEY, ...other } }), begin("new"), NOW)).toThrow(
        expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "runId" } }),
      );
  });
});

describe("a run that is known", () => {
  it("is returned as it is if it has ended, or was found by its idempotency key", () => {
    const ended = run("new", { status: "succeeded" });
    expect(decideBegin(head({ closedTime: NOW }), ended, begin("new"), NOW)).toEqual({ kind: "existing", run: ended });
    const waiting = run("first");
    expect(decideBegin(head({ pending: [waiting] }), waiting, begin("again"), NOW)).toEqual({
      kind: "existing",
      run: waiting,
    });
  });

  it("starts when it is the first that waits, and waits for those before it", () => {
    const pending = [run("one"), run("two")];
    const [first, second] = pending;
    expect(decideBegin(head({ pending }), first, begin("one"), NOW)).toMatchObject({
      kind: "start",
      created: false,
      dropped: [],
    });
    expect(decideBegin(head({ pending }), second, begin("two", { policy: "interrupt" }), NOW)).toEqual({
      ...{ kind: "queue", run: second, behind: "one", created: false, dropped: [] },
    });
    expect(decideBegin(busy({ pending }), first, begin("one"), NOW - 1)).toMatchObject({
      kind: "queue",
      behind: "active",
    });
  });

  it("is recovered by its holder at once, by another when its lease has expired", () => {
    const recover = (more: Partial<BeginRunRequest>, now: number) =>
      decideBegin(busy(), ACTIVE, begin("active", more), now);
    expect(recover({}, NOW - 1).kind).toBe("existing");
    expect(recover({ holder: "runner 1" }, NOW - 1).kind).toBe("start");
    expect(recover({ holder: "runner 1", limitedTo: "available" }, NOW - 1).kind).toBe("existing");
    expect(recover({ holder: "runner 1", limitedTo: "recorded" }, NOW - 1).kind).toBe("start");
    expect(recover({}, NOW)).toMatchObject({
      ...{ kind: "start", created: false },
      active: { run: { attempts: 2, epoch: 4, holder: "runner 2", startedTime: NOW - 100, baseRevision: 0 } },
    });
  });

  it("is needed by a limited request", () => {
    const missing = expect.objectContaining({ reason: "RUN_NOT_FOUND" });
    for (const limitedTo of ["recorded", "available"] as const) {
      expect(() => decideBegin(head(), undefined, begin("new", { limitedTo }), NOW)).toThrow(missing);
      expect(() => decideBegin(head(), run("first"), begin("again", { limitedTo }), NOW)).toThrow(missing);
      expect(decideBegin(head(), run("new"), begin("new", { limitedTo }), NOW).kind).toBe("start");
    }
  });
});

describe("a lease", () => {
  it("is needed with its run, epoch and holder, and counts after its end", () => {
    expect(requireLease(busy(), { ...LEASE, expiresAt: 0 })).toEqual({ run: ACTIVE, lease: LEASE });
    const lost = expect.objectContaining({ reason: "LEASE_LOST" });
    for (const other of [{ runId: "x" }, { epoch: 2 }, { epoch: 4 }, { holder: "runner 2" }])
      expect(() => requireLease(busy(), { ...LEASE, ...other })).toThrow(lost);
    expect(() => requireLease(head(), LEASE)).toThrow(lost);
    expect(extendLease(LEASE, 5, NOW)).toEqual({ ...LEASE, expiresAt: NOW + 5 });
  });

  it("shows who has abandoned the session: the active run first, when it is over or the holder's own", () => {
    const pending = [run("one"), run("two")];
    expect(findAbandoned(busy({ pending }), NOW - 1)).toBeUndefined();
    expect(findAbandoned(busy({ pending }), NOW)).toBe(ACTIVE);
    expect(findAbandoned(busy({ pending }), NOW - 1, "runner 1")).toBe(ACTIVE);
    expect(findAbandoned(busy({ pending }), NOW - 1, "runner 2")).toBeUndefined();
    expect(findAbandoned(head({ pending }), NOW)).toBe(pending[0]);
  });
});

it("a run that is handed over waits without a holder, and one that is cancelled has ended", () => {
  const { holder: _, ...kept } = ACTIVE;
  expect(handOver(ACTIVE)).toEqual({ ...kept, status: "pending", handovers: 1 });
  expect(handOver({ ...ACTIVE, handovers: 1 }).handovers).toBe(2);
  expect(cancelPending(run("one", { holder: "runner 1" }), NOW)).toEqual({
    ...run("one"),
    status: "cancelled",
    cancelRequested: true,
    finishedTime: NOW,
  });
});
