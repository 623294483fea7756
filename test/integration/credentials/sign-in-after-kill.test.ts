import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import { formsOf } from "#test/contract/credentials/sealed-credentials.ts";
import { AuthorizationServer } from "#test/helpers/servers/authorization-server.ts";
import { authUriOf, credentialQuestion, uiAnswer } from "#test/helpers/servers/credential-world.ts";
import { describeWithStores, type ServiceStores } from "#test/helpers/servers/service-stores.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const AGENTS = fileURLToPath(new URL("../../fixtures/credential-agents", import.meta.url));
const FILES = { data: "the user's files" };

function settingsFor({ url, host }: AuthorizationServer): Readonly<Record<string, string>> {
  return { AGENTS_DIR: AGENTS, AUTHORIZATION_URL: url, OUTBOUND_ALLOWED_HOSTS: host, DEV_UI: "false" };
}

async function eventsOf(answer: Response): Promise<readonly Event[]> {
  expect(answer.status).toBe(200);
  // The events of the run.
  return (await answer.json()) as readonly Event[];
}

const resultsOf = (events: readonly Event[]): unknown[] =>
  events.flatMap(functionResponses).map(({ response }) => response);
const questionsIn = (events: readonly Event[]): number =>
  events.flatMap(functionCalls).filter(({ name }) => name === "adk_request_credential").length;

interface Server {
  readonly url: () => string;
  /** Kills the process that executed the run and the one that has the stores, and starts others. */
  readonly replace: () => Promise<void>;
  /** The stored credentials. */
  readonly credentials: () => Promise<string>;
}

/** The server in one process, and others after it with the same data. */
class StandaloneServer implements AsyncDisposable {
  readonly folder = agentsFolder({}).path;
  readonly #environment: Readonly<Record<string, string>>;
  process: CliProcess;
  url = "";

  static async start(authorization: AuthorizationServer, stores: ServiceStores): Promise<StandaloneServer> {
    const server = new StandaloneServer(authorization, stores);
    await server.#ready();
    return server;
  }

  constructor(authorization: AuthorizationServer, { settings }: ServiceStores) {
    this.#environment = { ...settingsFor(authorization), ...settings, PORT: "0", DATA_DIR: this.folder };
    this.process = this.#serve();
  }

  async replace(): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    this.process = this.#serve();
    await this.#ready();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }

  #serve(): CliProcess {
    return new CliProcess(["serve"], { environment: this.#environment });
  }

  async #ready(): Promise<void> {
    this.url = (await this.process.until(/is ready: (\S+)/))[1] ?? "";
  }
}

/** A user is asked, signs in, and answers after the process that asked was killed; nobody is asked twice. */
async function signInAfterKill(authorization: AuthorizationServer, server: Server): Promise<void> {
  const clientOf = (user: string): PlatformClient => new PlatformClient(server.url(), "clerk", user);
  await clientOf("ada").createSession("talk");
  const question = credentialQuestion(await eventsOf(await clientOf("ada").run("talk", "my files")));
  expect(authorization.apiCalls).toEqual([]);
  await server.replace();

  const answer = uiAnswer(question, await authorization.consent(authUriOf(question)));
  const resumed = await eventsOf(await clientOf("ada").send("talk", answer));
  expect(resultsOf(resumed)).toEqual([FILES]);
  expect(authorization.apiCalls).toEqual([expect.stringMatching(/^Bearer SECRET-access/)]);
  const [token = ""] = authorization.secrets.filter((secret) => secret.startsWith("SECRET-access"));
  const stored = await server.credentials();
  expect(stored).toContain("flc1.");
  for (const form of formsOf(token)) expect(stored).not.toContain(form);

  await server.replace();
  await clientOf("ada").createSession("another");
  const again = await eventsOf(await clientOf("ada").run("another", "my files"));
  expect([questionsIn(again), resultsOf(again)]).toEqual([0, [FILES]]);
  await clientOf("eve").createSession("talk");
  const foreign = await eventsOf(await clientOf("eve").run("talk", "my files"));
  expect(questionsIn(foreign)).toBe(1);
  expect(authorization.apiCalls.length).toBe(2);
  expect(authorization.tokenRequests.length).toBe(1);
}

describeWithStores("a sign-in whose server is killed", { timeout: 120_000 }, (nextStores) => {
  it("is answered by the next process with the same stores", async () => {
    verifies("tools:credentials:answers", "platform:credentials:nowhere");
    await using authorization = await AuthorizationServer.start();
    const stores = nextStores();
    await using server = await StandaloneServer.start(authorization, stores);
    await signInAfterKill(authorization, {
      url: () => server.url,
      replace: () => server.replace(),
      credentials: () => stores.storedText("credentials", server.folder),
    });
  });

  it("while it exchanges the code asks again at the next call, and does not use the code twice", async () => {
    verifies("tools:credentials:answers");
    await using authorization = await AuthorizationServer.start();
    await using server = await StandaloneServer.start(authorization, nextStores());
    const client = () => new PlatformClient(server.url, "clerk");
    await client().createSession("talk");
    const question = credentialQuestion(await eventsOf(await client().run("talk", "my files")));
    authorization.onToken = async (tokens) => {
      await server.process.end("SIGKILL");
      return tokens;
    };
    const answer = uiAnswer(question, await authorization.consent(authUriOf(question)));
    await expect(client().send("talk", answer)).rejects.toThrow();
    authorization.onToken = (tokens) => tokens;
    await server.replace();

    // The message waits for the end of the recovered run.
    const next = await eventsOf(await client().run("talk", "my files"));
    const other = credentialQuestion(next);
    expect([other.id === question.id, authorization.apiCalls, authorization.refusals]).toEqual([false, [], []]);
    const replayed = await client().send("talk", answer);
    expect(await replayed.text()).toContain("CREDENTIAL_ALREADY_USED");
    const resumed = await client().send("talk", uiAnswer(other, await authorization.consent(authUriOf(other))));
    expect(resultsOf(await eventsOf(resumed))).toEqual([FILES]);
  });

  it.skipIf(whyNoRedis() !== undefined)(
    "is answered by another runner and session service of the six services",
    async () => {
      verifies("tools:credentials:answers", "platform:credentials:nowhere");
      await using authorization = await AuthorizationServer.start();
      const stores = nextStores();
      const settings = { ...settingsFor(authorization), ...stores.settings };
      await using world = await PlatformWorld.create({ replicas: { runner: 2 }, settings });
      for (const service of ["session", "artifact", "memory", "eval", "runner", "gateway"] as const)
        world.start(service);
      await world.untilReady();
      let current = 0;
      await signInAfterKill(authorization, {
        url: () => world.url,
        replace: async () => {
          await Promise.all([world.kill("runner", current), world.kill("session")]);
          current = 1 - current;
          world.start("session");
          world.start("runner", current);
          const isReady = (service: "runner" | "session" | "gateway", replica: number) =>
            expect
              .poll(() => world.readiness(service, replica), { timeout: 60_000 })
              .toMatchObject({ status: "ready" });
          await isReady("session", 0);
          await isReady("runner", current);
          await isReady("gateway", 0);
        },
        credentials: () => stores.storedText("credentials", String(world.environmentOf("session")["DATA_DIR"])),
      });
    },
  );
});
