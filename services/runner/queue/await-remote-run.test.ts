import { expect, it } from "vitest";
import type { RunNotification } from "#ports/runs/run-notifications.ts";
import { RemoteRunEnds } from "./await-remote-run.ts";

/** After this many polls, the pause before the next one has its longest value, one second. */
const MANY_POLLS = 20;

function createWorld() {
  const sent: RunNotification[] = [];
  const listeners = new Set<(notification: RunNotification) => void>();
  const remote = new RemoteRunEnds({
    notify: (notification) => void sent.push(notification),
    onNotify: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  });
  const notify = (notification: RunNotification): void => {
    for (const listener of listeners) listener(notification);
  };
  const ended: string[] = [];
  const wait = (name: string, runId = "run") =>
    remote.ended({ runId: runId }, MANY_POLLS).then(() => {
      ended.push(name);
    });
  return { remote, sent, listeners, notify, wait, ended };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

it("asks for the end of a run and waits until it is reported", async () => {
  const { sent, notify, wait, ended } = createWorld();
  const waiting = [wait("first"), wait("second")];
  notify({ kind: "available", runId: "run" });
  notify({ kind: "ended", runId: "other" });
  await settle();
  expect([sent, ended]).toEqual([
    [
      { kind: "awaited", runId: "run" },
      { kind: "awaited", runId: "run" },
    ],
    [],
  ]);
  notify({ kind: "ended", runId: "run" });
  await Promise.all(waiting);
  expect(ended).toEqual(["first", "second"]);
});

it("waits again for a run whose end was reported before", async () => {
  const { notify, wait, ended } = createWorld();
  const first = wait("first");
  notify({ kind: "ended", runId: "run" });
  await first;
  const again = wait("again");
  await settle();
  expect(ended).toEqual(["first"]);
  notify({ kind: "ended", runId: "run" });
  await again;
});

it("ends its subscription, and needs none", () => {
  const { remote, listeners } = createWorld();
  expect(listeners.size).toBe(1);
  remote[Symbol.dispose]();
  expect(listeners.size).toBe(0);
  new RemoteRunEnds(undefined)[Symbol.dispose]();
});
