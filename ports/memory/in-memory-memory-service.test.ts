import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryMemoryService } from "./in-memory-memory-service.ts";

describe("InMemoryMemoryService's bound", () => {
  it("drops the entries that were added first, over all users", async () => {
    const service = new InMemoryMemoryService({ clock: new FixedClock(), ids: new SequentialIds(), maxEntries: 3 });
    const add = (userId: string, id: string) =>
      service.addMemoryEntries({ appName: "app", userId }, [{ id, content: { parts: [{ text: "tea" }] } }]);
    for (const id of ["1", "2"]) await add("ann", id);
    for (const id of ["3", "4"]) await add("bob", id);
    await add("ann", "2");
    const found = async (userId: string) =>
      (await service.searchMemory({ appName: "app", userId }, "tea")).memories.map(({ id }) => id);
    expect({ ann: await found("ann"), bob: await found("bob") }).toEqual({ ann: ["2"], bob: ["3", "4"] });
    await add("cid", "5");
    expect({ ann: await found("ann"), bob: await found("bob") }).toEqual({ ann: ["2"], bob: ["4"] });
  });
});
