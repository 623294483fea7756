import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { createEvent } from "./event.ts";
import { createEventActions } from "./event-actions.ts";
import { eventFromJson } from "./event-json.ts";
import { fromEventRecord, toEventRecord } from "./event-record.ts";

const compaction = {
  compactedContent: { role: "model", parts: [{ text: "sum" }] },
  startTimestamp: 1_700_000_000_000,
  endTimestamp: 1_700_000_001_000,
};
const cacheMetadata = {
  cacheName: "cachedContents/1",
  expireTime: 1_700_000_000_500,
  createdAt: 1_700_000_000_000,
  fingerprint: "f",
  contentsCount: 3,
  invocationsUsed: 2,
};
const event = createEvent({
  id: "e",
  invocationId: "i",
  author: "a",
  timestamp: 1_700_000_000_000,
  actions: createEventActions({
    deletedArtifactIds: ["b.txt"],
    compaction: { ...compaction, startSequence: 1, endSequence: 5, keptSequences: [3] },
  }),
  cacheMetadata,
  resumption: { agentState: { loop: { timesLooped: 1 } }, endOfAgent: true },
});

it("puts what ADK's closed models do not know at the top of the event", () => {
  verifies("event-actions:deleted-artifact-ids");
  const { actions, ...wire } = JSON.parse(toEventRecord(event).json) as Record<string, unknown>;
  expect(actions).toEqual({ ...createEventActions(), compaction });
  expect(wire).toEqual({
    id: "e",
    invocationId: "i",
    author: "a",
    timestamp: 1_700_000_000_000,
    resumption: { agentState: { loop: { timesLooped: 1 } }, endOfAgent: true },
    deletedArtifactIds: ["b.txt"],
    compactedSequences: { start: 1, end: 5, kept: [3] },
    cacheMetadata: {
      cache_name: "cachedContents/1",
      expire_time: 1_700_000_000.5,
      created_at: 1_700_000_000,
      fingerprint: "f",
      contents_count: 3,
      invocations_used: 2,
    },
  });
});

it("is read back as the same event, from a record and from a client's JSON", () => {
  const record = toEventRecord(event);
  expect(fromEventRecord(record)).toEqual(event);
  expect(eventFromJson(record.json)).toEqual(event);
});

it("reads what earlier versions stored, whose records are the event itself", () => {
  expect(fromEventRecord({ ...toEventRecord(event), json: JSON.stringify(event) })).toEqual(event);
  expect(eventFromJson(JSON.stringify(event))).toEqual(event);
});

it("writes all members of an active cache or none", () => {
  const wireOf = (metadata: object) =>
    (
      JSON.parse(
        toEventRecord({ ...event, cacheMetadata: { fingerprint: "f", contentsCount: 1, ...metadata } }).json,
      ) as { cacheMetadata: unknown }
    ).cacheMetadata;
  expect(wireOf({})).toEqual({ fingerprint: "f", contents_count: 1 });
  expect(wireOf({ cacheName: "c" })).toEqual({ fingerprint: "f", contents_count: 1 });
  expect(wireOf({ cacheName: "c", expireTime: 1e12 })).toEqual({
    cache_name: "c",
    expire_time: 1e9,
    fingerprint: "f",
    contents_count: 1,
    invocations_used: 0,
  });
});
