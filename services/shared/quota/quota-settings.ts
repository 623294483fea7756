import { Type } from "#kit/schema/shape.ts";

/** Settings of quotas, of every process that enforces them. */
export const quotaConfigSchema = Type.Object({
  QUOTAS_FILE: Type.String({
    default: "",
    description:
      "YAML file with the quotas of API keys, users, apps and tenants, such as `defaults: { user: { requestsPerMinute: 120, tokensPerDay: 200000 } }`, and with prices of models. The services that have stores enforce the limits of stored data in it. Read again within a second when it changes; while it is broken the former quotas stay. Nothing is counted without it.",
  }),
  PRICES_FILE: Type.String({
    default: "",
    description:
      "YAML file with prices of models in USD per million tokens, in place of those of QUOTAS_FILE: `prices: { gemini-3.8-flash: { input: 0.3, cached: 0.075, output: 2.5 } }`.",
  }),
});

/** How long a reservation of a lost process counts. */
export const RESERVATION_LEASE_MS = 30_000;
