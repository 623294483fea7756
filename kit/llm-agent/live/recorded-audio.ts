import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Blob } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { sessionKey } from "#kit/sessions/session.ts";

/** The longest recording, in characters of base64: three minutes of 16-bit samples at 16 kHz. A longer one is split. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Collects the sound of one side of a conversation and saves it as artifacts, one for each utterance
 * (`RunConfig.saveLiveBlob`). Sound of another type begins a new recording.
 */
export class RecordedAudio {
  readonly #context: InvocationContext;
  readonly #side: "input" | "output";
  #chunks: string[] = [];
  #characters = 0;
  #mimeType = "";

  constructor(context: InvocationContext, side: "input" | "output") {
    this.#context = context;
    this.#side = side;
  }

  /** Adds a chunk; returns the event of the recording before it if that is complete. */
  async add({ data = "", mimeType = "" }: Blob): Promise<Event | undefined> {
    if (!mimeType.startsWith("audio/") || data === "") return undefined;
    const isFull = this.#characters + data.length > MAX_CHARACTERS;
    const event = isFull || mimeType !== this.#mimeType ? await this.save() : undefined;
    this.#mimeType = mimeType;
    this.#chunks.push(data);
    this.#characters += data.length;
    return event;
  }

  /** Saves the recording. Returns the event that names its artifact; undefined if there is none. */
  async save(): Promise<Event | undefined> {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#characters = 0;
    const { artifactService, services, session } = this.#context;
    if (chunks.length === 0 || artifactService === undefined) return undefined;
    const data = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, "base64"))).toString("base64");
    const id = services.ids.next();
    const filename = `live_${this.#side}_${id}`;
    const artifact = { inlineData: { mimeType: this.#mimeType, data } };
    const { version } = await artifactService.saveArtifact({ session: sessionKey(session), filename, artifact });
    const actions = createEventActions({ artifactDelta: { [filename]: version } });
    return this.#context.createEvent({ id, actions, ...(this.#side === "input" && { author: USER_AUTHOR }) });
  }
}
