import { describe, expect, it } from "vitest";
import { loadConfig } from "#shared/config/load-config.ts";
import { runnerConfigSchema } from "./config.ts";

describe("the length of a lease", () => {
  it("is at most the hour that the session service grants", () => {
    expect(loadConfig(runnerConfigSchema, { LEASE_MS: "3600000" }).LEASE_MS).toBe(3_600_000);
    expect(() => loadConfig(runnerConfigSchema, { LEASE_MS: "3600001" })).toThrow(/LEASE_MS/);
  });
});
