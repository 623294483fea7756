import { describe, expect, it } from "vitest";
import { merge, render, renderText, tools, type Values } from "./render.ts";

const development = { environment: "development" };
const files = { stores: { session: "sqlite" } };

/** Values that contradict each other, and the sentence with the fix. */
const CONTRADICTIONS: readonly (readonly [what: string, values: Values, sentence: string])[] = [
  [
    "an emulator in production",
    { dev: { gcs: { enabled: true } } },
    "dev.gcs.enabled is for trials, because its data is lost with its pod: use the real one, or set environment: development.",
  ],
  [
    "a store in memory in production",
    { stores: { memory: "memory" } },
    "stores.memory is memory, whose data is lost with its pod: choose a durable store, or set environment: development.",
  ],
  [
    "files without a volume in production",
    files,
    "stores.session is sqlite without a volume, and would be lost with its pod: set session.persistence.enabled, or environment: development.",
  ],
  [
    "files and two pods",
    { ...development, ...files, session: { replicas: 2 } },
    "stores.session is sqlite, which belongs to one process, and session.replicas is 2: set it to 1, or use postgres or firestore.",
  ],
  [
    "memory and two pods",
    { ...development, stores: { artifact: "memory" }, artifact: { replicas: 2 } },
    "stores.artifact is memory, which belongs to one process, and artifact.replicas is 2: set it to 1, or use gcs, s3 or azure.",
  ],
  [
    "files and a scaler",
    { ...development, stores: { eval: "files" }, eval: { autoscaling: { enabled: true } } },
    "stores.eval is files, which belongs to one process, and eval is scaled: set eval.autoscaling.enabled and .keda to false, or use postgres or firestore.",
  ],
  [
    "a member of the pod's spec that the chart sets",
    { runner: { extraPodSpec: { schedulerName: "bin-packing", nodeSelector: { a: "b" } } } },
    "runner.extraPodSpec.nodeSelector is set by the chart: use the value that exists for it.",
  ],
  [
    "a member of the container that the chart sets",
    { defaults: { extraContainerSpec: { securityContext: { privileged: true } } } },
    "memory.extraContainerSpec.securityContext is set by the chart: use the value that exists for it.",
  ],
  [
    "a member of the Service's spec that the chart sets",
    { gateway: { service: { extraSpec: { type: "LoadBalancer" } } } },
    "gateway.service.extraSpec.type is set by the chart: use the value that exists for it.",
  ],
  [
    "certificates that the chart makes and may not make",
    { generateSecrets: false, serviceAuth: { mode: "mtls", mtls: { source: "chart" } } },
    "serviceAuth.mtls.source is chart, and generateSecrets is false: use cert-manager or existing certificates.",
  ],
  [
    "Firestore without a project",
    { firestore: { projectId: "" } },
    "firestore.projectId is empty, and the stores use Firestore: name the Google Cloud project; or start from scenarios/kind.yaml, which brings an emulator.",
  ],
  [
    "Cloud Storage without a bucket",
    { gcs: { bucket: "" } },
    "gcs.bucket is empty, and stores.artifact is gcs: name a bucket of this release's own, or set stores.artifact to files.",
  ],
  [
    "keys for cards of no app",
    { gateway: { a2a: { signingKeysSecret: { name: "card-keys" } } } },
    'gateway.a2a.signingKeysSecret.name is set, and gateway.a2a.apps offers no app: name the apps, or "*" for all.',
  ],
  [
    "push notifications of several gateways in memory",
    { gateway: { replicas: 2, a2a: { apps: ["*"], push: "memory" } } },
    "gateway.a2a.push is memory, which belongs to one process, and there are several gateways: set gateway.replicas to 1 without autoscaling, or use postgres or firestore.",
  ],
  [
    "schedules of several gateways in a file",
    { gateway: { replicas: 2, settings: { SCHEDULES: "sqlite" } } },
    "gateway.settings.SCHEDULES is sqlite, which belongs to one process, and there are several gateways: set gateway.replicas to 1 without autoscaling, or use postgres or firestore.",
  ],
  [
    "times of the inbox of several gateways in memory",
    { gateway: { replicas: 2, settings: { INBOX: "memory" } } },
    "gateway.settings.INBOX is memory, which belongs to one process, and there are several gateways: set gateway.replicas to 1 without autoscaling, or use postgres or firestore.",
  ],
  [
    "push notifications in Firestore without keys",
    {
      gateway: { a2a: { apps: ["*"], push: "firestore" } },
      credentials: { store: "memory", keysSecret: { name: "" } },
    },
    "gateway.a2a.push is firestore, and credentials.keysSecret.name is empty: name a Secret with the file of keys that seal tokens of push notifications.",
  ],
  [
    "an address of gRPC without a port",
    { gateway: { a2a: { apps: ["*"], grpcAddress: "a.test:443" } } },
    "gateway.a2a.grpcAddress is set, and gateway.a2a.grpcPort is 0: set the port.",
  ],
  [
    "gRPC at the port of HTTP",
    { gateway: { a2a: { apps: ["*"], grpcPort: 8000 } } },
    "gateway.a2a.grpcPort and gateway.port are both 8000: choose another port.",
  ],
  [
    "no Redis",
    { redis: { url: "" } },
    "Redis is missing, which carries the streams of runs: set redis.url, redis.existingSecret with urlKey, redis.sentinels or redis.clusterNodes; dev.redis.enabled with environment: development; or transport: postgres.",
  ],
  [
    "two of Redis",
    { redis: { sentinels: ["a:26379"] } },
    "Redis is given more than once, by redis.url and redis.sentinels: keep one.",
  ],
  [
    "a password in a URL",
    { redis: { url: "redis://:secret@redis:6379" } },
    "redis.url carries a password, which everybody who may read pods would see: put the URL into a Secret and name it under redis.existingSecret.",
  ],
  [
    "a Redis Secret without keys",
    { redis: { existingSecret: { name: "r" } } },
    "redis.existingSecret.name is set without a key: name what it holds by urlKey, passwordKey or caKey.",
  ],
  [
    "keys without a Redis Secret",
    { redis: { existingSecret: { passwordKey: "p" } } },
    "redis.existingSecret has keys but no name: name the Secret.",
  ],
  [
    "two scalers",
    { gateway: { autoscaling: { enabled: true, keda: true, prometheusAddress: "http://p" } } },
    "gateway.autoscaling.enabled and gateway.autoscaling.keda would both scale the same pods: choose one.",
  ],
  [
    "KEDA without Prometheus",
    { runner: { autoscaling: { keda: true } } },
    "runner.autoscaling.keda asks Prometheus for the load: set runner.autoscaling.prometheusAddress, such as http://prometheus.monitoring:9090.",
  ],
  [
    "more pods at least than at most",
    { runner: { autoscaling: { enabled: true, minReplicas: 9 } } },
    "runner.autoscaling.minReplicas is 9, more than maxReplicas, 6: lower it.",
  ],
  [
    "no runner at rest",
    { runner: { autoscaling: { keda: true, minReplicas: 0 } } },
    "runner.autoscaling.minReplicas is 0, and nothing would start the first pod again: callers ask the service itself and do not wait in a queue, the gateways are not ready without a runner, and queued runs are counted by runners. Set it to 1.",
  ],
  [
    "no pod of another service at rest",
    { eval: { autoscaling: { keda: true, minReplicas: 0 } } },
    "eval.autoscaling.minReplicas is 0, and nothing would start the first pod again: callers ask the service itself and do not wait in a queue, and its load is counted by its own pods. Set it to 1.",
  ],
  [
    "nothing to scale by",
    { session: { autoscaling: { enabled: true, targetCPUUtilizationPercentage: 0 } } },
    "session.autoscaling has nothing to scale by: set targetLoad or targetCPUUtilizationPercentage.",
  ],
  [
    "load where there is none",
    { session: { autoscaling: { enabled: true, targetLoad: 5 } } },
    "session.autoscaling.targetLoad is set, but only gateway and runner have a load of their own: set targetCPUUtilizationPercentage.",
  ],
  [
    "a queue where there is none",
    { gateway: { autoscaling: { enabled: true, targetQueueAgeSeconds: 5 } } },
    "gateway.autoscaling.targetQueueAgeSeconds is set, but only runs are queued: set it under runner.",
  ],
  [
    "a share of nothing",
    { defaults: { resources: { requests: { cpu: null } } }, session: { autoscaling: { enabled: true } } },
    "session.autoscaling.targetCPUUtilizationPercentage is a share of session.resources.requests.cpu, which is not set: set it, or the target to 0.",
  ],
  [
    "too little time to end",
    { runner: { terminationGracePeriodSeconds: 30 } },
    "runner.terminationGracePeriodSeconds is 30, and a pod needs 65 (preStopSeconds and drainSeconds) for an orderly end: leave it out, or raise it.",
  ],
  [
    "annotations of no account",
    { eval: { serviceAccount: { create: false, annotations: { a: "b" } } } },
    "eval.serviceAccount.annotations belong to an account that the chart does not create: set eval.serviceAccount.create, or annotate the account itself.",
  ],
  [
    "no authentication of callers",
    { serviceAuth: { mode: "none" }, networkPolicy: { enabled: false } },
    "serviceAuth.mode is none and networkPolicy.enabled is false, so any pod of the cluster could read and write sessions: switch one of them on.",
  ],
  [
    "certificates that are not there",
    {
      serviceAuth: {
        mode: "mtls",
        mtls: {
          source: "existing",
          existingSecrets: { gateway: "g", runner: "r", session: "s", artifact: "a", memory: "m" },
        },
      },
    },
    "serviceAuth.mtls.existingSecrets.eval is missing: name the Secret with its tls.crt, tls.key and ca.crt.",
  ],
  [
    "accepted tokens without tokens",
    { serviceAuth: { acceptedSecret: "a" } },
    "serviceAuth.acceptedSecret is set, but the tokens would be made by the chart: name their Secret under serviceAuth.existingSecret too.",
  ],
  [
    "signing keys of which one is somebody else's",
    { serviceAuth: { signingKeys: { grantSecret: "g", publicSecret: "p" } } },
    "serviceAuth.signingKeys names some of principalSecret, grantSecret and publicSecret: name all three, because a public key belongs to its private one, or none.",
  ],
  [
    "external secrets from nowhere",
    { externalSecrets: { enabled: true } },
    "externalSecrets.enabled needs a store: set externalSecrets.secretStoreRef.name.",
  ],
  [
    "keys in values in production",
    { models: { keys: { OPENAI_API_KEY: "k" } } },
    "models.keys would put keys into the release's values, where they stay: name existing Secrets under models.secrets, or set environment: development.",
  ],
  [
    "a key twice",
    {
      models: {
        secrets: [
          { variable: "A", secret: "s", key: "a" },
          { variable: "A", secret: "s", key: "b" },
        ],
      },
    },
    "models gives A twice: keep one.",
  ],
  [
    "no agents",
    { agents: { imageFolder: "" } },
    "There are no agents: set agents.imageFolder, agents.definitions or agents.configMaps.",
  ],
  [
    "an app without its file",
    { agents: { definitions: { greeter: { "helper.yaml": "" } } } },
    "agents.definitions.greeter has no root_agent.yaml, so it would not be an app: add it.",
  ],
  [
    "an app twice",
    { agents: { definitions: { a: { "root_agent.yaml": "" } }, configMaps: [{ app: "a", configMap: "c" }] } },
    "agents gives the app a twice: keep one.",
  ],
  ["an Ingress without a host", { ingress: { enabled: true } }, "ingress.enabled needs a host: set ingress.hosts."],
  [
    "TLS without a certificate",
    { ingress: { enabled: true, hosts: ["a.test"], tls: { enabled: true } } },
    "ingress.tls.enabled has no certificate: set ingress.tls.secretName, or ingress.tls.issuer or .clusterIssuer for cert-manager.",
  ],
  [
    "two issuers",
    { ingress: { enabled: true, hosts: ["a.test"], tls: { enabled: true, issuer: "a", clusterIssuer: "b" } } },
    "ingress.tls.issuer and ingress.tls.clusterIssuer both make the certificate: keep one.",
  ],
  [
    "a certificate without TLS",
    { ingress: { enabled: true, hosts: ["a.test"], tls: { secretName: "s" } } },
    "ingress.tls names a certificate but is off: set ingress.tls.enabled.",
  ],
  [
    "a path that the gateway does not know",
    { ingress: { enabled: true, hosts: ["a.test"], path: "/team/" } },
    "ingress.path is /team/, and gateway.settings.PATH_PREFIX differs: set gateway.settings.PATH_PREFIX to /team.",
  ],
  [
    "a route without a Gateway",
    { gatewayApi: { enabled: true, hostnames: ["a.test"] } },
    "gatewayApi.enabled needs a Gateway: set gatewayApi.parentRefs, or gatewayApi.gateway.create.",
  ],
  [
    "a Gateway without a class",
    { gatewayApi: { enabled: true, hostnames: ["a.test"], gateway: { create: true } } },
    "gatewayApi.gateway.create needs a class: set gatewayApi.gateway.className.",
  ],
  [
    "quotas twice",
    { quotas: { rules: { unpricedModels: "free" }, configMap: { name: "c" } } },
    "quotas.rules and quotas.configMap.name are both set: keep one.",
  ],
  ["a digest that is none", { image: { digest: "abc" } }, "image.digest is abc: a digest begins with sha256:."],
  [
    "headers for nobody",
    { telemetry: { headersSecret: { name: "h" } } },
    "telemetry.headersSecret is set, but no traces are exported: set telemetry.otlpEndpoint.",
  ],
];

