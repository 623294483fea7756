import type { DocumentVersion } from "../database/firestore-database.ts";
import type { FirestoreHead } from "./head-document.ts";
import { UNKNOWN_REQUEST } from "./run-document.ts";

/**
 * The heads that this process wrote last, the most recently used ones up to a limit, so that a write after another one
 * needs no read. They may be out of date: a decision based on them is committed only under the version that they had.
 */
export class HeadMemory {
  readonly #maxHeads: number;
  readonly #heads = new Map<string, FirestoreHead>();

  constructor(maxHeads: number) {
    this.#maxHeads = maxHeads;
  }

  get(path: string): FirestoreHead | undefined {
    return this.#heads.get(path);
  }

  set(head: FirestoreHead, version: DocumentVersion): void {
    // The holder that finishes the run needs its request; without it, the next write reads both.
    if (head.active?.run.request === UNKNOWN_REQUEST) {
      this.forget(head.path);
      return;
    }
    const { state: _state, asRead: _asRead, ...rest } = head;
    this.#heads.delete(head.path);
    this.#heads.set(head.path, { ...rest, version });
    if (this.#heads.size <= this.#maxHeads) return;
    for (const oldest of this.#heads.keys()) {
      this.#heads.delete(oldest);
      return;
    }
  }

  forget(path: string): void {
    this.#heads.delete(path);
  }
}
