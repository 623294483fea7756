import { describe, expect, it } from "vitest";
import { ApiSchemas } from "./api-schemas.ts";
import { podsOf, securityFaults } from "./pods.ts";
import { referenceFaults } from "./references.ts";
import { type KubernetesObject, merge, tools, type Values } from "./render.ts";

const SAFE: Values = {
  securityContext: { runAsNonRoot: true, runAsUser: 1, seccompProfile: { type: "RuntimeDefault" } },
  automountServiceAccountToken: false,
};
const CLOSED = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };

function pod(spec: Values, container: Values = {}): KubernetesObject {
  const containers = [merge({ name: "c", image: "i", securityContext: CLOSED }, container)];
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: merge({ ...SAFE, containers }, spec) };
}

describe("securityFaults", () => {
  it("accepts a restricted pod", () => {
    expect(podsOf([pod({})]).flatMap(securityFaults)).toEqual([]);
  });

  it.each<[string, Values, Values]>([
    ["may run as root", { securityContext: { runAsNonRoot: false } }, {}],
    ["has no seccomp profile", { securityContext: { seccompProfile: null } }, {}],
    ["has no numeric user", { securityContext: { runAsUser: 0 } }, {}],
    ["gets a token of the API server", { automountServiceAccountToken: true }, {}],
    ["has hostNetwork", { hostNetwork: true }, {}],
    ["has a volume of kind hostPath", { volumes: [{ name: "v", hostPath: { path: "/" } }] }, {}],
    ["allows privilege escalation", {}, { securityContext: { allowPrivilegeEscalation: true } }],
    ["is privileged", {}, { securityContext: { privileged: true } }],
    ["keeps capabilities", {}, { securityContext: { capabilities: { drop: [] } } }],
    ["has a root that can be written to", {}, { securityContext: { readOnlyRootFilesystem: false } }],
    ["changes its user", {}, { securityContext: { runAsUser: 0 } }],
    ["has a host port", {}, { ports: [{ hostPort: 80 }] }],
  ])("finds one that %s", (fault, spec, container) => {
    expect(podsOf([pod(spec, container)]).flatMap(securityFaults)).toEqual([`Pod p: ${fault}`]);
  });
});

describe.skipIf(!tools.hasSchemas)("ApiSchemas", () => {
  const schemas = tools.hasSchemas ? new ApiSchemas("1.34") : undefined;
  const faults = (object: KubernetesObject) => schemas?.faults(object);
  const service = (spec: Values): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s" },
    spec,
  });

  it.each<[string, KubernetesObject]>([
    ["Pod p.spec.containers[0].imagePullPolice is unknown", pod({}, { imagePullPolice: "Never" })],
    ["Pod p.spec.containers[0] has no name", pod({ containers: [{ image: "i" }] })],
    ["Service s.spec.ports[0].port is no integer", service({ ports: [{ port: "80" }] })],
    ["Gadget s: there is no v1 Gadget", { ...service({}), kind: "Gadget" }],
    [
      "HTTPRoute r.spec.rules[0].backendRef is unknown",
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        metadata: { name: "r" },
        spec: { rules: [{ backendRef: [] }] },
      },
    ],
    [
      "ScaledObject k.spec has no triggers",
      {
        apiVersion: "keda.sh/v1alpha1",
        kind: "ScaledObject",
        metadata: { name: "k" },
        spec: { scaleTargetRef: { name: "d" } },
      },
    ],
  ])("finds: %s", (fault, object) => {
    expect(faults(object)).toEqual([fault]);
  });

  it("takes numbers and names where both may stand", () => {
    expect(
      faults(
        service({
          ports: [
            { port: 80, targetPort: "http" },
            { port: 81, targetPort: 81, name: "b" },
          ],
        }),
      ),
    ).toEqual([]);
  });
});

describe("referenceFaults", () => {
  const labels = { app: "a" };
  const service: KubernetesObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s" },
    spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] },
  };
  const labelled = (spec: Values, container: Values = {}): KubernetesObject => ({
    ...pod(spec, container),
    metadata: { name: "p", labels },
  });

  it("finds Services without pods or with other ports, and mounts of nothing", () => {
    expect(referenceFaults([service], new Set())).toEqual(["Service s selects no pod"]);
    expect(referenceFaults([service, labelled({})], new Set())).toEqual([
      "Service s leads to the port http, which its pods do not have",
    ]);
    const mounted = labelled({ volumes: [{ name: "v", configMap: { name: "c" } }] });
    expect(referenceFaults([mounted], new Set())).toEqual(["Pod p names ConfigMap c, which is not there"]);
    expect(referenceFaults([mounted], new Set(["ConfigMap c"]))).toEqual([]);
    const projected = labelled({ volumes: [{ name: "v", projected: { sources: [{ configMap: { name: "d" } }] } }] });
    expect(referenceFaults([projected], new Set())).toEqual(["Pod p names ConfigMap d, which is not there"]);
    const http = labelled({}, { ports: [{ name: "http", containerPort: 80 }] });
    expect(referenceFaults([service, http], new Set())).toEqual([]);
  });

  it("finds keys that a Secret or ConfigMap lacks", () => {
    const items = [
      { key: "a", path: "a" },
      { key: "b", path: "b" },
    ];
    const sources = [{ secret: { name: "s", items } }];
    const mounted = labelled({
      volumes: [
        { name: "v", projected: { sources } },
        { name: "w", configMap: { name: "c", items } },
      ],
    });
    const secret: KubernetesObject = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { a: "" } };
    const config: KubernetesObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { b: "" } };
    expect(referenceFaults([mounted, secret, config], new Set())).toEqual([
      "Pod p needs the key b of Secret s, which lacks it",
      "Pod p needs the key a of ConfigMap c, which lacks it",
    ]);
  });

  it("finds addresses that nothing answers", () => {
    const caller = { ...labelled({}, { env: [{ name: "A", value: "dns:///x.ns.svc.cluster.local.:1" }] }) };
    const there = { ...caller, metadata: { ...caller.metadata, namespace: "ns" } };
    expect(referenceFaults([there], new Set())).toEqual([
      "Pod p: A leads to dns:///x.ns.svc.cluster.local.:1, which nothing answers",
    ]);
  });
});
