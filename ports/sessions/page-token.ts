import { PlatformError } from "#kit/errors/platform-error.ts";

/** Where a list continues: after the item with this number, and with this id among equal numbers. */
export interface PagePosition {
  readonly number: number;
  readonly id: string;
}

/** An opaque token. It contains the list's name, so that it is not valid for another list. */
export function encodePageToken(list: string, { number, id }: PagePosition): string {
  return Buffer.from(JSON.stringify([list, number, id])).toString("base64url");
}

/** The position in a token that `encodePageToken` made for this list; anything else throws `INVALID_CURSOR`. */
export function decodePageToken(list: string, token: string): PagePosition {
  const parts = parse(token);
  if (Array.isArray(parts) && parts.length === 3) {
    const [name, number, id]: unknown[] = parts;
    if (name === list && Number.isFinite(number) && typeof number === "number" && typeof id === "string")
      return { number, id };
  }
  throw new PlatformError(
    "INVALID_CURSOR",
    "pageToken was not issued by this server for this list. Start again without it.",
    {
      details: { field: "pageToken" },
    },
  );
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The first `pageSize` of the items, and the token for those after them when there are more. */
export function cutPage<T>(
  items: readonly T[],
  pageSize: number | undefined,
  list: string,
  positionOf: (last: T) => PagePosition,
): { readonly items: readonly T[]; readonly nextPageToken?: string } {
  if (pageSize === undefined || items.length <= pageSize) return { items };
  const page = items.slice(0, pageSize);
  const last = page.at(-1);
  return last === undefined ? { items: page } : { items: page, nextPageToken: encodePageToken(list, positionOf(last)) };
}

export function assertPageSize(pageSize: number | undefined): void {
  if (pageSize === undefined || (Number.isSafeInteger(pageSize) && pageSize > 0)) return;
  throw new PlatformError("INVALID_FIELD", "pageSize must be a whole number from 1.", {
    details: { field: "pageSize" },
  });
}
