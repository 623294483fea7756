/** A stream of server-sent events that is read as it arrives. */
export class EventStream {
  readonly ended: Promise<void>;
  text = "";
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(answer: Promise<Response>) {
    this.ended = this.#read(answer).finally(() => {
      this.#isOver = true;
      this.#wake();
    });
    // The promise of the end reports the failure.
    this.ended.catch(() => {});
  }

  /** Resolves when the received text matches; rejects if the stream ends before. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.text);
      if (match !== null) return match;
      if (this.#isOver) throw new Error(`The stream has ended: ${this.text}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Whether it was broken off. */
  async isCut(): Promise<boolean> {
    return this.ended.then(
      () => false,
      () => true,
    );
  }

  /** Texts of the events so far: chunks, and in brackets complete ones. */
  get texts(): readonly string[] {
    return this.text.split("\n").flatMap((line) => (line.startsWith("data: {") ? textOf(line.slice(6)) : []));
  }

  /** Texts of complete events so far. */
  get complete(): readonly string[] {
    return this.texts.filter((text) => text.startsWith("[")).map((text) => text.slice(1, -1));
  }

  /** The position from which a reader could continue. */
  get cursor(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
  }

  async #read(answer: Promise<Response>): Promise<void> {
    const { body } = await answer;
    if (body === null) return;
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      this.text += text;
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** The fields of an event and of an error frame that the tests use. */
interface Frame {
  readonly partial?: boolean;
  readonly error?: string;
  readonly content?: { readonly parts: readonly { readonly text?: string }[] };
}

function textOf(json: string): string[] {
  // The frames of the gateway.
  const { partial, error, content } = JSON.parse(json) as Frame;
  if (error !== undefined) return [`error: ${error}`];
  const text = content?.parts[0]?.text;
  if (text === undefined) return [];
  return [partial === true ? text : `[${text}]`];
}
