import { type KubernetesObject, render, SCENARIOS } from "./render.ts";

/** All features together, so that every template is rendered. */
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
  gateway: {
    a2a: {
      ...{
        apps: ["one_app"],
        cards: { one_app: { description: "One" } },
        grpcPort: 8001,
        grpcAddress: "a.localhost:443",
      },
      signingKeysSecret: { name: "s", key: "k" },
    },
  },
  monitoring: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true }, dashboards: { enabled: true } },
  ingress: { enabled: true, hosts: ["a.localhost"], controller: "nginx" },
  gatewayApi: { enabled: true, hostnames: ["a.localhost"], parentRefs: [{ name: "edge" }] },
};

/** All scenarios, and all features together. */
export const CASES: readonly string[] = [...SCENARIOS, "everything"];

const rendered = new Map<string, Promise<readonly KubernetesObject[]>>();

/** Each is rendered once. */
export function renderCase(name: string): Promise<readonly KubernetesObject[]> {
  const found = rendered.get(name) ?? (name === "everything" ? render(EVERYTHING) : render({}, { scenario: name }));
  rendered.set(name, found);
  return found;
}
