interface Offer<Item> {
  readonly item: Item;
  readonly taken: () => void;
}

/**
 * Merges the items of several sources in the order of their arrival. The next item of a source is requested only after
 * its last one was read, so a slow reader slows down all sources. Sources can be added at any time. The merge ends when
 * all sources have ended, when it is closed, or with the error of a source that throws.
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

  /**
   * Ends the sources that wait for a reader; each other source ends when it yields its next item. No further item is
   * returned.
   */
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
