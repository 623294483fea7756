import { describe, expect, it } from "vitest";
import { type PlatformOptions, parseOptions } from "./options.ts";
import { planServices } from "./plan.ts";

const BACKENDS = { REDIS_URL: "redis://127.0.0.1:1" };

function optionsOf(...args: readonly string[]): PlatformOptions {
  const options = parseOptions(args);
  if (options === "help") throw new Error("asked for help");
  return options;
}

describe("the platform's options", () => {
  it("have defaults, and are refused with what they may be", () => {
    expect(parseOptions([])).toEqual({
      stores: "firestore",
      transport: "redis",
      artifacts: "gcs",
      replicas: 1,
      port: 8000,
      agentsDir: "agents",
      logLevel: "warn",
      secured: true,
      auth: false,
    });
    expect(parseOptions(["--auth"])).toMatchObject({ auth: true });
    expect(parseOptions(["--insecure"])).toMatchObject({ secured: false });
    expect(parseOptions(["--stores=sqlite", "--help"])).toBe("help");
    expect(() => parseOptions(["--stores=mysql"])).toThrow(
      '--stores must be firestore, postgres or sqlite, not "mysql".',
    );
    expect(parseOptions(["--stores=postgres"])).toMatchObject({ artifacts: "files" });
    expect(parseOptions(["--stores=sqlite"])).toMatchObject({ artifacts: "files" });
    expect(parseOptions(["--stores=postgres", "--artifacts=s3"])).toMatchObject({
      stores: "postgres",
      artifacts: "s3",
    });
    expect(() => parseOptions(["--artifacts=tape"])).toThrow('--artifacts must be files, gcs or s3, not "tape".');
    expect(() => parseOptions(["--transport=nats"])).toThrow('--transport must be redis or postgres, not "nats".');
    expect(() => parseOptions(["--replicas=0"])).toThrow("--replicas must be a whole number from 1 to 9");
    expect(() => parseOptions(["--replica=2"])).toThrow("--replica");
  });
});

describe("the platform's plan", () => {
  it("has each service once, with the addresses of the others and a folder of its own", async () => {
    const plan = await planServices(optionsOf("--stores=sqlite", "--port=8123"), {
      backends: BACKENDS,
      dataDir: "/data",
    });
    expect(plan.map(({ label }) => label)).toEqual(["session", "artifact", "memory", "eval", "runner", "gateway"]);
    const [session] = plan;
    const gateway = plan.at(-1);
    expect(gateway?.adminUrl).toBe("http://127.0.0.1:8123");
    expect(gateway?.settings["SESSION_SERVICE_ADDRESS"]).toBe(`ipv4:127.0.0.1:${session?.settings["GRPC_PORT"]}`);
    expect(session?.settings).toMatchObject({ ...BACKENDS, SESSION_STORE: "sqlite", DATA_DIR: "/data/session" });
  });

  it("has artifacts where they were asked for", async () => {
    const storeOf = async (...args: readonly string[]) =>
      (await planServices(optionsOf(...args), { backends: BACKENDS, dataDir: "/data" })).map(
        ({ settings }) => settings["ARTIFACT_STORE"],
      );
    expect(new Set(await storeOf())).toEqual(new Set(["gcs"]));
    expect(new Set(await storeOf("--artifacts=s3"))).toEqual(new Set(["s3"]));
    expect(new Set(await storeOf("--stores=sqlite", "--artifacts=s3"))).toEqual(new Set(["s3"]));
    expect(new Set(await storeOf("--stores=postgres"))).toEqual(new Set(["files"]));
  });

  it("doubles what keeps nothing, and the session service where its store allows that", async () => {
    const labels = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await planServices(optionsOf("--replicas=2", ...args), { backends: BACKENDS, dataDir: "/data" })).map(
        ({ label }) => label,
      );
    const rest = ["artifact", "memory", "eval", "runner 1", "runner 2", "gateway 1", "gateway 2"];
    expect(await labels()).toEqual(["session 1", "session 2", ...rest]);
    expect(await labels("--stores=postgres")).toEqual(["session 1", "session 2", ...rest]);
    expect(await labels("--stores=sqlite")).toEqual(["session", ...rest]);
  });
});
