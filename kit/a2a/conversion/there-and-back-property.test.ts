import { type Artifact, Message, StreamResponse, TaskArtifactUpdateEvent } from "@a2a-js/sdk";
import { legacyPushNotificationToV1StreamResponse } from "@a2a-js/sdk/compat/v0_3";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { expect, it } from "vitest";
import type { Content, Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions, NO_ACTIONS } from "#kit/events/event-actions.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { EventConverter } from "./event-converter.ts";
import { fromArtifactUpdate, fromMessage } from "./from-a2a.ts";
import { A2ADataPartMetadataType, A2AMetadata, A2AMetadataKey, AdkMetadataKey } from "./metadata-keys.ts";
import { PartConverter } from "./part-converter.ts";
import { toArtifactUpdate, toMessage } from "./to-a2a.ts";

const text = fc.string({ maxLength: 12, unit: "grapheme" });
const object = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(text, fc.integer(), fc.boolean()), {
  maxKeys: 3,
});
const base64 = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const optional = { requiredKeys: [] as [] };
const file = fc.record({ mimeType: fc.constantFrom("image/png", "text/plain"), displayName: fc.constantFrom("a.b") });

const data: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ text }),
  fc.record({ text, thought: fc.boolean() }),
  fc.tuple(file, base64).map(([names, bytes]) => ({ inlineData: { ...names, data: bytes } })),
  fc.tuple(file, fc.webUrl()).map(([names, fileUri]) => ({ fileData: { ...names, fileUri } })),
  fc.record({ functionCall: fc.record({ id: text, name: text, args: object }, optional) }),
  fc.record({ functionResponse: fc.record({ id: text, name: text, response: object }, optional) }),
  fc.record({ executableCode: fc.record({ language: fc.constant("PYTHON"), code: text, id: text }, optional) }),
  fc.record({
    codeExecutionResult: fc.record({ outcome: fc.constant("OUTCOME_OK" as const), output: text }, optional),
  }),
  object.map((value) => {
    const marked = `<a2a_datapart_json>${JSON.stringify(value)}</a2a_datapart_json>`;
    return { inlineData: { mimeType: "text/plain", data: Buffer.from(marked).toString("base64") } };
  }),
);
const decorations: fc.Arbitrary<Part> = fc.record(
  { thoughtSignature: base64, partMetadata: fc.constant({ slide: 3, list: ["a"] }) },
  optional,
);
const part = fc.tuple(data, decorations).map(([one, more]): Part => ({ ...one, ...more }));
const parts = fc.array(part, { minLength: 1, maxLength: 4 });

const members = fc.record(
  {
    groundingMetadata: object,
    usageMetadata: fc.record({ totalTokenCount: fc.nat() }),
    customMetadata: object.filter((given) => Object.keys(given).length > 0),
    citationMetadata: object,
    errorCode: text,
    actions: fc.constantFrom(
      createEventActions({ escalate: true }),
      createEventActions({ skipSummarization: true, escalate: false }),
    ),
  },
  optional,
);

const event: fc.Arbitrary<Event> = fc.tuple(parts, members, fc.boolean()).map(([given, more, waits]) => {
  const ids = given.flatMap(({ functionCall }) => functionCall?.id ?? []);
  const head = { id: "e-1", invocationId: "i-1", author: "poet", timestamp: 1_700_000_000_000 };
  const content: Content = { role: "model", parts: given };
  return createEvent({ ...head, content, ...more, ...(waits && ids.length > 0 && { longRunningToolIds: ids }) });
});

const place = { taskId: "t-1", contextId: "c-1" };

function expected({ id: _, invocationId: __, author: ___, timestamp: ____, actions, ...rest }: Event) {
  return actions === NO_ACTIONS ? rest : { ...rest, actions };
}

