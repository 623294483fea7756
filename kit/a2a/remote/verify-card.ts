import type { AgentCard } from "@a2a-js/sdk";
import { AgentCardResolutionError } from "#kit/errors/a2a-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import type { Fetch } from "#kit/outbound-http/bounded-fetch.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { fetchJson, problemOf } from "./peer-client.ts";

/** Public keys: a JSON Web Key Set, or its address. */
export type CardKeys = string | { readonly keys: readonly JsonObject[] };

/**
 * Throws `AgentCardResolutionError` unless one of the keys has signed the card. A card names an address of keys itself, which
 * proves nothing: only the given keys count.
 */
export async function verifyCard(card: AgentCard, cardKeys: CardKeys, fetch: Fetch): Promise<void> {
  const { verifyAgentCardSignature } = await importOptional({
    name: "@a2a-js/sdk",
    user: "Remote agents",
    load: () => import("@a2a-js/sdk"),
  });
  const keys = await keysOf(cardKeys, fetch);
  const verify = verifyAgentCardSignature(async (kid) => {
    const key = keys.find((each) => each["kid"] === kid);
    if (key === undefined) throw new AgentCardResolutionError("The key of the signature is not a trusted one.");
    return key;
  });
  try {
    await verify(card);
  } catch (error) {
    throw new AgentCardResolutionError("The agent card has no valid signature of a trusted key (cardKeys).", error);
  }
}

async function keysOf(cardKeys: CardKeys, fetch: Fetch): Promise<readonly JsonObject[]> {
  const set = typeof cardKeys === "string" ? await fetchKeys(cardKeys, fetch) : cardKeys;
  const keys: unknown = isJsonObject(set) ? set["keys"] : undefined;
  if (Array.isArray(keys) && keys.every(isJsonObject)) return keys;
  throw new AgentCardResolutionError("The keys of agent cards are not a JSON Web Key Set: it has a list `keys`.");
}

async function fetchKeys(address: string, fetch: Fetch): Promise<unknown> {
  try {
    return await fetchJson(new URL(address), "keys", fetch);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new AgentCardResolutionError(`The keys of agent cards cannot be read: ${problemOf(error)}.`, error);
  }
}
