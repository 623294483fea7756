import { expect, it } from "vitest";
import { eventFromJson } from "#kit/events/event-json.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { MODEL_KEY, USER_KEY } from "#kit/sessions/document-keys.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { newSessionHead } from "#ports/sessions/session-head.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { toEventFields } from "./sessions/event-document.ts";
import { createHeadWrite } from "./sessions/head-document.ts";
import { SessionPaths } from "./sessions/session-paths.ts";
import { toStateFields } from "./sessions/state-fields.ts";

const KEY = { appName: "desk", userId: "ada", id: "talk" };

it("names the members of a session's document as the specification does", () => {
  verifies(
    "session:document-key:app-name",
    "session:document-key:id",
    "session:document-key:state",
    "session:document-key:update-time",
    "session:document-key:user-id",
  );
  const path = new SessionPaths().head(KEY);
  expect(createHeadWrite(path, newSessionHead(KEY, "first", 5), toStateFields({ city: "Rome" }))).toMatchObject({
    kind: "create",
    path,
    fields: { appName: "desk", userId: "ada", id: "talk", state: { city: '"Rome"' }, updateTime: 5 },
  });
});

it("names the members of an event's document as the specification does", () => {
  verifies("session:document-key:author", "session:document-key:id", "session:document-key:timestamp");
  const event = { id: "e", invocationId: "i", author: "clerk", timestamp: 7, json: "{}", sequence: 1 };
  expect(toEventFields(event)).toEqual({
    id: "e",
    author: "clerk",
    timestamp: 7,
    invocationId: "i",
    json: "{}",
  });
});

it("names the roles of who wrote an event's content as the specification does", async () => {
  verifies("session:document-key:model", "session:document-key:user");
  const agent = new LlmAgent({ name: "clerk", model: new ScriptedModel(["Hello."]) });
  const sessionService = new InMemorySessionStore();
  const runner = new Runner({ appName: KEY.appName, agent, sessionService, runConfig: { autoCreateSession: true } });
  const message = { userId: KEY.userId, sessionId: KEY.id, newMessage: { parts: [{ text: "Hi." }] } };
  await Array.fromAsync(runner.runAsync(message));
  const { events } = await sessionService.listEventRecords(KEY);
  const roles = events.map((event) => eventFromJson(String(toEventFields(event)["json"])).content?.role);
  expect(roles).toEqual([USER_KEY, MODEL_KEY]);
});

it("keeps the state of an app in the collection for it", () => {
  verifies("session:collection:app-state");
  expect(new SessionPaths().appState(KEY)).toBe("fairlead/desk/app-state/current");
});
