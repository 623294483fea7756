interface Offer<Item> {
  readonly item: Item;
  readonly taken: () => void;
}

/**
 * Items of several sources, one at a time, in the order in which they come. A source goes on only when its item was taken, so a slow
 * reader slows them all. Sources may be added while others run. A source that throws ends the merge with its error.
 */
export class StreamMerge<Item> {
  readonly #offers: Offer<Item>[] = [];
  #sources = 0;
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  add(source: AsyncIterable<Item>): void {
    this.#sources += 1;
    void this.#pump(source);
  }

  /** The next item; undefined when all sources have ended. */
  async next(): Promise<Item | undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const offer = this.#offers.shift();
      if (offer !== undefined) {
        offer.taken();
        return offer.item;
      }
      if (this.#sources === 0) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  /** Ends the sources that wait for a reader; the others end with what they give next. Nothing more is given. */
  close(): void {
    this.#isClosed = true;
    for (const { taken } of this.#offers.splice(0)) taken();
  }

  async #pump(source: AsyncIterable<Item>): Promise<void> {
    try {
      for await (const item of source) {
        if (this.#isClosed) break;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#offers.push({ item, taken: resolve });
        this.#wake?.();
        await promise;
        if (this.#isClosed) break;
      }
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#sources -= 1;
    this.#wake?.();
  }
}
