import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { environmentOf, podOf } from "./pods.ts";
import { at, find, listAt, render, tools } from "./render.ts";
import { dataOf, secretsOf } from "./secret-mounts.ts";

describe.skipIf(tools.helm === undefined)("secrets", () => {
  it("give callers their own token, and those who are called digests of their callers'", async () => {
    const objects = await render();
    const own = dataOf(objects, "agents-fairlead-service-auth");
    expect(own).toEqual({
      gateway: expect.stringMatching(/^\w{48}$/),
      runner: expect.stringMatching(/^\w{48}$/),
      eval: expect.stringMatching(/^\w{48}$/),
    });
    const digest = (text = ""): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
    expect(dataOf(objects, "agents-fairlead-accepted-callers")).toEqual({
      gateway: digest(own["gateway"]),
      runner: digest(own["runner"]),
      eval: digest(own["eval"]),
    });
    const accepted = (name: string) => `agents-fairlead-accepted-callers/${name}`;
    expect(secretsOf(objects, "gateway")).toMatchObject({ "own/token": "agents-fairlead-service-auth/gateway" });
    expect(secretsOf(objects, "runner")).toMatchObject({
      "own/token": "agents-fairlead-service-auth/runner",
      "callers/gateway": accepted("gateway"),
    });
    expect(secretsOf(objects, "session")).toMatchObject({
      "callers/gateway": accepted("gateway"),
      "callers/runner": accepted("runner"),
    });
    expect(secretsOf(objects, "eval")).not.toHaveProperty("callers/runner");
    expect(environmentOf(podOf(objects, "runner"))).toMatchObject({
      SERVICE_TOKEN_FILE: "/run/fairlead/own/token",
      SERVICE_TOKENS_DIR: "/run/fairlead/callers",
    });
  });

  it("take the user's tokens, and make none then", async () => {
    const objects = await render({ serviceAuth: { existingSecret: "mine", acceptedSecret: "digests" } });
    const names = objects.filter(({ kind }) => kind === "Secret").map(({ metadata }) => metadata.name);
    expect(names.filter((name) => !name.endsWith("-key") && !name.endsWith("-public-keys"))).toEqual([]);
    expect(secretsOf(objects, "runner")).toMatchObject({
      "own/token": "mine/runner",
      "callers/gateway": "digests/gateway",
    });
  });

  it("are not made where they would change with each rendering, and two renderings are equal then", async () => {
    const values = {
      generateSecrets: false,
      gateway: {
        allowUnauthenticated: false,
        auth: { kinds: ["oidc"], oidc: { issuer: "https://id.example.com", audience: ["a"], clientId: "web" } },
      },
    };
    const [once, again, made] = [
      await render(values),
      await render(values),
      await render({ ...values, generateSecrets: true }),
    ];
    expect(once).toEqual(again);
    const secretsOf = (objects: typeof once) =>
      objects.flatMap(({ kind, metadata }) => (kind === "Secret" ? [metadata.name] : [])).sort();
    expect(secretsOf(once)).toEqual([]);
    const names = secretsOf(made);
    expect(names.length).toBeGreaterThan(4);
    // Pods name the same Secrets as when the chart makes them.
    const text = JSON.stringify(once.filter(({ kind }) => kind === "Deployment"));
    for (const name of names) expect(text).toContain(`"${name}"`);
  });

  it("let gateways sign principals and the session service grants, and give runners no private key", async () => {
    verifies("platform:helm:signing-keys");
    const objects = await render();
    const keys = (name: string) =>
      Object.entries(secretsOf(objects, name)).filter(([path]) => /^(principal|grant)/.test(path));
    const principal = ["principal/public-keys", "agents-fairlead-public-keys/principal"];
    const grant = ["grant/public-keys", "agents-fairlead-public-keys/grant"];
    expect(keys("gateway")).toEqual([["principal/private-key", "agents-fairlead-principal-key/private-key"]]);
    expect(keys("runner")).toEqual([principal, grant]);
    expect(keys("eval")).toEqual([principal]);
    expect(keys("session")).toEqual([principal, ["grant/private-key", "agents-fairlead-grant-key/private-key"]]);
    for (const name of ["artifact", "memory"]) expect(keys(name)).toEqual([principal, grant]);
    expect(environmentOf(podOf(objects, "session"))).toMatchObject({
      PRINCIPAL_PUBLIC_KEYS_FILE: "/run/fairlead/principal/public-keys",
      GRANT_PRIVATE_KEY_FILE: "/run/fairlead/grant/private-key",
    });
  });

  it.each(["principal", "grant"])("have a public key of %s that belongs to the private one", async (kind) => {
    const objects = await render();
    const pem = dataOf(objects, `agents-fairlead-${kind}-key`)["private-key"] ?? "";
    const certificate = new X509Certificate(dataOf(objects, "agents-fairlead-public-keys")[kind] ?? "");
    expect(certificate.publicKey.asymmetricKeyType).toBe("ed25519");
    expect(certificate.checkPrivateKey(createPrivateKey(pem))).toBe(true);
  });

  it("sign by the user's keys, and none are made then", async () => {
    const signingKeys = { principalSecret: "p", grantSecret: "g", publicSecret: "both" };
    const objects = await render({ serviceAuth: { signingKeys, existingSecret: "mine" } });
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
    expect(secretsOf(objects, "session")).toMatchObject({
      "principal/public-keys": "both/principal",
      "grant/private-key": "g/private-key",
    });
    expect(secretsOf(objects, "gateway")).toMatchObject({ "principal/private-key": "p/private-key" });
  });

  it("are certificates that name each service, of cert-manager", async () => {
    const objects = await render({ serviceAuth: { mode: "mtls" } });
    for (const name of SERVICE_NAMES) {
      const certificate = find(objects, "Certificate", `agents-fairlead-${name}`);
      expect(at(certificate, "spec.dnsNames")).toEqual([name, `agents-fairlead-${name}.team.svc.cluster.local`]);
      expect(at(certificate, "spec.issuerRef")).toEqual({ kind: "Issuer", name: "agents-fairlead-authority" });
      expect(secretsOf(objects, name)).toMatchObject({ "tls/ca.crt": `agents-fairlead-${name}-tls/ca.crt` });
      expect(environmentOf(podOf(objects, name))).toMatchObject({
        TLS_CERT_FILE: "/run/fairlead/tls/tls.crt",
        TLS_KEY_FILE: "/run/fairlead/tls/tls.key",
        TLS_CA_FILE: "/run/fairlead/tls/ca.crt",
      });
      expect(environmentOf(podOf(objects, name))).not.toHaveProperty("SERVICE_TOKENS_DIR");
    }
  });

  it("are certificates of another issuer where one is named", async () => {
    const issuerRef = { kind: "ClusterIssuer", name: "inside" };
    const objects = await render({ serviceAuth: { mode: "mtls", mtls: { issuerRef } } });
    expect(objects.filter(({ kind }) => kind === "Issuer")).toEqual([]);
    expect(at(find(objects, "Certificate", "agents-fairlead-eval"), "spec.issuerRef")).toEqual(issuerRef);
  });

  it("are certificates that the chart makes, all of one authority", async () => {
    const objects = await render({ serviceAuth: { mode: "mtls", mtls: { source: "chart" } } });
    const authorities = new Set<string>();
    for (const name of SERVICE_NAMES) {
      const data = dataOf(objects, `agents-fairlead-${name}-tls`);
      const certificate = new X509Certificate(data["tls.crt"] ?? "");
      const authority = new X509Certificate(data["ca.crt"] ?? "");
      expect(certificate.subjectAltName?.split(", ")).toContain(`DNS:${name}`);
      expect(certificate.verify(authority.publicKey)).toBe(true);
      authorities.add(authority.fingerprint256);
    }
    expect(authorities.size).toBe(1);
  });

  it("are none where something else checks who calls", async () => {
    const objects = await render({ serviceAuth: { mode: "none" } });
    expect(environmentOf(podOf(objects, "session"))).toMatchObject({ ALLOW_INSECURE_SERVICES: "true" });
    expect(secretsOf(objects, "session")).toEqual({});
    expect(listAt(podOf(objects, "session").containers[0], "volumeMounts")).toEqual([
      { name: "tmp", mountPath: "/tmp" },
    ]);
  });

  it("of Redis, models and the collector are files that only those have who use them", async () => {
    const objects = await render({
      redis: {
        url: "",
        username: "u",
        existingSecret: { name: "redis", urlKey: "url", passwordKey: "pw", caKey: "ca.crt" },
      },
      models: { secrets: [{ variable: "GOOGLE_API_KEY", secret: "models", key: "google" }] },
      telemetry: { otlpEndpoint: "http://c:4318", headersSecret: { name: "otlp" } },
    });
    expect(secretsOf(objects, "runner")).toMatchObject({
      "redis/REDIS_URL": "redis/url",
      "redis/REDIS_PASSWORD": "redis/pw",
      "redis/REDIS_TLS_CA": "redis/ca.crt",
      "models/GOOGLE_API_KEY": "models/google",
      "otlp/headers": "otlp/headers",
    });
    expect(environmentOf(podOf(objects, "runner"))).toMatchObject({
      REDIS_URL_FILE: "/run/fairlead/redis/REDIS_URL",
      REDIS_PASSWORD_FILE: "/run/fairlead/redis/REDIS_PASSWORD",
      REDIS_USERNAME: "u",
      GOOGLE_API_KEY_FILE: "/run/fairlead/models/GOOGLE_API_KEY",
    });
    expect(Object.keys(secretsOf(objects, "gateway"))).not.toContain("models/GOOGLE_API_KEY");
    expect(Object.keys(secretsOf(objects, "session")).sort()).toEqual([
      "callers/eval",
      "callers/gateway",
      "callers/runner",
      "grant/private-key",
      "otlp/headers",
      "principal/public-keys",
    ]);
  });

  it("of models in values replace runners when they change", async () => {
    const checksum = async (key: string) => {
      const objects = await render({ environment: "development", models: { keys: { OPENAI_API_KEY: key } } });
      return at(
        find(objects, "Deployment", "agents-fairlead-runner"),
        "spec.template.metadata.annotations.checksum/model-keys",
      );
    };
    expect(await checksum("a")).toMatch(/^[0-9a-f]{64}$/);
    expect(await checksum("a")).not.toBe(await checksum("b"));
  });

  it("are fetched by External Secrets under the names that the chart reads", async () => {
    const objects = await render({}, { scenario: "external-redis-tls" });
    expect(find(objects, "ExternalSecret", "fairlead-redis")["spec"]).toMatchObject({
      secretStoreRef: { name: "vault", kind: "ClusterSecretStore" },
      target: { name: "fairlead-redis" },
      data: expect.arrayContaining([
        { secretKey: "password", remoteRef: { key: "fairlead/redis", property: "password" } },
      ]),
    });
    expect(secretsOf(objects, "gateway")["redis/REDIS_PASSWORD"]).toBe("fairlead-redis/password");
  });
});