/** Values that the schema refuses, and the place that it names. */
const MISSPELT: readonly (readonly [values: Values, place: string])[] = [
  [{ replica: 2 }, "'replica' not allowed"],
  [{ gateway: { replica: 2 } }, "'/gateway': additional properties 'replica' not allowed"],
  [{ runner: { persistence: { enabled: true } } }, "'/runner': additional properties 'persistence' not allowed"],
  [{ gateway: { settings: { OIDC_ISSUER: "https://a" } } }, "additional properties 'OIDC_ISSUER' not allowed"],
  [
    { defaults: { probes: { readiness: { period: 1 } } } },
    "'/defaults/probes/readiness': additional properties 'period' not allowed",
  ],
  [
    { runner: { settings: { MAX_BODY_BYTES: 5 } } },
    "'/runner/settings': additional properties 'MAX_BODY_BYTES' not allowed",
  ],
  [{ gateway: { settings: { A2A_APPS: ["*"] } } }, "'/gateway/settings': additional properties 'A2A_APPS' not allowed"],
  [{ runner: { settings: { LEASE_MS: 1 } } }, "'/runner/settings/LEASE_MS': minimum"],
  [
    { runner: { settings: { REDIS_PASSWORD: "x" } } },
    "'/runner/settings': additional properties 'REDIS_PASSWORD' not allowed",
  ],
  [
    { session: { settings: { SESSION_STORE: "sqlite" } } },
    "'/session/settings': additional properties 'SESSION_STORE' not allowed",
  ],
  [{ stores: { session: "gcs" } }, "'/stores/session': value must be one of"],
  [{ gateway: { replicas: "2" } }, "'/gateway/replicas': got string, want integer"],
  [{ podSecurityContext: { privileged: true } }, "'podSecurityContext' not allowed"],
  [{ defaults: { podSecurityContext: { runAsUser: 0 } } }, "'/defaults/podSecurityContext/runAsUser': minimum"],
  [{ agents: { definitions: { "a.b": {} } } }, "'/agents/definitions': additional properties 'a.b' not allowed"],
  [
    { quotas: { rules: { defaults: { user: { requestsPerHour: 1 } } } } },
    "'/quotas/rules/defaults/user': additional properties 'requestsPerHour' not allowed",
  ],
  [{ environment: "staging" }, "'/environment': value must be one of"],
];