it("returns the same event from a message, in the JSON of 1.0 and of 0.3", async () => {
  await fc.assert(
    fc.asyncProperty(event, async (given) => {
      const message = toMessage(given, place);
      const read = Message.fromJSON(JSON.parse(JSON.stringify(Message.toJSON(message))));
      expect(fromMessage(read)).toEqual(expected(given));
      const { payload } = await throughOldVersion({ payload: { $case: "message", value: message } });
      if (payload?.$case !== "message") throw new Error("0.3 has lost the message");
      expect(fromMessage(payload.value)).toEqual(expected(given));
    }),
  );
});

it("returns the same event from an artifact, in the JSON of 1.0 and of 0.3", async () => {
  await fc.assert(
    fc.asyncProperty(event, fc.boolean(), async (complete, partial) => {
      const given = partial ? { ...complete, partial } : complete;
      const update = toArtifactUpdate(given, { ...place, artifactId: "a-1", append: partial });
      if (update === undefined) throw new Error("an event with parts has an update");
      const read = TaskArtifactUpdateEvent.fromJSON(JSON.parse(JSON.stringify(TaskArtifactUpdateEvent.toJSON(update))));
      expect(fromArtifactUpdate(read)).toEqual(expected(given));
      const { payload } = await throughOldVersion({ payload: { $case: "artifactUpdate", value: update } });
      if (payload?.$case !== "artifactUpdate") throw new Error("0.3 has lost the artifact");
      expect(fromArtifactUpdate(payload.value)).toEqual(expected(given));
    }),
  );
});

/** Whatever a peer sends has a meaning or none; nothing of it throws, and nothing changes the caller's session. */
it("reads any JSON of a peer without effects on the caller", () => {
  const hostile = fc.record({
    artifactId: text,
    parts: fc.array(
      fc.record({ text, data: fc.jsonValue(), metadata: fc.oneof(anyMetadata(), fc.constant(null)) }, optional),
    ),
    metadata: anyMetadata(),
  });
  fc.assert(
    fc.property(hostile, (artifact) => {
      const read = StreamResponse.fromJSON({ artifactUpdate: { taskId: "t", contextId: "c", artifact } }).payload;
      if (read?.$case !== "artifactUpdate") throw new Error("the SDK reads it");
      const { actions = NO_ACTIONS, customMetadata = {} } = fromArtifactUpdate(read.value) ?? {};
      const { escalate: _, skipSummarization: __, ...effects } = actions;
      expect(effects).toEqual(NO_ACTIONS);
      expect(Object.keys(Object(customMetadata)).filter((key) => key.startsWith("a2a:"))).toEqual([]);
    }),
  );
});

function anyMetadata() {
  const actions = { stateDelta: { admin: true }, transferToAgent: "root", requestedAuthConfigs: { c: {} } };
  const values = fc.oneof(fc.jsonValue(), fc.constant(actions), fc.constant({ "a2a:task_id": "foreign" }));
  const keys = ["adk_type", "adk_actions", "adk_custom_metadata", "adk_thought", "adk_thought_signature", "thought"];
  return fc.dictionary(
    fc.constantFrom(...keys, "adk_is_long_running", "adk_usage_metadata"),
    fc.oneof(values, fc.constantFrom("function_call", "__proto__", "{")),
  );
}

/** The SDK's own writer and reader of 0.3. */
async function throughOldVersion(update: StreamResponse): Promise<StreamResponse> {
  const handler: Pick<A2ARequestHandler, "getAgentCard" | "sendMessageStream"> = {
    getAgentCard: async () => CARD,
    sendMessageStream: async function* () {
      yield update;
    },
  };
  // The one method that is called, and the card, are all that the transport needs.
  const transport = new LegacyJsonRpcTransportHandler(handler as A2ARequestHandler);
  const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] };
  const request = { jsonrpc: "2.0", id: 1, method: "message/stream", params: { message } };
  const answers = await transport.handle(request, new ServerCallContext({}));
  if (!(Symbol.asyncIterator in answers)) throw new Error(JSON.stringify(answers));
  for await (const answer of answers) {
    if (!("result" in answer)) throw new Error(JSON.stringify(answer));
    return legacyPushNotificationToV1StreamResponse(JSON.parse(JSON.stringify(answer.result)));
  }
  throw new Error("no answer");
}

