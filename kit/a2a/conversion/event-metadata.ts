import type { UsageMetadata } from "#kit/events/content.ts";
import type { EventInput } from "#kit/events/event.ts";
import { type EventActions, NO_ACTIONS } from "#kit/events/event-actions.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { A2AMetadataKey, FURTHER_KEY } from "./metadata-keys.ts";

/** The members of an event that a peer's message, artifact or update has. */
export type EventMembers = Omit<EventInput, "id" | "invocationId" | "author" | "timestamp">;

/**
 * The event's metadata for a peer. The event's effects on its session stay here, except those that concern the agent
 * that has called. A failure's message stays here too: it may quote an exception.
 */
export function toA2aMetadata(event: EventInput): JsonObject {
  const { escalate, skipSummarization } = event.actions ?? NO_ACTIONS;
  const members: Record<string, unknown> = {
    [FURTHER_KEY.INVOCATION_ID]: event.invocationId,
    [FURTHER_KEY.AUTHOR]: event.author,
    [FURTHER_KEY.EVENT_ID]: event.id,
    [FURTHER_KEY.BRANCH]: event.branch,
    [A2AMetadataKey.PARTIAL]: event.partial,
    [A2AMetadataKey.GROUNDING_METADATA]: event.groundingMetadata,
    [A2AMetadataKey.USAGE_METADATA]: event.usageMetadata,
    [A2AMetadataKey.CUSTOM_METADATA]: withoutOwnKeys(event.customMetadata),
    [A2AMetadataKey.ERROR_CODE]: event.errorCode,
    [FURTHER_KEY.CITATION_METADATA]: event.citationMetadata,
    [FURTHER_KEY.ACTIONS]: defined({ escalate, skipSummarization }),
  };
  return defined(members) ?? {};
}

/**
 * The members of an event that a peer's metadata has. A peer may end a loop around its caller or keep its answer from
 * being summarized; it changes neither the caller's state, files and credentials nor which agent is next.
 */
export function fromA2aMetadata(metadata: Readonly<Record<string, unknown>> | undefined): EventMembers {
  if (metadata === undefined) return {};
  const members: Record<string, unknown> = {
    partial: booleanOf(metadata[A2AMetadataKey.PARTIAL]),
    groundingMetadata: objectOf(metadata[A2AMetadataKey.GROUNDING_METADATA]),
    // The members of usage are the provider's own.
    usageMetadata: objectOf(metadata[A2AMetadataKey.USAGE_METADATA]) as UsageMetadata | undefined,
    customMetadata: withoutOwnKeys(metadata[A2AMetadataKey.CUSTOM_METADATA]),
    errorCode: textOf(metadata[A2AMetadataKey.ERROR_CODE]),
    citationMetadata: objectOf(metadata[FURTHER_KEY.CITATION_METADATA]),
    actions: actionsOf(objectOf(metadata[FURTHER_KEY.ACTIONS])),
  };
  // Each value has been checked for its member.
  return (defined(members) ?? {}) as EventMembers;
}

function actionsOf(given: JsonObject | undefined): EventActions | undefined {
  if (given === undefined) return undefined;
  const effects = defined({
    escalate: booleanOf(given["escalate"]),
    skipSummarization: booleanOf(given["skipSummarization"] ?? given["skip_summarization"]),
  });
  return effects && { ...NO_ACTIONS, ...effects };
}

/** The keys of this prefix are each agent's own: with them it finds its place in a conversation with a peer. */
const OWN_PREFIX = "a2a:";

function withoutOwnKeys(value: unknown): unknown {
  if (!isJsonObject(value)) return value ?? undefined;
  const entries = Object.entries(value).filter(([key]) => !key.startsWith(OWN_PREFIX));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function booleanOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Python's agents wrote objects as texts of JSON. */
function objectOf(value: unknown): JsonObject | undefined {
  if (typeof value !== "string") return isJsonObject(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The members that are set; undefined if there are none. */
function defined(members: Readonly<Record<string, unknown>>): JsonObject | undefined {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  // Members of events are JSON.
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as JsonObject);
}
