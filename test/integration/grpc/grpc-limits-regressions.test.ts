import { describe, expect, it } from "vitest";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createSessionServer } from "#services/session/server.ts";
import { KEY, LEASE_MS, record, started } from "#test/contract/sessions/session-world.ts";
import { joinStore, overLoopback } from "#test/helpers/servers/loopback.ts";

const REFUSAL = { code: "INVALID_ARGUMENT", reason: "JSON_TOO_COMPLEX" };
const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

describe("JSON inside of gRPC messages", () => {
  it("is refused before it is parsed when an event is nested too deep", async () => {
    const store = new InMemorySessionStore();
    const server = createSessionServer({ sessions: store, journal: store, logger: silentLogger });
    const { port, dispose } = await overLoopback(server, (options) =>
      joinStore(new RemoteSessionService(options), new RemoteRunJournal(options)),
    );
    await using _ = { [Symbol.asyncDispose]: dispose };
    await port.createSession(KEY);
    const { lease } = await started(port, "run");
    const events = [{ ...record("1"), json: `{"id":"1","content":${DEEP}}` }];
    await expect(port.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events })).rejects.toMatchObject(REFUSAL);
    expect((await store.listEventRecords(KEY)).events).toEqual([]);
  });

  it("is refused when a state has millions of elements", async () => {
    const store = new InMemorySessionStore();
    const server = createSessionServer({ sessions: store, journal: store, logger: silentLogger });
    const { port, dispose } = await overLoopback(server, (options) =>
      joinStore(new RemoteSessionService(options), new RemoteRunJournal(options)),
    );
    await using _ = { [Symbol.asyncDispose]: dispose };
    const state = { list: Array(600_000).fill([]) };
    await expect(port.createSession({ ...KEY, state })).rejects.toMatchObject(REFUSAL);
  });
});
