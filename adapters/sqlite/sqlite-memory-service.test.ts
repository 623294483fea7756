import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { SqliteMemoryService } from "./sqlite-memory-service.ts";

describe("SqliteMemoryService", () => {
  it("remembers across a restart", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-memory-"));
    const open = () =>
      new SqliteMemoryService({ path: join(folder, "memory.db"), clock: new FixedClock(), ids: new SequentialIds() });
    const scope = { appName: "app", userId: "user" };
    try {
      const before = open();
      await before.addMemoryEntries(scope, [{ id: "fact", content: { parts: [{ text: "likes Tee 茶" }] } }]);
      await before[Symbol.asyncDispose]();
      await using after = open();
      expect(await after.searchMemory(scope, "茶 tee")).toEqual({
        memories: [{ id: "fact", content: { parts: [{ text: "likes Tee 茶" }] } }],
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
