import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GrpcPeer, type PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ServiceSecurity } from "#shared/grpc/service-security.ts";
import { inCallScope, type RunCredentials } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { beginRequest, record, said } from "#test/contract/sessions/session-world.ts";
import { HOSTILE, type LoadedMethod, METHODS, type Target } from "#test/helpers/security/hostile-requests.ts";
import { SecurityFiles } from "#test/helpers/security/security-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";

const SECRET = "secret-7f3a";
const LONG_MS = 600_000;
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
    let attacker: ServiceSecurity;

    beforeAll(async () => {
      world = await PlatformWorld.create();
      world.startAll();
      await world.untilReady();
      files = new SecurityFiles();
      gateway = files.open("gateway", world.secretsOf("gateway"));
      attacker = files.open("runner", world.secretsOf("runner"));
    }, 60_000);

    afterAll(async () => {
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
        memory: stack.use(new RemoteMemoryService(at("memory", gateway))),
        evaluations: stack.use(new RemoteEvalStore(at("eval", gateway))),
        [Symbol.asyncDispose]: () => stack.disposeAsync(),
      };
    }

    function asEverybody<Result>(tenantId: string, work: () => Result): Result {
      return inCallScope({ principal: { tenantId, scopes: ["users:all"] } }, work);
    }

    /** What the gateway gives a runner to start a run in the session, or to cancel one. */
    function signedForRunners(principal: Principal): string {
      return inCallScope({ principal }, () => gateway.peer("runner").facts?.(START)?.principal ?? "");
    }

    function credentialsFor({ tenantId = "default", appName, userId, id }: SessionKey): RunCredentials {
      return { principal: signedForRunners({ tenantId, appName, userId, sessionId: id, scopes: [] }) };
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
      await inCallScope({ credentials: credentialsFor(session) }, () =>
        journal.begin(beginRequest(runId, { session, request, leaseMs: LONG_MS, holder: HOLDER })),
      );
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
            await stores.evaluations.getEvalSet({ ...app, evalSetId: "secret-set" }),
            await stores.evaluations.listEvalSetResults(app),
          ];
        }),
      );
      return JSON.stringify(await Promise.all(found));
    }

    it("finds no private key and no other service's token there", () => {
      const paths = Object.entries(world.secretsOf("runner")).filter(([name]) => name.endsWith("_FILE"));
      expect(paths.map(([name]) => name).sort()).toEqual(["PRINCIPAL_PUBLIC_KEYS_FILE", "SERVICE_TOKEN_FILE"]);
      const texts = paths.map(([, path]) => readFileSync(path, "utf8"));
      expect(texts.join()).not.toContain("PRIVATE");
      const accepted = readFileSync(`${world.secretsOf("runner")["SERVICE_TOKENS_DIR"]}/gateway`, "utf8");
      expect(accepted).toMatch(/^sha256:[0-9a-f]{64}\n$/);
    });

    it("reaches the sessions of its own runs and nothing else, by any call with anything that it can show", async () => {
      verifies("platform:runner-reach");
      await using stores = openStores();
      await asEverybody("default", () => stores.sessions.createSession(OWN));
      const targets: Target[] = [];
      for (const session of VICTIMS) targets.push({ session, runId: await plant(session), holder: HOLDER });
      const before = await snapshot();
      expect(before.split(SECRET).length).toBeGreaterThan(VICTIMS.length * 5);

      const credentials = credentialsFor(OWN);
      await using journal = new RemoteRunJournal(at("session", attacker));
      const own = await inCallScope({ credentials }, () =>
        journal.begin(beginRequest("own run", { session: OWN, leaseMs: LONG_MS })),
      );
      if (own.kind !== "started") throw new Error("the attacker's own run starts");
      const { grant = "", principal: start = "" } = credentials;
      const cancel = signedForRunners({ tenantId: "default", scopes: ["users:all"], runId: "own run" });
      const shown: Readonly<Record<string, Shown>> = {
        nothing: {},
        "its grant": { grant },
        "the start of its run": { principal: start },
        "the cancellation of its run": { principal: cancel },
        "both of its run": { principal: start, grant },
        "its grant as a principal": { principal: grant },
        "the start as a grant": { grant: start },
        "a changed grant": { grant: changed(grant) },
        "a changed start": { principal: changed(start) },
      };
      const found: string[] = [];
      let calls = 0;
      for (const [service, methods] of Object.entries(METHODS) as [keyof typeof METHODS, readonly LoadedMethod[]][])
        for (const [name, texts] of Object.entries(shown)) {
          const options = at(service, attacker);
          const { serviceToken = "" } = attacker.peer(service).facts?.("") ?? {};
          await using peer = new GrpcPeer({
            ...{ ...options, name: service, facts: () => ({ serviceToken, ...texts }) },
            methods: Object.fromEntries(methods.map((method) => [method.path, method])) as never,
          });
          for (const method of methods)
            for (const target of targets) {
              if (isOwnMemory(method, target)) continue;
              calls += 1;
              const answer = await answerOf(peer, method, { target, texts });
              if (answer.includes(SECRET)) found.push(`${method.path} with ${name}: ${answer}`);
            }
        }
      expect(found).toEqual([]);
      const each = Object.keys(shown).length;
      expect(calls).toBe((Object.values(METHODS).flat().length * targets.length - OWN_MEMORY.length) * each);
      expect(await snapshot()).toBe(before);

      // Its own run still works.
      await inCallScope({ credentials }, () =>
        journal.finish({ lease: own.lease, afterRevision: 0, events: [record("done")], status: "succeeded" }),
      );
      const ownEvents = await asEverybody("default", () => stores.sessions.listEvents(OWN));
      expect(ownEvents.events.map(({ id }) => id)).toEqual(["done"]);
    });
  },
);

