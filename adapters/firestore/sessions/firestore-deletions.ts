import { escapeSegment } from "#kit/names/identifiers.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { type DataOwner, dataOwner } from "#ports/tenants/data-owner.ts";
import type { DataDeletion, DataDeletions } from "#ports/tenants/tenant-data.ts";
import type { FirestoreDatabase } from "../database/firestore-database.ts";
import { LostPreconditionError } from "../database/firestore-errors.ts";

const COLLECTION = "deletions";
/** How long a process uses what it has read. A deletion that another process begins is known after this time. */
const MAX_AGE_MS = 5_000;

/** The deletions in progress: `{root}/_/deletions/{tenant}` and `{tenant}:{user}`. */
export class FirestoreDeletions implements DataDeletions {
  readonly #database: FirestoreDatabase;
  readonly #parent: string;
  readonly #clock: Clock;
  #known: readonly DataDeletion[] | undefined;
  #readAt = 0;

  constructor(database: FirestoreDatabase, parent: string, clock: Clock) {
    this.#database = database;
    this.#parent = parent;
    this.#clock = clock;
  }

  /** The deletions as this process has read them, at most some seconds ago. */
  async recent(): Promise<readonly DataDeletion[]> {
    const isRecent = this.#clock.monotonic() - this.#readAt < MAX_AGE_MS;
    return isRecent && this.#known !== undefined ? this.#known : this.listDeletions();
  }

  async beginDeletion(owner: DataOwner): Promise<DataDeletion> {
    const path = this.#pathOf(owner);
    const deletion = { ...dataOwner(owner), startedAtMs: this.#clock.now() };
    try {
      await this.#database.commit([{ kind: "create", path, fields: deletion }]);
    } catch (error) {
      if (!(error instanceof LostPreconditionError)) throw error;
    }
    const known = (await this.listDeletions()).find((one) => this.#pathOf(one) === path);
    return known ?? deletion;
  }

  async endDeletion(owner: DataOwner): Promise<void> {
    await this.#database.commit([{ kind: "delete", path: this.#pathOf(owner) }]);
    await this.listDeletions();
  }

  async listDeletions(): Promise<readonly DataDeletion[]> {
    const documents = await this.#database.query({ parent: this.#parent, collection: COLLECTION });
    this.#readAt = this.#clock.monotonic();
    this.#known = documents.map(({ fields: { tenantId, userId, startedAtMs } }) => ({
      tenantId: String(tenantId),
      userId: typeof userId === "string" ? userId : undefined,
      startedAtMs: Number(startedAtMs),
    }));
    return this.#known;
  }

  #pathOf({ tenantId, userId }: DataOwner): string {
    // No tenant's id has a colon.
    return `${this.#parent}/${COLLECTION}/${tenantId}${userId === undefined ? "" : `:${escapeSegment(userId)}`}`;
  }
}
