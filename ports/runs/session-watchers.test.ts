import { expect, it } from "vitest";
import { SessionWatchers } from "./session-watchers.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

it("calls the watchers of a session that are left, and no others", () => {
  const calls: string[] = [];
  const watchers = new SessionWatchers();
  const add = (name: string, key = KEY) => watchers.add(key, () => calls.push(name));
  const first = add("first");
  add("second");
  add("other", { ...KEY, id: "other" });
  watchers.notify(KEY);
  first[Symbol.dispose]();
  watchers.notify(KEY);
  expect(calls).toEqual(["first", "second", "second"]);
});

it("keeps a watcher that was added after all others had left, also when one of those leaves again", () => {
  let calls = 0;
  const watchers = new SessionWatchers();
  const gone = watchers.add(KEY, () => {});
  gone[Symbol.dispose]();
  watchers.add(KEY, () => {
    calls += 1;
  });
  gone[Symbol.dispose]();
  watchers.notify(KEY);
  expect(calls).toBe(1);
});
