import { type Static, Type } from "#kit/schema/shape.ts";
import type { QuotaUse } from "#shared/quota/applied-limit.ts";
import {
  isMoney,
  MICRO_USD,
  nameIn,
  QUOTA_LIMIT_NAMES,
  QUOTA_LIMITS,
  QUOTA_SCOPES,
  type QuotaScope,
  type QuotaSubject,
} from "#shared/quota/quota-limits.ts";
import type { Quotas } from "#shared/quota/quotas.ts";
import type { RouteDeps } from "../deps.ts";
import { ENTRY_BYTES, recordBytes } from "../http/answer-bound.ts";
import { callerOf } from "../identity/authenticator.ts";
import type { Caller } from "../identity/caller.ts";
import { callingSubject } from "../identity/calling-subject.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";
import { costOfUsage } from "../runs/cost-of-usage.ts";
import { MAX_SEARCHED_RUNS } from "../runs/pages-of-runs.ts";
import { RunTotalsSchema, readRunTotals } from "../runs/run-totals.ts";

const Query = Type.Object({
  userId: Type.Optional(Type.String({ description: "The user whose quotas to read; the caller's own if absent." })),
  appName: Type.Optional(
    Type.String({ description: "The app whose quotas to read, for callers with the scope `users:all`." }),
  ),
  keyId: Type.Optional(
    Type.String({ description: "The API key whose quotas to read; another one than the caller's needs `users:all`." }),
  ),
});

const UsageSchema = Type.Object({
  scope: Type.Enum(QUOTA_SCOPES),
  name: Type.Optional(Type.String({ description: "The key's id, the user or the app; absent for the tenant." })),
  limit: Type.Enum(QUOTA_LIMIT_NAMES),
  window: Type.String({ description: "`minute`, `day` or `month` of UTC, or `now` for what is open at this moment." }),
  unit: Type.String(),
  max: Type.Number(),
  used: Type.Number({ description: "Used in the current window." }),
  reserved: Type.Number({ description: "Open at this moment, or reserved for calls of models in progress." }),
  remaining: Type.Number(),
  resetSeconds: Type.Optional(Type.Integer({ description: "Until the window ends; absent for `now`." })),
});
const UsagePage = Type.Object({ usage: Type.Array(UsageSchema) });

const RunsQuery = Type.Object({
  appName: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  since: Type.Optional(
    Type.Integer({ minimum: 0, description: "Milliseconds since the epoch: runs recorded then or later." }),
  ),
  until: Type.Optional(
    Type.Integer({ minimum: 0, description: "Milliseconds since the epoch: runs recorded before." }),
  ),
  pageToken: Type.Optional(Type.String()),
});

/** A page of runs ends with the one by whose request it has this size. */
const PAGE_CHARACTERS = 256 * 1024;

/** What has been used: of quotas, and by runs. */
export function usageRoutes({ quotas, runJournal }: RouteDeps): TypedRoutes {
  return async (app) => {
    app.get(
      "/v1/usage/runs",
      {
        schema: described({
          operationId: "readRunTotals",
          answer: (config) => MAX_SEARCHED_RUNS * ENTRY_BYTES + 3 * PAGE_CHARACTERS + recordBytes(config),
          access: { scope: "sessions:read", owner: "query-user" },
          tags: ["runs"],
          summary: "Read what runs have used, by day, app and user",
          description: `Runs, model calls, tokens and money, of all users and apps that the caller may see unless the query names some. One request adds up ${MAX_SEARCHED_RUNS} runs at most, newest first: add the totals of the pages to which nextPageToken leads. Money needs PRICES_FILE or the prices of QUOTAS_FILE.`,
          errors: ["INVALID_CURSOR"],
          querystring: RunsQuery,
          response: answers({ 200: RunTotalsSchema }),
        }),
      },
      async ({ query }) =>
        readRunTotals(runJournal, query, {
          costOf: ({ usage }) => costOfUsage(usage, quotas?.rules.prices),
          maxCharacters: PAGE_CHARACTERS,
        }),
    );

    app.get(
      "/v1/usage",
      {
        schema: described({
          operationId: "readUsage",
          answer: "small",
          access: { owner: "caller" },
          tags: ["server"],
          summary: "Read what has been used of quotas",
          description:
            "The limits of the caller's API key and user, each with what is used, reserved and left. For callers with the scope `users:all` also those of their tenant, and of the user, app or key that the query names; if they may use some apps only, those of such an app alone. Empty on a server without quotas (QUOTAS_FILE).",
          errors: ["STORE_UNAVAILABLE"],
          querystring: Query,
          response: answers({ 200: UsagePage }),
        }),
      },
      async (request) => {
        if (quotas === undefined) return { usage: [] };
        const { subject, scopes } = readable(callerOf(request), callingSubject(request), request.query);
        return { usage: await usageOf(quotas, subject, scopes) };
      },
    );
  };
}

/**
 * Totals of apps and of the tenant are those of all users, so that only callers who reach all users read them. What
 * another user, key or the tenant has used is of all apps, so that callers of some apps read only those of their apps.
 */
function readable(
  { scopes, apps }: Caller,
  own: QuotaSubject,
  { userId = own.userId, keyId = own.keyId, appName }: Static<typeof Query>,
): { readonly subject: QuotaSubject; readonly scopes: readonly QuotaScope[] } {
  if (scopes.has("users:all") && apps === undefined)
    return { subject: { ...own, userId, keyId, appName }, scopes: QUOTA_SCOPES };
  if (scopes.has("users:all") && appName !== undefined && apps?.includes(appName))
    return { subject: { ...own, appName }, scopes: ["key", "user", "app"] };
  // The names of another user and key have no effect here. A caller without `users:all` who names another user was
  // refused before.
  return { subject: own, scopes: ["key", "user"] };
}

async function usageOf(
  quotas: Quotas,
  subject: QuotaSubject,
  scopes: readonly QuotaScope[],
): Promise<Static<typeof UsageSchema>[]> {
  const uses = await quotas.read(subject, quotas.limitsOf(subject, QUOTA_LIMIT_NAMES, scopes));
  return uses.map((use) => toWire(use, subject));
}

function toWire({ applied, state }: QuotaUse, subject: QuotaSubject): Static<typeof UsageSchema> {
  const { scope, limit, max } = applied;
  const { window, unit } = QUOTA_LIMITS[limit];
  const shown = (amount: number): number => (isMoney(limit) ? amount / MICRO_USD : amount);
  const name = nameIn(scope, subject);
  return {
    scope,
    name: name !== undefined && name !== "" ? name : undefined,
    limit,
    window,
    unit,
    max: shown(max),
    used: shown(state.used),
    reserved: shown(state.reserved),
    remaining: shown(Math.max(max - state.used - state.reserved, 0)),
    resetSeconds: window !== "now" ? Math.ceil(state.resetMs / 1000) : undefined,
  };
}
