import type { JsonObject } from "#kit/platform/json.ts";
import type { DataOwner } from "./data-owner.ts";

/**
 * One stored item of the given `kind`. A small item is complete. A large item has only its name, with which the store's
 * other methods read it.
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
    | "schedule"
    | "webhook"
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
  /** The most items to delete; at least 1. */
  readonly limit: number;
}

export interface DeleteDataResponse {
  readonly deleted: number;
  /** Whether nothing of the owner is left. */
  readonly isDone: boolean;
}

/** A store that can delete all data of a tenant, or of one of its users. */
export interface DeletableData {
  /**
   * Deletes a part of the data, and needs no key of encrypted content. Call it again until `isDone`; each call
   * continues where the one before ended, even if that was interrupted.
   */
  deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse>;
}

/** A store that can also list this data. */
export interface TenantData extends DeletableData {
  /** A page of the owner's data, in an order that changes of other data do not affect. Throws `INVALID_CURSOR`. */
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
