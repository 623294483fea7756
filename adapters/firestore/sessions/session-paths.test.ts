import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { eventPath, eventSequence, SessionPaths } from "./session-paths.ts";

const KEY = { appName: "desk", userId: "ada", id: "talk" };

it("keeps a session below its app and user, and its events below it, in the order of their names", () => {
  verifies("session:collection:events", "session:collection:layout");
  const head = new SessionPaths().head(KEY);
  expect(head).toBe("fairlead/desk/users/ada/sessions/talk");
  expect(eventPath(head, 7)).toBe("fairlead/desk/users/ada/sessions/talk/user-event/000000000007");
  expect(
    [9, 10, 100]
      .map((sequence) => eventPath(head, sequence))
      .sort()
      .map(eventSequence),
  ).toEqual([9, 10, 100]);
  expect(new SessionPaths("other").head(KEY)).toBe("other/desk/users/ada/sessions/talk");
});
