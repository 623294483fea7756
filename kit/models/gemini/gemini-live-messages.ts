import type { Content, Part, UsageMetadata } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { withNumbers } from "./gemini-convert.ts";

/** Reads a session's messages. A message has any number of members in any combination, also unknown ones. */
export class GeminiLiveMessages {
  readonly #sendsWholeInput: boolean;
  #input = "";
  #output = "";
  /** Texts of the turn in progress. */
  #texts: { readonly thought: boolean; text: string }[] = [];
  #grounding: JsonObject | undefined;

  /** `sendsWholeInput`: each transcription of the user is whole, as with models since Gemini 3. */
  constructor({ sendsWholeInput }: { readonly sendsWholeInput: boolean }) {
    this.#sendsWholeInput = sendsWholeInput;
  }

  read(message: JsonObject): readonly LlmResponse[] {
    const { usageMetadata, serverContent, toolCall, toolCallCancellation } = message as Message;
    const { sessionResumptionUpdate, voiceActivity, goAway } = message as Message;
    return [
      ...(isJsonObject(usageMetadata) ? [{ usageMetadata: usageOf(usageMetadata) }] : []),
      ...(isJsonObject(serverContent) ? this.#content(serverContent) : []),
      ...(isJsonObject(toolCall) ? this.#toolCall(toolCall) : []),
      ...(isJsonObject(toolCallCancellation) ? [{ cancelledCallIds: textsOf(toolCallCancellation["ids"]) }] : []),
      ...(isJsonObject(sessionResumptionUpdate)
        ? [{ liveSessionResumptionUpdate: updateOf(sessionResumptionUpdate) }]
        : []),
      ...(isJsonObject(voiceActivity) ? [{ voiceActivity }] : []),
      ...(isJsonObject(goAway) ? [{ goAway: present({ timeLeft: textOrNone(goAway["timeLeft"]) }) }] : []),
    ];
  }

  /** The responses that complete unfinished texts and transcriptions. */
  flush(): readonly LlmResponse[] {
    return [...this.#wholeInput(), ...this.#wholeOutput()];
  }

  #content(content: JsonObject): readonly LlmResponse[] {
    const { modelTurn, inputTranscription, outputTranscription, groundingMetadata } = content;
    const { interrupted, generationComplete, turnComplete, turnCompleteReason, interactionStatus } = content;
    if (isJsonObject(groundingMetadata)) this.#grounding = groundingMetadata;
    const responses = [
      ...this.#turn(modelTurn),
      ...(isJsonObject(inputTranscription) ? this.#inputPiece(inputTranscription) : []),
      ...(isJsonObject(outputTranscription) ? this.#outputPiece(outputTranscription) : []),
    ];
    // Transcriptions are often not marked as finished.
    if (interrupted === true || generationComplete === true || turnComplete === true) responses.push(...this.flush());
    const end = present({
      interrupted: interrupted === true || undefined,
      generationComplete: generationComplete === true || undefined,
      turnComplete: turnComplete === true || undefined,
      turnCompleteReason: textOrNone(turnCompleteReason),
      interactionStatus: textOrNone(interactionStatus),
    });
    if (Object.keys(end).length === 0) return responses;
    const groundingOfTurn = turnComplete === true ? this.#grounding : undefined;
    if (turnComplete === true) this.#grounding = undefined;
    return [...responses, present({ ...end, groundingMetadata: groundingOfTurn })];
  }

  #turn(turn: JsonValue | undefined): readonly LlmResponse[] {
    const parts = isJsonObject(turn) && Array.isArray(turn["parts"]) ? turn["parts"].filter(isJsonObject) : [];
    const responses: LlmResponse[] = [];
    for (const part of parts) {
      // The API's parts are the kit's.
      const own = part as Part;
      if (typeof own.text === "string") this.#addText(own.text, own.thought === true);
      else if (own.inlineData === undefined) responses.push(...this.flush());
      if (own.text === "") continue;
      const isPiece = own.text !== undefined || own.inlineData !== undefined;
      responses.push({ content: { role: "model", parts: [own] }, ...(isPiece && { partial: true }) });
    }
    return responses;
  }

  #addText(text: string, thought: boolean): void {
    const last = this.#texts.at(-1);
    if (last?.thought === thought) last.text += text;
    else this.#texts.push({ thought, text });
  }

  #inputPiece({ text, finished }: JsonObject): readonly LlmResponse[] {
    const piece = typeof text === "string" ? text : "";
    this.#input += piece;
    if (this.#sendsWholeInput || finished === true) return this.#wholeTranscript();
    return piece === "" ? [] : [{ inputTranscription: { text: piece, finished: false }, partial: true }];
  }

  #outputPiece({ text, finished }: JsonObject): readonly LlmResponse[] {
    const piece = typeof text === "string" ? text : "";
    this.#output += piece;
    const partial: readonly LlmResponse[] =
      piece === "" ? [] : [{ outputTranscription: { text: piece, finished: false }, partial: true }];
    return finished === true ? [...partial, ...this.flush()] : partial;
  }

  #toolCall({ functionCalls }: JsonObject): readonly LlmResponse[] {
    const calls = Array.isArray(functionCalls) ? functionCalls.filter(isJsonObject) : [];
    if (calls.length === 0) return [];
    // The API's calls are the kit's.
    const content = { role: "model", parts: calls.map((functionCall) => ({ functionCall })) } as Content;
    return [...this.flush(), { content }];
  }

  #wholeInput(): readonly LlmResponse[] {
    return this.#input === "" ? [] : this.#wholeTranscript();
  }

  #wholeTranscript(): readonly LlmResponse[] {
    const text = this.#input;
    this.#input = "";
    return text === "" ? [] : [{ inputTranscription: { text, finished: true } }];
  }

  #wholeOutput(): readonly LlmResponse[] {
    const text = this.#output;
    this.#output = "";
    const parts = this.#texts.map((part) => (part.thought ? part : { text: part.text }));
    this.#texts = [];
    return [
      ...(parts.length > 0 ? [{ content: { role: "model", parts } }] : []),
      ...(text !== "" ? [{ outputTranscription: { text, finished: true } }] : []),
    ];
  }
}

/** Members that are read. */
type Message = Readonly<
  Record<
    | "usageMetadata"
    | "serverContent"
    | "toolCall"
    | "toolCallCancellation"
    | "sessionResumptionUpdate"
    | "voiceActivity"
    | "goAway",
    JsonValue | undefined
  >
>;

/** Live sessions name the counts of the answer in another way than requests do. */
function usageOf({ responseTokenCount, responseTokensDetails, ...usage }: JsonObject): UsageMetadata {
  const named = { candidatesTokenCount: responseTokenCount, candidatesTokensDetails: responseTokensDetails };
  return withNumbers(present({ ...usage, ...named })) as UsageMetadata;
}

function updateOf(update: JsonObject): NonNullable<LlmResponse["liveSessionResumptionUpdate"]> {
  const { newHandle, resumable, lastConsumedClientMessageIndex: index } = update;
  // A 64-bit number, which is text in Google's JSON; 0 may be left out.
  const consumed = typeof index === "string" && /^\d{1,15}$/.test(index) ? Number(index) : index;
  return present({
    newHandle: newHandle === "" ? undefined : textOrNone(newHandle),
    resumable: resumable === true,
    lastConsumedClientMessageIndex: typeof consumed === "number" ? consumed : undefined,
  });
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function textOrNone(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
