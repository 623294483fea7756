import { createHash, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
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
      "principal-key": expect.stringMatching(/^\w{48}$/),
    });
    const digest = (text = ""): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
    expect(dataOf(objects, "agents-fairlead-accepted-callers")).toEqual({
      gateway: digest(own["gateway"]),
      runner: digest(own["runner"]),
    });
    const key = "agents-fairlead-service-auth/principal-key";
    const accepted = (name: string) => `agents-fairlead-accepted-callers/${name}`;
    expect(secretsOf(objects, "gateway")).toEqual({
      "principal/key": key,
      "own/token": "agents-fairlead-service-auth/gateway",
    });
    expect(secretsOf(objects, "runner")).toEqual({
      "principal/key": key,
      "own/token": "agents-fairlead-service-auth/runner",
      "callers/gateway": accepted("gateway"),
    });
    expect(secretsOf(objects, "session")).toEqual({
      "principal/key": key,
      "callers/gateway": accepted("gateway"),
      "callers/runner": accepted("runner"),
    });
    expect(secretsOf(objects, "eval")).toEqual({ "principal/key": key, "callers/gateway": accepted("gateway") });
    expect(environmentOf(podOf(objects, "runner"))).toMatchObject({
      SERVICE_TOKEN_FILE: "/run/fairlead/own/token",
      SERVICE_TOKENS_DIR: "/run/fairlead/callers",
      PRINCIPAL_KEY_FILE: "/run/fairlead/principal/key",
    });
  });

  it("take the user's tokens, and make none then", async () => {
    const objects = await render({ serviceAuth: { existingSecret: "mine", acceptedSecret: "digests" } });
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
    expect(secretsOf(objects, "runner")).toEqual({
      "principal/key": "mine/principal-key",
      "own/token": "mine/runner",
      "callers/gateway": "digests/gateway",
    });
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
      "callers/gateway",
      "callers/runner",
      "otlp/headers",
      "principal/key",
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
