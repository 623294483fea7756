/** Runs the saves of one name in turn, so that those of one process do not compete for a number; of different names side by side. */
export class SaveQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(name: string, save: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const own = before.then(save, save);
    this.#last.set(name, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(name) === own) this.#last.delete(name);
    }
  }
}
