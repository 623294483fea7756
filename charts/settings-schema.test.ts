import { describe, expect, it } from "vitest";
import { choicesOf } from "#kit/schema/read-json.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { isServiceName, type ServiceName } from "#shared/security/call-graph.ts";
import { environmentOf, podsOf } from "#test/chart/pods.ts";
import { tools } from "#test/chart/render.ts";
import { CASES, renderCase } from "#test/chart/render-case.ts";
import { SERVICE_SETTINGS } from "./settings-schema.ts";

/** Variables that containers read besides the settings of their service. */
const MODEL_VARIABLES = /^(GOOGLE|GEMINI|OPENAI|ANTHROPIC)_(API_KEY|API_KEY_FILE|BASE_URL)$/;

describe.skipIf(tools.helm === undefined)("the chart", () => {
  it.each(CASES)("in scenario %s gives services settings that they read, with values that they take", async (name) => {
    const faults = podsOf(await renderCase(name)).flatMap((pod) => {
      const service = pod.labels["app.kubernetes.io/component"] ?? "";
      return isServiceName(service) ? settingFaults(service, environmentOf(pod)) : [];
    });
    expect(faults).toEqual([]);
  });
});

function settingFaults(service: ServiceName, environment: Readonly<Record<string, string>>): readonly string[] {
  const settings = new Map(settingsOf(SERVICE_SETTINGS[service]).map((setting) => [setting.name, setting]));
  const given = Object.keys(environment).map((name) => name.replace(/_FILE$/, ""));
  const missing = [...settings.values()].filter(({ name, required }) => required && !given.includes(name));
  const wrong = Object.entries(environment).flatMap(([name, value]) => {
    if (service === "runner" && MODEL_VARIABLES.test(name)) return [];
    // Node reads it, for connections to identity providers.
    if (service === "gateway" && name === "NODE_EXTRA_CA_CERTS") return [];
    const secret = settings.get(name.replace(/_FILE$/, ""));
    const setting = settings.get(name);
    if (setting === undefined) return secret?.schema.secret === true ? [] : [`${service} does not read ${name}`];
    const choices = choicesOf(setting.schema);
    if (choices !== undefined && !choices.includes(value)) return [`${service}: ${name} is ${value}`];
    if (setting.schema.type === "integer" && !/^\d+$/.test(value)) return [`${service}: ${name} is ${value}`];
    if (setting.schema.type === "boolean" && !/^(true|false)$/.test(value)) return [`${service}: ${name} is ${value}`];
    return [];
  });
  return [...missing.map(({ name }) => `${service} misses ${name}`), ...wrong];
}