const START = "/fairlead.runner.v1.RunnerService/StartRun";
/** The attacker knows the name of the runner whose runs it wants. */
const HOLDER = "runner of the victims";

/** Calls for the memory of a user and app, which all sessions of the user share. */
const OWN_MEMORY = ["AddMemoryEntries", "SearchMemory"];

function isOwnMemory({ path }: LoadedMethod, { session: { tenantId, appName, userId } }: Target): boolean {
  const isOwn = tenantId === OWN.tenantId && appName === OWN.appName && userId === OWN.userId;
  return isOwn && OWN_MEMORY.some((name) => path.endsWith(`/${name}`));
}

interface Shown {
  readonly principal?: string;
  readonly grant?: string;
}

/** The same text with one claim changed, under the same signature. */
function changed(text: string): string {
  const [header, body = "", signature] = text.split(".");
  // The claims of a principal or grant.
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
  const other = Buffer.from(JSON.stringify({ ...claims, user: "bob" })).toString("base64url");
  return [header, other, signature].join(".");
}

/** The answer as text, or the error's message. Requests on shared streams carry the texts themselves. */
async function answerOf(
  peer: GrpcPeer,
  method: LoadedMethod,
  { target, texts }: { readonly target: Target; readonly texts: Shown },
): Promise<string> {
  const name = method.path.split("/").at(-1) ?? "";
  const build = HOSTILE[name];
  if (build === undefined) throw new TypeError(`${method.path} has no hostile request: add one.`);
  const messages = build(target).map((message) => withTexts(message, texts));
  const call = async (): Promise<unknown> => {
    if (method.requestStream && method.responseStream) return await Array.fromAsync(peer.exchange(method, messages));
    if (method.requestStream) return await peer.clientStream(method, messages);
    if (method.responseStream) return await Array.fromAsync(peer.serverStream(method, messages[0] ?? {}));
    return await peer.unary(method, messages[0] ?? {});
  };
  return call().then(
    textOf,
    (error: Error & { readonly details?: unknown }) => `${error.message} ${textOf(error.details)}`,
  );
}

function withTexts(message: object, texts: Shown): object {
  if (!("requests" in message) || !Array.isArray(message.requests)) return message;
  return { requests: message.requests.map((request: object) => ({ ...request, ...texts })) };
}

/** All texts and bytes in a value. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  if (typeof value === "object" && value !== null) return Object.values(value).map(textOf).join(" ");
  return String(value);
}
