import { expect, it } from "vitest";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { AppendEventsRequest, AppendEventsResult } from "#kit/sessions/run-journal.ts";
import { LEASE_MS, NOW, said, KEY as session } from "#test/contract/sessions/session-world.ts";
import { appendInParts } from "./event-parts.ts";

it("clears the history start until the last part of its events is stored", async () => {
  const lease = { runId: "run", session, holder: "runner", epoch: 1, expiresAt: NOW };
  const big = { content: { parts: [{ text: "x".repeat(900_000) }] } };
  const events = ["1", "2", "3", "4", "5"].map((id) => toEventRecord(said(id, big)));
  const parts: AppendEventsRequest[] = [];
  const append = async (part: AppendEventsRequest): Promise<AppendEventsResult> => {
    parts.push(part);
    return { lease, revision: 0, stored: [], missed: [], cancelRequested: false };
  };
  const request = { lease, leaseMs: LEASE_MS, afterRevision: 0, events };
  await appendInParts({ ...request, historyStart: { from: 5, earlier: [1] } }, append);
  expect(parts.map((part) => [part.events.length, part.historyStart])).toEqual([
    [3, { from: 1, earlier: [] }],
    [2, { from: 5, earlier: [1] }],
  ]);
  parts.length = 0;
  await appendInParts(request, append);
  expect(parts.map((part) => Object.hasOwn(part, "historyStart"))).toEqual([false, false]);
});
