import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { ApiSchemas } from "./api-schemas.ts";
import { KUBERNETES_VERSIONS } from "./chart-tools.ts";
import { halfEdges } from "./network-graph.ts";
import { podsOf, securityFaults } from "./pods.ts";
import { referenceFaults } from "./references.ts";
import { at, CHART, helm, isMap, listAt, scenarioPath, tools } from "./render.ts";
import { CASES, renderCase } from "./render-case.ts";

const secret = (name: string): string => `Secret ${name}`;

/** Secrets and ConfigMaps that scenarios expect to exist. */
const OUTSIDE = new Set([
  ...["model-keys", "redis", "fairlead-redis", "otlp", "s", "keycloak-client", "example-authority"].map(secret),
  ...["fairlead-client", "fairlead-metrics", "fairlead-test", "fairlead-cookies", "card-keys"].map(secret),
  ...["fairlead-database", "fairlead-runner-database", "fairlead-s3", "fairlead-credential-keys"].map(secret),
  ...["helpdesk", "payroll"].map((app) => `ConfigMap ${app}-agent`),
]);

describe.skipIf(tools.helm === undefined).each(CASES)("scenario %s", (name) => {
  it("passes Helm's own checks", async () => {
    verifies("platform:helm:renders");
    if (name === "everything") return expect(await renderCase(name)).not.toEqual([]);
    expect(await helm(["lint", "--strict", CHART, "--values", scenarioPath(name)])).toContain("0 chart(s) failed");
  });

  it.skipIf(!tools.hasSchemas).each(KUBERNETES_VERSIONS)(
    "is taken by Kubernetes %s, with no unknown field",
    async (version) => {
      const schemas = schemasOf(version);
      const objects = await renderCase(name);
      expect(objects.flatMap((object) => schemas.faults(object))).toEqual([]);
    },
  );

  it("has only pods that a restricted namespace accepts", async () => {
    const pods = podsOf(await renderCase(name));
    expect(pods.length).toBeGreaterThan(6);
    expect(pods.flatMap(securityFaults)).toEqual([]);
  });

  it("names nothing that is not there", async () => {
    const objects = await renderCase(name);
    // The certificates' Secrets are made by cert-manager.
    const made = objects
      .filter(({ kind }) => kind === "Certificate")
      .map((object) => `Secret ${at(object, "spec.secretName")}`);
    expect(referenceFaults(objects, new Set([...OUTSIDE, ...made]))).toEqual([]);
  });

  it("allows each connection at both of its ends", async () => {
    expect(halfEdges(await renderCase(name)).filter((edge) => !edge.includes("→ gateway:"))).toEqual([]);
  });

  it("puts name, namespace and common labels on every object", async () => {
    for (const { kind, metadata } of await renderCase(name)) {
      if (metadata.name === "agents-note") continue;
      expect(metadata, `${kind} ${metadata.name}`).toMatchObject({
        namespace: "team",
        labels: {
          "app.kubernetes.io/name": "fairlead",
          "app.kubernetes.io/instance": "agents",
          "app.kubernetes.io/component": expect.any(String),
          "app.kubernetes.io/managed-by": "Helm",
          "helm.sh/chart": "fairlead-0.1.0",
        },
      });
      expect(metadata.name.length, metadata.name).toBeLessThanOrEqual(63);
    }
  });

  it("gives each object a name of its own", async () => {
    const names = (await renderCase(name)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it("names each variable, mount and port of a container once", async () => {
    for (const { owner, containers } of podsOf(await renderCase(name))) {
      for (const container of containers) {
        for (const [list, key] of [
          ["env", "name"],
          ["volumeMounts", "mountPath"],
          ["ports", "name"],
        ] as const) {
          const keys = listAt(container, list)
            .filter(isMap)
            .map((entry) => entry[key]);
          expect(keys, `${owner} ${list}`).toEqual([...new Set(keys)]);
        }
      }
    }
  });
});

const loaded = new Map<string, ApiSchemas>();

function schemasOf(version: string): ApiSchemas {
  const found = loaded.get(version) ?? new ApiSchemas(version);
  loaded.set(version, found);
  return found;
}
