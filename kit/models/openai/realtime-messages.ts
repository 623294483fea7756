import type { Content, UsageMetadata } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { REALTIME_HERTZ } from "./realtime-setup.ts";

const SOUND = `audio/pcm;rate=${REALTIME_HERTZ}`;

/** Reads what a session's events say. Events have unknown members, and there are unknown events. */
export class RealtimeMessages {
  /** The transcription of the answer so far. */
  #output = "";
  #text = "";

  read(event: JsonObject): readonly LlmResponse[] {
    const delta = textOf(event["delta"]);
    switch (event["type"]) {
      case "response.output_audio.delta":
        return delta === "" ? [] : [{ content: sound(delta), partial: true }];
      case "response.output_audio_transcript.delta":
        this.#output += delta;
        return delta === "" ? [] : [{ outputTranscription: { text: delta, finished: false }, partial: true }];
      case "response.output_audio_transcript.done":
        return this.#wholeTranscript(textOf(event["transcript"]));
      case "response.output_text.delta":
        this.#text += delta;
        return delta === "" ? [] : [{ content: { role: "model", parts: [{ text: delta }] }, partial: true }];
      case "response.output_text.done":
        return this.#wholeText(textOf(event["text"]));
      case "conversation.item.input_audio_transcription.delta":
        return delta === "" ? [] : [{ inputTranscription: { text: delta, finished: false }, partial: true }];
      case "conversation.item.input_audio_transcription.completed":
        return transcribed(textOf(event["transcript"]));
      case "response.done":
        return isJsonObject(event["response"]) ? this.#done(event["response"]) : [];
      default:
        return [];
    }
  }

  /** The responses that complete an answer whose session has ended. */
  flush(): readonly LlmResponse[] {
    return [...this.#wholeText(""), ...this.#wholeTranscript("")];
  }

  #wholeTranscript(whole: string): readonly LlmResponse[] {
    const text = whole !== "" ? whole : this.#output;
    this.#output = "";
    return text === "" ? [] : [{ outputTranscription: { text, finished: true } }];
  }

  #wholeText(whole: string): readonly LlmResponse[] {
    const text = whole !== "" ? whole : this.#text;
    this.#text = "";
    return text === "" ? [] : [{ content: { role: "model", parts: [{ text }] } }];
  }

  /** Calls are passed on here, because the session takes no results before the answer has ended. */
  #done(response: JsonObject): readonly LlmResponse[] {
    const { output, usage, status, status_details: details } = response;
    const items = Array.isArray(output) ? output.filter(isJsonObject) : [];
    const calls = items.filter(({ type }) => type === "function_call").map(callOf);
    return [
      ...(isJsonObject(usage) ? [{ usageMetadata: usageOf(usage) }] : []),
      ...this.flush(),
      ...(calls.length > 0 ? [{ content: { role: "model", parts: calls } }] : []),
      ...endOf(status, isJsonObject(details) ? details : {}, calls.length > 0),
    ];
  }
}

/** An answer that calls tools is not the end of the turn. */
function endOf(status: JsonValue | undefined, details: JsonObject, hasCalls: boolean): readonly LlmResponse[] {
  if (status === "cancelled") return [{ interrupted: true }];
  if (status === "failed") {
    const error = isJsonObject(details["error"]) ? details["error"] : {};
    const errorCode = textOf(error["code"]) || textOf(error["type"]) || "MODEL_UNAVAILABLE";
    return [{ errorCode, errorMessage: "The OpenAI model failed to answer.", turnComplete: true }];
  }
  if (status === "incomplete") {
    const isLong = details["reason"] === "max_output_tokens";
    return [{ errorCode: isLong ? "MAX_TOKENS" : "SAFETY", turnComplete: true }];
  }
  return hasCalls ? [] : [{ turnComplete: true }];
}

function sound(data: string): Content {
  return { role: "model", parts: [{ inlineData: { mimeType: SOUND, data } }] };
}

function transcribed(text: string): readonly LlmResponse[] {
  return text === "" ? [] : [{ inputTranscription: { text, finished: true } }];
}

/** Arguments that are not a JSON object are kept as text, and reported to the model when the tool would run. */
function callOf({ call_id: id, name, arguments: text }: JsonObject): { readonly functionCall: JsonObject } {
  return { functionCall: present({ id, name, args: argumentsOf(textOf(text)) }) };
}

function argumentsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    return isJsonObject(value) ? value : { arguments: text };
  } catch {
    return { arguments: text };
  }
}

function usageOf(usage: JsonObject): UsageMetadata {
  const details = isJsonObject(usage["input_token_details"]) ? usage["input_token_details"] : {};
  return present({
    promptTokenCount: usage["input_tokens"],
    candidatesTokenCount: usage["output_tokens"],
    totalTokenCount: usage["total_tokens"],
    cachedContentTokenCount: details["cached_tokens"],
  });
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
