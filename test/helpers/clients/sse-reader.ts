/** A promise and the function that resolves it. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}

interface FrameData {
  readonly content?: { readonly parts?: readonly { readonly text?: string }[] };
  readonly status?: string;
  readonly attempt?: number;
  readonly reason?: string;
  readonly error?: string;
  readonly actions?: { readonly stateDelta?: object };
}

/** Reads server-sent events frame by frame, each as one short line: the event's name, its content, and its id. */
export class SseReader implements AsyncDisposable {
  readonly status: number;
  readonly #controller: AbortController;
  readonly #frames: AsyncIterator<string>;

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<SseReader> {
    const controller = new AbortController();
    return new SseReader(await fetch(url, { headers, signal: controller.signal }), controller);
  }

  constructor(response: Response, controller: AbortController) {
    this.status = response.status;
    this.#controller = controller;
    this.#frames = framesOf(response)[Symbol.asyncIterator]();
  }

  /** The next frame, or undefined at the stream's end. */
  async next(): Promise<string | undefined> {
    const { done, value } = await this.#frames.next();
    return done === true ? undefined : value;
  }

  /** All frames up to the one with this prefix, which is the last. */
  async until(start: string): Promise<readonly string[]> {
    const frames: string[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame === undefined) throw new Error(`The stream ended before "${start}": ${frames.join(" | ")}`);
      frames.push(frame);
      if (frame.startsWith(start)) return frames;
    }
  }

  async rest(): Promise<readonly string[]> {
    const frames: string[] = [];
    for (let frame = await this.next(); frame !== undefined; frame = await this.next()) frames.push(frame);
    return frames;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    // The read fails because it was aborted.
    await this.#frames.return?.().catch(() => {});
  }
}

async function* framesOf(response: Response): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const frame = text.slice(0, end);
      text = text.slice(end + 2);
      if (!frame.startsWith(":")) yield summary(frame);
    }
  }
}

/** `run running`, `hello id 2-1.2`, `resync`. */
export function summary(frame: string): string {
  const lines = frame.split("\n");
  const value = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data: FrameData = JSON.parse(value("data") ?? "{}");
  const text = data.content?.parts?.[0]?.text ?? data.status ?? data.attempt ?? data.reason ?? data.error;
  const id = value("id");
  const words = [value("event"), text ?? (data.actions?.stateDelta && JSON.stringify(data.actions.stateDelta))];
  return [...words, id === undefined ? undefined : `id ${id}`].filter((word) => word !== undefined).join(" ");
}
