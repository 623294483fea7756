import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatewayProcessConfigSchema } from "#services/gateway/config.ts";
import { assertMayListen } from "#services/gateway/identity/may-listen.ts";
import { readIssuers } from "#services/gateway/identity/oidc/read-issuers.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { allowedEdges, outsideOf } from "./network-graph.ts";
import { environmentOf, podOf } from "./pods.ts";
import { at, find, isMap, type KubernetesObject, listAt, render, tools, type Values } from "./render.ts";
import { dataOf, secretsOf } from "./secret-mounts.ts";

/** A gateway whose callers identify themselves. */
function identified(auth: Values, gateway: Values = {}, more: Values = {}): Promise<readonly KubernetesObject[]> {
  return render({ gateway: { allowUnauthenticated: false, auth, ...gateway }, ...more });
}

const OIDC = {
  kinds: ["oidc", "api-key"],
  oidc: {
    issuer: "https://login.test/realms/main",
    audience: ["fairlead", "agents"],
    clientId: "pages",
    clientSecret: { name: "client", key: "secret" },
    caSecret: { name: "authority" },
    scopeMap: { "*": ["runs:write", "sessions:read"], admins: ["ops"] },
    userClaim: "email",
    tenantClaim: "org",
    tenants: ["acme", "default"],
  },
};
const ISSUERS = {
  kinds: ["oidc"],
  oidc: {
    issuers: [
      {
        ...{ issuer: "https://a.test", audience: "a", clients: ["cli"], jwksUri: "https://a.test/keys", typ: "at+jwt" },
        ...{ userClaim: "email", userPrefix: "a:", scopesClaim: "scp", groupsClaim: "roles" },
        ...{ tenantClaim: "org", tenants: ["acme"], scopeMap: { staff: ["runs:write"] } },
        client: { id: "pages", secret: { name: "client-a", key: "s" }, scopes: ["openid"], label: "A" },
      },
      { issuer: "https://b.test", audience: ["b"], tenant: "acme", client: { id: "pages" } },
    ],
  },
};
const gatewayOf = (objects: readonly KubernetesObject[]) => environmentOf(podOf(objects, "gateway"));

