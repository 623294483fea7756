import { Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor as SdkExecutor } from "@a2a-js/sdk/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { RemoteA2AAgent, type RemoteA2AAgentOptions } from "#kit/a2a/remote/remote-a2a-agent.ts";
import { functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { type A2APeer, type PeerOptions, startA2aPeer } from "#test/helpers/a2a/a2a-peer.ts";
import { AuthorizationServer } from "#test/helpers/servers/authorization-server.ts";
import {
  authUriOf,
  credentialAnswer,
  credentialQuestion,
  oauthConfig,
  outboundTo,
  uiAnswer,
} from "#test/helpers/servers/credential-world.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { AgentExecutor } from "./agent-executor.ts";

const ANSWER = "7 is prime";

/** A remote that demands valid tokens of the authorization server for all but its card. */
async function guardedPeer(
  authorization: AuthorizationServer,
  executor: Pick<SdkExecutor, "execute" | "cancelTask"> = executorOf(),
  options: PeerOptions = {},
): Promise<A2APeer> {
  const peer = await startA2aPeer(executor, {
    ...options,
    answer: ({ method, headers }, response) => {
      if (method === "card" || authorization.accepts(headers.authorization)) return false;
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: `refused: ${headers.authorization}` }));
      return true;
    },
  });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

function executorOf(): AgentExecutor {
  return new AgentExecutor({ agent: new LlmAgent({ name: "checker", model: new ScriptedModel([ANSWER, ANSWER]) }) });
}

async function startAuthorization(): Promise<AuthorizationServer> {
  const authorization = await AuthorizationServer.start();
  onTestFinished(() => authorization[Symbol.asyncDispose]());
  return authorization;
}

async function worldOf(
  peer: A2APeer,
  authorization: AuthorizationServer,
  options: Partial<RemoteA2AAgentOptions>,
  credentialService = new InMemoryCredentialService(),
) {
  const outbound = outboundTo(authorization, { host: new URL(peer.origin).host });
  onTestFinished(() => outbound[Symbol.asyncDispose]());
  const agent = new RemoteA2AAgent({ name: "primes", agentCard: peer.origin, ...options });
  const world = await createAgentWorld(agent, { outbound, credentialService });
  onTestFinished(() => world.runner.close());
  return world;
}

const signIn = { clientId: "cid", clientSecret: "very-secret", redirectUri: "http://localhost/dev-ui/" };

