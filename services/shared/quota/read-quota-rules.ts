import type * as Yaml from "yaml";
import { isTenantId } from "#kit/names/tenant.ts";
import { MAX_QUOTA_AMOUNT } from "#ports/quota/quota-ledger.ts";
import { type Price, PriceTable } from "./prices.ts";
import {
  isLimitOf,
  isMoney,
  MICRO_USD,
  QUOTA_LIMIT_NAMES,
  QUOTA_SCOPES,
  type QuotaLimit,
  type QuotaScope,
} from "./quota-limits.ts";
import type { LimitValues, QuotaOverride, QuotaRules } from "./quota-rules.ts";
import { type YamlPath, YamlReader } from "./yaml-reader.ts";

type YamlModule = Pick<typeof Yaml, "LineCounter" | "parseDocument">;

/** Enough for a long prompt's answer, and small beside a useful budget. */
const DEFAULT_RESERVED_OUTPUT = 2048;
const MAX_OVERRIDES = 1000;
const MAX_NAME_LENGTH = 1024;
const MAX_PRICE = 1_000_000;
const MAX_USD = MAX_QUOTA_AMOUNT / MICRO_USD;

const MEMBERS = ["defaults", "overrides", "prices", "reservedOutputTokens", "unpricedModels", "whenUnavailable"];

/** Reads the text of the file that QUOTAS_FILE names. Throws `CONFIGURATION` with each fault and its line. */
export function readQuotaRules(yaml: YamlModule, text: string): QuotaRules {
  const reader = new YamlReader(yaml, text, "QUOTAS_FILE");
  const root = reader.object([], reader.root, MEMBERS);
  const defaults = reader.object(["defaults"], root["defaults"], QUOTA_SCOPES);
  const unavailable = reader.object(["whenUnavailable"], root["whenUnavailable"], ["requests", "budgets"]);
  const rules: QuotaRules = {
    defaults: Object.fromEntries(
      QUOTA_SCOPES.filter((scope) => scope in defaults).map((scope) => [
        scope,
        readLimits(reader, ["defaults", scope], { scope, value: defaults[scope] }),
      ]),
    ),
    overrides: readOverrides(reader, root["overrides"]),
    prices: readPrices(reader, ["prices"], root["prices"]),
    reservedOutputTokens: readReserved(reader, root["reservedOutputTokens"]),
    unpricedModels: reader.word(["unpricedModels"], root["unpricedModels"], ["free", "refuse"]),
    whenUnavailable: {
      requests: reader.word(["whenUnavailable", "requests"], unavailable["requests"], ["allow", "refuse"]),
      budgets: reader.word(["whenUnavailable", "budgets"], unavailable["budgets"], ["refuse", "allow"]),
    },
  };
  reader.assertValid();
  return rules;
}

/**
 * Reads the text of the file that PRICES_FILE names: `prices` alone. Throws `CONFIGURATION` with each fault and its
 * line.
 */
export function readPricesFile(yaml: YamlModule, text: string): PriceTable {
  const reader = new YamlReader(yaml, text, "PRICES_FILE");
  const prices = readPrices(reader, ["prices"], reader.object([], reader.root, ["prices"])["prices"]);
  reader.assertValid();
  return prices;
}

function readOverrides(reader: YamlReader, value: unknown): readonly QuotaOverride[] {
  if (value === undefined || value === null) return [];
  const path = ["overrides"];
  if (!Array.isArray(value)) {
    reader.problem(path, "must be a list.");
    return [];
  }
  if (value.length > MAX_OVERRIDES) {
    reader.problem(path, `has more than ${MAX_OVERRIDES} entries: use patterns.`);
    return [];
  }
  return value.flatMap((item: unknown, index) => readOverride(reader, ["overrides", index], item) ?? []);
}

