import { createHash } from "node:crypto";
import type { RevisionShare } from "#kit/definitions/loaders/agent-loader.ts";

/**
 * The version that a new session gets: the same on each runner, with a chance of its weight over the sum of all weights.
 * Undefined if no version has a weight.
 */
export function chooseShare(shares: readonly RevisionShare[], sessionId: string): RevisionShare | undefined {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return undefined;
  // Ids can be in an order, and digests are not.
  let place = createHash("sha256").update(sessionId).digest().readUInt32BE(0) % total;
  return shares.find(({ weight }) => {
    place -= weight;
    return place < 0;
  });
}
