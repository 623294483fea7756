import { inTenant } from "#kit/names/tenant.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { KeyRecord } from "#ports/api-keys/key-store.ts";

/** A key as it is shown: without its secret and the digest of it. Times are Unix times in ms. */
export const KeySchema = Type.Object({
  keyId: Type.String(),
  name: Type.String(),
  status: Type.Enum(["active", "expired", "revoked"]),
  scopes: Type.Array(Type.String()),
  tenantId: Type.Optional(
    Type.String({ description: "The tenant of the key's callers; absent for the tenant default." }),
  ),
  userId: Type.Optional(Type.String({ description: "The only user whose data the key reaches." })),
  apps: Type.Optional(
    Type.Array(Type.String(), { description: "The only apps that the key may use; absent for all." }),
  ),
  createdTime: Type.Integer(),
  createdBy: Type.Optional(Type.String({ description: "Absent for a key that was created on the command line." })),
  expiresTime: Type.Optional(Type.Integer()),
  lastUsedTime: Type.Optional(
    Type.Integer({ description: "Up to some minutes late. While a stream of the key is open, the key is in use." }),
  ),
  revokedTime: Type.Optional(Type.Integer()),
});

export type WireKey = Static<typeof KeySchema>;

export function toWireKey(record: KeyRecord, now: number): WireKey {
  const { id, name, scopes, userId, apps, createdAtMs, createdBy, expiresAtMs, lastUsedAtMs, revokedAtMs } = record;
  return {
    keyId: id,
    name,
    status: statusOf(record, now),
    scopes,
    ...inTenant(record.tenantId),
    userId,
    apps,
    createdTime: createdAtMs,
    createdBy,
    expiresTime: expiresAtMs,
    lastUsedTime: lastUsedAtMs,
    revokedTime: revokedAtMs,
  };
}

function statusOf({ revokedAtMs, expiresAtMs }: KeyRecord, now: number): WireKey["status"] {
  if (revokedAtMs !== undefined) return "revoked";
  return expiresAtMs !== undefined && expiresAtMs <= now ? "expired" : "active";
}
