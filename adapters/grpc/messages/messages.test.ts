import { expect, it } from "vitest";
import { CONCURRENCY_POLICIES, RUN_STATUSES } from "#kit/sessions/run-record.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { loadProto } from "../channel/proto.ts";
import { IncomingArtifact } from "./artifact-messages.ts";
import { fromJsonChunks, toJsonChunks } from "./json-stream.ts";
import {
  BATCH_BYTES,
  batches,
  CHUNK_BYTES,
  chunks,
  fromSessionKey,
  fromTimestamp,
  markLast,
  toSessionKeyMessage,
  toTimestamp,
} from "./messages.ts";
import { fromPolicyMessage, fromStatusMessage, toPolicyMessage, toStatusMessage } from "./run-messages.ts";

it("keeps every millisecond", () => {
  fc.assert(
    fc.property(fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }), (time) => {
      const { seconds, nanos } = toTimestamp(time);
      expect(fromTimestamp({ seconds: Number(seconds), nanos: nanos ?? 0 })).toBe(time);
    }),
  );
});

it("cuts bytes into chunks that make up the whole again", () => {
  const bytes = Buffer.alloc(2 * CHUNK_BYTES + 1, "abc");
  const parts = [...chunks(bytes)];
  expect([parts.map(({ length }) => length), Buffer.concat(parts).equals(bytes)]).toEqual([
    [CHUNK_BYTES, CHUNK_BYTES, 1],
    true,
  ]);
  expect([...chunks(Buffer.alloc(0))]).toEqual([]);
});

it("groups items in order, by size, an item that is too large alone", () => {
  const sizes = [BATCH_BYTES / 2, BATCH_BYTES / 2, 1, 5 * BATCH_BYTES, 1];
  expect([...batches(sizes, (size) => size)]).toEqual([
    [BATCH_BYTES / 2, BATCH_BYTES / 2],
    [1],
    [5 * BATCH_BYTES],
    [1],
  ]);
});

it("names every status and policy of runs as the proto does", () => {
  const { RunStatus, ConcurrencyPolicy } = loadProto("runJournal").fairlead.common.v1;
  // A loaded enumeration contains its descriptor.
  const named = (type: unknown) =>
    (type as { type: { value: { name: string }[] } }).type.value.map(({ name }) => name).slice(1);
  expect(named(RunStatus).sort()).toEqual(RUN_STATUSES.map(toStatusMessage).sort());
  expect(named(ConcurrencyPolicy).sort()).toEqual(CONCURRENCY_POLICIES.map(toPolicyMessage).sort());
  expect(RUN_STATUSES.map((status) => fromStatusMessage(toStatusMessage(status)))).toEqual(RUN_STATUSES);
  expect(CONCURRENCY_POLICIES.map((policy) => fromPolicyMessage(toPolicyMessage(policy)))).toEqual(
    CONCURRENCY_POLICIES,
  );
});

it("marks the last message, also when it is the only one", () => {
  expect([...markLast([{ a: 1 }, { a: 2 }])]).toEqual([{ a: 1 }, { a: 2, complete: true }]);
  expect([...markLast([{ a: 1 }])]).toEqual([{ a: 1, complete: true }]);
  expect([...markLast([])]).toEqual([]);
});

it("takes no part of a content or a JSON value for the whole", async () => {
  const value = { text: "é".repeat(CHUNK_BYTES) };
  const parts = [...toJsonChunks(value, { head: 1 })];
  const joined = (given: typeof parts) => fromJsonChunks(asyncOf(given), "The value");
  expect(await joined(parts)).toEqual({ value, first: parts[0] });
  await expect(joined(parts.slice(0, -1))).rejects.toMatchObject({ reason: "MALFORMED_JSON" });

  const incoming = new IncomingArtifact({ partJson: Buffer.from("{}"), contentBytes: 4 });
  incoming.add(Buffer.from("abc"));
  expect(() => incoming.content()).toThrow("The artifact's content is not as long as its header says.");
  incoming.add(Buffer.from("d"));
  expect(incoming.content()).toEqual({ part: {}, bytes: Buffer.from("abcd") });
  expect(() => incoming.add(Buffer.from("e"))).toThrow("The artifact's content is not as long as its header says.");
});

async function* asyncOf<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

it("always writes a tenant, refuses a message without one, and returns names of the tenant default without it", () => {
  const key = { appName: "app", userId: "ada", id: "s" };
  expect(toSessionKeyMessage(key)).toEqual({ ...key, tenantId: "default" });
  for (const name of [key, { ...key, tenantId: "acme" }]) {
    const received = fromSessionKey(toSessionKeyMessage(name));
    expect([received, "tenantId" in received]).toEqual([name, "tenantId" in name]);
  }
  expect(() => fromSessionKey({ ...key, tenantId: "" })).toThrow(
    expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "tenantId" } }),
  );
});
