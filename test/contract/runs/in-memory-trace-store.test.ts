import { describe } from "vitest";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import { traceStoreContract } from "./trace-store.ts";

describe("InMemoryTraceStore", () => {
  traceStoreContract({ create: async () => ({ service: new InMemoryTraceStore(), dispose: async () => {} }) });
});
