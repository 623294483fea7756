import { describe, expect, it } from "vitest";
import { isServiceName } from "#shared/call-graph.ts";
import { choicesOf, settingsOf } from "#shared/config-schema.ts";
import { SERVICE_SETTINGS } from "../../charts/settings-schema.ts";
import { ApiSchemas } from "./api-schemas.ts";
import { KUBERNETES_VERSIONS } from "./chart-tools.ts";
import { halfEdges } from "./network-graph.ts";
import { environmentOf, podsOf, securityFaults } from "./pods.ts";
import { referenceFaults } from "./references.ts";
import {
  at,
  CHART,
  helm,
  isMap,
  type KubernetesObject,
  listAt,
  render,
  SCENARIOS,
  scenarioPath,
  tools,
} from "./render.ts";

/** Everything at once, so that every template is looked at. */
const EVERYTHING = {
  environment: "development",
  redis: { url: "" },
  dev: { redis: { enabled: true }, firestore: { enabled: true }, gcs: { enabled: true } },
  serviceAuth: { mode: "mtls", mtls: { source: "chart" } },
  telemetry: { otlpEndpoint: "https://collector:4318", headersSecret: { name: "otlp" } },
  models: { keys: { OPENAI_API_KEY: "k" }, secrets: [{ variable: "GOOGLE_API_KEY", secret: "s", key: "k" }] },
  agents: { definitions: { one_app: { "root_agent.yaml": "name: one_app" } } },
  defaults: {
    replicas: 2,
    podAnnotations: { a: "b" },
    podLabels: { c: "d" },
    hostAliases: [{ ip: "10.0.0.1", hostnames: ["x"] }],
  },
  monitoring: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true }, dashboards: { enabled: true } },
  ingress: { enabled: true, hosts: ["a.localhost"], controller: "nginx" },
  gatewayApi: { enabled: true, hostnames: ["a.localhost"], parentRefs: [{ name: "edge" }] },
};

/** Secrets and ConfigMaps that scenarios expect to be there. */
const OUTSIDE = new Set([
  ...["model-keys", "redis", "agentplane-redis", "otlp", "s"].map((name) => `Secret ${name}`),
  "ConfigMap helpdesk-agent",
]);

/** Variables that containers read besides the settings of their service. */
const MODEL_VARIABLES = /^(GOOGLE|GEMINI|OPENAI|ANTHROPIC)_(API_KEY|API_KEY_FILE|BASE_URL)$/;

const rendered = new Map<string, Promise<readonly KubernetesObject[]>>();

function renderCase(name: string): Promise<readonly KubernetesObject[]> {
  const found = rendered.get(name) ?? (name === "everything" ? render(EVERYTHING) : render({}, { scenario: name }));
  rendered.set(name, found);
  return found;
}

describe.skipIf(tools.helm === undefined).each([...SCENARIOS, "everything"])("scenario %s", (name) => {
  it("passes Helm's own checks", async () => {
    if (name === "everything") return expect(await renderCase(name)).not.toEqual([]);
    expect(await helm(["lint", "--strict", CHART, "--values", scenarioPath(name)])).toContain("0 chart(s) failed");
  });

  it.skipIf(!tools.hasSchemas).each(KUBERNETES_VERSIONS)(
    "is taken by Kubernetes %s, with no unknown field",
    async (version) => {
      const schemas = schemasOf(version);
      const objects = await renderCase(name);
      expect(objects.flatMap((object) => schemas.faults(object))).toEqual([]);
    },
  );

  it("has only pods that a restricted namespace accepts", async () => {
    const pods = podsOf(await renderCase(name));
    expect(pods.length).toBeGreaterThan(6);
    expect(pods.flatMap(securityFaults)).toEqual([]);
  });

  it("names nothing that is not there", async () => {
    const objects = await renderCase(name);
    // The certificates' Secrets are made by cert-manager.
    const made = objects
      .filter(({ kind }) => kind === "Certificate")
      .map((object) => `Secret ${at(object, "spec.secretName")}`);
    expect(referenceFaults(objects, new Set([...OUTSIDE, ...made]))).toEqual([]);
  });

  it("allows each connection at both of its ends", async () => {
    expect(halfEdges(await renderCase(name)).filter((edge) => !edge.includes("→ gateway:"))).toEqual([]);
  });

  it("gives services settings that they read, with values that they take", async () => {
    const faults = podsOf(await renderCase(name)).flatMap((pod) => {
      const service = pod.labels["app.kubernetes.io/component"] ?? "";
      return isServiceName(service) ? settingFaults(service, environmentOf(pod)) : [];
    });
    expect(faults).toEqual([]);
  });

  it("puts name, namespace and common labels on every object", async () => {
    for (const { kind, metadata } of await renderCase(name)) {
      if (metadata.name === "agents-note") continue;
      expect(metadata, `${kind} ${metadata.name}`).toMatchObject({
        namespace: "team",
        labels: {
          "app.kubernetes.io/name": "agentplane",
          "app.kubernetes.io/instance": "agents",
          "app.kubernetes.io/component": expect.any(String),
          "app.kubernetes.io/managed-by": "Helm",
          "helm.sh/chart": "agentplane-0.1.0",
        },
      });
      expect(metadata.name.length, metadata.name).toBeLessThanOrEqual(63);
    }
  });

  it("gives each object a name of its own", async () => {
    const names = (await renderCase(name)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it("names each variable, mount and port of a container once", async () => {
    for (const { owner, containers } of podsOf(await renderCase(name))) {
      for (const container of containers) {
        for (const [list, key] of [
          ["env", "name"],
          ["volumeMounts", "mountPath"],
          ["ports", "name"],
        ] as const) {
          const keys = listAt(container, list)
            .filter(isMap)
            .map((entry) => entry[key]);
          expect(keys, `${owner} ${list}`).toEqual([...new Set(keys)]);
        }
      }
    }
  });
});

const loaded = new Map<string, ApiSchemas>();

function schemasOf(version: string): ApiSchemas {
  const found = loaded.get(version) ?? new ApiSchemas(version);
  loaded.set(version, found);
  return found;
}

function settingFaults(
  service: keyof typeof SERVICE_SETTINGS,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  const settings = new Map(settingsOf(SERVICE_SETTINGS[service]).map((setting) => [setting.name, setting]));
  const given = Object.keys(environment).map((name) => name.replace(/_FILE$/, ""));
  const missing = [...settings.values()].filter(({ name, required }) => required && !given.includes(name));
  const wrong = Object.entries(environment).flatMap(([name, value]) => {
    if (service === "runner" && MODEL_VARIABLES.test(name)) return [];
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
