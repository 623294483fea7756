import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { at, find, render, tools } from "./render.ts";

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
