import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { IdleSessions } from "./idle-sessions.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class Session {
  readonly closed: () => void;
  isClosed = false;

  constructor(closed: () => void) {
    this.closed = closed;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.closed();
  }
}

function sessions(maxSessions: number): IdleSessions<Session> {
  return new IdleSessions({ maxSessions, idleMs: 1000, open: (onClosed) => new Session(onClosed) });
}

it("closes a session that was not used for the time, counted from its last use", () => {
  const all = sessions(1);
  const session = all.use("a");
  vi.advanceTimersByTime(900);
  expect(all.use("a")).toBe(session);
  vi.advanceTimersByTime(900);
  expect(session?.isClosed).toBe(false);
  expect(all.use("b")).toBeUndefined();
  vi.advanceTimersByTime(100);
  expect(session?.isClosed).toBe(true);
  expect(all.use("b")).toBeInstanceOf(Session);
});

it("opens a new session after one was closed by others", () => {
  const all = sessions(1);
  const session = all.use("a");
  session?.closed();
  expect(all.use("a")).not.toBe(session);
});

it("closes all sessions, and no timer stays", async () => {
  const all = sessions(2);
  const opened = [all.use("a"), all.use("b")];
  await all.close();
  expect(opened.map((session) => session?.isClosed)).toEqual([true, true]);
  expect(vi.getTimerCount()).toBe(0);
});
