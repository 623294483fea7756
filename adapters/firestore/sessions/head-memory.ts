import type { DocumentVersion } from "../database/firestore-database.ts";
import type { FirestoreHead } from "./head-document.ts";
import { UNKNOWN_REQUEST } from "./run-document.ts";

/**
 * Heads as this process last wrote them, the most recently used ones up to a number, so that a write that follows another needs no read.
 * They may be out of date: what they lead to is committed only under the version they had.
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
    // Who finishes the run must know its request; without it, the next write reads both.
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
