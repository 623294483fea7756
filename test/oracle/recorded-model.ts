import { setTimeout as pause } from "node:timers/promises";
import type { Part } from "#kit/events/content.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, ConnectOptions } from "#kit/models/base-llm-connection.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ModelDefinition, StepDefinition } from "./definition.ts";
import { RuntimeError } from "./errors.ts";
import { RecordedConnection } from "./recorded-connection.ts";
import { fillObject, fillWords, inRecordedOrder, userIndex } from "./script-words.ts";

/** The model of the recordings: it reads only the request and answers by a script. */
export class RecordedModel implements BaseLlm {
  readonly model = "scripted";
  readonly #definition: ModelDefinition;

  constructor(definition: ModelDefinition) {
    this.#definition = definition;
  }

  async connect(_request: LlmRequest, options: ConnectOptions): Promise<BaseLlmConnection> {
    return new RecordedConnection(options);
  }

  async *generateContentAsync(request: LlmRequest, { stream, signal }: GenerateOptions): AsyncIterable<LlmResponse> {
    const contents = inRecordedOrder(request.contents);
    const at = userIndex(contents);
    const user = at === -1 ? "" : (contents[at]?.parts?.[0]?.text ?? "");
    const answered = contents.slice(at + 1).filter(({ role }) => role === "model").length;
    const step = this.#step(user, answered);
    if (step.sleep !== undefined) await pause(step.sleep, undefined, { signal });
    if (step.error !== undefined) throw new RuntimeError(step.error);
    const fill = (text: string): string => fillWords(text, request, contents, user);
    for (const text of step.events ?? []) yield answer([{ text: fill(text) }]);
    if (step.events !== undefined) return;
    if (step.errorCode !== undefined) {
      yield { errorCode: step.errorCode, ...(step.errorMessage !== undefined && { errorMessage: step.errorMessage }) };
      return;
    }
    yield* chunks(step, stream, signal, fill);
    yield { ...answer(step.empty === true ? [] : partsOf(step, fill)), ...fieldsOf(step) };
  }

  #step(user: string, answered: number): StepDefinition {
    const rule = this.#definition.rules?.find(({ match }) => new RegExp(match).test(user));
    const steps = rule?.steps ?? this.#definition.steps ?? [];
    return steps[answered] ?? (this.#definition.repeatLast === true ? steps.at(-1) : undefined) ?? { text: "END" };
  }
}

async function* chunks(
  { chunks = [], pause: pauseMs = 0 }: StepDefinition,
  stream: boolean,
  signal: AbortSignal,
  fill: (text: string) => string,
): AsyncIterable<LlmResponse> {
  if (!stream) {
    if (pauseMs > 0) await pause(pauseMs * chunks.length, undefined, { signal });
    return;
  }
  for (const chunk of chunks) {
    if (pauseMs > 0) await pause(pauseMs, undefined, { signal });
    yield { ...answer([{ text: fill(chunk) }]), partial: true };
  }
}

function partsOf(
  { thought, text, chunks, code, blob, calls = [] }: StepDefinition,
  fill: (text: string) => string,
): readonly Part[] {
  const words = chunks?.join("") ?? text;
  return [
    ...(thought === undefined ? [] : [{ text: fill(thought), thought: true }]),
    ...(words === undefined ? [] : [{ text: fill(words) }]),
    ...(code === undefined ? [] : [{ executableCode: { code: fill(code), language: "PYTHON" } }]),
    ...(blob === undefined
      ? []
      : [{ inlineData: { mimeType: blob[0], data: Buffer.from(fill(blob[1])).toString("base64") } }]),
    ...calls.map(({ name, args, id }) => ({
      functionCall: { ...(id !== undefined && { id }), args: fillObject(args, fill), name },
    })),
  ];
}

function answer(parts: readonly Part[]): LlmResponse {
  return { content: { parts, role: "model" } };
}

function fieldsOf({ usage, finishReason, modelVersion, customMetadata }: StepDefinition): LlmResponse {
  return {
    ...(usage !== undefined && {
      usageMetadata: {
        promptTokenCount: usage[0],
        candidatesTokenCount: usage[1],
        totalTokenCount: usage[0] + usage[1],
      },
    }),
    ...(finishReason !== undefined && { finishReason }),
    ...(modelVersion !== undefined && { modelVersion }),
    ...(customMetadata !== undefined && { customMetadata }),
  };
}
