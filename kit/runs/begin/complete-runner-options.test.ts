import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { InMemorySessionStore } from "#kit/sessions/tables/in-memory-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { completeRunnerOptions } from "./complete-runner-options.ts";

const app = createApp({ name: "app", rootAgent: new LlmAgent({ name: "desk" }) });
const store = new InMemorySessionStore({ clock: new FixedClock(), ids: new SequentialIds() });

describe("the options of a runner", () => {
  it("are completed with one store in memory that is both, and a lease of 10 s", () => {
    const options = completeRunnerOptions({ app, ids: new SequentialIds() });
    expect(options.sessionService).toBeInstanceOf(InMemorySessionStore);
    expect(options.journal).toBe(options.sessionService);
    expect([options.leaseMs, options.holder, options.captureContent, options.errorDetail]).toEqual([
      10_000,
      "id-1",
      false,
      "generic",
    ]);
  });

  it("stay as they are given", () => {
    const given = { app, sessionService: store, journal: store, leaseMs: 1, holder: "me", captureContent: true };
    expect(completeRunnerOptions(given)).toMatchObject(given);
  });

  it.each([{ sessionService: store }, { journal: store }])("are refused with one of two stores: %#", (stores) => {
    expect(() => completeRunnerOptions({ app, ...stores })).toThrow(
      "Pass both sessionService and journal to the runner, or neither.",
    );
  });
});
