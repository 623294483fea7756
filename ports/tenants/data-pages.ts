import { PlatformError } from "#kit/errors/platform-error.ts";
import type { DataItem, DataPage, ListDataRequest } from "./tenant-data.ts";

/** An item and the place after it, from which a list continues. */
export interface PlacedItem {
  readonly item: DataItem;
  readonly place: readonly string[];
}

/** A page ends with the item by which its JSON reaches this size. */
export const MAX_DATA_PAGE_CHARACTERS = 512 * 1024;

type Items<Iterated> = (place: readonly string[] | undefined) => Iterated;

/** The page of the items that `itemsAfter` returns for the request's place. Throws `INVALID_CURSOR`. */
export async function readDataPage(
  request: ListDataRequest,
  itemsAfter: Items<AsyncIterable<PlacedItem> | Iterable<PlacedItem>>,
): Promise<DataPage> {
  const page = new Page(request);
  for await (const item of itemsAfter(page.place)) if (!page.add(item)) return page.cut();
  return { items: page.items };
}

/** As `readDataPage`, in one step of a synchronous store. */
export function readDataPageNow(request: ListDataRequest, itemsAfter: Items<Iterable<PlacedItem>>): DataPage {
  const page = new Page(request);
  for (const item of itemsAfter(page.place)) if (!page.add(item)) return page.cut();
  return { items: page.items };
}

class Page {
  readonly items: DataItem[] = [];
  readonly place: readonly string[] | undefined;
  readonly #size: number;
  #characters = 0;
  #last: readonly string[] = [];

  constructor({ pageSize, pageToken }: ListDataRequest) {
    assertPageSize(pageSize);
    this.#size = pageSize;
    this.place = pageToken === undefined ? undefined : placeOf(pageToken);
  }

  /** False if the page is full. */
  add({ item, place }: PlacedItem): boolean {
    if (this.items.length >= this.#size || this.#characters >= MAX_DATA_PAGE_CHARACTERS) return false;
    this.items.push(item);
    this.#characters += JSON.stringify(item).length;
    this.#last = place;
    return true;
  }

  cut(): DataPage {
    return { items: this.items, nextPageToken: tokenOf(this.#last) };
  }
}

export function assertPageSize(pageSize: number): void {
  if (Number.isSafeInteger(pageSize) && pageSize > 0) return;
  throw new PlatformError("INVALID_FIELD", "pageSize must be a whole number above 0.", {
    details: { field: "pageSize" },
  });
}

export function tokenOf(place: readonly string[]): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** Throws `INVALID_CURSOR`. */
export function placeOf(token: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value;
  } catch {
    // A token that cannot be read is refused below.
  }
  throw new PlatformError("INVALID_CURSOR", "pageToken is not one that a page of this list returned.");
}

/** Compares places part by part, as their lists are ordered. */
export function isAfter(place: readonly string[], other: readonly string[] | undefined): boolean {
  if (other === undefined) return true;
  for (const [index, part] of place.entries()) {
    const known = other[index];
    if (known === undefined || part > known) return true;
    if (part < known) return false;
  }
  return false;
}

/** Items of a store in memory, in the order of their places, after a place. */
export function inOrderOfPlaces(
  items: readonly PlacedItem[],
  after: readonly string[] | undefined,
): readonly PlacedItem[] {
  return items
    .filter(({ place }) => isAfter(place, after))
    .sort((one, other) => (isAfter(one.place, other.place) ? 1 : -1));
}
