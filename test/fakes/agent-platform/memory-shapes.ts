import { CONTENT, WireProblem, type WireShape, wire } from "./wire-shapes.ts";

const { optional, message, text, flag, int32, number, timestamp, duration, struct, list, map, given } = wire;

/** Scope values cannot contain the wildcard. */
const SCOPE: WireShape = (value, path) => {
  map(given)(value, path);
  if (JSON.stringify(Object.values(value as object)).includes("*")) throw new WireProblem(`'${path}' has a wildcard.`);
};
const METADATA = map(
  message(
    {
      boolValue: optional(flag),
      doubleValue: optional(number),
      stringValue: optional(text),
      timestampValue: optional(timestamp),
    },
    ["boolValue", "doubleValue", "stringValue", "timestampValue"],
  ),
);
const TOPIC = message(
  {
    customMemoryTopicLabel: optional(text),
    managedMemoryTopic: optional(
      wire.enum("USER_PERSONAL_INFO", "USER_PREFERENCES", "KEY_CONVERSATION_DETAILS", "EXPLICIT_INSTRUCTIONS"),
    ),
  },
  ["customMemoryTopicLabel", "managedMemoryTopic"],
);
const REVISION = {
  revisionLabels: optional(map(text)),
  revisionExpireTime: optional(timestamp),
  revisionTtl: optional(duration),
  disableMemoryRevisions: optional(flag),
};

/** `Memory` in the body of create. */
export const NEW_MEMORY = message(
  {
    ...{ fact: given, scope: SCOPE, displayName: optional(text), description: optional(text) },
    ...{
      ttl: optional(duration),
      expireTime: optional(timestamp),
      topics: optional(list(TOPIC)),
      metadata: optional(METADATA),
    },
    memoryType: optional(wire.enum("NATURAL_LANGUAGE_COLLECTION", "STRUCTURED_PROFILE")),
    structuredContent: optional(message({ data: struct, schemaId: given })),
    ...REVISION,
  },
  ["ttl", "expireTime"],
);

export const DIRECT_EVENT = message({ content: CONTENT, eventId: optional(text), eventTime: optional(timestamp) });

export const GENERATE_MEMORIES = message(
  {
    vertexSessionSource: optional(
      message({ session: given, startTime: optional(timestamp), endTime: optional(timestamp) }),
    ),
    directContentsSource: optional(message({ events: list(message({ content: CONTENT })) })),
    directMemoriesSource: optional(
      message({ directMemories: atMost(5, list(message({ fact: given, topics: optional(list(TOPIC)) }))) }),
    ),
    scope: SCOPE,
    disableConsolidation: optional(flag),
    metadata: optional(METADATA),
    metadataMergeStrategy: optional(wire.enum("OVERWRITE", "MERGE", "REQUIRE_EXACT_MATCH")),
    ...REVISION,
  },
  ["vertexSessionSource", "directContentsSource", "directMemoriesSource"],
);

export const INGEST_EVENTS = message({
  streamId: given,
  scope: SCOPE,
  directContentsSource: message({ events: list(DIRECT_EVENT) }),
  forceFlush: optional(flag),
  generationTriggerConfig: optional(
    message({
      generationRule: optional(
        message({ eventCount: optional(int32), fixedInterval: optional(duration), idleDuration: optional(duration) }, [
          "eventCount",
          "fixedInterval",
          "idleDuration",
        ]),
      ),
    }),
  ),
});

export const RETRIEVE_MEMORIES = message(
  {
    scope: SCOPE,
    similaritySearchParams: optional(message({ searchQuery: given, topK: optional(int32) })),
    simpleRetrievalParams: optional(message({ pageSize: optional(int32), pageToken: optional(text) })),
    filter: optional(text),
  },
  ["similaritySearchParams", "simpleRetrievalParams"],
);

export const RETRIEVE_PROFILES = message({ scope: SCOPE });

export const PURGE_MEMORIES = message({ filter: given, force: optional(flag) });

function atMost(count: number, shape: WireShape): WireShape {
  return (value, path) => {
    shape(value, path);
    if (Array.isArray(value) && value.length > count)
      throw new WireProblem(`'${path}' has more than ${count} members.`);
  };
}
