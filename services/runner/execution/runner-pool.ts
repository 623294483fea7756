import type { App } from "#kit/core/app.ts";
import type { Runner } from "#kit/runs/runner.ts";

interface Pooled {
  readonly app: App;
  readonly runner: Runner;
  runs: number;
}

export interface RunnerPoolOptions {
  readonly createRunner: (app: App) => Runner;
  /** Whether the app may be run again, though it is not the newest of its name that was. */
  readonly keeps?: (app: App) => boolean;
  readonly onCloseError: (error: unknown) => void;
  readonly onClosed?: (app: App) => void;
}

/**
 * Keeps one runner for each version of an app that is in use: the newest of its name, those that are kept, and those with
 * active runs. The others are closed.
 */
export class RunnerPool implements AsyncDisposable {
  readonly #options: RunnerPoolOptions;
  readonly #open = new Map<App, Pooled>();
  /** By the apps' names. */
  readonly #newest = new Map<string, App>();

  constructor(options: RunnerPoolOptions) {
    this.#options = options;
  }

  /** The runner for the app. It stays open until `release` is called. */
  acquire(app: App): { readonly runner: Runner; readonly release: () => void } {
    const held = this.#open.get(app) ?? this.#create(app);
    held.runs += 1;
    return {
      runner: held.runner,
      release: () => {
        held.runs -= 1;
        this.#closeIfUnused(held);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    this.#newest.clear();
    await Promise.all(open.map((pooled) => this.#close(pooled)));
  }

  #create(app: App): Pooled {
    const pooled = { app, runner: this.#options.createRunner(app), runs: 0 };
    this.#open.set(app, pooled);
    this.#newest.set(app.name, app);
    // A new version may be the reason why an older one is no longer kept.
    for (const other of this.#open.values()) if (other !== pooled) this.#closeIfUnused(other);
    return pooled;
  }

  #closeIfUnused(pooled: Pooled): void {
    const { app, runs } = pooled;
    if (runs > 0 || this.#newest.get(app.name) === app || this.#options.keeps?.(app) === true) return;
    // Otherwise it is closed already.
    if (this.#open.delete(app)) void this.#close(pooled);
  }

  async #close({ app, runner }: Pooled): Promise<void> {
    await runner.close().catch(this.#options.onCloseError);
    this.#options.onClosed?.(app);
  }
}
