import { type TSchema, Type } from "typebox";
import {
  isLimitOf,
  QUOTA_LIMIT_NAMES,
  QUOTA_SCOPES,
  type QuotaLimit,
  type QuotaScope,
} from "#shared/quota/quota-limits.ts";
import { closed } from "./value-types.ts";

const CLOSED = { additionalProperties: false };
const usd = Type.Number({ minimum: 0 });
const name = Type.String({ minLength: 1 });
const limit = Type.Union([Type.Number({ minimum: 0 }), Type.Literal("unlimited")]);
const limits = closed(limitsIn(QUOTA_LIMIT_NAMES));

/** The content of QUOTAS_FILE, which the services check once more, and where else it may come from. */
export const QUOTAS: TSchema = closed({
  rules: closed({
    defaults: closed(Object.fromEntries(QUOTA_SCOPES.map((scope) => [scope, limitsOf(scope)]))),
    overrides: Type.Array(
      closed({ ...Object.fromEntries(QUOTA_SCOPES.map((scope) => [scope, name])), limits }, ["limits"]),
    ),
    prices: Type.Record(
      name,
      closed({ input: usd, cached: usd, output: usd, thoughts: usd }, ["input", "output"]),
      CLOSED,
    ),
    reservedOutputTokens: Type.Integer({ minimum: 0 }),
    unpricedModels: Type.Enum(["free", "refuse"]),
    whenUnavailable: closed({
      requests: Type.Enum(["allow", "refuse"]),
      budgets: Type.Enum(["allow", "refuse"]),
    }),
  }),
  configMap: closed({ name: Type.String(), key: name }),
});

function limitsOf(scope: QuotaScope): TSchema {
  return closed(limitsIn(QUOTA_LIMIT_NAMES.filter((name) => isLimitOf(scope, name))));
}

function limitsIn(names: readonly QuotaLimit[]): Record<string, TSchema> {
  return Object.fromEntries(names.map((limitName) => [limitName, limit]));
}
