import { describe, expect, it } from "vitest";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { AppendEventsRequest, FinishRunRequest } from "#kit/sessions/run-journal.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createSessionServer } from "#services/session/server.ts";
import { beginRequest, KEY, LEASE_MS, OWNER, record, said, started } from "#test/contract/sessions/session-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { freePort } from "#tooling/free-ports.ts";

/** A store that counts appends, and can delay them and fail some finishes. */
class WatchedStore extends InMemorySessionStore {
  appends = 0;
  /** The errors of the next calls of `finish`. */
  readonly finishFailures: PlatformError[] = [];
  hold: (request: AppendEventsRequest) => Promise<void> = async () => {};

  override async append(request: AppendEventsRequest) {
    this.appends += 1;
    await this.hold(request);
    return super.append(request);
  }

  override async finish(request: FinishRunRequest) {
    const failure = this.finishFailures.shift();
    if (failure !== undefined) throw failure;
    return super.finish(request);
  }
}

async function startWorld() {
  const store = new WatchedStore({ clock: new FixedClock(), ids: new SequentialIds() });
  /** The paths of the calls that have arrived. */
  const calls: string[] = [];
  const authorize = ({ path }: { readonly path: string }) => {
    calls.push(path);
    return "gateway" as const;
  };
  const serve = () => createSessionServer({ sessions: store, journal: store, logger: silentLogger, authorize });
  const server = serve();
  const port = await server.listen(`127.0.0.1:${await freePort()}`);
  const options = { address: `127.0.0.1:${port}`, clock: systemClock, timeoutMs: 10_000 };
  const sessions = new RemoteSessionService(options);
  const journal = new RemoteRunJournal(options);
  const dispose = async (): Promise<void> => {
    await sessions[Symbol.asyncDispose]();
    await journal[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { store, calls, server, serve, port, sessions, journal, [Symbol.asyncDispose]: dispose };
}

describe("sessions over gRPC", () => {
  it("carry a history of many megabytes, in and out, and to a run that begins", async () => {
    verifies("platform:grpc");
    await using world = await startWorld();
    const text = "é".repeat(300_000);
    const events = Array.from({ length: 12 }, (_, index) =>
      said(String(index), { content: { role: "model", parts: [{ text }] } }),
    );
    const created = await world.sessions.createSession({ ...KEY, events });
    expect(created.events.length).toBe(12);
    expect((await world.sessions.getSession(KEY))?.events).toEqual(events);
    expect((await world.sessions.listEventRecords(KEY)).events.map(({ json }) => json)).toEqual(
      events.map((event) => toEventRecord(event).json),
    );
    const { snapshot } = await started(world.journal, "run");
    expect(snapshot.events.map(({ sequence, id }) => `${sequence}:${id}`)).toEqual(
      events.map(({ id }, index) => `${index + 1}:${id}`),
    );
  });

  it("refuse numbers that the wire cannot carry", async () => {
    await using world = await startWorld();
    await world.sessions.createSession({ ...KEY, events: [said("1")] });
    for (const config of [{ afterRevision: 0.5 }, { numRecentEvents: Number.NaN }, { afterTimestamp: -1 }])
      await expect(world.sessions.getSession(KEY, config)).rejects.toMatchObject({ reason: "INVALID_FIELD" });
    const everything = { numRecentEvents: Number.POSITIVE_INFINITY };
    expect((await world.sessions.getSession(KEY, everything))?.events.length).toBe(1);
  });
});

describe("appends over gRPC", () => {
  it("share one stream, and a session that is slow does not hold up the others", async () => {
    await using world = await startWorld();
    const runs = ["slow", "a", "b"];
    for (const id of runs) await world.sessions.createSession({ ...OWNER, id });
    const leases = [];
    for (const id of runs) leases.push((await started(world.journal, id, { session: { ...OWNER, id } })).lease);
    const release = Promise.withResolvers<void>();
    world.store.hold = ({ lease }) => (lease.runId === "slow" ? release.promise : Promise.resolve());
    const order: string[] = [];
    const appends = leases.map(async (lease) => {
      const request = { lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record(lease.runId)] };
      const { revision } = await world.journal.append(request);
      order.push(`${lease.runId} ${revision}`);
      if (lease.runId === "b") release.resolve();
    });
    await Promise.all(appends);
    expect(order).toEqual(["a 1", "b 1", "slow 1"]);
  });

  it("store each event once and in order when the service is replaced during a stream", async () => {
    await using world = await startWorld();
    await world.sessions.createSession(KEY);
    const { lease } = await started(world.journal, "run");
    const append = (id: string, afterRevision: number) =>
      world.journal.append({ lease, leaseMs: LEASE_MS, afterRevision, events: [record(id)] });
    await append("1", 0);
    const arrived = Promise.withResolvers<void>();
    world.store.hold = async () => {
      world.store.hold = async () => {};
      arrived.resolve();
      await new Promise(() => {});
    };
    const cutOff = append("2", 1);
    await arrived.promise;
    await world.server[Symbol.asyncDispose]();
    await using replacement = world.serve();
    await replacement.listen(`127.0.0.1:${world.port}`);
    expect((await cutOff).stored.map(({ sequence }) => sequence)).toEqual([2]);
    expect((await append("3", 2)).revision).toBe(3);
    const { events } = await world.sessions.listEventRecords(KEY);
    expect(events.map(({ id, sequence }) => `${sequence}:${id}`)).toEqual(["1:1", "2:2", "3:3"]);
  });

  it("do not keep a service from stopping, and what it has taken is answered", async () => {
    await using world = await startWorld();
    await world.sessions.createSession(KEY);
    const { lease } = await started(world.journal, "run");
    const arrived = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    world.store.hold = () => {
      arrived.resolve();
      return release.promise;
    };
    const append = world.journal.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] });
    await arrived.promise;
    const stopped = world.server.stopAccepting();
    release.resolve();
    expect((await append).revision).toBe(1);
    await stopped;
    expect(world.store.appends).toBe(1);
  });

  it("go by themselves when they are large, and are refused when no message can hold them", async () => {
    await using world = await startWorld();
    await world.sessions.createSession(KEY);
    const { lease } = await started(world.journal, "run");
    const append = (megabytes: number) => {
      const content = { role: "model", parts: [{ text: "x".repeat(megabytes * 1024 * 1024) }] };
      const events = [toEventRecord(said(`${megabytes}`, { content }))];
      return world.journal.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events });
    };
    const appendCall = "/fairlead.session.v1.RunJournalService/AppendEvents";
    expect((await append(0)).revision).toBe(1);
    expect(world.calls).not.toContain(appendCall);
    expect((await append(2)).revision).toBe(2);
    expect(world.calls).toContain(appendCall);
    await expect(append(5)).rejects.toMatchObject({ reason: "MESSAGE_TOO_LARGE" });
    expect((await world.sessions.getSession(KEY))?.revision).toBe(2);
  });

  it("fail with the journal's reasons", async () => {
    await using world = await startWorld();
    await world.sessions.createSession(KEY);
    const { lease } = await started(world.journal, "run");
    const request = { lease: { ...lease, epoch: 9 }, leaseMs: LEASE_MS, afterRevision: 0, events: [record("1")] };
    await expect(world.journal.append(request)).rejects.toMatchObject({
      reason: "LEASE_LOST",
      details: { runId: "run" },
    });
    const second = world.journal.begin(beginRequest("second", { policy: "reject" }));
    await expect(second).rejects.toMatchObject({ reason: "SESSION_BUSY", details: { runId: "run" } });
  });
});

it.each(["STORE_UNAVAILABLE", "SERVICE_TIMEOUT"] as const)(
  "the end of a run is repeated over gRPC when it fails with %s",
  async (reason) => {
    await using world = await startWorld();
    await world.sessions.createSession(KEY);
    const { lease } = await started(world.journal, "run");
    world.store.finishFailures.push(new PlatformError(reason, "No answer."));
    const finish = { lease, afterRevision: 0, events: [record("1")], status: "succeeded" } as const;
    expect((await world.journal.finish(finish)).run.status).toBe("succeeded");
    expect((await world.journal.get("run"))?.status).toBe("succeeded");
    expect((await world.sessions.listEventRecords(KEY)).events.map(({ id }) => id)).toEqual(["1"]);
  },
);
