import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { json } from "node:stream/consumers";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteCredentialService } from "#adapters/grpc/remote-credential-service.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import type { ServiceSecurity } from "#shared/grpc/service-security.ts";
import { inCallScope, type RunCredentials } from "#shared/security/call-scope.ts";
import type { AttackOrder, AttackSummary } from "#test/cluster/runner-pod/attack-order.ts";
import { CREDENTIALS, OF_OWN_USER } from "#test/cluster/runner-pod/hostile-calls.ts";
import { signedForRunners, signOwnRun, startOf } from "#test/cluster/runner-pod/own-run-texts.ts";
import { podArguments, podProgram } from "#test/cluster/runner-pod/pod-program.ts";
import { beginRequest, said } from "#test/contract/sessions/session-world.ts";
import { METHODS, type Target } from "#test/helpers/security/hostile-requests.ts";
import { redisUsersOfPage } from "#test/helpers/security/redis-users-of-page.ts";
import { SecurityFiles } from "#test/helpers/security/security-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PLATFORM_SERVICES, PlatformWorld } from "#tooling/processes/platform-world.ts";

const SECRET = "secret-7f3a";
const MARK = "mark-of-its-own";
const LONG_MS = 600_000;
const PREFIX = "desk";
const REDIS = { REDIS_KEY_PREFIX: PREFIX };
const REDIS_USER = { REDIS_USERNAME: "fairlead-runner", REDIS_PASSWORD: "PASSWORD" };
/** Of the gateway, of another installation, and of none. */
const FOREIGN_KEYS = [`${PREFIX}:idempotency:secret`, "other:{run}:log", "secret"];
const OWN = { tenantId: "default", appName: "echo", userId: "ada", id: "own" };
const VICTIMS: readonly Target["session"][] = [
  { ...OWN, id: "other" },
  { ...OWN, userId: "bob" },
  { ...OWN, appName: "shop" },
  { ...OWN, tenantId: "acme" },
];
const whyNot = whyNoRedis();

