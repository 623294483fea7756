import { type TSchema, Type } from "typebox";
import { present } from "#kit/platform/members.ts";
import { SERVICE_NAMES, type ServiceName } from "#shared/security/call-graph.ts";

import { COMPONENT, PERSISTENCE } from "./component-schema.ts";
import { IDENTITY } from "./identity-schema.ts";
import { QUOTAS } from "./quotas-schema.ts";
import { RETENTION } from "./retention-schema.ts";
import { settingsSchema } from "./settings-schema.ts";
import { closed, ENV_NAME, freeObject, NAME, RESOURCES, SECRET_KEY, textMap, textOrNumber } from "./value-types.ts";

/** The four services with stores; all others have no data to keep in files. */
const STORES = {
  session: ["firestore", "postgres", "sqlite", "memory"],
  artifact: ["gcs", "s3", "azure", "files", "memory"],
  memory: ["firestore", "postgres", "sqlite", "memory", "vertex"],
  eval: ["firestore", "postgres", "files", "memory"],
} as const;

const text = Type.String();
const word = Type.String({ minLength: 1 });
const flag = Type.Boolean();
const peers = Type.Array(freeObject);
const ports = Type.Array(Type.Integer({ minimum: 1, maximum: 65535 }));
const words = Type.Array(text);
const labels = textMap;

const CLOSED = { additionalProperties: false };
const APP = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]{0,62}$" });

const backend = { enabled: flag, image: Type.String({ minLength: 1 }), command: words, resources: RESOURCES };

const GATEWAY = {
  ...IDENTITY,
  a2a: closed({
    apps: Type.Array(Type.String({ minLength: 1 })),
    cards: Type.Record(APP, freeObject, CLOSED),
    grpcPort: Type.Integer({ minimum: 0, maximum: 65535 }),
    push: Type.Enum(["", "sqlite", "memory", "firestore", "postgres"]),
    grpcAddress: Type.String({ pattern: "^([^/\\s]+:[0-9]{1,5})?$" }),
    signingKeysSecret: SECRET_KEY,
  }),
  devUi: flag,
  port: Type.Integer({ minimum: 1024, maximum: 65535 }),
  service: closed({
    type: Type.Enum(["ClusterIP", "NodePort", "LoadBalancer"]),
    port: Type.Integer({ minimum: 1, maximum: 65535 }),
    nodePort: Type.Integer({ minimum: 0, maximum: 65535 }),
    annotations: textMap,
    extraSpec: freeObject,
  }),
};

function serviceValues(name: ServiceName): TSchema {
  return closed(
    present({
      ...COMPONENT,
      settings: settingsSchema(name),
      persistence: name in STORES || name === "gateway" ? PERSISTENCE : undefined,
      ...(name === "gateway" && GATEWAY),
    }),
  );
}

/** JSON Schema of the chart's values: keys are free only where users choose names. */
export function valuesSchema(): Readonly<Record<string, unknown>> {
  const schema = closed({
    // Helm adds it for charts that are parts of others.
    global: freeObject,
    nameOverride: text,
    fullnameOverride: text,
    environment: Type.Enum(["production", "development"]),
    generateSecrets: flag,
    commonLabels: labels,
    commonAnnotations: labels,
    clusterDomain: Type.String({ pattern: "^[a-z0-9.-]+$" }),
    bindAddress: Type.Enum(["0.0.0.0", "::"]),
    image: closed({
      registry: text,
      repository: Type.String({ minLength: 1 }),
      tag: text,
      digest: text,
      pullPolicy: Type.Enum(["Always", "IfNotPresent", "Never"]),
    }),
    imagePullSecrets: Type.Array(NAME),
    logging: closed({
      level: Type.Enum(["debug", "info", "warn", "error", "silent"]),
      format: Type.Enum(["json", "pretty"]),
    }),
    loopStallSeconds: Type.Integer({ minimum: 0 }),
    telemetry: closed({
      otlpEndpoint: Type.String({ pattern: "^(https?://.+)?$" }),
      resourceAttributes: textMap,
      headersSecret: closed({ name: text, key: text }),
    }),
    stores: closed(
      Object.fromEntries(
        Object.entries(STORES).map(([service, choices]) => [service, Type.Enum([...choices].map(String))]),
      ),
    ),
    ...dataSchemas(),
    ...accessSchemas(),
    ...edgeSchemas(),
    ...trialSchemas(),
    defaults: closed({ ...COMPONENT, settings: settingsSchema(...SERVICE_NAMES), persistence: PERSISTENCE }),
    ...Object.fromEntries(SERVICE_NAMES.map((name) => [name, serviceValues(name)])),
    extraObjects: Type.Array(Type.Union([text, freeObject])),
  });
  return { $schema: "http://json-schema.org/draft-07/schema#", title: "Values of the chart fairlead", ...schema };
}

