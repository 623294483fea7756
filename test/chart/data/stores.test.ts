import { describe, expect, it } from "vitest";
import { environmentOf, podOf, podsOf } from "../pods.ts";
import { find, listAt, merge, render, tools, type Values } from "../render.ts";

const SERVICES = ["gateway", "runner", "session", "artifact", "memory", "eval"];

const VERTEX = { vertex: { projectId: "shop-1", location: "us-central1", agentEngineId: "42" } };
const POSTGRES: Values = {
  stores: { session: "postgres", memory: "postgres", eval: "postgres" },
  database: {
    url: "postgresql://agents@db:5432/agents",
    existingSecret: { name: "db", passwordKey: "pw", caKey: "ca" },
  },
};

/** The variables of each service whose names begin so. */
async function variables(values: Values, prefix: RegExp): Promise<Readonly<Record<string, readonly string[]>>> {
  const objects = await render(values);
  return Object.fromEntries(
    SERVICES.map((service) => [
      service,
      Object.entries(environmentOf(podOf(objects, service)))
        .filter(([name]) => prefix.test(name))
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    ]),
  );
}

describe.skipIf(tools.helm === undefined)("Google's Agent Platform", () => {
  const place = ["VERTEX_AGENT_ENGINE_ID=42", "VERTEX_API_ENDPOINT=", "VERTEX_LOCATION=us-central1"];
  const settings = [...place, "VERTEX_PROJECT_ID=shop-1"];
  const nowhere = Object.fromEntries(SERVICES.map((service) => [service, []]));

  it.each<[string, Values, Readonly<Record<string, readonly string[]>>]>([
    ["nothing asks for it", VERTEX, {}],
    [
      "sessions are copied",
      merge(VERTEX, { vertex: { sessions: true } }),
      { session: ["MANAGED_SESSIONS=vertex", ...settings] },
    ],
    ["memories are there", merge(VERTEX, { stores: { memory: "vertex" } }), { memory: settings }],
  ])("is known to the services that use it, if %s", async (_, values, expected) => {
    expect(await variables(values, /^VERTEX_|^MANAGED_/)).toEqual({ ...nowhere, ...expected });
  });

  it.each(["projectId", "location", "agentEngineId"])("needs %s", async (name) => {
    const values = merge(VERTEX, { vertex: { [name]: "" }, stores: { memory: "vertex" } });
    await expect(render(values)).rejects.toThrow(
      `- vertex.${name} is empty, and stores.memory uses Google's Agent Platform: set it.`,
    );
  });

  it("gets no content that has to be encrypted", async () => {
    const values = merge(VERTEX, { vertex: { sessions: true }, contentEncryption: { keysSecret: { name: "keys" } } });
    await expect(render(values)).rejects.toThrow(
      "- vertex.sessions gives content to Google in plain text, and contentEncryption demands that it is encrypted: choose one.",
    );
  });
});

describe.skipIf(tools.helm === undefined)("Postgres", () => {
  it("is known to the services that keep data there", async () => {
    const found = await variables(POSTGRES, /^DATABASE_URL$/);
    const users = Object.entries(found).flatMap(([service, names]) => (names.length > 0 ? [service] : []));
    expect(users).toEqual(["session", "memory", "eval"]);
    expect(found["session"]).toEqual(["DATABASE_URL=postgresql://agents@db:5432/agents"]);
  });

  it("gets its migrations by a Job before pods, which only check the schema then", async () => {
    const objects = await render(merge(POSTGRES, { database: { migrationJob: true } }));
    const [job, ...others] = objects.filter(({ kind }) => kind === "Job");
    expect([others, job?.metadata.annotations?.["helm.sh/hook"]]).toEqual([[], "pre-install,pre-upgrade"]);
    const [pod] = podsOf(job === undefined ? [] : [job]);
    expect(listAt(pod?.containers[0], "args")).toEqual(expect.arrayContaining(["db", "migrate"]));
    expect(environmentOf(podOf(objects, "session"))).toMatchObject({ DATABASE_MIGRATIONS: "check" });
    expect((await render(POSTGRES)).filter(({ kind }) => kind === "Job")).toEqual([]);
  });

  it("has its password and certificates in files of the Secret, and its port in network policies", async () => {
    const objects = await render(merge(POSTGRES, { database: { port: 6432 }, networkPolicy: { enabled: true } }));
    expect(environmentOf(podOf(objects, "session"))).toMatchObject({
      DATABASE_PASSWORD_FILE: "/run/fairlead/database/password",
      DATABASE_CA_FILE: "/run/fairlead/database/ca.crt",
    });
    const sources = listAt(podOf(objects, "session").spec, "volumes").flatMap((volume) =>
      listAt(volume, "projected.sources"),
    );
    expect(sources).toContainEqual({
      secret: {
        name: "db",
        items: [
          { key: "pw", path: "database/password" },
          { key: "ca", path: "database/ca.crt" },
        ],
      },
    });
    const ports = (service: string) =>
      JSON.stringify(find(objects, "NetworkPolicy", `agents-fairlead-${service}`)).includes("6432");
    expect(SERVICES.filter(ports)).toEqual(["session", "memory", "eval"]);
  });
});
