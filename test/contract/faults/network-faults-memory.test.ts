import { describe, it } from "vitest";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { createEvent } from "#kit/events/event.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { Session } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { GRPC_FAULTS, GRPC_REASONS, openGrpcWorld } from "./grpc-world.ts";
import { expectRecovery, type NetworkOperation } from "./network-faults.ts";

const USER = { appName: "app", userId: "ada" };

function rain(id: string): Session {
  const content = { role: "user", parts: [{ text: `rain ${id}` }] };
  const event = createEvent({ id, invocationId: "i", author: "user", timestamp: 1, content });
  return { ...USER, id, state: {}, events: [event], lastUpdateTime: 1, revision: 1 };
}

const entry = (id?: string) => ({
  content: { role: "user", parts: [{ text: `rain ${"and snow ".repeat(5_000)}` }] },
  ...(id !== undefined && { id }),
});

const OPERATIONS: readonly NetworkOperation<MemoryService, void>[] = [
  { name: "add a session", run: (store) => store.addSessionToMemory(rain("next")) },
  { name: "add entries without ids", run: (store) => store.addMemoryEntries(USER, [entry()]), isRepeatable: false },
  { name: "add entries with ids", run: (store) => store.addMemoryEntries(USER, [entry("a"), entry("b")]) },
  { name: "search", run: (store) => store.searchMemory(USER, "rain") },
  { name: "delete what came from a session", run: (store) => store.deleteSessionMemory(USER, "talk") },
];

async function open() {
  const memory = new InMemoryMemoryService({ clock: new FixedClock(), ids: new SequentialIds() });
  const server = createMemoryServer({ memory, logger: silentLogger });
  const stored = () => memory.searchMemory(USER, "rain");
  return openGrpcWorld(server, (options) => new RemoteMemoryService(options), stored);
}

async function prepare(store: MemoryService): Promise<void> {
  await store.addSessionToMemory(rain("talk"));
}

describe.each(GRPC_FAULTS)("a message to the memory service that meets $name", ({ fault }) => {
  it.each(OPERATIONS)("leaves everything or nothing of $name, and the next call works", (operation) =>
    expectRecovery({ open, prepare, reasons: GRPC_REASONS }, operation, fault),
  );
});
