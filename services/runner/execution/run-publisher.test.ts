import { expect, it } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { PublishedEntry, PublishOptions, RunStream } from "#ports/runs/run-stream.ts";
import { RunPublisher } from "./run-publisher.ts";

const session = { appName: "app", userId: "u", id: "s" };

it("notifies the session's watchers with the first entries of an attempt, and again if those were not published", async () => {
  const session = { tenantId: "acme", appName: "app", userId: "u", id: "s" };
  const published: [readonly string[], unknown][] = [];
  let failures = 1;
  const publisher = new RunPublisher({
    run: { runId: "r", session, epoch: 2, attempts: 2 },
    runStream: {
      publish: async (_runId: string, entries: readonly PublishedEntry[], options?: unknown) => {
        published.push([entries.map(({ kind }) => kind), options]);
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
    [["attempt"], { tenantId: "acme", session, isFollowed: false }],
    [["end"], { tenantId: "acme", session, isFollowed: false }],
  ]);
});

it("publishes the entries of a run one call after another, in their order", async () => {
  const published: number[][] = [];
  const calls: PromiseWithResolvers<void>[] = [];
  let active = 0;
  let mostActive = 0;
  const runStream: RunStream = {
    publish: async (_runId, entries) => {
      active += 1;
      mostActive = Math.max(mostActive, active);
      const call = Promise.withResolvers<void>();
      calls.push(call);
      await call.promise;
      published.push(entries.map(({ n }) => n));
      active -= 1;
    },
    subscribe: () => {
      throw new Error("not part of this test");
    },
    watch: () => ({ [Symbol.dispose]: () => {} }),
    announce: () => {},
  };
  const run = { runId: "r", session, epoch: 1, attempts: 1 };
  const publisher = new RunPublisher({ run, runStream, onError: () => {} });
  const emitted = async (id: string): Promise<void> => {
    publisher.emit([{ event: createEvent({ id, invocationId: "i", author: "agent", timestamp: 1 }) }]);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await emitted("a");
  await emitted("b");
  await emitted("c");
  const ended = publisher.end("succeeded");
  // A later call that ends first would change the order of the entries.
  for (let next = calls.pop(); next !== undefined; next = calls.pop()) {
    next.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  expect([published, mostActive]).toEqual([[[1], [2, 3, 4]], 1]);
});

it("publishes what is added at the moment at which a call ends", async () => {
  const published: (readonly PublishedEntry["kind"][])[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const runStream: RunStream = {
    publish: (_runId, entries) => {
      published.push(entries.map(({ kind }) => kind));
      return promise;
    },
    subscribe: () => {
      throw new Error("not part of this test");
    },
    watch: () => ({ [Symbol.dispose]: () => {} }),
    announce: () => {},
  };
  const run = { runId: "r", session, epoch: 2, attempts: 2 };
  const publisher = new RunPublisher({ run, runStream, onError: () => {} });
  await new Promise((proceed) => setImmediate(proceed));
  // Runs after the publisher's continuation, and before anything that it schedules.
  const ended = promise.then(() => publisher.end("succeeded"));
  resolve();
  await ended;
  expect(published).toEqual([["attempt"], ["end"]]);
});

/** A publisher of a run that a caller of its own follows, to a stream that answers so. */
function followedRun(answer: Promise<void> | undefined) {
  const published: number[][] = [];
  const followed = new Set<boolean | undefined>();
  const runStream = {
    publish: (_runId: string, entries: readonly PublishedEntry[], options?: PublishOptions) => {
      followed.add(options?.isFollowed);
      published.push(entries.map(({ n }) => n));
      return answer;
    },
  };
  const delivered: (number | string)[] = [];
  const publisher = new RunPublisher({
    run: { runId: "r", session, epoch: 1, attempts: 1 },
    // The publisher only publishes.
    runStream: runStream as unknown as RunStream,
    onError: () => {},
    direct: (entries) => delivered.push(...entries.map((entry) => (entry.kind === "resync" ? entry.kind : entry.n))),
  });
  return { publisher, published, delivered, followed };
}

const chunk = createEvent({ id: "a", invocationId: "i", author: "agent", timestamp: 1 });
const turn = () => new Promise((resolve) => setImmediate(resolve));

it("passes entries to the run's own caller first, and sends chunks to a stream elsewhere together", async () => {
  const { publisher, published, delivered, followed } = followedRun(Promise.resolve());
  publisher.emit([{ event: chunk }]);
  await turn();
  for (let count = 2; count <= 3; count += 1) {
    publisher.emit([{ event: chunk }]);
    await turn();
  }
  expect([delivered, published]).toEqual([[1, 2, 3], [[1]]]);
  await expect.poll(() => published).toEqual([[1], [2, 3]]);
  publisher.emit([{ event: chunk }]);
  await turn();
  publisher.emit([{ event: chunk, stored: { ...toEventRecord(chunk), sequence: 7 } }]);
  await turn();
  expect([delivered.slice(3), published.slice(2)]).toEqual([[4, 5], [[4, 5]]]);
  publisher.emit([{ event: chunk }]);
  publisher.leaveGap();
  await publisher.end("succeeded");
  expect([delivered.slice(5), published.slice(3)]).toEqual([[6, "resync", 8], [[6, 8]]]);
  expect([...followed]).toEqual([true]);
});

it("publishes each chunk at once to a stream of its own process, where it costs no call", async () => {
  const { publisher, published } = followedRun(undefined);
  for (let count = 1; count <= 3; count += 1) {
    publisher.emit([{ event: chunk }]);
    await turn();
  }
  expect(published).toEqual([[1], [2], [3]]);
});
