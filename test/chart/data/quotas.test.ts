import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { readQuotaRules } from "#shared/quota/read-quota-rules.ts";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { environmentOf, podOf } from "../pods.ts";
import { at, find, isMap, listAt, render, tools } from "../render.ts";

const RULES = {
  defaults: {
    user: { requestsPerMinute: 120, tokensPerMonth: 20_000_000, usdPerMonth: 12.5 },
    key: { openStreams: 0 },
  },
  overrides: [{ user: "*@example.com", limits: { tokensPerMonth: "unlimited" } }],
  prices: { "gemini-3.8-flash": { input: 0.3, cached: 0.075, output: 2.5 } },
  whenUnavailable: { requests: "refuse" },
};

describe.skipIf(tools.helm === undefined)("quotas", () => {
  it("are a file that all services read, with the numbers of the values", async () => {
    verifies("platform:helm:quotas");
    const objects = await render({ quotas: { rules: RULES } });
    const { data } = find(objects, "ConfigMap", "agents-fairlead-quotas");
    const rules = readQuotaRules(yaml, isMap(data) ? String(data["quotas.yaml"]) : "");
    expect(rules.defaults).toEqual({
      user: { requestsPerMinute: 120, tokensPerMonth: 20_000_000, usdPerMonth: 12_500_000 },
      key: { openStreams: 0 },
    });
    expect(rules.overrides).toEqual([
      { scope: "user", name: "*@example.com", limits: { tokensPerMonth: Number.POSITIVE_INFINITY } },
    ]);
    const reads = SERVICE_NAMES.filter((name) => "QUOTAS_FILE" in environmentOf(podOf(objects, name)));
    expect(reads).toEqual(SERVICE_NAMES);
    for (const name of reads) {
      expect(environmentOf(podOf(objects, name))["QUOTAS_FILE"]).toBe("/run/fairlead/quotas.yaml");
      expect(sourcesOf(podOf(objects, name).spec)).toContainEqual({
        name: "agents-fairlead-quotas",
        items: [{ key: "quotas.yaml", path: "quotas.yaml" }],
      });
    }
  });

  it("may be in a ConfigMap of the user's own", async () => {
    const objects = await render({ quotas: { configMap: { name: "limits", key: "file" } } });
    expect(objects.filter(({ metadata }) => metadata.name === "agents-fairlead-quotas")).toEqual([]);
    expect(sourcesOf(podOf(objects, "runner").spec)).toContainEqual({
      name: "limits",
      items: [{ key: "file", path: "quotas.yaml" }],
    });
  });
});

function sourcesOf(spec: unknown): readonly unknown[] {
  return listAt(spec, "volumes").flatMap((volume) =>
    listAt(volume, "projected.sources").map((source) => at(source, "configMap")),
  );
}
