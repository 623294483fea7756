import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunStreamEntry } from "#ports/runs/run-stream.ts";
import type { RunEnd } from "../streams/follow-run.ts";
import { LiveAccount } from "./live-account.ts";
import { LiveOutput } from "./live-output.ts";

const event = (n: number, json = "{}"): RunStreamEntry => ({
  ...{ kind: "event", epoch: 1, n, eventId: `e${n}`, json, partial: true },
});
const END: RunStreamEntry = { kind: "end", epoch: 1, n: 99, status: "succeeded" };

/** A relay that answers when the test says so; immediately for what it is not told about. */
function output(answers: (Promise<RunEnd | undefined> | undefined)[] = [], account = new LiveAccount(100_000_000)) {
  const relayed: (number | string)[][] = [];
  const left = new AbortController();
  const relay = (batch: readonly RunStreamEntry[]): Promise<RunEnd | undefined> | undefined => {
    relayed.push(batch.map((entry) => (entry.kind === "event" ? entry.n : entry.kind)));
    if (answers.length > 0) return answers.shift();
    return batch.some(({ kind }) => kind === "end") ? Promise.resolve({ status: "succeeded" }) : undefined;
  };
  const dropped: number[] = [];
  return {
    relayed,
    left,
    dropped,
    output: new LiveOutput({
      relay: { relay },
      signal: left.signal,
      share: account.open(),
      onDrop: (chunks) => void dropped.push(chunks),
    }),
  };
}

it("passes on what comes, and keeps what comes while the client is waited for", async () => {
  const slow = Promise.withResolvers<undefined>();
  const { output: out, relayed } = output([undefined, slow.promise]);
  for (const n of [1, 2, 3, 4]) out.add([event(n)]);
  out.add([END]);
  expect(relayed).toEqual([[1], [2]]);
  slow.resolve(undefined);
  expect(await out.ended).toEqual({ status: "succeeded" });
  expect(relayed).toEqual([[1], [2], [3, 4, "end"]]);
});

it("keeps no more than its bound: the stored events are read instead", async () => {
  const slow = Promise.withResolvers<undefined>();
  const { output: out, relayed, dropped } = output([slow.promise]);
  const long = JSON.stringify("x".repeat(300_000));
  for (const n of [1, 2, 3, 4, 5, 6]) out.add([event(n, long)]);
  out.add([END]);
  slow.resolve(undefined);
  await out.ended;
  expect(relayed).toEqual([[1], ["resync", 6, "end"]]);
  expect(dropped).toEqual([4]);
});

it("leaves more to the store where all calls keep too much, and counts nothing that it has passed on", async () => {
  const slow = Promise.withResolvers<undefined>();
  const account = new LiveAccount(50_000);
  const other = account.open();
  const { output: out, relayed } = output([slow.promise], account);
  other.change(25_000);
  const long = JSON.stringify("x".repeat(20_000));
  for (const n of [1, 2, 3]) out.add([event(n, long)]);
  out.add([END]);
  slow.resolve(undefined);
  await out.ended;
  expect(relayed).toEqual([[1], ["resync", "end"]]);
  expect(account.bytes).toBe(25_000);
});

it("reads the stored events once more when their store was unavailable", async () => {
  const unavailable = Promise.reject(new PlatformError("SERVICE_UNAVAILABLE", "no store"));
  const { output: out, relayed } = output([unavailable]);
  out.add([event(1), { kind: "resync" }]);
  out.add([event(2)]);
  await expect.poll(() => relayed).toEqual([[1, "resync"], ["resync"]]);
  out.add([END]);
  expect(await out.ended).toEqual({ status: "succeeded" });
});

it("ends with an error that is not an outage, and relays nothing after it", async () => {
  const { output: out, relayed } = output([Promise.reject(new Error("broken"))]);
  out.add([event(1)]);
  await expect(out.ended).rejects.toThrow("broken");
  out.add([event(2)]);
  out.finish();
  expect(relayed).toEqual([[1]]);
});

it("asks for the run's end if the runner has not emitted it, unless the client has left", async () => {
  const { output: out, relayed, left } = output();
  out.add([event(1)]);
  out.finish();
  expect(relayed).toEqual([[1], ["resync"]]);
  left.abort();
  out.add([event(2)]);
  expect(await out.ended).toBeUndefined();
  expect(relayed).toEqual([[1], ["resync"]]);
});
