import { describe, expect, it } from "vitest";
import { StreamMerge } from "./stream-merge.ts";

async function* items(...values: readonly string[]): AsyncGenerator<string> {
  yield* values;
}

async function readAll(merge: StreamMerge<string>): Promise<string[]> {
  const read: string[] = [];
  for (let item = await merge.next(); item !== undefined; item = await merge.next()) read.push(item);
  return read;
}

describe("StreamMerge", () => {
  it("yields all items, those of each source in order, and ends when all sources have ended", async () => {
    const merge = new StreamMerge<string>();
    merge.add(items("a1", "a2"));
    merge.add(items("b1"));
    const read = await readAll(merge);
    expect([read.filter((item) => item.startsWith("a")), read.toSorted()]).toEqual([
      ["a1", "a2"],
      ["a1", "a2", "b1"],
    ]);
  });

  it("asks a source for its next item only after its last one was read", async () => {
    const made: number[] = [];
    const source = async function* (): AsyncGenerator<string> {
      for (let count = 1; count <= 3; count += 1) {
        made.push(count);
        yield String(count);
      }
    };
    const merge = new StreamMerge<string>();
    merge.add(source());
    expect(await merge.next()).toBe("1");
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(made).toEqual([1, 2]);
  });

  it("reads a source that is added while the merge waits", async () => {
    const merge = new StreamMerge<string>();
    const gate = Promise.withResolvers<void>();
    merge.add(
      (async function* () {
        await gate.promise;
        yield "late";
      })(),
    );
    const first = merge.next();
    merge.add(items("early"));
    expect(await first).toBe("early");
    gate.resolve();
    expect(await readAll(merge)).toEqual(["late"]);
  });

  it("ends its sources when it is closed", async () => {
    let ended = false;
    const source = async function* (): AsyncGenerator<string> {
      try {
        yield "one";
        yield "two";
      } finally {
        ended = true;
      }
    };
    const merge = new StreamMerge<string>();
    merge.add(source());
    expect(await merge.next()).toBe("one");
    merge.close();
    expect(await merge.next()).toBeUndefined();
    expect(ended).toBe(true);
  });

  it("ends with the error of a source", async () => {
    const merge = new StreamMerge<string>();
    merge.add(
      (async function* (): AsyncGenerator<string> {
        throw new Error("broken");
      })(),
    );
    await expect(readAll(merge)).rejects.toThrow("broken");
  });
});
