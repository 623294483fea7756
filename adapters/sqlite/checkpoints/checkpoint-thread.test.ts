import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { CheckpointThread } from "./checkpoint-thread.ts";

it("makes no checkpoint any more, and reports no error, after its thread has failed", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "fairlead-thread-")), "data");
  onTestFinished(() => rmSync(join(folder, ".."), { recursive: true }));
  const file = join(folder, "notes.sqlite");
  const thread = new CheckpointThread(file);
  await thread.run();
  mkdirSync(folder);
  await thread.run();
  await thread.end();
  // A connection would have created the file.
  expect(existsSync(file)).toBe(false);
});
