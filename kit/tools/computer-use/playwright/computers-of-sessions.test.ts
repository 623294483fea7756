import { expect, it, onTestFinished } from "vitest";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { PlaywrightComputer } from "./playwright-computer.ts";

const KEY: SessionKey = { appName: "app", userId: "ada", id: "s" };

function computers(maxSessions: number) {
  const computer = new PlaywrightComputer({ maxSessions });
  onTestFinished(() => computer.close());
  // A computer asks for the session alone.
  return (session: SessionKey) => computer.forSession({ invocationContext: { session } } as ToolContext);
}

it.each<Partial<SessionKey>>([
  { tenantId: "other" },
  { appName: "other" },
  { userId: "other" },
  { id: "other" },
  { appName: "ap", userId: "pada" },
  { appName: 'app","ada', userId: "s" },
])("a session has a browser of its own, and another with %j another", (others) => {
  const computerOf = computers(2);
  const own = computerOf(KEY);
  expect(computerOf({ ...KEY })).toBe(own);
  expect(computerOf({ ...KEY, ...others })).not.toBe(own);
});

it("refuses a session for which there is no browser left, and keeps the browsers of others", () => {
  const computerOf = computers(1);
  const own = computerOf(KEY);
  expect(() => computerOf({ ...KEY, id: "t" })).toThrow(expect.objectContaining({ reason: "COMPUTERS_IN_USE" }));
  expect(computerOf(KEY)).toBe(own);
});
