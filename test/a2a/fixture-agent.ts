import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { sleep } from "#kit/platform/sleep.ts";

/** How long the agent works whose stream the conformance kit subscribes to again, in milliseconds. */
const LONG_WORK_MS = 2 * 1000 * Number(process.env["TCK_STREAMING_TIMEOUT"] ?? 2);

/** What the agent does for a message whose id begins with a name: an answer, or work of its own. */
const SCENARIOS: Readonly<
  Record<string, string | Part | ((agent: FixtureAgent, context: InvocationContext) => AsyncIterable<Event>)>
> = {
  "tck-complete-task": "Hello from TCK",
  "tck-artifact-text": "Generated text content",
  "tck-artifact-file-url": {
    fileData: { fileUri: "https://example.com/output.txt", mimeType: "text/plain", displayName: "output.txt" },
  },
  "tck-artifact-file": file("Generated file content"),
  "tck-artifact-data": {
    inlineData: {
      mimeType: "text/plain",
      data: base64('<a2a_datapart_json>{"key":"value","count":42}</a2a_datapart_json>'),
    },
  },
  "tck-message-response": (agent, context) => agent.message(context, "Direct message response"),
  "tck-input-required": (agent, context) => agent.ask(context),
  "tck-reject-task": (agent) => agent.reject(),
  "tck-stream-001": "Stream hello from TCK",
  "tck-stream-002": (agent) => agent.nothing(),
  "tck-stream-003": "Stream task lifecycle",
  "tck-stream-ordering-001": "Ordered output",
  "tck-stream-artifact-text": "Streamed text content",
  "tck-stream-artifact-file": file("Streamed file content"),
  "tck-stream-artifact-chunked": (agent, context) => agent.chunks(context, ["chunk-1 ", "chunk-2"]),
  "test-resubscribe-message-id": (agent, context) => agent.work(context),
  "tck-test-resubscribe-message-id": (agent, context) => agent.work(context),
};

/** The agent that the conformance kit tests: it does what the id of the client's message says. */
export class FixtureAgent extends BaseAgent {
  protected async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    const id = messageIdOf(context);
    const names = Object.keys(SCENARIOS).filter((name) => id.startsWith(name));
    const [name = "tck-complete-task"] = names.toSorted((one, other) => other.length - one.length);
    const scenario = SCENARIOS[name];
    if (typeof scenario === "function") yield* scenario(this, context);
    else yield answer(context, typeof scenario === "object" ? scenario : { text: scenario ?? "" });
  }

  async *message(context: InvocationContext, text: string): AsyncGenerator<Event, void, undefined> {
    yield { ...answer(context, { text }), customMetadata: { "a2a:answer": "message" } };
  }

  async *ask(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    const id = context.services.ids.next();
    const functionCall = { id, name: "ask_user", args: { question: "What else?" } };
    yield { ...answer(context, { functionCall }), longRunningToolIds: [id] };
  }

  async *reject(): AsyncGenerator<Event, void, undefined> {
    throw new PlatformError("TASK_REJECTED", "rejected");
  }

  async *nothing(): AsyncGenerator<Event, void, undefined> {}

  async *chunks(context: InvocationContext, texts: readonly string[]): AsyncGenerator<Event, void, undefined> {
    for (const text of texts) yield { ...answer(context, { text }), partial: true };
    yield answer(context, { text: texts.join("") });
  }

  async *work(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    await sleep(LONG_WORK_MS, context.signal);
    yield answer(context, { text: "Long work is done." });
  }
}

function messageIdOf({ runConfig: { customMetadata } }: InvocationContext): string {
  const id = isJsonObject(customMetadata) ? customMetadata["a2a:message_id"] : undefined;
  return typeof id === "string" ? id : "";
}

function answer(context: InvocationContext, part: Part): Event {
  return context.createEvent({ content: { role: "model", parts: [part] } });
}

function file(text: string): Part {
  return { inlineData: { mimeType: "text/plain", data: base64(text), displayName: "output.txt" } };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
