import { expect, it } from "vitest";
import type { PublishedEntry } from "#kit/runner/run-stream.ts";
import { RunPublisher } from "./run-publisher.ts";

const session = { appName: "app", userId: "u", id: "s" };

it("tells the session's watchers with the first entries of an attempt, again when those did not get through", async () => {
  const published: [readonly string[], unknown][] = [];
  let failures = 1;
  const publisher = new RunPublisher({
    run: { runId: "r", session, epoch: 2, attempts: 2 },
    runStream: {
      publish: async (_runId: string, entries: readonly PublishedEntry[], told?: unknown) => {
        published.push([entries.map(({ kind }) => kind), told]);
        if (failures-- > 0) throw new Error("away");
      },
      subscribe: () => {
        throw new Error("not part of this test");
      },
      watch: () => ({ [Symbol.dispose]: () => {} }),
      announce: () => {},
    },
    onError: () => {},
  });
  await new Promise((resolve) => setImmediate(resolve));
  publisher.emit([]);
  await publisher.end("succeeded");
  expect(published).toEqual([
    [["attempt"], session],
    [["end"], session],
  ]);
});