function cardOf({ url }: AuthorizationServer): object {
  const authorizationCode = { authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token`, scopes: { ask: "Ask." } };
  return {
    securitySchemes: { users: { oauth2SecurityScheme: { flows: { authorizationCode } } } },
    securityRequirements: [{ schemes: { users: { list: [] } } }],
  };
}

const sends = ({ requests }: A2APeer) => requests.filter(({ method }) => method.startsWith("Send"));

describe("a remote that demands a token of the user", () => {
  it.each(["the author's scheme", "the card's scheme"])(
    "is called when the user has signed in, by %s, and the user is not asked again",
    async (by) => {
      const authorization = await startAuthorization();
      const peer = await guardedPeer(authorization, executorOf(), { card: cardOf(authorization) });
      const { authScheme, rawAuthCredential: authCredential } = oauthConfig(authorization);
      const options = by === "the card's scheme" ? { signIn } : { authScheme, authCredential };
      const world = await worldOf(peer, authorization, options);
      const question = credentialQuestion(await world.run("is 7 prime?"));
      expect(sends(peer)).toEqual([]);
      const answer = uiAnswer(question, await authorization.consent(authUriOf(question)));
      expect((await world.run(answer)).map(brief)).toContain(`primes: ${ANSWER}`);
      expect(sends(peer).map(({ params }) => JSON.stringify(params))).toEqual([
        expect.stringContaining('"is 7 prime?"'),
      ]);
      expect((await world.run("again")).map(brief)).toContain(`primes: ${ANSWER}`);
      const { events } = await world.session();
      for (const secret of ["very-secret", ...authorization.secrets])
        expect(JSON.stringify([events, world.spans])).not.toContain(secret);
    },
  );

  it("gets a refreshed token after a refusal, and a question when the sign-in has ended", async () => {
    const authorization = await startAuthorization();
    const peer = await guardedPeer(authorization, executorOf(), { card: cardOf(authorization) });
    const world = await worldOf(peer, authorization, { signIn });
    const question = credentialQuestion(await world.run("one"));
    await world.run(uiAnswer(question, await authorization.consent(authUriOf(question))));
    authorization.expireTokens();
    expect((await world.run("two")).map(brief)).toContain(`primes: ${ANSWER}`);
    authorization.expireTokens();
    authorization.endSignIns();
    const again = credentialQuestion(await world.run("three"));
    expect(again.id).not.toBe(question.id);
  });

  it("gets its caller's own key, and a refusal of it fails without the key", async () => {
    const authorization = await startAuthorization();
    const peer = await guardedPeer(authorization);
    const world = await worldOf(peer, authorization, {
      authScheme: { type: "http", scheme: "bearer" },
      authCredential: { authType: "http", http: { scheme: "bearer", credentials: { token: "wrong-secret-token" } } },
    });
    await expect(world.run("one")).rejects.toThrow('Agent "primes": the remote agent has refused the caller (401)');
    expect(sends(peer).map(({ headers }) => headers.authorization)).toEqual(["Bearer wrong-secret-token"]);
    expect(JSON.stringify([await world.session(), world.spans])).not.toContain("wrong-secret-token");
    const open = await worldOf(peer, authorization, {});
    await expect(open.run("one")).rejects.toThrow("give authScheme, signIn or a headerProvider");
  });

  it("gets a key of the user where its scheme puts it", async () => {
    const authorization = await startAuthorization();
    const scheme = { apiKeySecurityScheme: { location: "header", name: "x-key" } };
    const peer = await startA2aPeer(executorOf(), { card: { securitySchemes: { keys: scheme } } });
    onTestFinished(() => peer[Symbol.asyncDispose]());
    const world = await worldOf(peer, authorization, { signIn: {} });
    const question = credentialQuestion(await world.run("one"));
    expect((await world.run(credentialAnswer(question, { result: "the-key" }))).map(brief)).toContain(
      `primes: ${ANSWER}`,
    );
    expect(sends(peer).map(({ headers }) => headers["x-key"])).toEqual(["the-key"]);
  });

  it("names the options if its card has no scheme for users", async () => {
    const authorization = await startAuthorization();
    const peer = await guardedPeer(authorization);
    const world = await worldOf(peer, authorization, { signIn });
    await expect(world.run("one")).rejects.toThrow(/signIn: .*authScheme/);
    expect(
      () =>
        new RemoteA2AAgent({
          name: "a",
          agentCard: "http://x.test",
          signIn,
          authScheme: { type: "http", scheme: "bearer" },
        }),
    ).toThrow(/signIn/);
    expect(
      () => new RemoteA2AAgent({ name: "a", agentCard: "http://x.test", authCredential: { authType: "apiKey" } }),
    ).toThrow(/authCredential/);
  });
});

/** A task that waits for a credential in words, and completes when it gets a message with a valid token. */
function waitingExecutor(said: string[]): Pick<SdkExecutor, "execute" | "cancelTask"> {
  return {
    execute: async ({ taskId, contextId, userMessage, task }, queue) => {
      said.push(`${task === undefined ? "new" : "old"}: ${userMessage.parts[0]?.content?.value}`);
      const place = { taskId, contextId };
      const state = task === undefined ? "TASK_STATE_AUTH_REQUIRED" : "TASK_STATE_COMPLETED";
      const message = { messageId: `m-${said.length}`, role: "ROLE_AGENT", parts: [{ text: "Sign in first." }] };
      const submitted = { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } };
      queue.publish(AgentEvent.task(task ?? Task.fromJSON(submitted)));
      if (task !== undefined) {
        const artifact = { artifactId: "a", parts: [{ text: ANSWER }] };
        queue.publish(
          AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ ...place, artifact, lastChunk: true })),
        );
      }
      const status = { state, message: task === undefined ? message : undefined };
      queue.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...place, status })));
      queue.finished();
    },
    cancelTask: async () => {},
  };
}

describe("a remote whose task waits for a credential", () => {
  it("has the user asked by the known scheme, and the same task continues with the credential", async () => {
    const authorization = await startAuthorization();
    const said: string[] = [];
    const card = { securitySchemes: { tokens: { httpAuthSecurityScheme: { scheme: "Bearer" } } } };
    const peer = await startA2aPeer(waitingExecutor(said), { card });
    onTestFinished(() => peer[Symbol.asyncDispose]());
    const credentialService = new InMemoryCredentialService();
    const world = await worldOf(peer, authorization, { signIn: {}, credentialKey: "primes" }, credentialService);
    const owner = { appName: "app", userId: "ada" };
    const stored = { authType: "http", http: { scheme: "bearer", credentials: { token: "read-only-token" } } } as const;
    await credentialService.saveCredential(owner, "primes", stored);
    const events = await world.run("is 7 prime?");
    expect(events.at(-1)?.content?.parts?.[0]?.text).toBe("Sign in first.");
    const question = credentialQuestion(events);
    const resumed = await world.run(credentialAnswer(question, { result: "full-token" }));
    expect(resumed.map(brief)).toContain(`primes: ${ANSWER}`);
    expect(said).toEqual(["new: is 7 prime?", "old: The user has signed in."]);
    expect(sends(peer).map(({ headers }) => headers.authorization)).toEqual([
      "Bearer read-only-token",
      "Bearer full-token",
    ]);
  });

  it("has the user asked in words without a scheme", async () => {
    const authorization = await startAuthorization();
    const said: string[] = [];
    const peer = await startA2aPeer(waitingExecutor(said));
    onTestFinished(() => peer[Symbol.asyncDispose]());
    const world = await worldOf(peer, authorization, {});
    const call = (await world.run("is 7 prime?")).flatMap(functionCalls).at(-1);
    expect(call).toMatchObject({ name: "adk_request_input", args: { message: "Sign in first." } });
    const { id = "" } = call ?? {};
    const functionResponse = { id, name: "adk_request_input", response: { result: "I did." } };
    expect((await world.run({ role: "user", parts: [{ functionResponse }] })).map(brief)).toContain(
      `primes: ${ANSWER}`,
    );
    expect(said).toEqual(["new: is 7 prime?", "old: I did."]);
  });

  it("passes the user's answer on to a tool of the remote that has asked, and keeps none of it", async () => {
    const authorization = await startAuthorization();
    const config = oauthConfig(authorization);
    const used: unknown[] = [];
    const tool = new FunctionTool({
      name: "read_files",
      description: "Reads the user's files.",
      execute: async (_args, context) => {
        const credential = await context.getAuthResponse(config);
        if (credential === undefined) return context.requestCredential(config).then(() => null);
        used.push(credential);
        return { status: "read" };
      },
    });
    const model = new ScriptedModel([functionCallResponse("read_files", {}, "call-1"), "Done."]);
    const agent = new LlmAgent({ name: "clerk", model, tools: [tool] });
    const outbound = outboundTo(authorization);
    onTestFinished(() => outbound[Symbol.asyncDispose]());
    const peer = await startA2aPeer(new AgentExecutor({ agent, outbound }));
    onTestFinished(() => peer[Symbol.asyncDispose]());
    const credentialService = new InMemoryCredentialService();
    const world = await worldOf(peer, authorization, {}, credentialService);
    const question = credentialQuestion(await world.run("my files"));
    const resumed = await world.run(uiAnswer(question, await authorization.consent(authUriOf(question))));
    expect(resumed.map(brief)).toContain("primes: Done.");
    expect(used).toMatchObject([{ oauth2: { accessToken: expect.stringContaining("SECRET-access") } }]);
    const { events } = await world.session();
    for (const secret of authorization.secrets) expect(JSON.stringify([events, world.spans])).not.toContain(secret);
    const owner = { appName: "app", userId: "ada" };
    expect(await credentialService.loadCredential(owner, `adk_answer_${question.id}`)).toBeUndefined();
  });
});