const CARD: Awaited<ReturnType<A2ARequestHandler["getAgentCard"]>> = {
  ...{ name: "poet", description: "", version: "1", supportedInterfaces: [], provider: undefined },
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  ...{ securitySchemes: {}, securityRequirements: [], defaultInputModes: [], defaultOutputModes: [] },
  ...{ skills: [], signatures: [] },
};

it("writes an artifact that has the event's author as its name", () => {
  const given = createEvent({
    ...{ id: "e", invocationId: "i", author: "poet", timestamp: 0, content: { role: "model", parts: [{ text: "x" }] } },
  });
  const artifact: Artifact | undefined = toArtifactUpdate(given, {
    ...place,
    artifactId: "a",
    append: false,
  })?.artifact;
  expect(artifact?.name).toBe("poet");
});

it("names the keys as ADK's agents do", () => {
  verifies("enumerations:a2a-metadata-key:custom-metadata");
  verifies("enumerations:a2a-metadata-key:error-code");
  verifies("enumerations:a2a-metadata-key:grounding-metadata");
  verifies("enumerations:a2a-metadata-key:is-long-running");
  verifies("enumerations:a2a-metadata-key:further");
  expect(A2AMetadataKey).toEqual({
    ...{ TYPE: "adk_type", IS_LONG_RUNNING: "adk_is_long_running", PARTIAL: "adk_partial" },
    ...{ GROUNDING_METADATA: "adk_grounding_metadata", USAGE_METADATA: "adk_usage_metadata" },
    ...{ CUSTOM_METADATA: "adk_custom_metadata", ERROR_CODE: "adk_error_code" },
  });
  verifies("enumerations:a2a-metadata:aggregated");
  verifies("enumerations:a2a-metadata:further");
  const Key = { REQUEST: "a2a:request", RESPONSE: "a2a:response", AGGREGATED: "a2a:aggregated" };
  expect(A2AMetadata).toEqual({ Key });
  verifies("enumerations:adk-metadata-key:context-id");
  verifies("enumerations:adk-metadata-key:task-id");
  expect(AdkMetadataKey).toEqual({ TASK_ID: "a2a:task_id", CONTEXT_ID: "a2a:context_id" });
  verifies("enumerations:a2a-data-part:code-execution-result");
  verifies("enumerations:a2a-data-part:executable-code");
  verifies("enumerations:a2a-data-part:function-call");
  verifies("enumerations:a2a-data-part:function-response");
  expect(A2ADataPartMetadataType).toEqual({
    ...{ FUNCTION_CALL: "function_call", FUNCTION_RESPONSE: "function_response" },
    ...{ CODE_EXECUTION_RESULT: "code_execution_result", EXECUTABLE_CODE: "executable_code" },
  });
  verifies("records:a2a-key:context-id");
  verifies("records:a2a-key:task-id");
  verifies("records:a2a-key:args");
  verifies("records:a2a-key:code");
  verifies("records:a2a-key:id");
  verifies("records:a2a-key:language");
  verifies("records:a2a-key:values");
  const { ADK_CONTEXT_ID_KEY, ADK_TASK_ID_KEY } = EventConverter;
  expect([ADK_CONTEXT_ID_KEY, ADK_TASK_ID_KEY]).toEqual(["adk_context_id", "adk_task_id"]);
  const { ARGS_KEY, CODE_KEY, ID_KEY, LANGUAGE_KEY } = PartConverter;
  expect([ARGS_KEY, CODE_KEY, ID_KEY, LANGUAGE_KEY]).toEqual(["args", "code", "id", "language"]);
});
