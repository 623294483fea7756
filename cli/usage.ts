import { present } from "#kit/platform/members.ts";
import { GatewayClient, type ServerCommand } from "./gateway/gateway-client.ts";
import { textTable } from "./output/text-table.ts";
import { UsageError } from "./parse-arguments.ts";
import { DEFAULT_URL, readUrl } from "./read-url.ts";
import { readTyped } from "./typed-options.ts";

const OPTIONS = {
  url: { type: "string" },
  app: { type: "string" },
  user: { type: "string" },
  key: { type: "string" },
  json: { type: "boolean" },
} as const;

/** A line of the server's answer. */
interface WireUsage {
  readonly scope: string;
  readonly name?: string;
  readonly limit: string;
  readonly unit: string;
  readonly max: number;
  readonly used: number;
  readonly reserved: number;
  readonly remaining: number;
  readonly resetSeconds?: number;
}

/**
 * Returns the output of `fairlead usage`: what has been used of the caller's quotas. Throws `UsageError` for wrong
 * arguments, `PlatformError` for refusals of the server.
 */
export async function usage({ typed, defaultUrl, credentials }: ServerCommand): Promise<string> {
  const { words, options } = readTyped(typed, OPTIONS);
  const [unexpected] = words;
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'`);
  const { url, app, user, key, json } = options;
  const client = new GatewayClient(readUrl(url ?? (defaultUrl || DEFAULT_URL)), credentials);
  const search = new URLSearchParams(present({ appName: app, userId: user, keyId: key }));
  // The schema of the route's answer is part of the server's API description.
  const answer = (await client.call(`/v1/usage?${search}`)) as { readonly usage: readonly WireUsage[] };
  return json === true ? JSON.stringify(answer.usage, null, 2) : usageTable(answer.usage);
}

const HEAD = ["OF", "NAME", "LIMIT", "USED", "OPEN", "LEFT", "MAX", "RESET"] as const;

function usageTable(lines: readonly WireUsage[]): string {
  if (lines.length === 0) return "No quotas.";
  const rows = lines.map(({ scope, name = "-", limit, used, reserved, remaining, max, resetSeconds }) => [
    ...[scope, name, limit, ...[used, reserved, remaining, max].map(String)],
    resetSeconds === undefined ? "-" : spanText(resetSeconds),
  ]);
  return textTable([HEAD, ...rows]);
}

function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.ceil(seconds / 3600)}h` : `${Math.ceil(seconds / 86_400)}d`;
}
