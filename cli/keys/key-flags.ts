import { isTenantId } from "#kit/names/tenant.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { KeyRequest } from "#services/gateway/identity/keys/create-key.ts";
import { isScope, SCOPES, type Scope } from "#services/gateway/identity/scopes.ts";
import { UsageError } from "../parse-arguments.ts";

const SECONDS = { m: 60, h: 3600, d: 86_400 } as const;

/** The key that flags of `fairlead keys create` describe. Throws `UsageError`. */
export function readKeyRequest(flags: ReadonlyMap<string, string>): KeyRequest {
  const name = flags.get("--name");
  const scopes = flags.get("--scopes");
  if (name === undefined || scopes === undefined)
    throw new UsageError(
      "A key needs --name and --scopes, such as: fairlead keys create --name ci --scopes runs:write.",
    );
  const app = flags.get("--app");
  const tenant = flags.get("--tenant");
  if (tenant !== undefined && !isTenantId(tenant))
    throw new UsageError(
      `--tenant "${tenant}" is not a valid tenant id: use up to 63 lower-case letters, digits and inner hyphens.`,
    );
  const expires = flags.get("--expires");
  return {
    name,
    scopes: listOf(scopes).map(readScope),
    tenantId: tenant,
    userId: flags.get("--user"),
    apps: app === undefined ? undefined : listOf(app),
    expiresInSeconds: expires === undefined ? undefined : readExpiry(expires),
  };
}

function listOf(text: string): readonly string[] {
  return text.split(",").map((entry) => entry.trim());
}

function readScope(text: string): Scope {
  if (isScope(text)) return text;
  const hint = suggestion(text, SCOPES) || `: use some of ${SCOPES.join(", ")}.`;
  throw new UsageError(`--scopes has no scope "${text}"${hint}`);
}

function readExpiry(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  if (unit !== "m" && unit !== "h" && unit !== "d")
    throw new UsageError("--expires needs minutes, hours or days, such as 90d.");
  return Number(count) * SECONDS[unit];
}