function readOverride(reader: YamlReader, path: YamlPath, value: unknown): QuotaOverride | undefined {
  const item = reader.object(path, value, [...QUOTA_SCOPES, "limits"]);
  const texts: Partial<Record<QuotaScope, string>> = {};
  for (const scope of QUOTA_SCOPES) {
    const text = item[scope];
    if (text === undefined) continue;
    if (typeof text === "string" && text !== "" && text.length <= MAX_NAME_LENGTH) texts[scope] = text;
    else reader.problem([...path, scope], "must be a name in quotes, or a pattern with `*`.");
  }
  const { tenant, ...names } = texts;
  const [named, ...more] = Object.entries(names);
  if (more.length > 0) reader.problem(path, "names more than one of key, user and app: make an entry for each.");
  if (named === undefined && tenant === undefined) {
    reader.problem(path, "names nobody: give one of key, user, app and tenant.");
    return undefined;
  }
  if (tenant !== undefined && !isTenantId(tenant) && tenant !== "*") {
    reader.problem([...path, "tenant"], "is not a name of a tenant.");
    return undefined;
  }
  // The scopes are the members of `texts`.
  const scope = (named?.[0] ?? "tenant") as QuotaScope;
  return {
    scope,
    name: named?.[1] ?? "",
    tenantId: tenant !== undefined && tenant !== "*" ? tenant : undefined,
    limits: readLimits(reader, [...path, "limits"], { scope, value: item["limits"] }),
  };
}

function readLimits(
  reader: YamlReader,
  path: YamlPath,
  { scope, value }: { readonly scope: QuotaScope; readonly value: unknown },
): LimitValues {
  const limits: Partial<Record<QuotaLimit, number>> = {};
  const given = reader.object(path, value, QUOTA_LIMIT_NAMES);
  for (const limit of QUOTA_LIMIT_NAMES) {
    const max = given[limit];
    if (max === undefined) continue;
    if (!isLimitOf(scope, limit))
      reader.problem(
        [...path, limit],
        `is not a limit of a ${scope}: give it to ${scope === "key" ? "a user, " : ""}an app or a tenant.`,
      );
    const read = max === "unlimited" ? Number.POSITIVE_INFINITY : toAmount(limit, max);
    if (read !== undefined) limits[limit] = read;
    else {
      const wanted = isMoney(limit) ? `USD from 0 to ${MAX_USD}` : `a whole number from 0 to ${MAX_QUOTA_AMOUNT}`;
      reader.problem([...path, limit], `must be ${wanted}, or unlimited.`);
    }
  }
  return limits;
}

function toAmount(limit: QuotaLimit, max: unknown): number | undefined {
  if (typeof max !== "number" || !(max >= 0)) return undefined;
  if (isMoney(limit)) return max <= MAX_USD ? Math.round(max * MICRO_USD) : undefined;
  return Number.isInteger(max) && max <= MAX_QUOTA_AMOUNT ? max : undefined;
}

function readPrices(reader: YamlReader, path: YamlPath, value: unknown): PriceTable {
  const prices = Object.entries(reader.object(path, value)).map(
    ([model, price]) => [model, readPrice(reader, [...path, model], price)] as const,
  );
  return new PriceTable(prices);
}

function readPrice(reader: YamlReader, path: YamlPath, value: unknown): Price {
  const given = reader.object(path, value, ["input", "cached", "output", "thoughts"]);
  const read = (name: keyof Price): number | undefined => {
    const usd = given[name];
    if (usd === undefined) return undefined;
    if (typeof usd === "number" && usd >= 0 && usd <= MAX_PRICE) return usd;
    reader.problem([...path, name], `must be USD per million tokens, from 0 to ${MAX_PRICE}.`);
    return undefined;
  };
  for (const name of ["input", "output"])
    if (given[name] === undefined) reader.problem(path, `lacks ${name}: USD per million tokens.`);
  const [cached, thoughts] = [read("cached"), read("thoughts")];
  return {
    input: read("input") ?? 0,
    output: read("output") ?? 0,
    cached,
    thoughts,
  };
}

function readReserved(reader: YamlReader, value: unknown): number {
  if (value === undefined) return DEFAULT_RESERVED_OUTPUT;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 1_000_000) return value;
  reader.problem(["reservedOutputTokens"], "must be a whole number from 0 to 1000000.");
  return DEFAULT_RESERVED_OUTPUT;
}
