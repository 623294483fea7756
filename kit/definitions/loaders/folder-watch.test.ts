import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { expect, it, onTestFinished, vi } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { FolderWatch } from "./folder-watch.ts";

it("closes the watcher of the file system and its timers", async () => {
  const { path } = agentsFolder({});
  const watch = vi.spyOn(fs, "watch");
  syncBuiltinESMExports();
  onTestFinished(() => {
    watch.mockRestore();
    syncBuiltinESMExports();
  });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = new FolderWatch({ path, onChange: async () => {} });
  // Node's own recursive watching calls the function again for each folder below.
  const watcher = watch.mock.results[0]?.value;
  const close = vi.spyOn(watcher, "close");
  expect([vi.getTimerCount(), close.mock.calls.length]).toEqual([1, 0]);
  folder.close();
  expect([vi.getTimerCount(), close.mock.calls.length]).toEqual([0, 1]);
});
