import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { completeRunnerOptions } from "./complete-runner-options.ts";

const resumability = { isResumable: true };
const resumabilityConfig = resumability;
const app = createApp({ name: "app", rootAgent: new LlmAgent({ name: "desk" }) });
const store = new InMemorySessionStore({ clock: new FixedClock(), ids: new SequentialIds() });
/** A store of sessions that runs cannot use. */
const serviceOnly = new Proxy(store, { has: (target, name) => name !== "begin" && name in target });

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

  it("use a session service that is a journal too as both", () => {
    expect(completeRunnerOptions({ app, sessionService: store }).journal).toBe(store);
  });

  it.each([{ sessionService: serviceOnly }, { journal: store }])("are refused with one of two stores: %#", (stores) => {
    expect(() => completeRunnerOptions({ app, ...stores })).toThrow(
      "Pass sessionService and journal to the runner, or one sessionService that is both, or neither.",
    );
  });

  it("make an app of a name and an agent, with the plugins after the app's own", () => {
    const [first, second] = [{ name: "first" }, { name: "second" }];
    const agent = new LlmAgent({ name: "desk" });
    const made = completeRunnerOptions({ appName: "shop", agent, plugins: [first], resumabilityConfig });
    expect(made).toMatchObject({ app: { name: "shop", rootAgent: agent, plugins: [first], resumability } });
    const given = createApp({ name: "shop", rootAgent: agent, plugins: [first], onDisconnect: "cancel" });
    const joined = completeRunnerOptions({ app: given, plugins: [second], resumabilityConfig });
    expect(joined.app).toEqual({ ...given, plugins: [first, second], resumability });
    expect(Object.keys(made)).not.toContain("agent");
    expect(completeRunnerOptions({ app: joined.app, resumabilityConfig: { isResumable: false } }).app).toBe(joined.app);
  });

  it.each([{}, { appName: "shop" }, { agent: new LlmAgent({ name: "desk" }) }])(
    "are refused without an app or both of its parts: %#",
    (options) => {
      expect(() => completeRunnerOptions(options)).toThrow("Pass app to the runner, or appName and agent.");
    },
  );
});