describe.skipIf(tools.helm === undefined)("callers of the gateway", () => {
  it("identify themselves by a provider and by keys, as the gateway reads its settings", async () => {
    verifies("platform:helm:sign-in");
    const objects = await identified(OIDC);
    const environment = gatewayOf(objects);
    expect(environment).not.toHaveProperty("ALLOW_UNAUTHENTICATED");
    expect(environment["NODE_EXTRA_CA_CERTS"]).toBe("/run/fairlead/identity/oidc-ca.crt");
    const config = loadConfig(gatewayProcessConfigSchema, environment);
    expect(config).toMatchObject({
      AUTH: ["oidc", "api-key"],
      OIDC_ISSUER: "https://login.test/realms/main",
      OIDC_AUDIENCE: ["fairlead", "agents"],
      OIDC_CLIENT_ID: "pages",
      OIDC_CLIENT_SECRET_FILE: "/run/fairlead/identity/client-secret",
      OIDC_USER_CLAIM: "email",
      OIDC_SCOPE_MAP: ["*=runs:write", "*=sessions:read", "admins=ops"],
      SESSION_COOKIE_KEY_FILE: "/run/fairlead/identity/cookie-keys",
      OIDC_TENANT_CLAIM: "org",
      OIDC_TENANTS: ["acme", "default"],
      KEY_STORE: "firestore",
      FIRESTORE_PROJECT_ID: "project",
      FIRESTORE_ROOT: "agents-fairlead",
    });
    const problems: string[] = [];
    await readIssuers(config, problems);
    expect(problems).toEqual([]);
    expect(secretsOf(objects, "gateway")).toMatchObject({
      "identity/cookie-keys": "agents-fairlead-identity/cookie-keys",
      "identity/client-secret": "client/secret",
      "identity/oidc-ca.crt": "authority/ca.crt",
    });
  });

  it("of several providers have a file of issuers that the gateway reads, and a secret for each client", async () => {
    const objects = await identified(ISSUERS);
    const folder = mkdtempSync(join(tmpdir(), "issuers-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "issuers.yaml");
    writeFileSync(path, String(fileOf(objects, "issuers.yaml")));
    const problems: string[] = [];
    const config = { ...loadConfig(gatewayProcessConfigSchema, gatewayOf(objects)), OIDC_ISSUERS_FILE: path };
    const [first, second] = await readIssuers(config, problems);
    expect(problems).toEqual([]);
    expect(first).toMatchObject({
      ...{ issuer: "https://a.test", audience: ["a"], clients: ["cli"], typ: "at+jwt", userPrefix: "a:" },
      client: { id: "pages", secretFile: "/run/fairlead/identity/client-secret-0", scopes: ["openid"], label: "A" },
    });
    expect(second).toMatchObject({ issuer: "https://b.test", client: { id: "pages", secretFile: "" } });
    expect(secretsOf(objects, "gateway")).toMatchObject({ "identity/client-secret-0": "client-a/s" });
  });

  it("of other providers get new gateways, because these read the file at their start", async () => {
    const checksum = async (label: string) => {
      const [first, second] = ISSUERS.oidc.issuers;
      const issuers = [{ ...first, client: { id: "pages", label } }, second];
      const deployment = find(
        await identified({ ...ISSUERS, oidc: { issuers } }),
        "Deployment",
        "agents-fairlead-gateway",
      );
      return at(deployment, "spec.template.metadata.annotations.checksum/issuers");
    };
    expect(await checksum("A")).toMatch(/^[0-9a-f]{64}$/);
    expect(await checksum("A")).not.toBe(await checksum("B"));
  });

  it("have cookies by a key of 32 bytes, which the chart makes unless there is one", async () => {
    const made = dataOf(await identified({ kinds: ["api-key"] }), "agents-fairlead-identity");
    expect(Buffer.from(made["cookie-keys"] ?? "", "base64")).toHaveLength(32);
    const own = await identified({ kinds: ["api-key"], cookies: { existingSecret: "mine", key: "keys" } });
    expect(own.filter(({ kind, metadata }) => kind === "Secret" && metadata.name.endsWith("identity"))).toEqual([]);
    expect(secretsOf(own, "gateway")).toMatchObject({ "identity/cookie-keys": "mine/keys" });
  });

  it("of a proxy have no cookies, and only the proxy reaches the gateway", async () => {
    const from = [{ namespaceSelector: { matchLabels: { name: "edge" } } }];
    const proxy = {
      trustedProxies: ["10.1.0.0/16", "10.2.0.1"],
      scopeMap: { "*": ["runs:write"] },
      tenantHeader: "X-T",
      signOutUrl: "/oauth2/sign_out",
    };
    const objects = await identified({ kinds: ["proxy"], proxy }, {}, { networkPolicy: { gateway: { from } } });
    expect(loadConfig(gatewayProcessConfigSchema, gatewayOf(objects))).toMatchObject({
      AUTH: ["proxy"],
      TRUSTED_PROXIES: ["10.1.0.0/16", "10.2.0.1"],
      PROXY_SCOPE_MAP: ["*=runs:write"],
      PROXY_TENANT_HEADER: "X-T",
      PROXY_SIGN_OUT_URL: "/oauth2/sign_out",
      SESSION_COOKIE_KEY_FILE: "",
    });
    expect(objects.filter(({ metadata }) => metadata.name === "agents-fairlead-identity")).toEqual([]);
  });

  it("may use the apps that the rules give them", async () => {
    const objects = await identified({ kinds: ["api-key"], appRules: { payroll: { groups: ["finance"] } } });
    expect(gatewayOf(objects)["APP_RULES_FILE"]).toBe("/run/fairlead/identity/app-rules.yaml");
    expect(fileOf(objects, "app-rules.yaml")).toBe("apps:\n  payroll:\n    groups:\n    - finance\n");
  });

  it("need no credentials where the values say so, as the gateway's start demands", async () => {
    const open = loadConfig(gatewayProcessConfigSchema, gatewayOf(await render()));
    expect(() => assertMayListen(open, open.HOST)).not.toThrow();
    expect(open.AUTH).toEqual(["none"]);
  });

  it("are checked against keys on a volume, which one gateway has", async () => {
    const auth = { kinds: ["api-key"], apiKeys: { store: "sqlite" } };
    const objects = await identified(auth, { audit: "file", persistence: { enabled: true, size: "1Gi" } });
    expect(gatewayOf(objects)).toMatchObject({
      ...{ KEY_STORE: "sqlite", DATA_DIR: "/data", AUDIT: "file", AUDIT_FILE: "/data/audit/audit.jsonl" },
    });
    expect(gatewayOf(objects)).not.toHaveProperty("FIRESTORE_ROOT");
    expect(find(objects, "PersistentVolumeClaim", "agents-fairlead-gateway")["spec"]).toMatchObject({
      resources: { requests: { storage: "1Gi" } },
    });
    expect(at(find(objects, "Deployment", "agents-fairlead-gateway"), "spec.strategy")).toEqual({ type: "Recreate" });
  });
});

describe.skipIf(tools.helm === undefined)("what an authenticating gateway reaches and who reads it", () => {
  const dns = ["169.254.20.10/32:53", "namespace kube-system:53"];
  const streams = "anywhere:6379";

  it("is the identity provider and the store of keys, and neither without need", async () => {
    const login = { to: [{ namespaceSelector: { matchLabels: { name: "login" } } }], ports: [8443] };
    const google = { to: [{ ipBlock: { cidr: "199.36.153.8/30" } }] };
    const outside = async (kinds: readonly string[], audit = "") => {
      const auth = { kinds, ...(kinds.includes("oidc") && { oidc: OIDC.oidc }) };
      return outsideOf(await identified(auth, { audit }, { networkPolicy: { identity: login, google } }), "gateway");
    };
    expect(await outside(["oidc"])).toEqual([...dns, streams, "namespace login:8443"].sort());
    expect(await outside(["api-key"])).toEqual([...dns, streams, "199.36.153.8/30:443"].sort());
    expect(await outside(["oidc"], "firestore")).toContain("199.36.153.8/30:443");
    expect(outsideOf(await render(), "gateway")).toEqual([...dns, streams].sort());
  });

  it("is the emulator where keys are kept there", async () => {
    const values = { environment: "development", dev: { firestore: { enabled: true } } };
    expect(allowedEdges(await identified({ kinds: ["api-key"] }, {}, values))).toContain("gateway → firestore:8080");
    expect(allowedEdges(await render(values))).not.toContain("gateway → firestore:8080");
  });

  it("is Prometheus with a token, which the other services do not need", async () => {
    const serviceMonitor = { enabled: true, tokenSecret: { name: "metrics", key: "key" } };
    const monitor = find(
      await identified({ kinds: ["api-key"] }, {}, { monitoring: { serviceMonitor } }),
      "ServiceMonitor",
      "agents-fairlead-metrics",
    );
    expect(listAt(monitor, "spec.endpoints").map((endpoint) => at(endpoint, "authorization"))).toEqual([
      { type: "Bearer", credentials: { name: "metrics", key: "key" } },
      undefined,
    ]);
  });

  it("is helm test with a token", async () => {
    const objects = await identified({ kinds: ["api-key"] }, {}, { test: { tokenSecret: { name: "test" } } });
    const pod = find(objects, "Pod", "agents-fairlead-test");
    expect(listAt(pod, "spec.containers.0.args").slice(-2)).toEqual([
      "--authenticated",
      "--token-file=/run/fairlead/token",
    ]);
    expect(listAt(pod, "spec.volumes").find((volume) => at(volume, "name") === "token")).toMatchObject({
      secret: { secretName: "test", items: [{ key: "token", path: "token" }] },
    });
  });
});

function fileOf(objects: readonly KubernetesObject[], name: string): unknown {
  const { data } = find(objects, "ConfigMap", "agents-fairlead-identity");
  return isMap(data) ? data[name] : undefined;
}
