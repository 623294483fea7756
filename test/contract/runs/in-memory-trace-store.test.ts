import { describe } from "vitest";
import { InMemoryTraceStore } from "#kit/telemetry/in-memory-trace-store.ts";
import { traceStoreContract } from "./trace-store.ts";

describe("InMemoryTraceStore", () => {
  traceStoreContract({ create: async () => ({ service: new InMemoryTraceStore(), dispose: async () => {} }) });
});
