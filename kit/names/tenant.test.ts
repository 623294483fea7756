import { describe, expect, it } from "vitest";
import { assertTenant, fromTenantKey, inTenant, isTenantId, tenantKey, tenantOf } from "./tenant.ts";

describe("tenant of a name", () => {
  it("is the default tenant if the name has none", () => {
    expect(tenantOf({})).toBe("default");
    expect(tenantOf({ tenantId: "acme" })).toBe("acme");
  });

  it("is left out of names of the default tenant", () => {
    expect([inTenant(undefined), inTenant("default"), inTenant("acme")]).toEqual([{}, {}, { tenantId: "acme" }]);
  });
});

describe("key of a name in a tenant", () => {
  it("is the name itself in the tenant default, and distinct in every other", () => {
    expect([tenantKey("run", undefined), tenantKey("run", "default")]).toEqual(["run", "run"]);
    expect(new Set([tenantKey("run", "a"), tenantKey("run", "b"), tenantKey("a", "run"), "run"]).size).toBe(4);
  });

  it("contains the name and the tenant", () => {
    for (const [name, tenantId] of [
      ["run", "acme"],
      ["a run", "acme"],
      ["run", undefined],
    ] as const)
      expect(fromTenantKey(tenantKey(name, tenantId))).toEqual({ name, ...inTenant(tenantId) });
  });
});

describe("id of a tenant", () => {
  it.each(["a", "0", "acme", "acme-2", "a".repeat(63)])("may be %j", (id) => {
    expect(isTenantId(id)).toBe(true);
    expect(() => assertTenant({ tenantId: id })).not.toThrow();
  });

  it.each(["", "-a", "a-", "A", "a_b", "a.b", "a/b", "..", "a\n", " a", "é", "a".repeat(64)])("may not be %j", (id) => {
    expect(isTenantId(id)).toBe(false);
    expect(() => assertTenant({ tenantId: id })).toThrow(
      expect.objectContaining({ reason: "INVALID_IDENTIFIER", details: { field: "tenantId" } }),
    );
  });
});
