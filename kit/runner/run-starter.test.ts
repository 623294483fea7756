import { expect, it, vi } from "vitest";
import { createApp } from "../agents/app.ts";
import { LlmAgent } from "../agents/llm-agent.ts";
import { PlatformError } from "../errors/platform-error.ts";
import { userContent } from "../events/content.ts";
import { InMemorySessionStore } from "../sessions/in-memory-session-store.ts";
import { FixedClock } from "../testing/fixed-clock.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { SequentialIds } from "../testing/sequential-ids.ts";
import { Runner } from "./runner.ts";

it("keeps what is known of a session when a begin is refused", async () => {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const session = await store.createSession({ appName: "app", userId: "ada", id: "talk" });
  const rootAgent = new LlmAgent({ name: "desk", model: new ScriptedModel(["one", "two"]) });
  const app = createApp({ name: "app", rootAgent });
  const runner = new Runner({ app, sessionService: store, journal: store, clock, ids });
  const say = (text: string) =>
    Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: session.id, newMessage: userContent(text) }));
  await say("a");
  const begin = vi.spyOn(store, "begin");
  begin.mockRejectedValueOnce(new PlatformError("QUEUE_FULL", "Too many wait."));
  await expect(say("b")).rejects.toMatchObject({ reason: "QUEUE_FULL" });
  await say("c");
  expect(begin.mock.calls.map(([{ haveRevision }]) => haveRevision)).toEqual([2, 2]);
});
