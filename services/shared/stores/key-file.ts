import { PlatformError } from "#kit/errors/platform-error.ts";
import { isTenantId } from "#kit/names/tenant.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { TenantKeys } from "#ports/encryption/local-key-provider.ts";

const KEY_BYTES = 32;

/** Reads the value of the YAML file that CONTENT_KEYS_FILE names. Throws `CONFIGURATION`, without any key in the text. */
export function readKeyFile(value: unknown): TenantKeys {
  const tenants = isJsonObject(value) ? value["tenants"] : undefined;
  if (!isJsonObject(tenants)) throw fault("needs a map `tenants`");
  return new Map(Object.entries(tenants).map(([tenantId, keys]) => [tenantId, readKeys(tenantId, keys)]));
}

function readKeys(tenantId: string, keys: unknown): readonly Buffer[] {
  if (!isTenantId(tenantId)) throw fault(`names "${tenantId}", which is not the id of a tenant`);
  if (!Array.isArray(keys) || keys.length === 0) throw fault(`needs a list of keys for tenant ${tenantId}`);
  return keys.map((key: unknown, index) => {
    const bytes = typeof key === "string" ? Buffer.from(key, "base64") : undefined;
    // Node ignores characters that are not base64.
    if (bytes?.length === KEY_BYTES && bytes.toString("base64") === key) return bytes;
    throw fault(`needs ${KEY_BYTES} bytes of base64 as key ${index + 1} of tenant ${tenantId}`);
  });
}

function fault(problem: string): PlatformError {
  return new PlatformError("CONFIGURATION", `CONTENT_KEYS_FILE: the file ${problem}.`);
}