function dataSchemas(): Record<string, TSchema> {
  const hostPort = Type.String({ pattern: "^.+:[0-9]{1,5}$" });
  return {
    redis: closed({
      url: Type.String({ pattern: "^(rediss?://.+)?$" }),
      sentinels: Type.Array(hostPort),
      sentinelName: text,
      clusterNodes: Type.Array(hostPort),
      keyPrefix: Type.String({ pattern: "^[^{}\\s]{0,100}$" }),
      port: Type.Integer({ minimum: 1, maximum: 65535 }),
      username: text,
      existingSecret: closed({ name: text, urlKey: text, passwordKey: text, caKey: text }),
      users: closed({ gateway: REDIS_USER, runner: REDIS_USER, eval: REDIS_USER }),
    }),
    contentEncryption: closed({
      keysSecret: closed({ name: text, key: word }),
      kmsKey: Type.String({
        pattern: "^(projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/{]*\\{tenant\\}[^/]*)?$",
      }),
    }),
    credentials: closed({
      store: Type.Enum(["memory", "sessions"]),
      keysSecret: closed({ name: text, key: word }),
    }),
    transport: Type.Enum(["redis", "postgres"]),
    database: closed({
      url: Type.String({ pattern: "^(postgres(ql)?://.+)?$" }),
      directUrl: Type.String({ pattern: "^(postgres(ql)?://.+)?$" }),
      port: Type.Integer({ minimum: 1, maximum: 65535 }),
      directPort: Type.Integer({ minimum: 1, maximum: 65535 }),
      poolSize: Type.Integer({ minimum: 1, maximum: 1000 }),
      schema: Type.String({ pattern: "^([a-z_][a-z0-9_]{0,62})?$" }),
      existingSecret: closed({ name: text, urlKey: text, directUrlKey: text, passwordKey: text, caKey: text }),
      runnerSecret: closed({ name: text, urlKey: word, directUrlKey: text }),
      migrationJob: flag,
      resources: RESOURCES,
    }),
    firestore: closed({ projectId: text, databaseId: text, root: Type.String({ pattern: "^[^/]*$" }) }),
    gcs: closed({ bucket: text, layout: Type.Enum(["fairlead", "adk"]) }),
    objectStorage: closed({
      endpoint: Type.String({ pattern: "^(https?://[^/]+/?)?$" }),
      port: Type.Integer({ minimum: 1, maximum: 65535 }),
      region: word,
      bucket: text,
      pathStyle: flag,
      kmsKeyId: text,
      containerUrl: Type.String({ pattern: "^(https?://[^/?]+/[^?]+)?$" }),
      existingSecret: closed({ name: text, accessKeyIdKey: word, secretAccessKeyKey: word, accountKeyKey: word }),
    }),
    vertex: closed({ sessions: flag, projectId: text, location: text, agentEngineId: text, apiEndpoint: text }),
    googleCloud: closed({ workloadIdentity: flag }),
    agents: closed({
      imageFolder: Type.String({ pattern: "^(/.+)?$" }),
      definitions: Type.Record(APP, Type.Record(Type.String({ pattern: "^[A-Za-z0-9._-]+$" }), text), CLOSED),
      configMaps: Type.Array(closed({ app: APP, configMap: NAME }, ["app", "configMap"])),
    }),
    models: closed({
      secrets: Type.Array(closed({ variable: ENV_NAME, secret: NAME, key: text }, ["variable", "secret", "key"])),
      keys: Type.Record(ENV_NAME, text, CLOSED),
      settings: Type.Record(ENV_NAME, textOrNumber, CLOSED),
    }),
  };
}

