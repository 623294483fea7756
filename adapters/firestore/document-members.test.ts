import { expect, it } from "vitest";
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

it("keeps the state of an app in the collection for it", () => {
  verifies("session:collection:app-state");
  expect(new SessionPaths().appState(KEY)).toBe("fairlead/desk/app-state/current");
});
