import { NOTHING_STORED, type StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import { sumOfStored } from "#ports/storage-limits/stored-counts.ts";
import type { DocumentVersion, DocumentWrite, StoredDocument } from "../database/firestore-database.ts";

/** The amounts that the document counts; zero without a document. */
export function fromCountDocument(document: StoredDocument | undefined): StoredAmounts {
  if (document === undefined) return NOTHING_STORED;
  // Only `CountWrites` writes these documents, so the fields are amounts.
  return document.fields as unknown as StoredAmounts;
}

/** The changes of counts by one operation. */
export class CountWrites {
  readonly #changes = new Map<string, { change: StoredAmounts; expect: DocumentVersion | "missing" | undefined }>();

  /**
   * `expect` is the document's version at the read that the decision depends on. Without it the write has no
   * precondition.
   */
  add(path: string, change: StoredAmounts, expect: DocumentVersion | "missing" | undefined): void {
    const known = this.#changes.get(path);
    this.#changes.set(path, { change: sumOfStored(known?.change, change), expect: known?.expect ?? expect });
  }

  get writes(): readonly DocumentWrite[] {
    return [...this.#changes].map(([path, { change, expect }]): DocumentWrite => {
      return { kind: "add", path, amounts: { ...change }, expect };
    });
  }
}
