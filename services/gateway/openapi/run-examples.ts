import type { ErrorReason } from "#kit/errors/reasons.ts";
import { endFrame, eventFrame, namedFrame, plainEventFrame } from "../streams/frames.ts";

/** The app of the examples, a message for it, and its answers. A server without this app shows one of its own. */
export const EXAMPLE_APP = {
  name: "weather",
  message: "What is the weather in Paris?",
  answers: ["In Paris it is sunny and 24 degrees.", "In Paris it is sunny."],
  beginning: "In Paris ",
} as const;

/** A body of a run that the sample agent `weather` answers in the session that the examples create. */
export const RUN_EXAMPLE = {
  appName: EXAMPLE_APP.name,
  userId: "me",
  sessionId: "first",
  newMessage: { role: "user", parts: [{ text: EXAMPLE_APP.message }] },
} as const;

/** Refusals of a run that has not started. */
export const START_ERRORS: readonly ErrorReason[] = [
  ...(["APP_NAME_MISSING", "APP_NOT_FOUND", "SESSION_NOT_FOUND", "SESSION_BUSY", "SESSION_CLOSED"] as const),
  ...(["QUEUE_FULL", "RUNNER_BUSY", "INVALID_MESSAGE", "RESERVED_STATE_KEY", "APP_STATE_READ_ONLY"] as const),
  ...(["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_IN_USE"] as const),
];

const EVENT = {
  id: "01999f3e-8c1a-7c3b-9a55-3f6f4f1d2a10",
  invocationId: "e-01999f3e-8b90-7d1e-8f11-2b8f0c9e7d31",
  author: EXAMPLE_APP.name,
  timestamp: 1_790_000_000_123,
  content: { role: "model", parts: [{ text: EXAMPLE_APP.answers[0] }] },
  actions: { stateDelta: {}, artifactDelta: {} },
};
export const EVENTS_EXAMPLE = [EVENT];

export const RUN_RECORD_EXAMPLE = {
  runId: "01999f3e-8b90-7d1e-8f11-2b8f0c9e7d30",
  appName: EXAMPLE_APP.name,
  userId: "me",
  sessionId: "first",
  invocationId: EVENT.invocationId,
  status: "running",
  policy: "enqueue",
  message: EXAMPLE_APP.message,
  attempts: 1,
  epoch: 3,
  cancelRequested: false,
  createdTime: 1_790_000_000_000,
};

const PARTIAL = { ...EVENT, partial: true, content: { role: "model", parts: [{ text: EXAMPLE_APP.beginning }] } };
const RELAYED = [PARTIAL, EVENT].map((event, index) => ({
  json: JSON.stringify(event),
  partial: index === 0,
  epoch: 3,
  n: index + 1,
}));

/** Frames of `/run_sse`. */
export const RUN_FRAMES = RELAYED.map(plainEventFrame).join("");

/** Frames of a run's stream. */
export const STREAM_FRAMES = [
  namedFrame("attempt", { attempt: 1 }),
  ...RELAYED.map(eventFrame),
  endFrame({ status: "succeeded" }),
].join("");

/** Frames of a session's stream. */
export const SESSION_FRAMES = [
  `data: ${JSON.stringify(EVENT)}\nid: 2\n\n`,
  namedFrame("run", { runId: RUN_RECORD_EXAMPLE.runId, status: "succeeded" }),
].join("");
