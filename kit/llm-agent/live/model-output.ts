import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Content, UsageMetadata } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { setAnswerFacts } from "#kit/llm-agent/base/model-attributes.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { afterModel, watches } from "#kit/llm-agent/model-call/model-callbacks.ts";
import { toModelEvent } from "#kit/llm-agent/model-call/to-model-event.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import { RecordedAudio } from "./recorded-audio.ts";
import { spokenContentBlocked } from "./screen-content.ts";
import { OpenTranscript } from "./transcripts.ts";

/**
 * The events of a live model's responses. Chunks, media and signals are streamed only; complete contents, one complete
 * transcript for each utterance, and the ends of turns are stored. An utterance ends with its turn, or when the model
 * calls a tool, so that the call comes after what led to it.
 */
export class ModelOutput {
  readonly #step: StepContext;
  /** The span of the session, which gets the model and the tokens of its answers. */
  readonly #span: ActiveSpan;
  readonly #heard = new OpenTranscript("inputTranscription");
  readonly #spoken = new OpenTranscript("outputTranscription");
  readonly #inputAudio: RecordedAudio | undefined;
  readonly #outputAudio: RecordedAudio | undefined;
  /** The complete transcripts of the agent in this turn, since its last call of a tool. */
  #said: string[] = [];
  #reports = 0;
  /** All reports of the session together. */
  #usage: UsageMetadata = {};
  #isBlocked = false;
  #isSpeaking = false;

  constructor(step: StepContext, span: ActiveSpan) {
    this.#step = step;
    this.#span = span;
    if (step.context.runConfig.saveLiveBlob !== true) return;
    this.#inputAudio = new RecordedAudio(step.context, "input");
    this.#outputAudio = new RecordedAudio(step.context, "output");
  }

  /** Whether a callback has blocked what was said: nothing more of this session may reach the user. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Whether the model is in the middle of an answer. */
  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  /** Whether the client's media is kept. */
  get isRecording(): boolean {
    return this.#inputAudio !== undefined;
  }

  /** Records media of the client. */
  async *record(request: { readonly mimeType?: string; readonly data?: string }): AsyncGenerator<Event> {
    const event = await this.#inputAudio?.add(request);
    if (event !== undefined) yield event;
  }

