import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * The thread's program is a text and not a module, because it imports nothing of this package. So it also works in a
 * program that was bundled into one file, and does not load the module hooks of its parent.
 */
const PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const checkpoint = new DatabaseSync(workerData).prepare("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort.on("message", () => {
    try {
      checkpoint.get();
    } catch {}
    parentPort.postMessage(null);
  });
`;

/**
 * Checkpoints a database file with a connection of its own, because copying the log and syncing the database take
 * milliseconds. The thread starts with the first checkpoint, and does not keep the process running between them.
 */
export class CheckpointThread {
  readonly #file: string;
  #worker: Worker | undefined;
  #failed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * One checkpoint at a time. Never rejects: after a failed checkpoint the log has all that it had, and the next one
   * copies everything again.
   */
  async run(): Promise<void> {
    if (this.#failed) return;
    try {
      this.#worker ??= new Worker(PROGRAM, { eval: true, workerData: this.#file, execArgv: ["--no-warnings"] });
      this.#worker.ref();
      this.#worker.postMessage(null);
      await once(this.#worker, "message");
      this.#worker.unref();
    } catch {
      // The process may start no threads. SQLite then checkpoints in a commit.
      this.#failed = true;
      await this.end();
    }
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }
}