const REDIS_USER = closed({ username: text, passwordSecret: closed({ name: text, key: word }) });
function accessSchemas(): Record<string, TSchema> {
  const to = closed({ to: peers });
  const remoteKeys = Type.Record(Type.String({ pattern: "^[A-Za-z0-9._-]+$" }), freeObject, CLOSED);
  return {
    quotas: QUOTAS,
    retention: RETENTION,
    serviceAuth: closed({
      mode: Type.Enum(["tokens", "mtls", "none"]),
      existingSecret: text,
      acceptedSecret: text,
      signingKeys: closed({ principalSecret: text, grantSecret: text, publicSecret: text }),
      mtls: closed({
        source: Type.Enum(["cert-manager", "existing", "chart"]),
        issuerRef: closed({ name: text, kind: text, group: text }),
        duration: text,
        renewBefore: text,
        existingSecrets: closed(Object.fromEntries(SERVICE_NAMES.map((name) => [name, text]))),
      }),
    }),
    externalSecrets: closed({
      enabled: flag,
      secretStoreRef: closed({ name: text, kind: Type.Enum(["SecretStore", "ClusterSecretStore"]) }),
      refreshInterval: text,
      secrets: Type.Record(NAME, remoteKeys, CLOSED),
    }),
    networkPolicy: closed({
      enabled: flag,
      gateway: closed({ from: peers }),
      metrics: closed({ from: peers }),
      dns: closed({ to: peers, ports }),
      redis: to,
      database: to,
      objectStorage: to,
      google: to,
      identity: closed({ to: peers, ports }),
      models: closed({ to: peers, ports }),
      otlp: to,
    }),
  };
}

function edgeSchemas(): Record<string, TSchema> {
  const duration = Type.String({ pattern: "^([0-9]{1,5}(h|m|s|ms)){1,4}$" });
  return {
    ingress: closed({
      enabled: flag,
      className: text,
      controller: Type.Enum(["nginx", "traefik", "gke", "openshift", "none"]),
      hosts: words,
      path: Type.String({ pattern: "^/" }),
      annotations: textMap,
      tls: closed({ enabled: flag, secretName: text, issuer: text, clusterIssuer: text }),
    }),
    gatewayApi: closed({
      enabled: flag,
      parentRefs: Type.Array(freeObject),
      hostnames: words,
      timeouts: closed({ request: duration, backendRequest: duration }),
      hstsMaxAgeSeconds: Type.Integer({ minimum: 0 }),
      gke: flag,
      gateway: closed({ create: flag, className: text, annotations: textMap, tlsSecretName: text }),
    }),
    monitoring: closed({
      serviceMonitor: closed({
        enabled: flag,
        interval: text,
        scrapeTimeout: text,
        relabelings: Type.Array(freeObject),
        metricRelabelings: Type.Array(freeObject),
        labels,
        tokenSecret: SECRET_KEY,
      }),
      prometheusRule: closed({
        enabled: flag,
        labels,
        errorBudget: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
        appendBudget: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
        runbookBaseUrl: text,
      }),
      dashboards: closed({ enabled: flag, labels, annotations: textMap }),
    }),
  };
}

function trialSchemas(): Record<string, TSchema> {
  return {
    dev: closed({
      redis: closed({ ...backend, args: words }),
      firestore: closed({ ...backend, args: words }),
      gcs: closed(backend),
    }),
    test: closed({
      appName: text,
      message: Type.String({ minLength: 1 }),
      timeoutSeconds: Type.Integer({ minimum: 1 }),
      tokenSecret: SECRET_KEY,
      resources: freeObject,
    }),
  };
}
