import type { JsonObject } from "#kit/platform/json.ts";
import { rereaderOf, writeValue } from "#kit/schema/shape-writer.ts";
import type { CacheMetadata } from "./cache-metadata.ts";
import type { Event } from "./event.ts";
import type { EventCompaction } from "./event-actions.ts";
import { CACHE_METADATA, type MovedMembers } from "./event-table.ts";

/** An event in the form of stores and clients. Equal to the event itself for most events. */
export type WireEvent = Omit<Event, "cacheMetadata"> & MovedMembers & { readonly cacheMetadata?: JsonObject };

/** The event in the form that clients of ADK can read with their own classes. Most events are returned unchanged. */
export function toWireEvent(event: Event): WireEvent {
  if (isSame(event)) return event;
  const { actions, cacheMetadata, ...rest } = event;
  const { compaction, deletedArtifactIds, ...others } = actions;
  const { startSequence: start, endSequence: end, keptSequences: kept, ...summary } = compaction ?? {};
  const compactedSequences = {
    start,
    end,
    kept,
  };
  return {
    ...rest,
    // A compaction without its sequences has all that its interface requires.
    actions: compaction === undefined ? others : { ...others, compaction: summary as EventCompaction },
    cacheMetadata: cacheMetadata && toWireCacheMetadata(cacheMetadata),
    deletedArtifactIds,
    compactedSequences: Object.keys(compactedSequences).length > 0 ? compactedSequences : undefined,
  };
}

/** The event in the kit's form. Also accepts the form that earlier versions stored, which is the event itself. */
export function fromWireEvent(wire: WireEvent): Event {
  return isEvent(wire) ? wire : joinMoved(wire, wire.cacheMetadata && fromWireCacheMetadata(wire.cacheMetadata));
}

const rereadCacheMetadata = rereaderOf(CACHE_METADATA);

function fromWireCacheMetadata(wire: JsonObject): CacheMetadata {
  // Earlier versions stored it in camelCase.
  return "contents_count" in wire ? rereadCacheMetadata(wire) : (wire as unknown as CacheMetadata);
}

/** The event with the members that JSON contains outside its actions. */
export function joinMoved(wire: WireEvent, metadata: CacheMetadata | undefined): Event {
  const { cacheMetadata: _, compactedSequences, deletedArtifactIds, ...event } = wire;
  const { compaction } = event.actions;
  const { start, end, kept } = compactedSequences ?? {};
  const actions = {
    ...event.actions,
    ...(deletedArtifactIds !== undefined && { deletedArtifactIds }),
    ...(compaction !== undefined && {
      compaction: {
        ...compaction,
        ...(start !== undefined && { startSequence: start }),
        ...(end !== undefined && { endSequence: end }),
        ...(kept !== undefined && { keptSequences: kept }),
      },
    }),
  };
  return { ...event, actions, cacheMetadata: metadata };
}

function isEvent(wire: WireEvent): wire is Event & WireEvent {
  const { cacheMetadata, compactedSequences, deletedArtifactIds } = wire;
  return cacheMetadata === undefined && compactedSequences === undefined && deletedArtifactIds === undefined;
}

/** Whether both forms are equal. */
function isSame(event: Event): event is Event & WireEvent {
  const { compaction, deletedArtifactIds } = event.actions;
  return compaction === undefined && deletedArtifactIds === undefined && event.cacheMetadata === undefined;
}

/** adk-python requires all members of an active cache or none. */
function toWireCacheMetadata(metadata: CacheMetadata): JsonObject {
  const { cacheName, expireTime, fingerprint, contentsCount, invocationsUsed = 0 } = metadata;
  const isActive = cacheName !== undefined && expireTime !== undefined;
  const written = isActive ? { ...metadata, invocationsUsed } : { fingerprint, contentsCount };
  // The table describes an object.
  return writeValue(CACHE_METADATA, written) as JsonObject;
}
