import { type FSWatcher, watch } from "node:fs";

export interface FolderWatchOptions {
  readonly path: string;
  /** Checks for changes. Called again only after it has settled. */
  readonly onChange: () => Promise<void>;
  /** Quiet time after a notice before the check, because editors write in several steps. */
  readonly debounceMs?: number;
  /**
   * The interval of checks without a notice: mounts that are swapped by a link, and network file systems, send none.
   */
  readonly pollMs?: number;
  /** Whether to use notices of the file system or only polling. */
  readonly notices?: boolean;
}

const DEFAULT_DEBOUNCE_MS = 100;
const DEFAULT_POLL_MS = 2_000;

/** Reports that something below a folder may have changed. Does not keep the process running. */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #poll: NodeJS.Timeout;
  #watcher: FSWatcher | undefined;
  #debounce: NodeJS.Timeout | undefined;
  #looking = false;
  #lookAgain = false;
  #closed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    this.#poll = setInterval(() => this.#look(), options.pollMs ?? DEFAULT_POLL_MS);
    this.#poll.unref();
    if (options.notices !== false) this.#watch();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#debounce);
    this.#watcher?.close();
  }

  /** Polling continues if the watcher fails: the folder may be missing, or the system may have no watches left. */
  #watch(): void {
    try {
      this.#watcher = watch(
        this.#options.path,
        { recursive: true, persistent: false, ignore: ["**/node_modules/**", "**/.git/**"] },
        () => this.#notice(),
      );
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      this.#watcher = undefined;
    }
  }

  #notice(): void {
    clearTimeout(this.#debounce);
    this.#debounce = setTimeout(() => this.#look(), this.#options.debounceMs ?? DEFAULT_DEBOUNCE_MS);
    this.#debounce.unref();
  }

  #look(): void {
    if (this.#closed) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = true;
    void this.#options.onChange().finally(() => {
      this.#looking = false;
      if (!this.#lookAgain) return;
      this.#lookAgain = false;
      this.#look();
    });
  }
}
