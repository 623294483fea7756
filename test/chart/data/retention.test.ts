import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { readRetentionRules } from "#services/gateway/retention/read-retention-rules.ts";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { environmentOf, podOf } from "../pods.ts";
import { find, isMap, listAt, render, tools } from "../render.ts";

const RULES = {
  defaults: { sessionDays: 90, memoryDays: 365, resultDays: 90 },
  overrides: [{ app: "demo-*", tenant: "acme", sessionDays: "keep" }],
};

const DAY_MS = 24 * 60 * 60 * 1000;

describe.skipIf(tools.helm === undefined)("retention", () => {
  it("is a file that the gateways read, with the days of the values", async () => {
    verifies("platform:helm:retention");
    const objects = await render({ retention: { rules: RULES } });
    const { data } = find(objects, "ConfigMap", "agents-fairlead-retention");
    const rules = readRetentionRules(yaml, isMap(data) ? String(data["retention.yaml"]) : "");
    expect(rules).toEqual({
      defaults: { sessions: 90 * DAY_MS, memory: 365 * DAY_MS, results: 90 * DAY_MS },
      overrides: [{ tenantId: "acme", appName: "demo-*", times: { sessions: Number.POSITIVE_INFINITY } }],
    });
    const reads = SERVICE_NAMES.filter((name) => "RETENTION_FILE" in environmentOf(podOf(objects, name)));
    expect(reads).toEqual(["gateway"]);
    expect(JSON.stringify(listAt(podOf(objects, "gateway").spec, "volumes"))).toContain(
      JSON.stringify({ name: "agents-fairlead-retention", items: [{ key: "retention.yaml", path: "retention.yaml" }] }),
    );
    expect(environmentOf(podOf(objects, "gateway"))["RETENTION_FILE"]).toBe("/run/fairlead/retention.yaml");
    const without = await render({});
    expect(environmentOf(podOf(without, "gateway"))).not.toHaveProperty("RETENTION_FILE");
  });
});
