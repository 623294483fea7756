import { describe, expect, it } from "vitest";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { environmentOf, podOf, podsOf } from "./pods.ts";
import { at, find, type KubernetesObject, listAt, render, tools } from "./render.ts";

const GRPC = SERVICE_NAMES.filter((name) => name !== "gateway");
const main = (objects: readonly KubernetesObject[], name: string) => podOf(objects, name).containers[0];

describe.skipIf(tools.helm === undefined)("workloads", () => {
  it("are one Deployment of the one image for each service, which its argument chooses", async () => {
    const objects = await render({ image: { tag: "1.2.3" } });
    const deployments = objects.filter(({ kind }) => kind === "Deployment");
    expect(deployments.map(({ metadata }) => metadata.name).sort()).toEqual(
      SERVICE_NAMES.map((name) => `agents-fairlead-${name}`).sort(),
    );
    for (const name of SERVICE_NAMES) {
      expect(main(objects, name)).toMatchObject({ name, image: "fairlead:1.2.3", args: [name] });
      expect(podOf(objects, name).spec["serviceAccountName"]).toBe(`agents-fairlead-${name}`);
    }
  });

  it("take images by registry and digest, the emulators' too", async () => {
    const objects = await render({
      image: { registry: "mirror.internal/", digest: "sha256:abc" },
      imagePullSecrets: ["pull"],
      environment: "development",
      redis: { url: "" },
      dev: { redis: { enabled: true } },
    });
    expect(main(objects, "runner")?.["image"]).toBe("mirror.internal/fairlead@sha256:abc");
    expect(main(objects, "redis")?.["image"]).toBe("mirror.internal/redis:7-alpine");
    for (const { spec } of podsOf(objects)) expect(spec["imagePullSecrets"]).toEqual([{ name: "pull" }]);
  });

  it("take further members of pod, container and Service", async () => {
    const objects = await render({
      defaults: { extraPodSpec: { schedulerName: "bin-packing" } },
      runner: { extraContainerSpec: { lifecycle: { preStop: { exec: { command: ["/bin/true"] } } } } },
      gateway: { service: { type: "LoadBalancer", nodePort: 30080, extraSpec: { externalTrafficPolicy: "Local" } } },
    });
    expect(podOf(objects, "session").spec["schedulerName"]).toBe("bin-packing");
    expect(main(objects, "runner")?.["lifecycle"]).toEqual({ preStop: { exec: { command: ["/bin/true"] } } });
    expect(main(objects, "session")?.["lifecycle"]).toEqual({ preStop: { sleep: { seconds: 5 } } });
    expect(find(objects, "Service", "agents-fairlead-gateway")["spec"]).toMatchObject({
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      ports: [{ name: "http", nodePort: 30080 }],
    });
  });

  it("have the addresses of the services that they call, by names that need one look-up", async () => {
    const objects = await render({ clusterDomain: "corp.internal" });
    const address = (name: string) => `dns:///agents-fairlead-${name}.team.svc.corp.internal.:50051`;
    expect(environmentOf(podOf(objects, "runner"))).toMatchObject({
      SESSION_SERVICE_ADDRESS: address("session"),
      ARTIFACT_SERVICE_ADDRESS: address("artifact"),
      MEMORY_SERVICE_ADDRESS: address("memory"),
    });
    expect(environmentOf(podOf(objects, "gateway"))).toMatchObject(
      Object.fromEntries(GRPC.map((name) => [`${name.toUpperCase()}_SERVICE_ADDRESS`, address(name)])),
    );
  });

  it("ask gRPC services by their health protocol, and the gateway by HTTP", async () => {
    const objects = await render();
    for (const name of GRPC) {
      expect(main(objects, name)).toMatchObject({
        startupProbe: { grpc: { port: 50051 }, periodSeconds: 1 },
        readinessProbe: { grpc: { port: 50051, service: "ready" } },
        livenessProbe: { grpc: { port: 50051 }, failureThreshold: 6 },
      });
    }
    expect(main(objects, "gateway")).toMatchObject({
      startupProbe: { httpGet: { path: "/health", port: "http" } },
      readinessProbe: { httpGet: { path: "/ready", port: "http" } },
      livenessProbe: { httpGet: { path: "/health", port: "http" } },
    });
  });

  it("ask by HTTP where gRPC has certificates, which the kubelet cannot show", async () => {
    const objects = await render({}, { scenario: "mtls" });
    for (const name of GRPC) {
      expect(main(objects, name)).toMatchObject({
        readinessProbe: { httpGet: { path: "/ready", port: "admin" } },
        livenessProbe: { httpGet: { path: "/health", port: "admin" } },
      });
    }
  });

  it("derive the time to end from what it is made of", async () => {
    const objects = await render({ defaults: { preStopSeconds: 7 }, session: { drainSeconds: 3, preStopSeconds: 0 } });
    expect(podOf(objects, "runner").spec["terminationGracePeriodSeconds"]).toBe(7 + 60 + 10);
    expect(environmentOf(podOf(objects, "runner"))).toMatchObject({
      SHUTDOWN_DRAIN_MS: "60000",
      SHUTDOWN_GRACE_MS: "0",
    });
    expect(at(main(objects, "runner"), "lifecycle.preStop")).toEqual({ sleep: { seconds: 7 } });
    expect(podOf(objects, "session").spec["terminationGracePeriodSeconds"]).toBe(13);
    expect(main(objects, "session")?.["lifecycle"]).toBeUndefined();
  });

  it("replace pods one by one, and those with a volume one after the other", async () => {
    const objects = await render({
      stores: { session: "sqlite" },
      session: { persistence: { enabled: true, size: "1Gi" } },
    });
    const strategy = (name: string) => at(find(objects, "Deployment", `agents-fairlead-${name}`), "spec.strategy");
    expect(strategy("runner")).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    expect(strategy("session")).toEqual({ type: "Recreate" });
    const claim = find(objects, "PersistentVolumeClaim", "agents-fairlead-session");
    expect(claim).toMatchObject({
      metadata: { annotations: { "helm.sh/resource-policy": "keep" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    expect(environmentOf(podOf(objects, "session"))).toMatchObject({ SESSION_STORE: "sqlite", DATA_DIR: "/data" });
    expect(listAt(main(objects, "session"), "volumeMounts")).toContainEqual({ name: "data", mountPath: "/data" });
  });

  it("use a claim that is there", async () => {
    const persistence = { enabled: true, existingClaim: "mine" };
    const objects = await render({ stores: { artifact: "files" }, artifact: { persistence } });
    expect(objects.filter(({ kind }) => kind === "PersistentVolumeClaim")).toEqual([]);
    expect(JSON.stringify(podOf(objects, "artifact").spec["volumes"])).toContain('"claimName":"mine"');
  });

  it("spread over zones and nodes, and keep off each other's nodes", async () => {
    const { spec } = podOf(await render(), "gateway");
    expect(listAt(spec, "topologySpreadConstraints").map((one) => at(one, "topologyKey"))).toEqual([
      "topology.kubernetes.io/zone",
      "kubernetes.io/hostname",
    ]);
    expect(
      at(
        spec,
        "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.podAffinityTerm.topologyKey",
      ),
    ).toBe("kubernetes.io/hostname");
    const other = await render({ defaults: { topologySpreadConstraints: [], affinity: { nodeAffinity: {} } } });
    expect(podOf(other, "gateway").spec["topologySpreadConstraints"]).toBeUndefined();
    expect(podOf(other, "gateway").spec["affinity"]).toEqual({ nodeAffinity: {} });
  });

  it("let a service's own values win over the defaults, maps merged and lists replaced", async () => {
    const objects = await render({
      defaults: {
        resources: { limits: { memory: "1Gi" } },
        tolerations: [{ key: "a" }],
        podLabels: { a: "1", b: "1" },
      },
      gateway: {
        resources: { limits: { memory: "2Gi" } },
        tolerations: [{ key: "b" }],
        podLabels: { b: "2" },
        pdb: { enabled: false },
      },
    });
    expect(main(objects, "gateway")?.["resources"]).toEqual({
      requests: { cpu: "100m", memory: "128Mi" },
      limits: { memory: "2Gi" },
    });
    expect(podOf(objects, "gateway").spec["tolerations"]).toEqual([{ key: "b" }]);
    expect(podOf(objects, "gateway").labels).toMatchObject({ a: "1", b: "2" });
    expect(main(objects, "session")?.["resources"]).toMatchObject({ limits: { memory: "1Gi" } });
  });

  it("carry the user's own variables, volumes and containers", async () => {
    const extra = {
      extraEnv: [{ name: "A", value: "b" }],
      extraEnvFrom: [{ configMapRef: { name: "c" } }],
      extraVolumes: [{ name: "d", emptyDir: {} }],
      extraVolumeMounts: [{ name: "d", mountPath: "/d" }],
      extraContainers: [{ name: "e", image: "e" }],
      extraInitContainers: [{ name: "f", image: "f" }],
    };
    const { spec, containers } = podOf(await render({ runner: extra }), "runner");
    expect(listAt(containers[0], "env")).toContainEqual({ name: "A", value: "b" });
    expect(containers[0]?.["envFrom"]).toEqual(extra.extraEnvFrom);
    expect(listAt(spec, "volumes")).toContainEqual({ name: "d", emptyDir: {} });
    expect(listAt(containers[0], "volumeMounts")).toContainEqual({ name: "d", mountPath: "/d" });
    expect(listAt(spec, "containers")).toContainEqual({ name: "e", image: "e" });
    expect(spec["initContainers"]).toEqual(extra.extraInitContainers);
  });

  it("write settings as services read them", async () => {
    const settings = {
      MAX_BODY_BYTES: 52428800,
      CORS_ORIGINS: ["https://a.test", "https://b.test"],
      AUTO_CREATE_SESSION: true,
    };
    expect(environmentOf(podOf(await render({ gateway: { settings } }), "gateway"))).toMatchObject({
      MAX_BODY_BYTES: "52428800",
      CORS_ORIGINS: "https://a.test,https://b.test",
      AUTO_CREATE_SESSION: "true",
    });
  });

  it("do not change with the version of the chart alone", async () => {
    for (const { owner, labels } of podsOf(await render())) {
      if (owner.startsWith("Pod ")) continue;
      expect(Object.keys(labels).sort(), owner).toEqual(
        ["component", "instance", "name", "part-of"].map((label) => `app.kubernetes.io/${label}`),
      );
    }
  });

  it("have accounts with annotations and without tokens", async () => {
    const annotations = { "iam.gke.io/gcp-service-account": "s@p.iam.gserviceaccount.com" };
    const objects = await render({
      session: { serviceAccount: { annotations } },
      eval: { serviceAccount: { create: false, name: "mine" } },
    });
    expect(find(objects, "ServiceAccount", "agents-fairlead-session")).toMatchObject({
      metadata: { annotations },
      automountServiceAccountToken: false,
    });
    expect(podOf(objects, "eval").spec["serviceAccountName"]).toBe("mine");
    expect(objects.filter(({ kind }) => kind === "ServiceAccount")).toHaveLength(5);
  });
});

describe.skipIf(tools.helm === undefined)("Services", () => {
  it("of gRPC are headless, so that callers see each pod that is ready", async () => {
    const objects = await render();
    for (const name of GRPC) {
      expect(find(objects, "Service", `agents-fairlead-${name}`)["spec"]).toMatchObject({
        clusterIP: "None",
        publishNotReadyAddresses: false,
        ports: [
          { name: "grpc", port: 50051, targetPort: "grpc", appProtocol: "kubernetes.io/h2c" },
          { name: "admin", port: 9090, targetPort: "admin", appProtocol: "http" },
        ],
      });
    }
  });

  it("of the gateway has one address and one port", async () => {
    const objects = await render({ gateway: { service: { port: 8080 }, port: 9000 } });
    expect(find(objects, "Service", "agents-fairlead-gateway")["spec"]).toMatchObject({
      type: "ClusterIP",
      ports: [{ name: "http", port: 8080, targetPort: "http", appProtocol: "http" }],
    });
    expect(listAt(main(objects, "gateway"), "ports")).toEqual([{ name: "http", containerPort: 9000, protocol: "TCP" }]);
    expect(environmentOf(podOf(objects, "gateway"))["PORT"]).toBe("9000");
  });
});
