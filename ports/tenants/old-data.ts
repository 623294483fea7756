import { PlatformError } from "#kit/errors/platform-error.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import { assertPageSize, placeOf, tokenOf } from "./data-pages.ts";

export interface ListOldRequest {
  /** Only items whose time is before this one, in milliseconds. */
  readonly before: number;
  /** The most items that one call looks at; at least 1, at most `MAX_OLD_PAGE`. */
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

/** The version of a file, an entry of memory, or the result of an evaluation. */
export interface OldItem extends TenantScoped {
  readonly appName: string;
  /** Absent for what belongs to an app. */
  readonly userId?: string | undefined;
  /** The session that a file or an entry of memory belongs to, if there is one. */
  readonly sessionId?: string | undefined;
  /** The id of the entry, the name of the result, or `filename/version` of a file. */
  readonly id: string;
  readonly timeMs: number;
}

/** A page can be empty and not be the last one: the items that it looked at are newer. */
export interface OldPage {
  readonly items: readonly OldItem[];
  /** Absent on the last page. */
  readonly nextPageToken?: string | undefined;
}

export interface DeleteOldRequest extends Omit<OldItem, "sessionId" | "id" | "timeMs"> {
  /** At most `MAX_OLD_DELETIONS`. */
  readonly items: readonly Pick<OldItem, "sessionId" | "id">[];
  /** An item that was replaced by one of this time or later stays. */
  readonly before: number;
}

/** The largest page: names of so many items fit in one message between services. */
export const MAX_OLD_PAGE = 500;
/** The most items that one call deletes. */
export const MAX_OLD_DELETIONS = 100;

/** A store of items with a time that retention can work on. */
export interface OldData {
  /** Items of all tenants, in an order that additions do not change. Throws `INVALID_CURSOR`. */
  listOldData(request: ListOldRequest): Promise<OldPage>;
  /** Deletes the items that are still there and older, and no other. Returns how many it has deleted. */
  deleteOldData(request: DeleteOldRequest): Promise<number>;
}

/** The store's methods; for a custom store without them each call throws `NOT_IMPLEMENTED`. */
export function oldDataOf(store: object): OldData {
  return isOldData(store) ? store : { listOldData: refuse, deleteOldData: refuse };
}

function isOldData(store: object): store is OldData {
  return ["listOldData", "deleteOldData"].every((name) => typeof Reflect.get(store, name) === "function");
}

async function refuse(): Promise<never> {
  throw new PlatformError("NOT_IMPLEMENTED", "The store cannot list the data of all tenants by age.");
}

/** The name of this list in its tokens. */
const LIST = "old";

/** The range that a store walks: so many items at most, after a place in its order. Throws `INVALID_FIELD`, `INVALID_CURSOR`. */
export function oldRange({ pageSize, pageToken }: ListOldRequest, most: number = MAX_OLD_PAGE) {
  assertPageSize(pageSize);
  const limit = Math.min(pageSize, most);
  if (pageToken === undefined) return { limit, after: undefined };
  const [list, ...after] = placeOf(pageToken);
  if (list !== LIST || after.length === 0) placeOf("");
  return { limit, after };
}

/** The page of what a store has walked: its old items, and the place of the last one that it looked at, if there are more. */
export function oldPage(
  { before }: ListOldRequest,
  items: readonly OldItem[],
  last: readonly string[] | undefined,
): OldPage {
  const old = items.filter(({ timeMs }) => timeMs < before);
  return { items: old, nextPageToken: last && tokenOf([LIST, ...last]) };
}

/** Throws `INVALID_FIELD`. */
export function assertOldItems({ items }: DeleteOldRequest): void {
  if (items.length <= MAX_OLD_DELETIONS) return;
  throw new PlatformError("INVALID_FIELD", `items has more than ${MAX_OLD_DELETIONS} entries: delete them in parts.`, {
    details: { field: "items" },
  });
}
