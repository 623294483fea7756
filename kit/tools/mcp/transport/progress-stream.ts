/** Reports of one call that are streamed: each is an event that all readers of the run get. */
const MAX_REPORTS = 10_000;

/** Work as a stream: what it reports while it runs, and then its result as the stream's return value. */
export class ProgressStream<Progress> implements AsyncIterable<Progress, unknown> {
  readonly #work: (report: (progress: Progress) => void) => Promise<unknown>;

  constructor(work: (report: (progress: Progress) => void) => Promise<unknown>) {
    this.#work = work;
  }

  /** Reports that come faster than they are read are replaced by the newest one; those after the limit are dropped. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Progress, unknown, undefined> {
    let newest: { readonly progress: Progress } | undefined;
    let isSettled = false;
    let left = MAX_REPORTS;
    let wake = Promise.withResolvers<void>();
    const work = this.#work((progress) => {
      if (left === 0) return;
      newest = { progress };
      wake.resolve();
    });
    const settle = (): void => {
      isSettled = true;
      wake.resolve();
    };
    work.then(settle, settle);
    for (;;) {
      await wake.promise;
      wake = Promise.withResolvers();
      // Read once: the work may report again while the stream's reader is busy.
      const report = newest as { readonly progress: Progress } | undefined;
      newest = undefined;
      if (report !== undefined) {
        left -= 1;
        yield report.progress;
      }
      if (isSettled) return work;
    }
  }
}
