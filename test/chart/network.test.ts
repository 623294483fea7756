import { describe, expect, it } from "vitest";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { declaredCallers, SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { allowedEdges, halfEdges, outsideOf } from "./network-graph.ts";
import { at, find, render, tools } from "./render.ts";

/** The calls that services declare: `gateway → session:50051`. */
function declaredEdges(): readonly string[] {
  const callees = SERVICE_NAMES.filter((name) => name !== "gateway");
  const edges = callees.flatMap((callee) =>
    methodsOf(callee).flatMap((path) => declaredCallers(path).map((caller) => `${caller} → ${callee}:50051`)),
  );
  return [...new Set(edges)].sort();
}

/** The paths of all methods of the package `fairlead.<service>.v1`. */
function methodsOf(service: Exclude<(typeof SERVICE_NAMES)[number], "gateway">): readonly string[] {
  // One package for each service; its members that have a definition are gRPC services.
  const packages = loadProto(service).fairlead as unknown as Record<string, { readonly v1: Record<string, unknown> }>;
  return Object.values(packages[service]?.v1 ?? {}).flatMap((member) => {
    const definition = (member as { readonly service?: Record<string, { readonly path: string }> }).service;
    return Object.values(definition ?? {}).map(({ path }) => path);
  });
}

describe.skipIf(tools.helm === undefined)("network policies", () => {
  it("allow between services what the call graph declares, and nothing else", async () => {
    expect(declaredEdges().length).toBeGreaterThan(7);
    expect(allowedEdges(await render())).toEqual(declaredEdges());
  });

  it("deny all of the release's pods everything else in both directions", async () => {
    const policy = find(await render(), "NetworkPolicy", "agents-fairlead-default-deny");
    expect(policy["spec"]).toEqual({
      podSelector: {
        matchLabels: { "app.kubernetes.io/name": "fairlead", "app.kubernetes.io/instance": "agents" },
      },
      policyTypes: ["Ingress", "Egress"],
    });
  });

  it("let services out to names, their stores and Redis, and runners to models", async () => {
    const objects = await render();
    const dns = ["169.254.20.10/32:53", "namespace kube-system:53"];
    expect(outsideOf(objects, "gateway")).toEqual([...dns, "anywhere:6379"].sort());
    expect(outsideOf(objects, "runner")).toEqual(["0.0.0.0/0:443", ...dns, "anywhere:6379"].sort());
    expect(outsideOf(objects, "session")).toEqual(["0.0.0.0/0:443", ...dns]);
    expect(outsideOf(objects, "artifact")).toEqual(["0.0.0.0/0:443", ...dns]);
  });

  it("keep private addresses and the metadata server out of what runners reach", async () => {
    const policy = find(await render(), "NetworkPolicy", "agents-fairlead-runner");
    const block = JSON.stringify(at(policy, "spec.egress"));
    for (const range of ["10.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"])
      expect(block).toContain(range);
  });

  it("let services of files reach no store, and those on emulators only these", async () => {
    const dns = ["169.254.20.10/32:53", "namespace kube-system:53"];
    const onFiles = await render({ environment: "development", stores: { session: "sqlite" } });
    expect(outsideOf(onFiles, "session")).toEqual(dns);
    const kind = await render({}, { scenario: "kind" });
    expect(outsideOf(kind, "session")).toEqual(dns);
    expect(allowedEdges(kind).filter((edge) => !/50051|8000/.test(edge))).toEqual([
      "artifact → gcs:4443",
      "eval → firestore:8080",
      "gateway → redis:6379",
      "memory → firestore:8080",
      "runner → redis:6379",
      "session → firestore:8080",
    ]);
  });

  it("let pods with Google's accounts reach the metadata server, and no others", async () => {
    const objects = await render({
      googleCloud: { workloadIdentity: true },
      stores: { eval: "memory" },
      environment: "development",
    });
    const reach = (service: string) => outsideOf(objects, service).includes("169.254.169.254/32:80");
    expect(SERVICE_NAMES.filter(reach)).toEqual(["runner", "session", "artifact", "memory"]);
  });

  it("let only the named peers and the test reach a gateway that is closed", async () => {
    const from = [{ namespaceSelector: { matchLabels: { name: "edge" } } }];
    const policy = find(
      await render({ networkPolicy: { gateway: { from } } }),
      "NetworkPolicy",
      "agents-fairlead-gateway",
    );
    expect(at(policy, "spec.ingress.0.from")).toEqual([
      ...from,
      { podSelector: { matchLabels: expect.objectContaining({ "app.kubernetes.io/component": "test" }) } },
    ]);
  });

  it("add the ports of sentinels, of the collector, and the user's own rules", async () => {
    const extraEgress = [{ ports: [{ port: 5432 }], to: [{ ipBlock: { cidr: "10.1.2.3/32" } }] }];
    const objects = await render({
      redis: { url: "", sentinels: ["a:26379"] },
      telemetry: { otlpEndpoint: "https://collector" },
      runner: { networkPolicy: { extraEgress } },
    });
    expect(outsideOf(objects, "runner")).toEqual(
      expect.arrayContaining(["anywhere:26379", "anywhere:6379", "anywhere:443", "10.1.2.3/32:5432"]),
    );
  });

  it("are removed when they are switched off", async () => {
    const objects = await render({ networkPolicy: { enabled: false } });
    expect(objects.filter(({ kind }) => kind === "NetworkPolicy")).toEqual([]);
  });
});

describe("halfEdges", () => {
  it("finds a rule that only one end has", () => {
    const select = (name: string) => ({ podSelector: { matchLabels: { "app.kubernetes.io/component": name } } });
    const policy = {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "a" },
      spec: { ...select("a"), egress: [{ to: [select("b")], ports: [{ port: 1 }] }] },
    };
    expect(halfEdges([policy])).toEqual(["a → b:1"]);
  });
});