describe.skipIf(whyNot !== undefined)(
  "who has a runner's token and all files of its process",
  { timeout: 120_000 },
  () => {
    let world: PlatformWorld;
    let files: SecurityFiles;
    let gateway: ServiceSecurity;
    let admin: Redis;

    beforeAll(async () => {
      world = await PlatformWorld.create({ settings: REDIS });
      admin = new Redis(world.redis.url);
      for (const args of await redisUsersOfPage()) await admin.call("ACL", ...args);
      for (const service of PLATFORM_SERVICES) world.start(service, 0, service === "runner" ? REDIS_USER : {});
      await world.untilReady();
      files = new SecurityFiles();
      gateway = files.open("gateway", world.secretsOf("gateway"));
    }, 60_000);

    afterAll(async () => {
      admin.disconnect();
      files[Symbol.dispose]();
      await world[Symbol.asyncDispose]();
    });

    const at = (service: keyof typeof METHODS, security: Pick<ServiceSecurity, "peer">): PeerOptions => {
      return { ...security.peer(service), address: `127.0.0.1:${world.grpcPort(service)}`, clock, timeoutMs: 5000 };
    };

    /** The stores as their gateway reaches them. */
    function openStores() {
      const stack = new AsyncDisposableStack();
      return {
        sessions: stack.use(new RemoteSessionService(at("session", gateway))),
        runs: stack.use(new RemoteRunJournal(at("session", gateway))),
        artifacts: stack.use(new RemoteArtifactService(at("artifact", gateway))),
        credentials: stack.use(new RemoteCredentialService(at("session", gateway))),
        memory: stack.use(new RemoteMemoryService(at("memory", gateway))),
        evaluations: stack.use(new RemoteEvalStore(at("eval", gateway))),
        [Symbol.asyncDispose]: () => stack.disposeAsync(),
      };
    }

    function asEverybody<Result>(tenantId: string, work: () => Result): Result {
      return inCallScope({ principal: { tenantId, scopes: ["users:all"] } }, work);
    }

    function credentialsFor(session: Target["session"]): RunCredentials {
      return { principal: signedForRunners(gateway, startOf(session)) };
    }

    /** Runs the program of the attacker with the environment of the runner's process. */
    async function attack(order: AttackOrder): Promise<AttackSummary> {
      const env = { PATH: process.env["PATH"], ...world.environmentOf("runner"), ...REDIS_USER };
      const child = spawn(process.execPath, podArguments(order), { env, stdio: ["pipe", "pipe", "inherit"] });
      child.stdin.end(await podProgram("attacker"));
      // The program prints this alone.
      return (await json(child.stdout)) as AttackSummary;
    }

    /** A session with content of every kind, and a run that writes to it. */
    async function plant({ tenantId, ...names }: Target["session"]): Promise<string> {
      await using stores = openStores();
      const session = { ...inTenant(tenantId), ...names };
      const app = { ...inTenant(tenantId), appName: session.appName };
      await asEverybody(tenantId, async () => {
        await stores.sessions.createSession({ ...session, state: { secret: SECRET }, events: [said(SECRET)] });
        const artifact = { inlineData: { mimeType: "text/plain", data: Buffer.from(SECRET).toString("base64") } };
        const customMetadata = { secret: SECRET };
        await stores.artifacts.saveArtifact({ session, filename: "secret.txt", artifact, customMetadata });
        await stores.artifacts.saveArtifact({ session, filename: "user:secret.txt", artifact, customMetadata });
        await stores.memory.addMemoryEntries(session, [{ content: { parts: [{ text: `secret ${SECRET}` }] } }]);
        const evalCases = [
          { evalId: "case", conversation: [], sessionInput: { ...session, state: { secret: SECRET } } },
        ];
        if ((await stores.evaluations.listEvalSets(app)).length === 0)
          await stores.evaluations.createEvalSet({ ...app, evalSetId: "secret-set", evalCases });
      });
      const runId = `run of ${Object.values(session).join(" ")}`;
      const victim = files.open("runner", world.secretsOf("runner"));
      await using journal = new RemoteRunJournal(at("session", victim));
      const request = { newMessage: { role: "user", parts: [{ text: SECRET }] } };
      await using userCredentials = new RemoteCredentialService(at("session", victim));
      await inCallScope({ credentials: credentialsFor({ tenantId, ...names }) }, async () => {
        const streamKey = `${SECRET}-of-a-stream`;
        await journal.begin(beginRequest(runId, { session, request, streamKey, leaseMs: LONG_MS, holder: HOLDER }));
        await userCredentials.saveCredential(session, "tool", { authType: "apiKey", apiKey: SECRET });
      });
      return runId;
    }

    /** All that the victims have. */
    async function snapshot(): Promise<string> {
      await using stores = openStores();
      const found = VICTIMS.map(({ tenantId, ...names }) =>
        asEverybody(tenantId, async () => {
          const session = { ...inTenant(tenantId), ...names };
          const app = { ...inTenant(tenantId), appName: session.appName };
          return [
            (await stores.sessions.listSessions(session)).sessions.filter(({ id }) => id !== OWN.id),
            await stores.sessions.getSession(session),
            (await stores.runs.list({ session })).runs,
            await stores.artifacts.listArtifactVersions({ session, filename: "secret.txt" }),
            await stores.artifacts.listArtifactKeys(session),
            await stores.memory.searchMemory(session, "secret"),
            await stores.credentials.listCredentials(session),
            await stores.evaluations.getEvalSet({ ...app, evalSetId: "secret-set" }),
            await stores.evaluations.listEvalSetResults(app),
          ];
        }),
      );
      return JSON.stringify(await Promise.all(found));
    }

    it("finds no private key and no other service's token there", () => {
      const paths = Object.entries(world.secretsOf("runner")).filter(([name]) => name.endsWith("_FILE"));
      expect(paths.map(([name]) => name).sort()).toEqual([
        ...["GRANT_PUBLIC_KEYS_FILE", "PRINCIPAL_PUBLIC_KEYS_FILE", "SERVICE_TOKEN_FILE"],
      ]);
      const texts = paths.map(([, path]) => readFileSync(path, "utf8"));
      expect(texts.join()).not.toContain("PRIVATE");
      const accepted = readFileSync(`${world.secretsOf("runner")["SERVICE_TOKENS_DIR"]}/gateway`, "utf8");
      expect(accepted).toMatch(/^sha256:[0-9a-f]{64}\n$/);
    });

    it("reaches the sessions of its own runs and nothing else, by any call with anything that it can show", async () => {
      verifies("platform:runner-reach");
      await using stores = openStores();
      await asEverybody("default", () => stores.sessions.createSession({ ...OWN, events: [said(MARK)] }));
      for (const key of FOREIGN_KEYS) await admin.set(key, SECRET);
      const targets: Target[] = [];
      for (const session of VICTIMS) targets.push({ session, runId: await plant(session), holder: HOLDER });
      const before = await snapshot();
      expect(before.split(SECRET).length).toBeGreaterThan(VICTIMS.length * 5);

      const own = { session: OWN, runId: "own run", mark: MARK };
      const order: AttackOrder = {
        own: { ...own, ...signOwnRun(gateway, own) },
        victims: targets,
        secret: SECRET,
        addresses: {},
        foreignKeys: FOREIGN_KEYS,
      };
      const { reached, calls, commands, ...rest } = await attack(order);
      expect(reached).toEqual([]);
      const methods = Object.values(METHODS).flat().length;
      expect(calls).toBe((methods * targets.length - OF_OWN_USER.length) * CREDENTIALS.length);
      expect(commands).toBeGreaterThan(FOREIGN_KEYS.length * 9);
      expect(rest).toEqual({ unreachable: [], own: ["its events", "its log in Redis", "its end"] });
      expect(await snapshot()).toBe(before);
      expect(await Promise.all(FOREIGN_KEYS.map((key) => admin.get(key)))).toEqual(FOREIGN_KEYS.map(() => SECRET));
      const { runs } = await asEverybody("default", () => stores.runs.list({ session: OWN }));
      expect(runs).toEqual([expect.objectContaining({ runId: own.runId, status: "succeeded" })]);
    });
  },
);

/** The attacker knows the name of the runner whose runs it wants. */
const HOLDER = "runner of the victims";
