import type { Part } from "#kit/events/content.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

/**
 * The member of a part's `partMetadata` with the provider that made the part, and what it wants back with it: signatures
 * of thoughts, ids of items.
 */
const MARK = "aiSdk";

/** The `partMetadata` of a part that this provider has made. */
export function markOf(provider: string, metadata: object | undefined): Pick<Part, "partMetadata"> {
  // The SDK's type is JSON whose members may be undefined.
  const own: JsonObject = metadata === undefined ? {} : { metadata: metadata as JsonObject };
  return { partMetadata: { [MARK]: { provider, ...own } } };
}

/** Whether a model of the same provider has made the part. */
export function isOwnPart({ partMetadata }: Part, provider: string): boolean {
  const mark = partMetadata?.[MARK];
  return isJsonObject(mark) && mark["provider"] === provider;
}

/** What the part's own provider wants back with it, as an option of a prompt's part; undefined if there is nothing. */
export function providerOptionsOf(
  part: Part,
  provider: string,
): { readonly providerOptions: Record<string, Record<string, never>> } | undefined {
  const mark = part.partMetadata?.[MARK];
  if (!isOwnPart(part, provider) || !isJsonObject(mark)) return placeholderOf(part, provider);
  const { metadata } = mark;
  // It is the JSON that the provider has sent, under the SDK's type of options.
  return isJsonObject(metadata) ? { providerOptions: metadata as Record<string, Record<string, never>> } : undefined;
}

/** The signature that stands for a missing one, in the form of Google's providers, which alone need it. */
function placeholderOf(
  { thoughtSignature }: Part,
  provider: string,
): { readonly providerOptions: Record<string, Record<string, never>> } | undefined {
  if (thoughtSignature === undefined) return undefined;
  const options = { [/vertex/.test(provider) ? "vertex" : "google"]: { thoughtSignature } };
  // The SDK's type of options is JSON.
  return { providerOptions: options as unknown as Record<string, Record<string, never>> };
}
