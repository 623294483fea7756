import type { FastifyReply } from "fastify";
import { FIXED_WINDOW_MS } from "#ports/quota/quota-window.ts";
import type { QuotaUse } from "#shared/quota/applied-limit.ts";

/**
 * Adds the fields of the IETF draft "RateLimit header fields for HTTP": the policies that apply to a request, and what is
 * left of each. Earlier values of the same answer stay.
 */
export function addQuotaHeaders(reply: FastifyReply, uses: readonly QuotaUse[]): void {
  if (uses.length === 0) return;
  const policies: string[] = [];
  const rests: string[] = [];
  for (const { applied, state } of uses) {
    // Names of limits and scopes are plain, so that no character has to be escaped.
    const name = `"${applied.scope}-${applied.limit}"`;
    policies.push(`${name};q=${applied.max};w=${FIXED_WINDOW_MS.minute / 1000}`);
    rests.push(`${name};r=${Math.max(applied.max - state.used, 0)};t=${Math.ceil(state.resetMs / 1000)}`);
  }
  append(reply, "ratelimit-policy", policies);
  append(reply, "ratelimit", rests);
}

function append(reply: FastifyReply, name: string, values: readonly string[]): void {
  const before = reply.getHeader(name);
  reply.header(name, [...(before === undefined ? [] : [String(before)]), ...values].join(", "));
}
