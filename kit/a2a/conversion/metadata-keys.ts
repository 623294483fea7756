/** ADK's agents describe events to each other by these keys and types, over the Agent2Agent protocol. */

/** Keys of the metadata of messages, artifacts, updates and parts. */
export const A2AMetadataKey = {
  TYPE: "adk_type",
  IS_LONG_RUNNING: "adk_is_long_running",
  PARTIAL: "adk_partial",
  GROUNDING_METADATA: "adk_grounding_metadata",
  USAGE_METADATA: "adk_usage_metadata",
  CUSTOM_METADATA: "adk_custom_metadata",
  ERROR_CODE: "adk_error_code",
} as const;
export type A2AMetadataKey = (typeof A2AMetadataKey)[keyof typeof A2AMetadataKey];

/** The type of a data part: the value of `A2AMetadataKey.TYPE`. */
export const A2ADataPartMetadataType = {
  FUNCTION_CALL: "function_call",
  FUNCTION_RESPONSE: "function_response",
  CODE_EXECUTION_RESULT: "code_execution_result",
  EXECUTABLE_CODE: "executable_code",
} as const;
export type A2ADataPartMetadataType = (typeof A2ADataPartMetadataType)[keyof typeof A2ADataPartMetadataType];

/** Keys of the custom metadata of events that come from a remote agent. */
export const A2AMetadata = {
  Key: {
    /** The message that was sent, on the first event of its answer. */
    REQUEST: "a2a:request",
    /** The kind of the answer of which the event was made. */
    RESPONSE: "a2a:response",
    /** `"true"` on an event that joins the chunks before it. */
    AGGREGATED: "a2a:aggregated",
  },
} as const;

/** Keys of the custom metadata of events that come from a remote agent: where the conversation continues. */
export const AdkMetadataKey = { TASK_ID: "a2a:task_id", CONTEXT_ID: "a2a:context_id" } as const;
export type AdkMetadataKey = (typeof AdkMetadataKey)[keyof typeof AdkMetadataKey];

/** The member of the custom metadata of a remote agent's first event in a run that has the address of its card, or its own. */
export const PEER_KEY = "a2a:peer";

/** The key of the custom metadata of a remote agent's event that says whether the remote's task waits for a message. */
export const PAUSED_KEY = "a2a:paused";

/** Further keys that ADK's agents write, some only in one language. */
export const FURTHER_KEY = {
  THOUGHT: "adk_thought",
  THOUGHT_SIGNATURE: "adk_thought_signature",
  VIDEO_METADATA: "adk_video_metadata",
  MEDIA_RESOLUTION: "adk_media_resolution",
  INVOCATION_ID: "adk_invocation_id",
  AUTHOR: "adk_author",
  EVENT_ID: "adk_event_id",
  BRANCH: "adk_branch",
  CITATION_METADATA: "adk_citation_metadata",
  ACTIONS: "adk_actions",
  APP_NAME: "adk_app_name",
  USER_ID: "adk_user_id",
  SESSION_ID: "adk_session_id",
} as const;

/** The extension of ADK's agents: calls that wait for an answer are in the message of the status. */
export const ADK_EXTENSION_URI = "https://google.github.io/adk-docs/a2a/a2a-extension/";

/** The user of a context whose caller has no name is this and the id of the context, as in ADK's agents. */
export const USER_PREFIX = "A2A_USER_";

/** The member of the custom metadata of a run that has the id of its message. */
export const MESSAGE_ID_KEY = "a2a:message_id";

/** The member of the custom metadata of a run that has the metadata of its message and request, as in ADK's agents. */
export const GIVEN_METADATA_KEY = "a2a_metadata";
