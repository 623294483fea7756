import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createEvent } from "./create.ts";
import { InMemoryRunner } from "./in-memory-runner.ts";
import { InMemorySessionService } from "./in-memory-session-service.ts";

const KEY = { appName: "shop", userId: "ada", sessionId: "s1" };

function desk(...steps: readonly string[]): LlmAgent {
  return new LlmAgent({ name: "desk", model: new ScriptedModel(steps) });
}

describe("InMemorySessionService", () => {
  it("accepts a session's id under the kit's name and under ADK's", async () => {
    const service = new InMemorySessionService();
    const created = await service.createSession({ ...KEY, state: { city: "Rome" } });
    expect(created).toMatchObject({ id: "s1", appName: "shop", userId: "ada", state: { city: "Rome" } });
    expect(await service.getSession(KEY)).toEqual(created);
    expect(await service.getSession(created)).toEqual(created);
    expect((await service.createSession({ appName: "shop", userId: "ada", id: "s2" })).id).toBe("s2");
    expect((await service.createSession({ appName: "shop", userId: "ada" })).id).toHaveLength(36);
    await service.deleteSession(KEY);
    await service.deleteSession({ appName: "shop", userId: "ada", id: "s2" });
    expect([await service.getSession(KEY), await service.getSession({ ...KEY, sessionId: "s2" })]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("returns the session that exists, or creates it", async () => {
    const service = new InMemorySessionService();
    const created = await service.getOrCreateSession(KEY);
    expect(await service.getOrCreateSession({ appName: "shop", userId: "ada", id: "s1" })).toEqual(created);
    expect((await service.getOrCreateSession({ appName: "shop", userId: "ada" })).id).not.toBe("s1");
  });

  it("appends an event in both forms, and reads the newest with a config in both", async () => {
    const service = new InMemorySessionService();
    const session = await service.createSession(KEY);
    const first = createEvent({ invocationId: "i1", author: "desk", actions: { stateDelta: { a: 1 } } });
    const second = createEvent({ invocationId: "i1", author: "desk", content: modelContent("hi") });
    await service.appendEvent({ session, event: first });
    await service.appendEvent(session, second);
    expect([session.state, session.events.map(({ id }) => id)]).toEqual([{ a: 1 }, [first.id, second.id]]);
    expect(await service.listEvents(KEY)).toEqual({ events: [first, second] });
    expect(await service.listEvents({ ...session, afterRevision: 1 })).toEqual({ events: [second] });
    const config = { numRecentEvents: 1 };
    const [byMember, byArgument] = [
      await service.getSession({ ...KEY, config }),
      await service.getSession(session, config),
    ];
    expect(byMember?.events.map(({ id }) => id)).toEqual([second.id]);
    expect(byArgument).toEqual(byMember);
  });
});

describe("a runner with ADK's options", () => {
  it("runs an agent under an app's name, over one session service", async () => {
    const sessionService = new InMemorySessionService();
    const agent = desk("hello");
    const runner = new Runner({ appName: "shop", agent, sessionService });
    await sessionService.createSession(KEY);
    const newMessage = userContent("hi");
    const events = await Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "s1", newMessage }));
    expect([runner.appName, runner.agent, events.length]).toEqual(["shop", agent, 1]);
    expect((await sessionService.getSession(KEY))?.events.map(({ author }) => author)).toEqual(["user", "desk"]);
  });

  it("is cancelled by abortSignal", async () => {
    const model = new ScriptedModel(["hello"]);
    const runner = new InMemoryRunner({ appName: "shop", agent: new LlmAgent({ name: "desk", model }) });
    await runner.sessionService.createSession(KEY);
    const request = { userId: "ada", sessionId: "s1", newMessage: userContent("hi") };
    await Array.fromAsync(runner.runAsync({ ...request, abortSignal: AbortSignal.abort() })).catch(() => []);
    expect(model.callCount).toBe(0);
    await Array.fromAsync(runner.runAsync({ ...request, abortSignal: new AbortController().signal }));
    expect(model.callCount).toBe(1);
  });

  it("runs in a session that is deleted afterwards", async () => {
    const runner = new InMemoryRunner({ agent: desk("hello") });
    const during: number[] = [];
    const list = async () =>
      (await runner.sessionService.listSessions({ appName: runner.appName, userId: "ada" })).sessions;
    for await (const _ of runner.runEphemeral({ userId: "ada", newMessage: userContent("hi") }))
      during.push((await list()).length);
    expect([during, await list(), runner.appName]).toEqual([[1], [], "InMemoryRunner"]);
  });

  it("has the plugins of its options", async () => {
    const seen: string[] = [];
    const plugins = [{ name: "watch", beforeRunCallback: () => void seen.push("run") }];
    const runner = new InMemoryRunner({ agent: desk("hello"), plugins });
    await Array.fromAsync(runner.runEphemeral({ userId: "ada", newMessage: userContent("hi") }));
    expect(seen).toEqual(["run"]);
  });
});