  /** The event of a chunk of media that has nothing else to it; undefined for other responses, and if it is kept. */
  chunk(response: LlmResponse): Event | undefined {
    if (this.#outputAudio !== undefined || !isMedia(response.content)) return undefined;
    for (const [member, value] of Object.entries(response))
      if (value !== undefined && member !== "content" && member !== "partial") return undefined;
    this.#isSpeaking = true;
    return this.#streamed(response);
  }

  async *events(response: LlmResponse): AsyncGenerator<Event, void, undefined> {
    this.#count(response);
    const signal = signalOf(response);
    if (signal !== undefined) yield this.#streamed(signal);
    yield* this.#notice(response);
    yield* this.#transcription(response, "inputTranscription", this.#heard);
    if (this.#isBlocked) return;
    yield* this.#transcription(response, "outputTranscription", this.#spoken);
    if (this.#isBlocked) return;
    const rest = withoutSignals(response);
    if (!hasMore(rest)) return;
    if (isMedia(rest.content)) yield* this.#media(rest);
    else yield* this.#content(rest);
  }

  /** The events of utterances that have not ended in good order. `isOutput`: the agent's turn is complete. */
  async *flush(isOutput = false): AsyncGenerator<Event, void, undefined> {
    const heard = this.#heard.finish();
    if (heard !== undefined) yield this.#stored(heard);
    const spoken = this.#spoken.finish();
    if (spoken !== undefined) yield isOutput ? this.#output(spoken) : this.#stored(spoken);
    for (const audio of [this.#inputAudio, this.#outputAudio]) {
      const event = await audio?.save();
      if (event !== undefined) yield event;
    }
  }

  /** Each report of usage ends one call of the model. */
  #count({ usageMetadata, modelVersion, finishReason }: LlmResponse): void {
    if (modelVersion !== undefined || finishReason !== undefined)
      setAnswerFacts(this.#span, { modelVersion, finishReason });
    if (usageMetadata === undefined) return;
    const { context } = this.#step;
    context.addUsage(usageMetadata);
    this.#usage = sumOfUsage(this.#usage, usageMetadata);
    setAnswerFacts(this.#span, { usageMetadata: this.#usage });
    this.#reports += 1;
    // The first call was counted when the connection was opened.
    if (this.#reports > 1) context.incrementLlmCallsCount();
    context.costs.checkTokens(context.runConfig);
  }

  /** Stores changes that the history must show: the model has changed, or input was lost. */
  *#notice({ liveModelChange, liveInputDropped }: LlmResponse): Generator<Event> {
    if (liveModelChange === undefined && liveInputDropped === undefined) return;
    const customMetadata = {
      ...(liveModelChange && { liveModelChange: { ...liveModelChange } }),
      ...(liveInputDropped && { liveInputDropped: { ...liveInputDropped } }),
    };
    yield this.#step.context.createEvent({ customMetadata });
  }

  async *#transcription(
    response: LlmResponse,
    member: "inputTranscription" | "outputTranscription",
    transcript: OpenTranscript,
  ): AsyncGenerator<Event> {
    const transcription = response[member];
    if (transcription === undefined) return;
    const isComplete = transcript.take(transcription);
    if (member === "outputTranscription") {
      if (!isComplete) this.#isSpeaking = true;
      const text = isComplete ? (transcription.text ?? "") : transcript.text;
      const blocked = await this.#screenSpoken({ outputTranscription: { text, finished: isComplete } });
      if (blocked !== undefined) return yield* this.#block(blocked);
    }
    if (!isComplete) return yield this.#streamed({ [member]: { ...transcription, finished: false } });
    const complete = { [member]: { ...transcription, finished: true } };
    if (member !== "inputTranscription") return yield this.#output(complete);
    yield this.#stored(complete);
    const blocked = await spokenContentBlocked(this.#step, transcription.text ?? "");
    if (blocked !== undefined) yield* this.#block(blocked);
  }

  /** The answer of a callback in place of what the model says, whose transcript so far it gets. */
  async #screenSpoken(response: LlmResponse): Promise<LlmResponse | undefined> {
    if (!watches(this.#step, "afterModelCallback")) return undefined;
    const answer = await afterModel(this.#step, callbacksOf(this.#step), response);
    return answer === response ? undefined : answer;
  }

  /** The callback's answer replaces the model's. The client stops to play that one. */
  *#block({ partial: _, ...answer }: LlmResponse): Generator<Event> {
    this.#isBlocked = true;
    yield this.#stored({ ...answer, interrupted: true, turnComplete: true });
  }

  async *#media(response: LlmResponse): AsyncGenerator<Event> {
    this.#isSpeaking = true;
    for (const { inlineData } of response.content?.parts ?? []) {
      const event = inlineData && (await this.#outputAudio?.add(inlineData));
      if (event !== undefined) yield event;
    }
    const { turnComplete, interrupted, usageMetadata, ...media } = response;
    yield this.#streamed(media);
    if (turnComplete === true || interrupted === true)
      yield* this.#content({ turnComplete, interrupted, usageMetadata });
  }

  async *#content(response: LlmResponse): AsyncGenerator<Event> {
    const callbacks = callbacksOf(this.#step);
    const watched = watches(this.#step, "afterModelCallback")
      ? await afterModel(this.#step, callbacks, response)
      : response;
    if (watched.partial === true) {
      this.#isSpeaking = true;
      return yield this.#streamed(watched);
    }
    const endsTurn = watched.turnComplete === true || watched.interrupted === true;
    const callsTool = watched.content?.parts?.some((part) => part.functionCall !== undefined) === true;
    if (endsTurn) this.#isSpeaking = false;
    if (endsTurn || callsTool) yield* this.flush(watched.turnComplete === true && watched.interrupted !== true);
    if (endsTurn || callsTool) this.#said = [];
    const { eventId = this.#nextId(), eventActions: actions } = callbacks;
    yield toModelEvent(this.#step, watched, { id: eventId, actions, outputKey: this.#step.agent.outputKey });
  }

  /** The event of a complete transcript of the agent, whose text is the agent's output. */
  #output(response: LlmResponse): Event {
    this.#said.push(response.outputTranscription?.text?.trim() ?? "");
    const spoken = this.#said.join(" ");
    const { eventActions: actions } = callbacksOf(this.#step);
    return toModelEvent(this.#step, response, {
      ...{ id: this.#nextId(), actions, spoken },
      outputKey: this.#step.agent.outputKey,
    });
  }

  #streamed(response: LlmResponse): Event {
    return withAuthor(toModelEvent(this.#step, { ...response, partial: true }, { id: this.#nextId() }));
  }

  #stored(response: LlmResponse): Event {
    return withAuthor(toModelEvent(this.#step, response, { id: this.#nextId() }));
  }

  #nextId(): string {
    return this.#step.context.services.ids.next();
  }
}

function callbacksOf({ context }: StepContext): CallbackContext {
  return new CallbackContext(context, undefined, context.services.ids.next());
}

/** The user is the author of what the user has said. */
function withAuthor(event: Event): Event {
  return event.inputTranscription === undefined ? event : { ...event, author: USER_AUTHOR };
}

/** The signals that clients get, without the handle, which is a secret. */
function signalOf(response: LlmResponse): LlmResponse | undefined {
  const { generationComplete, goAway, voiceActivity, liveSessionResumptionUpdate: update } = response;
  if (!generationComplete && !goAway && !voiceActivity && !update) return undefined;
  return {
    ...(generationComplete === true && { generationComplete }),
    ...(goAway && { goAway }),
    ...(voiceActivity && { voiceActivity }),
    ...(update && { liveSessionResumptionUpdate: { resumable: update.resumable ?? update.newHandle !== undefined } }),
  };
}

function withoutSignals(response: LlmResponse): LlmResponse {
  const {
    generationComplete: _generation,
    goAway: _goAway,
    voiceActivity: _activity,
    liveSessionResumptionUpdate: _update,
    cancelledCallIds: _cancelled,
    liveModelChange: _change,
    liveInputDropped: _dropped,
    inputTranscription: _heard,
    outputTranscription: _spoken,
    ...rest
  } = response;
  return rest;
}

/** Whether there is anything for an event besides the mark of a chunk. */
function hasMore({ partial: _, ...rest }: LlmResponse): boolean {
  return Object.values(rest).some((member) => member !== undefined);
}

function isMedia(content: Content | undefined): boolean {
  return content?.parts?.some((part) => part.inlineData !== undefined) === true;
}

/** The counts of both; members of other kinds are not added. */
function sumOfUsage(one: UsageMetadata, other: UsageMetadata): UsageMetadata {
  const sum: Record<string, number> = {};
  for (const usage of [one, other])
    for (const [member, value] of Object.entries(usage))
      if (typeof value === "number") sum[member] = (sum[member] ?? 0) + value;
  return sum;
}
