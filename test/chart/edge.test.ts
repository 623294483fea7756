import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readCards } from "#services/gateway/a2a/card-file.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { environmentOf, podOf } from "./pods.ts";
import { at, find, isMap, listAt, render, tools } from "./render.ts";
import { secretsOf } from "./secret-mounts.ts";

const published = (more: object) => ({ ingress: { enabled: true, hosts: ["a.test"], ...more } });

describe.skipIf(tools.helm === undefined)("the edge", () => {
  it("publishes the gateway by an Ingress that lets long streams through", async () => {
    verifies("platform:helm:ingress");
    const ingress = find(
      await render(published({ controller: "nginx", className: "nginx" })),
      "Ingress",
      "agents-fairlead-gateway",
    );
    expect(ingress.metadata.annotations).toMatchObject({
      "nginx.ingress.kubernetes.io/proxy-buffering": "off",
      "nginx.ingress.kubernetes.io/proxy-read-timeout": "3600",
      "nginx.ingress.kubernetes.io/proxy-send-timeout": "3600",
      "nginx.ingress.kubernetes.io/proxy-body-size": "50m",
    });
    const backend = { service: { name: "agents-fairlead-gateway", port: { name: "http" } } };
    expect(ingress["spec"]).toEqual({
      ingressClassName: "nginx",
      rules: [{ host: "a.test", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    });
  });

  it("gives the user's annotations precedence", async () => {
    const annotations = { "nginx.ingress.kubernetes.io/proxy-read-timeout": "60", mine: "yes" };
    const ingress = find(
      await render(published({ controller: "nginx", annotations })),
      "Ingress",
      "agents-fairlead-gateway",
    );
    expect(ingress.metadata.annotations).toMatchObject(annotations);
  });

  it.each([
    ["openshift", "haproxy.router.openshift.io/timeout"],
    ["nginx", "nginx.ingress.kubernetes.io/proxy-request-buffering"],
  ])("knows %s", async (controller, annotation) => {
    const ingress = find(await render(published({ controller })), "Ingress", "agents-fairlead-gateway");
    expect(Object.keys(ingress.metadata.annotations ?? {})).toContain(annotation);
  });

  it("configures Google's controller for streams by a BackendConfig", async () => {
    const objects = await render(published({ controller: "gke" }));
    expect(find(objects, "BackendConfig", "agents-fairlead-gateway")["spec"]).toMatchObject({
      timeoutSec: 3600,
      healthCheck: { requestPath: "/ready", port: 8000 },
    });
    expect(find(objects, "Service", "agents-fairlead-gateway").metadata.annotations).toMatchObject({
      "cloud.google.com/backend-config": '{"default":"agents-fairlead-gateway"}',
    });
  });

  it("ends TLS with a certificate that is there, or of cert-manager", async () => {
    const own = find(
      await render(published({ tls: { enabled: true, secretName: "mine" } })),
      "Ingress",
      "agents-fairlead-gateway",
    );
    expect(at(own, "spec.tls")).toEqual([{ secretName: "mine", hosts: ["a.test"] }]);
    const made = find(
      await render(published({ tls: { enabled: true, clusterIssuer: "ca" } })),
      "Ingress",
      "agents-fairlead-gateway",
    );
    expect(at(made, "spec.tls")).toEqual([{ secretName: "agents-fairlead-edge-tls", hosts: ["a.test"] }]);
    expect(made.metadata.annotations).toMatchObject({ "cert-manager.io/cluster-issuer": "ca" });
  });

  it("publishes the gateway by an HTTPRoute without limits of time", async () => {
    const parentRefs = [{ name: "edge", namespace: "gateways" }];
    const route = find(
      await render({ gatewayApi: { enabled: true, hostnames: ["a.test"], parentRefs } }),
      "HTTPRoute",
      "agents-fairlead-gateway",
    );
    expect(route["spec"]).toEqual({
      parentRefs,
      hostnames: ["a.test"],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/" } }],
          timeouts: { request: "0s", backendRequest: "0s" },
          backendRefs: [{ name: "agents-fairlead-gateway", port: 80 }],
        },
      ],
    });
  });

  it("makes a Gateway with a certificate, and asks browsers for TLS", async () => {
    const objects = await render({}, { scenario: "gateway-api" });
    expect(at(find(objects, "Gateway", "agents-fairlead"), "spec.listeners.0")).toMatchObject({
      hostname: "agents.example.com",
      port: 443,
      protocol: "HTTPS",
      tls: { certificateRefs: [{ name: "agents-example-com" }] },
    });
    expect(
      at(find(objects, "HTTPRoute", "agents-fairlead-gateway"), "spec.rules.0.filters.0.responseHeaderModifier.set"),
    ).toEqual([{ name: "Strict-Transport-Security", value: "max-age=31536000" }]);
  });

  it("configures Google's gateways for streams and readiness", async () => {
    const objects = await render({}, { scenario: "gke-workload-identity" });
    expect(at(find(objects, "GCPBackendPolicy", "agents-fairlead-gateway"), "spec.default.timeoutSec")).toBe(3600);
    expect(
      at(
        find(objects, "HealthCheckPolicy", "agents-fairlead-gateway"),
        "spec.default.config.httpHealthCheck.requestPath",
      ),
    ).toBe("/ready");
  });
});

const A2A = { apps: ["helpdesk", "payroll"], grpcPort: 8001, grpcAddress: "agents.example.com:443" };

