/**
 * Passes items from a writer that is called to a reader that asks, in their order. `flush` returns a promise while items
 * wait, which keeps the writer from reading further than its reader.
 */
export class Handoff<Item> {
  #items: Item[] = [];
  #end: { readonly error?: unknown } | undefined;
  #arrived = Promise.withResolvers<void>();
  #taken: PromiseWithResolvers<void> | undefined;

  push(item: Item): void {
    this.#items.push(item);
  }

  /** Makes the items available. */
  flush(): Promise<void> | undefined {
    if (this.#items.length === 0 || this.#end !== undefined) return undefined;
    this.#taken ??= Promise.withResolvers();
    this.#arrived.resolve();
    return this.#taken.promise;
  }

  end(): void {
    this.#close({});
  }

  fail(error: unknown): void {
    this.#close({ error });
  }

  /** All items until the end; throws the error of a failure after them. A writer is never kept waiting after the last. */
  async *read(): AsyncGenerator<Item, void, undefined> {
    try {
      for (;;) {
        await this.#arrived.promise;
        const items = this.#items;
        const end = this.#end;
        this.#items = [];
        if (end === undefined) this.#arrived = Promise.withResolvers();
        yield* items;
        this.#release();
        if (end === undefined) continue;
        if ("error" in end) throw end.error;
        return;
      }
    } finally {
      this.#end ??= {};
      this.#release();
    }
  }

  #close(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    this.#arrived.resolve();
  }

  #release(): void {
    this.#taken?.resolve();
    this.#taken = undefined;
  }
}
