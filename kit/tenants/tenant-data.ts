import type { JsonObject } from "../platform/json.ts";
import type { DataOwner } from "./data-owner.ts";

/**
 * One thing that is stored. `kind` says what it is. Small things are here as they are; of large ones only the name, under
 * which the store's other methods read them.
 */
export interface DataItem extends JsonObject {
  readonly kind:
    | "session"
    | "user-state"
    | "app-state"
    | "artifact"
    | "memory"
    | "eval-set"
    | "eval-result"
    /** The job of an evaluation, with its cases, results and answers of judges. */
    | "evaluation"
    /** Files whose names cannot be restored; `folder` says where they are. */
    | "unnamed-files";
}

export interface ListDataRequest extends DataOwner {
  /** At least 1. A page has fewer items if they are large. */
  readonly pageSize: number;
  readonly pageToken?: string;
}

export interface DataPage {
  readonly items: readonly DataItem[];
  /** Absent on the last page. */
  readonly nextPageToken?: string;
}

export interface DeleteDataRequest extends DataOwner {
  /** How many things are deleted at most; at least 1. */
  readonly limit: number;
}

export interface DeleteDataResponse {
  readonly deleted: number;
  /** Whether nothing of the owner is left. */
  readonly isDone: boolean;
}

/** Stores of which all data of a tenant, or of one of its users, can be deleted. */
export interface DeletableData {
  /**
   * Deletes some of it, and needs no key of encrypted content. To be repeated until it is done; a repeated call continues
   * where an interrupted one ended.
   */
  deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse>;
}

/** Stores of which it can be listed too. */
export interface TenantData extends DeletableData {
  /** What the store has of the owner, in an order that changes of other data do not affect. Throws `INVALID_CURSOR`. */
  listData(request: ListDataRequest): Promise<DataPage>;
}

/** A deletion that has begun and not ended. */
export interface DataDeletion extends DataOwner {
  readonly startedAtMs: number;
}

/** The deletions in progress. While there is one, nothing begins for its owner: `DATA_IN_DELETION`. */
export interface DataDeletions {
  /** Returns the deletion of this owner, with the time of the first call. */
  beginDeletion(owner: DataOwner): Promise<DataDeletion>;
  endDeletion(owner: DataOwner): Promise<void>;
  listDeletions(): Promise<readonly DataDeletion[]>;
}