describe.skipIf(tools.helm === undefined)("wrong values", () => {
  it.each(CONTRADICTIONS)("%s is refused with what fixes it", async (_, values, sentence) => {
    await expect(render(values)).rejects.toThrow(`- ${sentence}`);
  });

  it.each(MISSPELT)("%j is refused by the schema", async (values, place) => {
    await expect(render(values)).rejects.toThrow(place);
  });

  it("are reported all together", async () => {
    const problem = await renderText({ redis: { url: "" }, gcs: { bucket: "" }, agents: { imageFolder: "" } }).then(
      () => "",
      (error: unknown) => String(error),
    );
    expect(problem.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(3);
  });

  it("that were contradictory are fine with what the sentence says", async () => {
    const fixed: readonly Values[] = [
      merge(files, { session: { persistence: { enabled: true } } }),
      { ...development, dev: { gcs: { enabled: true } }, models: { keys: { A: "k" } } },
      { ...development, ingress: { enabled: true, hosts: ["agents.example.com"] } },
      {
        ingress: { enabled: true, hosts: ["a.test"], path: "/team/" },
        gateway: { settings: { PATH_PREFIX: "/team" } },
      },
      { serviceAuth: { mode: "none" } },
    ];
    for (const values of fixed) expect(await render(values)).not.toEqual([]);
  });
});
