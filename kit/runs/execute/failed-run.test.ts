import { describe, expect, it, vi } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { SessionCache } from "#kit/runs/base/session-cache.ts";
import { Runner } from "#kit/runs/runner.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

/** Calls `act`, and waits until its call is stored; then `fail` decides. */
class Caller extends BaseAgent {
  readonly #fail: () => void;

  constructor(fail: () => void) {
    super({ name: "caller" });
    this.#fail = fail;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    yield context.createEvent({ content: { role: "model", parts: [{ functionCall: { id: "c", name: "act" } }] } });
    this.#fail();
  }
}

async function createWorld(fail: () => void, plugins: readonly Plugin[] = []) {
  const logger = new RecordingLogger();
  const world = await createAgentWorld(new Caller(fail), { logger, plugins });
  const texts = async () => (await world.session()).events.map(brief);
  const runs = async () => (await world.store.list({})).runs.map(({ status, error }) => [status, error?.reason]);
  return { ...world, logger, texts, runs };
}

const throwing = (error: unknown) => (): void => {
  throw error;
};
const refusal = (reason: ErrorReason) => new PlatformError(reason, "The store refuses.");

describe("the log of a failed run", () => {
  const cause = new Error("why");
  const fault = new PlatformError("INTERNAL", "broken");
  const callback = new PlatformError("CALLBACK_FAILED", "callback");
  const refused = new PlatformError("INVALID_FIELD", "refused", { cause });

  it.each<[string, unknown, unknown]>([
    ["has the cause of a fault", cause, ["error", cause, "INTERNAL"]],
    ["has a fault without a cause", fault, ["error", fault, "INTERNAL"]],
    ["has what a callback threw", callback, ["error", callback, "CALLBACK_FAILED"]],
    ["warns of what has a cause", refused, ["warn", refused, "INVALID_FIELD"]],
    ["does not report a plain refusal", refusal("INVALID_FIELD"), undefined],
  ])("%s", async (_name, error, logged) => {
    const { run, logger } = await createWorld(throwing(error));
    await run("go").catch(() => undefined);
    const line = logger.lines.find(({ message }) => message === "run failed");
    expect(line && [line.level, line.fields["error"], line.fields["reason"]]).toEqual(logged);
  });
});

describe("a failed run", () => {
  it("gives every call a response, then its error", async () => {
    const { run, texts } = await createWorld(throwing(refusal("INVALID_FIELD")));
    await expect(run("go")).rejects.toMatchObject({ details: { reason: "INVALID_FIELD" } });
    expect((await texts()).map((text) => text.slice(0, 24))).toEqual([
      "user: go",
      "caller: act(undefined)",
      'caller: act -> {"error":',
      "caller: ! INVALID_FIELD:",
    ]);
  });

  it("shows its caller the text that clients do not get, and the error as the cause", async () => {
    const broken = new Error("secret");
    const internal = await createWorld(throwing(broken));
    await expect(internal.run("go")).rejects.toMatchObject({
      reason: "RUN_FAILED",
      message: expect.stringContaining("secret"),
      cause: broken,
      details: { reason: "INTERNAL" },
    });
    const error = refusal("INVALID_FIELD");
    const refused = await createWorld(throwing(error));
    await expect(refused.run("go")).rejects.toMatchObject({ reason: "RUN_FAILED", cause: error });
  });

  it("stores nothing more in a closed session, and ends", async () => {
    const { run, texts, runs } = await createWorld(throwing(refusal("SESSION_CLOSED")));
    await expect(run("go")).rejects.toMatchObject({ details: { reason: "SESSION_CLOSED" } });
    expect([await texts(), await runs()]).toEqual([
      ["user: go", "caller: act(undefined)"],
      [["failed", "SESSION_CLOSED"]],
    ]);
  });

  it("writes nothing more when its lease is lost", async () => {
    const { run, texts, runs, store } = await createWorld(throwing(new LeaseLostError("run")));
    const finish = vi.spyOn(store, "finish");
    await expect(run("go")).rejects.toMatchObject({ reason: "LEASE_LOST" });
    expect([finish.mock.calls, await texts(), await runs()]).toEqual([
      [],
      ["user: go", "caller: act(undefined)"],
      [["running", undefined]],
    ]);
  });

  it("leaves no session in the cache when its lease is lost before its events were stored", async () => {
    const ids = new SequentialIds();
    const store = new InMemorySessionStore({ clock: new FixedClock(), ids });
    const session = await store.createSession({ appName: "app", userId: "ada", id: "talk" });
    class Loser extends BaseAgent {
      protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
        yield context.createEvent({ content: modelContent("lost") });
        throw new LeaseLostError("run");
      }
    }
    const sessionCache = new SessionCache();
    const app = createApp({ name: "app", rootAgent: new Loser({ name: "loser" }) });
    const runner = new Runner({ app, sessionService: store, journal: store, ids, sessionCache });
    const run = runner.runAsync({ userId: "ada", sessionId: "talk", newMessage: userContent("go") });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ reason: "LEASE_LOST" });
    expect(sessionCache.take(session)).toBeUndefined();
  });

  it("does not call onRunErrorCallback when it is handed over", async () => {
    const failures: string[] = [];
    let abort: AbortController | undefined;
    const plugin: Plugin = {
      name: "watch",
      onRunErrorCallback: (_context, error) => void failures.push(error.message),
    };
    const world = await createWorld(() => {
      abort?.abort(refusal("RUN_HANDED_OVER"));
      throw new Error("aborted");
    }, [plugin]);
    const session = { appName: "app", userId: "ada", id: "talk" };
    const started = await world.runner.beginRun({ session, request: { newMessage: userContent("go") } });
    if (started.kind !== "started") throw new Error("the run did not start");
    abort = started.run.abort;
    await Array.fromAsync(world.runner.executeRun(started.run));
    expect([failures, await world.runs()]).toEqual([[], [["pending", undefined]]]);
  });
});

describe("a run whose end is refused", () => {
  async function answerWith(...failures: readonly PlatformError[]) {
    const logger = new RecordingLogger();
    const model = new ScriptedModel(["long", "short"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), { logger });
    const finish = vi.spyOn(world.store, "finish");
    for (const failure of failures) finish.mockRejectedValueOnce(failure);
    const result = await world.run("a").catch((error: unknown) => error);
    const calls = finish.mock.calls.map(([{ status, events }]) => [status, events.length]);
    const logged = logger.lines.map(({ level, message }) => [level, message]);
    return { result, calls, logged, status: (await world.store.list({})).runs[0]?.status };
  }
  const NOT_FINISHED = [["error", "run could not be finished"]];

  it("is stored without its last events when they are too large", async () => {
    const { calls, logged, status } = await answerWith(refusal("MESSAGE_TOO_LARGE"));
    expect([calls, logged, status]).toEqual([
      [
        ["succeeded", 1],
        ["failed", 1],
      ],
      [],
      "failed",
    ]);
  });

  it("is left open when its error is too large as well", async () => {
    const { calls, logged, status, result } = await answerWith(
      refusal("MESSAGE_TOO_LARGE"),
      refusal("MESSAGE_TOO_LARGE"),
    );
    expect([calls.length, logged, status]).toEqual([2, NOT_FINISHED, "running"]);
    expect(result).toMatchObject({ reason: "LEASE_LOST" });
  });

  it("is left open when the store refuses it for another reason", async () => {
    const { calls, logged, status } = await answerWith(refusal("STORE_UNAVAILABLE"));
    expect([calls, logged, status]).toEqual([[["succeeded", 1]], NOT_FINISHED, "running"]);
  });
});
