import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  createEventsCompactionConfig,
  type EventsCompactionConfig,
  hasSlidingWindowCompactionConfig,
  hasTokenThresholdCompactionConfig,
} from "./events-compaction-config.ts";

const modes = (config: EventsCompactionConfig): readonly boolean[] => [
  hasSlidingWindowCompactionConfig(config),
  hasTokenThresholdCompactionConfig(config),
];

describe("the configuration of compaction", () => {
  it("has an interval, an overlap, a threshold, a number of events to keep and a summarizer, and reports what is on", () => {
    verifies(
      "configuration:compaction:interval",
      "configuration:compaction:event-retention-size",
      "configuration:compaction:summarizer",
      "configuration:compaction:two-further-integers",
      "configuration:compaction:has-sliding-window",
      "configuration:compaction:component-names",
      "limits:defaults:compaction",
    );
    const summarizer = { summarizeEvents: async () => undefined };
    const all = { compactionInterval: 3, overlapSize: 1, tokenThreshold: 9, eventRetentionSize: 2, summarizer };
    expect(createEventsCompactionConfig(all)).toEqual(all);
    expect(modes(all)).toEqual([true, true]);
    expect(modes({})).toEqual([false, false]);
    expect(modes({ compactionInterval: 1, overlapSize: 0 })).toEqual([true, false]);
    expect(modes({ tokenThreshold: 1, eventRetentionSize: 0 })).toEqual([false, true]);
  });

  it.each<[EventsCompactionConfig, string]>([
    [{ compactionInterval: 0, overlapSize: 0 }, "eventsCompaction.compactionInterval"],
    [{ compactionInterval: 1.5, overlapSize: 0 }, "eventsCompaction.compactionInterval"],
    [{ compactionInterval: 2, overlapSize: -1 }, "eventsCompaction.overlapSize"],
    [{ compactionInterval: 2 }, "eventsCompaction.overlapSize"],
    [{ overlapSize: 2 }, "eventsCompaction.compactionInterval"],
    [{ tokenThreshold: 2 }, "eventsCompaction.eventRetentionSize"],
    [{ tokenThreshold: Number.NaN, eventRetentionSize: 1 }, "eventsCompaction.tokenThreshold"],
  ])("refuses %j and names the field", (eventsCompaction, field) => {
    const rootAgent = new LlmAgent({ name: "helper" });
    expect(() => createApp({ name: "app", rootAgent, eventsCompaction })).toThrowError(
      expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }),
    );
  });
});
