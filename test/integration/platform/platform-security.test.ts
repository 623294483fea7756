import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunnerService } from "#adapters/grpc/remote-runner-service.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { SecurityFiles } from "#test/helpers/security/security-files.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const TIMEOUT = { timeout: 120_000 };
const UNKNOWN = { reason: "CALLER_UNKNOWN", httpStatus: 502 };
const KEY = { appName: "echo", userId: "ada", id: "talk" };
const whyNot = whyNoRedis();

async function reasonOf(response: Response): Promise<readonly unknown[]> {
  // The form of every error's body.
  const { reason } = (await response.json()) as { readonly reason?: string };
  return [response.status, reason];
}

describe.skipIf(whyNot !== undefined)("six processes as they are started for everybody", TIMEOUT, () => {
  let world: PlatformWorld;

  beforeAll(async () => {
    world = await PlatformWorld.create();
    world.startAll();
    await world.untilReady();
    const client = new PlatformClient(world.url);
    await client.createSession("talk");
    await client.say("talk", "hello");
  }, 60_000);

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const optionsOf = (service: Parameters<PlatformWorld["grpcPort"]>[0]): PeerOptions => {
    return { address: `127.0.0.1:${world.grpcPort(service)}`, clock, timeoutMs: 5000 };
  };

  it("refuse a process without a token, each of them, and nothing is changed", async () => {
    await using session = new RemoteSessionService(optionsOf("session"));
    await using artifact = new RemoteArtifactService(optionsOf("artifact"));
    await using memory = new RemoteMemoryService(optionsOf("memory"));
    await using evals = new RemoteEvalStore(optionsOf("eval"));
    await using runner = new RemoteRunnerService(optionsOf("runner"));
    await expect(session.getSession(KEY)).rejects.toMatchObject(UNKNOWN);
    await expect(session.deleteSession(KEY)).rejects.toMatchObject(UNKNOWN);
    await expect(artifact.listArtifactKeys(KEY)).rejects.toMatchObject(UNKNOWN);
    await expect(memory.searchMemory({ appName: "echo", userId: "ada" }, "hello")).rejects.toMatchObject(UNKNOWN);
    await expect(evals.listEvalSets({ appName: "echo" })).rejects.toMatchObject(UNKNOWN);
    await expect(runner.listApps()).rejects.toMatchObject(UNKNOWN);
    expect(await new PlatformClient(world.url).conversation("talk")).toEqual([
      "user: hello",
      "echo: You said: hello (1)",
    ]);
  });

  it("refuse a wrong token, and a right one without a principal, or under another key", async () => {
    using files = new SecurityFiles();
    const { SERVICE_TOKEN_FILE = "" } = world.secretsOf("gateway");
    const securities = [
      [{ SERVICE_TOKEN_FILE: files.write("wrong.token", "w".repeat(40)) }, "CALLER_UNKNOWN"],
      [{ SERVICE_TOKEN_FILE }, "PRINCIPAL_INVALID"],
      [
        { SERVICE_TOKEN_FILE, PRINCIPAL_PRIVATE_KEY_FILE: files.writeKeys("other").privateKeyFile },
        "PRINCIPAL_INVALID",
      ],
    ] as const;
    for (const [settings, reason] of securities) {
      const { facts } = files.open("gateway", settings).peer("session");
      await using session = new RemoteSessionService({
        ...optionsOf("session"),
        ...(facts !== undefined && { facts }),
      });
      const principal = { tenantId: "default", scopes: ["users:all"] };
      await inCallScope({ principal }, () => expect(session.getSession(KEY)).rejects.toMatchObject({ reason }));
    }
  });

  it("show a gateway with a wrong token as the operator's fault, and do nothing of what it asks", async () => {
    using files = new SecurityFiles();
    await world.kill("gateway");
    world.start("gateway", 0, { SERVICE_TOKEN_FILE: files.write("wrong.token", "w".repeat(40)) });
    await world.untilReady();
    const client = new PlatformClient(world.url);
    expect(await reasonOf(await client.createSession("refused"))).toEqual([502, "CALLER_UNKNOWN"]);
    expect(await reasonOf(await client.run("talk", "refused"))).toEqual([502, "CALLER_UNKNOWN"]);
    await world.kill("gateway");
    world.start("gateway");
    await world.untilReady();
    expect(await client.conversation("talk")).toHaveLength(2);
    expect((await client.createSession("refused")).status).toBe(200);
  });
});

describe.skipIf(whyNot !== undefined)("a service of another version of the contract", TIMEOUT, () => {
  it("is distinguished from one that is unavailable, and nothing is stored for a run that it cannot take", async () => {
    await using world = await PlatformWorld.create();
    const { service } = loadProto("runner").fairlead.runner.v1.RunnerService;
    const { ListApps } = service;
    // It has fewer methods, and its answers have fields that are unknown here.
    await using older = new GrpcServer({
      services: [
        {
          definition: {
            ListApps: {
              ...ListApps,
              responseSerialize: () =>
                Buffer.concat([ListApps.responseSerialize({ appNames: ["echo"] }), UNKNOWN_FIELD]),
            },
          },
          handlers: { ListApps: (_call: unknown, answer: (error: null, apps: object) => void) => answer(null, {}) },
        },
      ],
    });
    await older.listen(`127.0.0.1:${world.grpcPort("runner")}`);
    older.health.set("ready", true);
    for (const name of ["session", "gateway"] as const) world.start(name);
    await world.untilReady();
    const client = new PlatformClient(world.url);
    await client.createSession("talk");
    expect(await (await fetch(`${world.url}/list-apps`)).json()).toEqual(["echo"]);
    expect(await reasonOf(await client.run("talk", "hello"))).toEqual([501, "NOT_IMPLEMENTED"]);
    expect(await client.conversation("talk")).toEqual([]);
  });
});

/** Field 99, a varint. */
const UNKNOWN_FIELD = Buffer.from([0x98, 0x06, 0x01]);

describe.skipIf(whyNot !== undefined)("npm run platform", TIMEOUT, () => {
  it.each([
    [[], "CALLER_UNKNOWN"],
    [["--insecure"], "SESSION_NOT_FOUND"],
  ] as const)("with %j answers a process without a token with %s", async (args, reason) => {
    const all = ["--stores=sqlite", "--port=0", "--agents=tooling/agents", "--log-level=info", ...args];
    await using platform = new CliProcess(all, { script: "deploy/run-platform.ts" });
    await platform.until(/The platform is ready/);
    // The platform prints the lines of its services when it reads them, which may be later.
    const [, address = ""] = await platform.until(/^\[session\] .*"?grpc"?\W+(127\.0\.0\.1:\d+)/m);
    await using session = new RemoteSessionService({ address, clock, timeoutMs: 5000 });
    await expect(session.closeSession(KEY)).rejects.toMatchObject({ reason });
    expect(await platform.end("SIGINT")).toBe(0);
  });
});
