import type { App } from "#kit/core/app.ts";
import type { Runner } from "#kit/runs/runner.ts";

interface Pooled {
  readonly app: App;
  readonly runner: Runner;
  runs: number;
}

export interface RunnerPoolOptions {
  readonly createRunner: (app: App) => Runner;
  readonly onCloseError: (error: unknown) => void;
  readonly onClosed?: (app: App) => void;
}

/** Keeps one runner for each app's current version. A replaced version is closed when its last run has ended. */
export class RunnerPool implements AsyncDisposable {
  readonly #options: RunnerPoolOptions;
  readonly #current = new Map<string, Pooled>();

  constructor(options: RunnerPoolOptions) {
    this.#options = options;
  }

  /** The runner for the app. It stays open until `release` is called. */
  acquire(app: App): { readonly runner: Runner; readonly release: () => void } {
    let pooled = this.#current.get(app.name);
    if (pooled?.app !== app) {
      const replaced = pooled;
      pooled = { app, runner: this.#options.createRunner(app), runs: 0 };
      this.#current.set(app.name, pooled);
      if (replaced !== undefined) this.#closeIfUnused(replaced);
    }
    const { runner } = pooled;
    const held = pooled;
    held.runs += 1;
    return {
      runner,
      release: () => {
        held.runs -= 1;
        this.#closeIfUnused(held);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [...this.#current.values()];
    this.#current.clear();
    await Promise.all(open.map((pooled) => this.#close(pooled)));
  }

  #closeIfUnused(pooled: Pooled): void {
    if (pooled.runs === 0 && this.#current.get(pooled.app.name) !== pooled) void this.#close(pooled);
  }

  async #close({ app, runner }: Pooled): Promise<void> {
    await runner.close().catch(this.#options.onCloseError);
    this.#options.onClosed?.(app);
  }
}
