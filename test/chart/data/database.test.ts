import { describe, expect, it } from "vitest";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { outsideOf } from "../network-graph.ts";
import { environmentOf, podOf } from "../pods.ts";
import { render, tools } from "../render.ts";
import { secretsOf } from "../secret-mounts.ts";

const STORES = { session: "postgres", memory: "postgres", eval: "postgres" };
const SECRET = { name: "database", passwordKey: "password", caKey: "ca.crt" };
const URL = "postgresql://fairlead@db.internal/fairlead";
const DATABASE = { url: URL, existingSecret: SECRET };

type Objects = Awaited<ReturnType<typeof render>>;

/** The variables and files of the services that have any for the database. */
function databaseOf(objects: Objects) {
  const entries = SERVICE_NAMES.map((name) => {
    const environment = Object.entries(environmentOf(podOf(objects, name)));
    const variables = environment.filter(([key]) => key.startsWith("DATABASE_"));
    const files = Object.entries(secretsOf(objects, name)).filter(([path]) => path.startsWith("database/"));
    return [name, Object.fromEntries([...variables, ...files])] as const;
  });
  return Object.fromEntries(entries.filter(([, settings]) => Object.keys(settings).length > 0));
}

describe.skipIf(tools.helm === undefined)("Postgres", () => {
  it("is not there for services whose stores are elsewhere", async () => {
    expect(databaseOf(await render())).toEqual({});
  });

  it("is the one of all stores that use it, with password and certificates in files", async () => {
    const objects = await render({ stores: STORES, database: DATABASE, gateway: { audit: "postgres" } });
    const settings = {
      DATABASE_URL: URL,
      DATABASE_SCHEMA: "agents_fairlead",
      DATABASE_POOL_SIZE: "10",
      DATABASE_MIGRATIONS: "start",
      DATABASE_PASSWORD_FILE: "/run/fairlead/database/password",
      DATABASE_CA_FILE: "/run/fairlead/database/ca.crt",
      "database/password": "database/password",
      "database/ca.crt": "database/ca.crt",
    };
    expect(databaseOf(objects)).toEqual({ gateway: settings, session: settings, memory: settings, eval: settings });
    expect(objects.filter(({ kind }) => kind === "Job")).toEqual([]);
  });

  it("can have its whole URL in the Secret", async () => {
    const database = { existingSecret: { name: "database", urlKey: "url" }, schema: "own", poolSize: 3 };
    const { session } = databaseOf(await render({ stores: { session: "postgres" }, database }));
    expect(session).toEqual({
      DATABASE_URL_FILE: "/run/fairlead/database/url",
      DATABASE_SCHEMA: "own",
      DATABASE_POOL_SIZE: "3",
      DATABASE_MIGRATIONS: "start",
      "database/url": "database/url",
    });
  });

  it("gets its schema from a Job before an upgrade, and pods only check it then", async () => {
    const objects = await render({ stores: STORES, database: { ...DATABASE, migrationJob: true } });
    const job = objects.find(({ kind }) => kind === "Job");
    expect(job?.metadata.annotations?.["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
    expect(job).toMatchObject({
      spec: { template: { spec: { containers: [{ args: ["db", "migrate"] }], automountServiceAccountToken: false } } },
    });
    expect(databaseOf(objects)["session"]).toMatchObject({ DATABASE_MIGRATIONS: "check" });
    const policies = objects.filter(
      ({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name.endsWith("migration"),
    );
    expect(policies).toMatchObject([{ spec: { egress: [{}, { ports: [{ port: 5432 }] }] } }]);
  });

  it("is reached by its port alone, and by the peers of the values", async () => {
    const to = [{ ipBlock: { cidr: "10.1.2.3/32" } }];
    const objects = await render({
      stores: { session: "postgres" },
      database: { ...DATABASE, port: 6432 },
      networkPolicy: { database: { to } },
    });
    const egressOf = (name: string) =>
      JSON.stringify(objects.find(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name.endsWith(name)));
    expect(egressOf("-session")).toContain('"port":6432');
    expect(egressOf("-session")).toContain("10.1.2.3/32");
    expect(egressOf("-memory")).not.toContain("6432");
  });

  it("carries streams in place of Redis for gateways and runners, past the pooler for notifications", async () => {
    const database = {
      ...DATABASE,
      port: 6432,
      directUrl: "postgresql://fairlead@primary.internal/fairlead",
      runnerSecret: { name: "runner-role", directUrlKey: "direct" },
    };
    const objects = await render({ transport: "postgres", redis: { url: "" }, database });
    const common = {
      DATABASE_SCHEMA: "agents_fairlead",
      DATABASE_POOL_SIZE: "10",
      DATABASE_CA_FILE: "/run/fairlead/database/ca.crt",
      "database/ca.crt": "database/ca.crt",
    };
    expect(databaseOf(objects)).toEqual({
      gateway: {
        ...common,
        DATABASE_URL: URL,
        DATABASE_DIRECT_URL: database.directUrl,
        DATABASE_MIGRATIONS: "start",
        DATABASE_PASSWORD_FILE: "/run/fairlead/database/password",
        "database/password": "database/password",
      },
      // The code of agents gets no password that opens sessions.
      runner: {
        ...common,
        DATABASE_URL_FILE: "/run/fairlead/database/runner-url",
        DATABASE_DIRECT_URL_FILE: "/run/fairlead/database/runner-direct-url",
        DATABASE_MIGRATIONS: "check",
        "database/runner-url": "runner-role/url",
        "database/runner-direct-url": "runner-role/direct",
      },
    });
    expect(JSON.stringify(objects)).not.toMatch(/REDIS|redis/);
    const transports = SERVICE_NAMES.map((name) => environmentOf(podOf(objects, name))["TRANSPORT"]);
    expect(transports).toEqual(SERVICE_NAMES.map((name) => (/gateway|runner/.test(name) ? "postgres" : undefined)));
    const reached = SERVICE_NAMES.map((name) =>
      outsideOf(objects, name).filter((peer) => /:(5432|6432|6379)$/.test(peer)),
    );
    const both = ["anywhere:5432", "anywhere:6432"];
    expect(reached).toEqual(SERVICE_NAMES.map((name) => (/gateway|runner/.test(name) ? both : [])));
  });

  it.each([
    [{ transport: "postgres" }, "Stores or streams are in Postgres, and its address is missing"],
    [{ database: { directUrl: URL } }, "are for transport: postgres"],
    [{ stores: STORES }, "its address is missing: set database.url"],
    [{ stores: STORES, database: { url: "mysql://a@b/c" } }, "url"],
    [{ stores: STORES, database: { url: "postgresql://a:secret@b/c" } }, "database.url carries a password"],
    [{ stores: STORES, database: { url: URL, existingSecret: { ...SECRET, urlKey: "url" } } }, "are both set"],
    [{ stores: STORES, database: { url: URL, existingSecret: { name: "a" } } }, "set without a key"],
    [{ stores: STORES, database: { url: URL, existingSecret: { caKey: "a" } } }, "has keys but no name"],
    [{ database: { url: URL, migrationJob: true } }, "no store is postgres"],
    [{ stores: { artifact: "postgres" } }, "artifact"],
  ])("is refused with %o", async (values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });
});
