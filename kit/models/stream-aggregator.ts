import type { Part } from "../events/content.ts";
import type { JsonObject } from "../platform/json.ts";
import type { LlmResponse } from "./llm-response.ts";
import { StreamedCall } from "./streamed-call.ts";

/** A chunk of an answer, as adapters pass it to the aggregator. */
export interface StreamChunk extends LlmResponse {
  /** The next chunk's text belongs to a new part, even if it is of the same kind. */
  readonly endOfPart?: boolean;
}

/** Members that describe the answer as a whole: the last chunk that has one wins. */
const DESCRIPTIONS = [
  "usageMetadata",
  "groundingMetadata",
  "citationMetadata",
  "avgLogprobs",
  "customMetadata",
  "modelVersion",
  "cacheMetadata",
  "finishReason",
  "errorCode",
  "errorMessage",
  "interrupted",
  "turnComplete",
  "inputTranscription",
  "outputTranscription",
] as const satisfies readonly (keyof LlmResponse)[];

/** Finish reasons of a complete answer. */
const COMPLETE = new Set(["STOP", "FINISH_REASON_UNSPECIFIED"]);

/** Text of one kind that more chunks may extend. */
interface TextRun {
  readonly part: Part;
  text: string;
  signature: string | undefined;
  metadata: JsonObject | undefined;
}

/**
 * Combines the chunks of a stream into one response. Adjacent text of the same kind becomes one part, other parts stay
 * unchanged, streamed arguments become a call, and an answer that ended abnormally has an error code.
 */
export class StreamAggregator {
  readonly #parts: Part[] = [];
  readonly #description: LlmResponse = {};
  #run: TextRun | undefined;
  #call: StreamedCall | undefined;

  /** The chunk in the form that readers get; undefined if it has nothing to show. */
  add(chunk: StreamChunk): LlmResponse | undefined {
    this.#describe(chunk);
    const parts = chunk.content?.parts ?? [];
    for (const part of parts) this.#add(part);
    if (chunk.endOfPart === true) this.#endRun();
    if (!parts.some(hasContent)) return undefined;
    // An error belongs to the whole answer: on a chunk it would end the turn too early.
    const { endOfPart: _, errorCode: __, errorMessage: ___, ...shown } = chunk;
    return { ...shown, partial: true };
  }

  finish(): LlmResponse {
    this.#endRun();
    const { errorCode, errorMessage, ...description } = this.#description;
    const { finishReason } = description;
    const code = errorCode ?? (finishReason === undefined || COMPLETE.has(finishReason) ? undefined : finishReason);
    // Arguments that are incomplete when the answer is cut off must not be used for a call.
    if (code === undefined) this.#endCall();
    return {
      content: this.#parts.length > 0 ? { role: "model", parts: this.#parts } : undefined,
      ...description,
      ...(code !== undefined && {
        errorCode: code,
        errorMessage: errorMessage ?? `The model stopped before its answer was complete: ${code}.`,
      }),
    };
  }

  #describe(chunk: StreamChunk): void {
    for (const key of DESCRIPTIONS) {
      const value = chunk[key];
      if (value === undefined || value === "" || isEmptyObject(value)) continue;
      Object.assign(this.#description, { [key]: value });
    }
  }

  #add(part: Part): void {
    if (part.text !== undefined) return this.#addText(part, part.text);
    this.#endRun();
    const call = part.functionCall;
    if (call === undefined) {
      if (Object.keys(part).length > 0) this.#parts.push(part);
      return;
    }
    if (this.#call !== undefined && call.name !== undefined && call.name !== "") this.#endCall();
    const streamed = this.#call !== undefined || call.partialArgs !== undefined || call.willContinue === true;
    if (!streamed) {
      this.#parts.push(part);
      return;
    }
    this.#call ??= new StreamedCall(part);
    this.#call.add(call);
    if (call.willContinue !== true) this.#endCall();
  }

  #addText(part: Part, text: string): void {
    const run = this.#run;
    const signature = part.thoughtSignature;
    const another = signature !== undefined && run?.signature !== undefined && run.signature !== signature;
    if (run !== undefined && isThought(run.part) === isThought(part) && !another) {
      run.text += text;
      run.signature ??= signature;
      if (part.partMetadata !== undefined) run.metadata = { ...run.metadata, ...part.partMetadata };
      return;
    }
    this.#endRun();
    this.#run = { part, text, signature, metadata: part.partMetadata };
  }

  #endRun(): void {
    const run = this.#run;
    this.#run = undefined;
    // A signature without text must still be sent back to the model, and so must other metadata.
    if (run === undefined || (run.text === "" && run.signature === undefined && run.metadata === undefined)) return;
    this.#parts.push({
      ...run.part,
      text: run.text,
      ...(run.signature !== undefined && { thoughtSignature: run.signature }),
      ...(run.metadata !== undefined && { partMetadata: run.metadata }),
    });
  }

  #endCall(): void {
    if (this.#call !== undefined) this.#parts.push(this.#call.toPart());
    this.#call = undefined;
  }
}

function isThought(part: Part): boolean {
  return part.thought === true;
}

function hasContent(part: Part): boolean {
  return part.text === undefined ? Object.keys(part).length > 0 : part.text !== "";
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
