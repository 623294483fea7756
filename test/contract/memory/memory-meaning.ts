import { expect, it } from "vitest";
import type { Embedder } from "#kit/memory/embedder.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { Session } from "#kit/sessions/session.ts";

export interface MemoryMeaningContract {
  readonly create: (
    embedder: Embedder,
  ) => Promise<{ readonly service: MemoryService; readonly dispose: () => Promise<void> }>;
}

const SCOPE = { appName: "app", userId: "user" };

/** The contract of all stores whose memory is found by meaning. */
export function memoryMeaningContract({ create }: MemoryMeaningContract): void {
  async function createWorld(embedder: Embedder) {
    const { service, dispose } = await create(embedder);
    return {
      service,
      remember: (id: string, text: string, scope = SCOPE) =>
        service.addMemoryEntries(scope, [{ id, content: { parts: [{ text }] } }]),
      found: async (query: string, scope = SCOPE) =>
        (await service.searchMemory(scope, query)).memories.map(({ id }) => id),
      [Symbol.asyncDispose]: dispose,
    };
  }

  it("finds by meaning too with an embedder, and by words when that fails", async () => {
    const embedder = new TwoTopics();
    await using world = await createWorld(embedder);
    const { remember, found } = world;
    await remember("car", "drives a car");
    await remember("tea", "drinks tea");
    await remember("both", "tea in the car");
    expect(await found("automobile")).toEqual(["car", "both"]);
    expect(await found("car")).toEqual(["both", "car"]);
    embedder.fails = true;
    await remember("boat", "has a boat");
    expect([await found("automobile"), await found("boat")]).toEqual([[], ["boat"]]);
    embedder.fails = false;
    expect(await found("automobile", { ...SCOPE, userId: "other" })).toEqual([]);
    expect(await found("automobile", { ...SCOPE, appName: "other" })).toEqual([]);
  });

  it("finds an entry by the meaning of its newest text, and not when it is deleted", async () => {
    await using world = await createWorld(new TwoTopics());
    const { service, remember, found } = world;
    await remember("entry", "drives a car");
    await remember("entry", "drinks tea");
    const event = {
      id: "1",
      invocationId: "i",
      author: "user",
      timestamp: 1,
      content: { parts: [{ text: "my car" }] },
    };
    // As a store returns it.
    const session = { ...SCOPE, id: "s", state: {}, events: [event], lastUpdateTime: 1 } as unknown as Session;
    await service.addSessionToMemory(session);
    await service.addSessionToMemory(session);
    expect(await found("automobile")).toEqual(["1"]);
    await service.deleteSessionMemory(SCOPE, "s");
    expect(await found("automobile")).toEqual([]);
  });

  it.each([
    ["too few vectors", (vectors: number[][]) => vectors.slice(1)],
    ["vectors of several lengths", (vectors: number[][]) => vectors.map((vector, index) => vector.slice(index))],
    ["something that is no number", (vectors: number[][]) => vectors.map(() => [Number.NaN])],
    ["numbers that the database has no room for", (vectors: number[][]) => vectors.map(() => [1e300])],
    ["too many numbers", (vectors: number[][]) => vectors.map(() => Array<number>(16_001).fill(1))],
  ])("keeps and finds entries by their words if the embedder returns %s", async (_, change) => {
    const embedder = new TwoTopics();
    await using world = await createWorld(embedder);
    const { service, found } = world;
    embedder.change = change;
    const entries = ["a car", "tea"].map((text, index) => ({ id: `${index}`, content: { parts: [{ text }] } }));
    await service.addMemoryEntries(SCOPE, entries);
    embedder.change = (vectors) => vectors;
    expect([await found("automobile"), await found("tea car")]).toEqual([[], ["0", "1"]]);
  });
}

/** An embedder for which a car is an automobile, and tea is something else. */
class TwoTopics implements Embedder {
  readonly model: string = "two-topics";
  fails = false;
  change = (vectors: number[][]): number[][] => vectors;

  async embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
    if (this.fails) throw new Error("out of order");
    return this.change(texts.map((text) => [/car|automobile/.test(text) ? 1 : 0, /tea/.test(text) ? 0.5 : 0, 0.01]));
  }
}
