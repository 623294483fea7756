import type { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunEnd } from "./follow-run.ts";
import type { RelayedEvent, RelaySink } from "./relay-run.ts";
import { DATA, type SseStream } from "./sse.ts";
import { type PieceDeps, writePieces } from "./write-pieces.ts";

/**
 * One event: `data` first, then the position from which a reader can resume. An event that was read from the store has
 * no position in its run's stream.
 */
export function eventFrame({ json, epoch, n }: RelayedEvent): string {
  return epoch === undefined ? `data: ${json}\n\n` : `data: ${json}\nid: ${epoch}.${n}\n\n`;
}

/**
 * The same event for clients of ADK's servers. They parse everything from `data: ` to the empty line as JSON, and some
 * parse a block for each empty line: nothing but data may stand in a block.
 */
export function plainEventFrame({ json }: RelayedEvent): string {
  return `data: ${json}\n\n`;
}

/** Reports the run's failure in the form that clients of ADK's servers read, after the stored error event. */
export function errorFrame({ message, code, reason }: PlatformError, now: number): string {
  const details = { error_type: reason, error_message: message, code, timestamp: now / 1000 };
  return `data: ${JSON.stringify({ error: message, error_details: details })}\n\n`;
}

/** A frame that only readers of the platform's own streams understand; others skip its `event` line. */
export function namedFrame(name: string, data: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(data)}\nevent: ${name}\n\n`;
}

/**
 * The position after the end of a run. An `EventSource` that does not know the frame `end` reconnects, with this
 * position, until it gets an answer without content.
 */
export const END_POSITION = "end";

/** The last frame of a run's stream. */
export function endFrame({ status }: Pick<RunEnd, "status">): string {
  return `data: ${JSON.stringify({ status })}\nevent: end\nid: ${END_POSITION}\n\n`;
}

/** `named` streams are the platform's own, which also have frames that are not events. */
export type StreamForm = "named" | "with-ids" | "plain";

/** Collects the frames of a batch and writes them together. */
export function createFrameSink(
  stream: SseStream,
  { form, ...deps }: { readonly form: StreamForm } & PieceDeps,
): RelaySink {
  const frames = new FrameBuffer(stream);
  const named = form === "named";
  const frameOf = form === "plain" ? plainEventFrame : eventFrame;
  return {
    ahead: stream.ahead,
    event: (event) => frames.add(frameOf(event)),
    pieces: async (event, pieces) => {
      await frames.flush();
      const frame = frameOf({ ...event, json: "" });
      await writePieces(deps, stream, [DATA, ...pieces, frame.slice(DATA.length)]);
    },
    attempt: (attempt) => {
      if (named) frames.add(namedFrame("attempt", { attempt }));
    },
    resync: () => {
      if (named) frames.add(namedFrame("resync", {}));
    },
    isFull: () => frames.isFull,
    flush: () => frames.flush(),
    flushAlone: () => frames.flushAlone(),
  };
}

/** A buffer of this size is written before more is read, which bounds the memory of a reader that takes nothing. */
const FULL_CHARACTERS = 64 * 1024;

/** Collects frames, to be written together. */
export class FrameBuffer {
  readonly #stream: SseStream;
  #frames = "";

  constructor(stream: SseStream) {
    this.#stream = stream;
  }

  get isFull(): boolean {
    return this.#frames.length >= FULL_CHARACTERS;
  }

  add(frame: string): void {
    this.#frames += frame;
  }

  flush(): Promise<void> | undefined {
    const frames = this.#frames;
    this.#frames = "";
    return this.#stream.write(frames);
  }

  /** As `flush`, for frames that are the only ones in their turn of the event loop. */
  flushAlone(): Promise<void> | undefined {
    const frames = this.#frames;
    this.#frames = "";
    return this.#stream.writeAlone(frames);
  }
}