describe.skipIf(tools.helm === undefined)("agents by the Agent2Agent protocol", () => {
  it("are offered over HTTP and gRPC, with the cards and keys of the values", async () => {
    verifies("platform:helm:a2a");
    const cards = { helpdesk: { description: "Answers." } };
    const from = [{ namespaceSelector: { matchLabels: { name: "edge" } } }];
    const objects = await render({
      gateway: { a2a: { ...A2A, cards, signingKeysSecret: { name: "card-keys", key: "pem" } } },
      networkPolicy: { gateway: { from } },
    });
    const pod = podOf(objects, "gateway");
    expect(environmentOf(pod)).toMatchObject({
      A2A_APPS: "helpdesk,payroll",
      A2A_CARDS_FILE: "/run/fairlead/a2a/cards.yaml",
      A2A_SIGNING_KEYS_FILE: "/run/fairlead/a2a/signing-keys",
      A2A_GRPC_PORT: "8001",
      A2A_GRPC_ADDRESS: "agents.example.com:443",
    });
    expect(secretsOf(objects, "gateway")).toMatchObject({ "a2a/signing-keys": "card-keys/pem" });
    const { data } = find(objects, "ConfigMap", "agents-fairlead-a2a");
    expect([...readCards(parse(isMap(data) ? String(data["cards.yaml"]) : ""))]).toEqual(Object.entries(cards));
    expect(pod.containers[0]?.["ports"]).toContainEqual({ name: "grpc", containerPort: 8001, protocol: "TCP" });
    expect(at(find(objects, "Service", "agents-fairlead-gateway"), "spec.ports")).toEqual([
      { name: "http", port: 80, targetPort: "http", appProtocol: "http" },
      { name: "grpc", port: 8001, targetPort: "grpc", appProtocol: "kubernetes.io/h2c" },
    ]);
    const [rule] = listAt(find(objects, "NetworkPolicy", "agents-fairlead-gateway"), "spec.ingress");
    expect(listAt(rule, "ports").map((port) => at(port, "port"))).toEqual([8000, 8001]);
    expect(listAt(rule, "from")).toHaveLength(2);
  });

  it.each(["SCHEDULES", "INBOX"])("keep what %s names in the database of the release", async (setting) => {
    const objects = await render({ gateway: { settings: { [setting]: "firestore" } } });
    expect(environmentOf(podOf(objects, "gateway"))).toMatchObject({
      [setting]: "firestore",
      FIRESTORE_PROJECT_ID: expect.any(String),
    });
  });

  it("notify clients, with the keys that seal their secrets and a way to the receivers", async () => {
    verifies("platform:helm:a2a");
    const push = { a2a: { apps: ["*"], push: "firestore" } };
    const objects = await render({ gateway: push, credentials: { keysSecret: { name: "seal", key: "k" } } });
    expect(environmentOf(podOf(objects, "gateway"))).toMatchObject({
      A2A_PUSH: "firestore",
      CREDENTIAL_KEYS_FILE: "/run/fairlead/credentials/keys.yaml",
      FIRESTORE_PROJECT_ID: expect.any(String),
    });
    expect(secretsOf(objects, "gateway")).toMatchObject({ "credentials/keys.yaml": "seal/k" });
    const egressOf = (each: typeof objects, name: string) =>
      listAt(find(each, "NetworkPolicy", `agents-fairlead-${name}`), "spec.egress").map((rule) => JSON.stringify(rule));
    const [models] = egressOf(objects, "runner").filter((rule) => rule.includes("0.0.0.0/0"));
    expect(models).toContain("443");
    expect(egressOf(objects, "gateway")).toContain(models);
    const without = await render({ gateway: { a2a: { apps: ["*"] } } });
    expect(egressOf(without, "gateway")).not.toContain(models);
  });

  it("are off by default", async () => {
    verifies("platform:helm:a2a");
    const objects = await render(published({ controller: "nginx" }));
    const pod = podOf(objects, "gateway");
    expect(Object.keys(environmentOf(pod)).filter((name) => name.startsWith("A2A"))).toEqual([]);
    expect([pod.containers[0]?.["ports"], objects.filter(({ kind }) => kind === "Ingress")]).toEqual([
      [{ name: "http", containerPort: 8000, protocol: "TCP" }],
      [expect.anything()],
    ]);
  });

  it("are published over gRPC by an Ingress of its own, which asks for no certificate", async () => {
    verifies("platform:helm:a2a");
    const tls = { enabled: true, clusterIssuer: "ca" };
    const objects = await render({ ...published({ controller: "nginx", tls }), gateway: { a2a: A2A } });
    const ingress = find(objects, "Ingress", "agents-fairlead-gateway-grpc");
    expect(ingress.metadata.annotations).toMatchObject({ "nginx.ingress.kubernetes.io/backend-protocol": "GRPC" });
    expect(ingress.metadata.annotations).not.toHaveProperty("cert-manager.io/cluster-issuer");
    const backend = { service: { name: "agents-fairlead-gateway", port: { name: "grpc" } } };
    expect(ingress["spec"]).toEqual({
      tls: [{ secretName: "agents-fairlead-edge-tls", hosts: ["a.test"] }],
      rules: [{ host: "a.test", http: { paths: [{ path: "/lf.a2a.v1.A2AService", pathType: "Prefix", backend }] } }],
    });
    expect(find(objects, "Ingress", "agents-fairlead-gateway").metadata.annotations).not.toHaveProperty(
      "nginx.ingress.kubernetes.io/backend-protocol",
    );
  });

  it("are published over gRPC by a rule of the HTTPRoute", async () => {
    verifies("platform:helm:a2a");
    const route = find(await render({}, { scenario: "gateway-api" }), "HTTPRoute", "agents-fairlead-gateway");
    const rules = listAt(route, "spec.rules").map((rule) => [
      at(rule, "matches.0.path.value"),
      at(rule, "backendRefs.0.port"),
      at(rule, "timeouts.request"),
    ]);
    expect(rules).toEqual([
      ["/", 80, "0s"],
      ["/lf.a2a.v1.A2AService", 8001, "0s"],
    ]);
  });
});
