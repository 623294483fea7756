import type { JsonObject } from "../platform/json.ts";
import type { CacheMetadata } from "./cache-metadata.ts";
import type { Event } from "./event.ts";
import type { EventCompaction } from "./event-actions.ts";
import { toMilliseconds, toSeconds } from "./timestamp.ts";

/** Members of `actions` of this kit's own. adk-python's closed models refuse them there and ignore them at the top of the event. */
interface OwnMembers {
  readonly deletedArtifactIds?: readonly string[];
  readonly compactedSequences?: CompactedSequences;
}

interface CompactedSequences {
  readonly start?: number;
  readonly end?: number;
  readonly kept?: readonly number[];
}

/** An event as stores and clients have it. Equal to the event itself for most events. */
export type WireEvent = Omit<Event, "cacheMetadata"> & OwnMembers & { readonly cacheMetadata?: JsonObject };

/** The form of the event that clients of ADK can read with their own classes. Most events are returned as they are. */
export function toWireEvent(event: Event): WireEvent {
  if (isSame(event)) return event;
  const { actions, cacheMetadata, ...rest } = event;
  const { compaction, deletedArtifactIds, ...others } = actions;
  const { startSequence: start, endSequence: end, keptSequences: kept, ...summary } = compaction ?? {};
  const compactedSequences = {
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(kept !== undefined && { kept }),
  };
  return {
    ...rest,
    // A compaction without its sequences has all that its interface requires.
    actions: compaction === undefined ? others : { ...others, compaction: summary as EventCompaction },
    ...(cacheMetadata !== undefined && { cacheMetadata: toWireCacheMetadata(cacheMetadata) }),
    ...(deletedArtifactIds !== undefined && { deletedArtifactIds }),
    ...(Object.keys(compactedSequences).length > 0 && { compactedSequences }),
  };
}

/** The event as the kit works with it. Also takes the form that earlier versions stored, which is the event itself. */
export function fromWireEvent(wire: WireEvent): Event {
  if (isEvent(wire)) return wire;
  const { cacheMetadata, compactedSequences, deletedArtifactIds, ...event } = wire;
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
  return {
    ...event,
    actions,
    ...(cacheMetadata !== undefined && { cacheMetadata: fromWireCacheMetadata(cacheMetadata) }),
  };
}

/** Whether both forms are the same. */
function isSame(event: Event): event is Event & WireEvent {
  const { compaction, deletedArtifactIds } = event.actions;
  return compaction === undefined && deletedArtifactIds === undefined && event.cacheMetadata === undefined;
}

function isEvent(wire: WireEvent): wire is Event & WireEvent {
  const { cacheMetadata, compactedSequences, deletedArtifactIds } = wire;
  return cacheMetadata === undefined && compactedSequences === undefined && deletedArtifactIds === undefined;
}

/** adk-python spells the members of this model alone with underscores, counts seconds, and wants all members of an active cache or none. */
function toWireCacheMetadata(metadata: CacheMetadata): JsonObject {
  const { cacheName, createdAt, expireTime, fingerprint, contentsCount, invocationsUsed = 0 } = metadata;
  const prefix = { fingerprint, contents_count: contentsCount };
  if (cacheName === undefined || expireTime === undefined) return prefix;
  return {
    cache_name: cacheName,
    expire_time: toSeconds(expireTime),
    ...prefix,
    invocations_used: invocationsUsed,
    ...(createdAt !== undefined && { created_at: toSeconds(createdAt) }),
  };
}

function fromWireCacheMetadata(wire: JsonObject): CacheMetadata {
  // What earlier versions stored.
  if (!Object.hasOwn(wire, "contents_count")) return wire as unknown as CacheMetadata;
  // This kit wrote it, or the event's table has checked it.
  const { cache_name, created_at, expire_time, fingerprint, contents_count, invocations_used } = wire as {
    readonly cache_name?: string;
    readonly created_at?: number;
    readonly expire_time?: number;
    readonly fingerprint: string;
    readonly contents_count: number;
    readonly invocations_used?: number;
  };
  return {
    ...(typeof cache_name === "string" && { cacheName: cache_name }),
    ...(typeof expire_time === "number" && { expireTime: toMilliseconds(expire_time) }),
    ...(typeof created_at === "number" && { createdAt: toMilliseconds(created_at) }),
    fingerprint,
    contentsCount: contents_count,
    ...(typeof invocations_used === "number" && { invocationsUsed: invocations_used }),
  };
}
