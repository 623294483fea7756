import { describe, expect, it, onTestFinished } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { startGuardedServer } from "#test/helpers/mcp/guarded-server.ts";
import { AuthorizationServer, type AuthorizationServerOptions } from "#test/helpers/servers/authorization-server.ts";
import {
  authUriOf,
  credentialQuestion,
  oauthConfig,
  outboundTo,
  uiAnswer,
} from "#test/helpers/servers/credential-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { McpToolset, type McpToolsetOptions } from "../mcp-toolset.ts";

const FILES = { name: "read_files", inputSchema: { type: "object", properties: {} } };
const REDIRECT = "http://localhost/dev-ui/";

async function createGuardedWorld(
  optionsOf: (authorization: AuthorizationServer) => Partial<McpToolsetOptions>,
  serverOptions: AuthorizationServerOptions = {},
) {
  const authorization = await AuthorizationServer.start({
    client: { id: "cid", secret: "very-secret" },
    namesIssuer: true,
    ...serverOptions,
  });
  const server = await startGuardedServer(authorization, [FILES]);
  const outbound = outboundTo(authorization, server);
  const credentialService = new InMemoryCredentialService();
  const toolset = () =>
    new McpToolset({
      connectionParams: { kind: "streamable-http", url: server.url },
      ...optionsOf(authorization),
    });
  const worldOf = async (calls: readonly string[]) => {
    const steps = calls.map((name) => (name === "" ? "Done." : functionCallResponse(name, {}, `call-${name}`)));
    const model = new ScriptedModel([...steps, "Done."]);
    const agent = new LlmAgent({ name: "clerk", model, tools: [toolset()] });
    const world = await createAgentWorld(agent, { outbound, credentialService });
    onTestFinished(() => world.runner.close());
    return { world, model };
  };
  onTestFinished(async () => {
    await outbound[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await authorization[Symbol.asyncDispose]();
  });
  const signInTool = `sign_in_to_${server.url.replace("http://", "").replaceAll(/\W+/g, "_")}`;
  return { authorization, server, worldOf, signInTool, credentialService };
}

const signIn = { redirectUri: REDIRECT, clientId: "cid", clientSecret: "very-secret" };

describe("a server whose users sign in", () => {
  it("is represented by a tool that asks for the sign-in, and lists its tools afterwards", async () => {
    verifies("tools:mcp:sign-in");
    const { authorization, server, worldOf, signInTool } = await createGuardedWorld(() => ({ signIn }));
    const { world, model } = await worldOf([signInTool, "read_files"]);
    const events = await world.run("my files");
    expect(model.requests[0]?.functionDeclarations.map(({ name }) => name)).toEqual([signInTool]);
    const question = credentialQuestion(events);
    const authUri = new URL(authUriOf(question));
    expect(Object.fromEntries(authUri.searchParams)).toMatchObject({
      ...{ client_id: "cid", redirect_uri: REDIRECT, code_challenge_method: "S256", resource: server.url },
    });
    const resumed = await world.run(uiAnswer(question, await authorization.consent(authUri.href)));
    expect(resumed.map(brief)).toEqual([
      expect.stringContaining('"status":"signed in"'),
      "clerk: read_files({})",
      expect.stringContaining("the files"),
      "clerk: Done.",
    ]);
    expect(authorization.tokenRequests.map((form) => form.get("resource"))).toEqual([server.url]);
    const { events: stored } = await world.session();
    for (const secret of ["very-secret", ...authorization.secrets])
      expect(JSON.stringify([stored, world.spans])).not.toContain(secret);
  });

  it("is not asked for its list again within five minutes of a refusal, but each call asks it", async () => {
    verifies("tools:mcp:sign-in");
    const { server, worldOf, signInTool } = await createGuardedWorld(() => ({ signIn }));
    const { world, model } = await worldOf(["", "", signInTool, "", ""]);
    await world.run("first");
    const refusals = server.refusals();
    await world.run("second");
    expect(server.refusals()).toBe(refusals);
    server.open();
    const declared = () => model.requests.at(-1)?.functionDeclarations.map(({ name }) => name);
    // The call finds the server open: the user is not asked to sign in.
    expect((await world.run("third")).map(brief)).toEqual([
      `clerk: ${signInTool}({})`,
      expect.stringContaining('"status":"signed in"'),
      "clerk: Done.",
    ]);
    expect(declared()).toEqual([signInTool]);
    world.clock.advance(300_000);
    await world.run("fourth");
    expect(declared()).toEqual(["read_files"]);
  });

  it("asks again when the tokens are not valid any more, and repeats the call with the new ones", async () => {
    verifies("tools:mcp:sign-in");
    const { authorization, worldOf, signInTool } = await createGuardedWorld(() => ({ signIn }));
    const { world } = await worldOf([signInTool, "read_files", "", "read_files"]);
    const first = credentialQuestion(await world.run("my files"));
    await world.run(uiAnswer(first, await authorization.consent(authUriOf(first))));
    authorization.expireTokens();
    authorization.endSignIns();
    const again = await world.run("again");
    const question = credentialQuestion(again);
    const resumed = await world.run(uiAnswer(question, await authorization.consent(authUriOf(question))));
    expect(resumed.map(brief)[0]).toContain("the files");
  });

  it("takes the stored tokens on another runner, and refreshes them without a question", async () => {
    verifies("tools:mcp:sign-in");
    const { authorization, worldOf, signInTool } = await createGuardedWorld(() => ({ signIn }));
    const { world } = await worldOf([signInTool]);
    const question = credentialQuestion(await world.run("my files"));
    await world.run(uiAnswer(question, await authorization.consent(authUriOf(question))));
    authorization.expireTokens();
    const other = await worldOf(["read_files"]);
    expect((await other.world.run("my files")).map(brief)).toEqual([
      "clerk: read_files({})",
      expect.stringContaining("the files"),
      "clerk: Done.",
    ]);
    expect(authorization.tokenRequests.map((form) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
  });

  it("is asked for more scopes when a call needs them", async () => {
    verifies("tools:mcp:sign-in");
    const { authorization, worldOf, signInTool } = await createGuardedWorld(() => ({ signIn }));
    const { world } = await worldOf([signInTool, "read_files"]);
    const first = credentialQuestion(await world.run("my files"));
    const answer = uiAnswer(first, await authorization.consent(authUriOf(first)));
    authorization.afterTokens = () => {
      authorization.requiredScope = "files";
    };
    const question = credentialQuestion(await world.run(answer));
    expect(new URL(authUriOf(question)).searchParams.get("scope")).toContain("files");
    const resumed = await world.run(uiAnswer(question, await authorization.consent(authUriOf(question))));
    expect(resumed.map(brief)[0]).toContain('"status":"signed in"');
  });

  it("does not exchange a code for an answer of another issuer", async () => {
    verifies("tools:credentials:state");
    const { authorization, worldOf, signInTool } = await createGuardedWorld(() => ({ signIn }));
    const { world } = await worldOf([signInTool]);
    const question = credentialQuestion(await world.run("my files"));
    const callback = new URL(await authorization.consent(authUriOf(question)));
    callback.searchParams.set("iss", "https://attacker.example");
    const [result] = await world.run(uiAnswer(question, callback.href));
    expect([brief(result!), authorization.tokenRequests]).toEqual([expect.stringContaining("error"), []]);
  });
});

describe("a server with an auth scheme", () => {
  it("gets each user's token as a header, and asks for it", async () => {
    verifies("tools:mcp:sign-in");
    const { authorization, server, worldOf, signInTool } = await createGuardedWorld((authorization) => {
      const { authScheme, rawAuthCredential } = oauthConfig(authorization);
      return { authScheme, ...(rawAuthCredential && { authCredential: rawAuthCredential }) };
    });
    const { world } = await worldOf([signInTool, "read_files"]);
    const question = credentialQuestion(await world.run("my files"));
    expect(server.refusals()).toBe(0);
    const resumed = await world.run(uiAnswer(question, await authorization.consent(authUriOf(question))));
    expect(resumed.map(brief)[2]).toContain("the files");
  });

  it.each([
    ["a key in the query", { authScheme: { type: "apiKey", in: "query", name: "k" } }, "authScheme.in"],
    ["a redirect that is not an address", { signIn: { redirectUri: "no" } }, "signIn.redirectUri"],
    ["two ways", { signIn, authProvider: () => ({}) }, "signIn"],
  ])("refuses %s", (_, options, field) => {
    const create = () =>
      new McpToolset({
        connectionParams: { kind: "streamable-http", url: "http://a.example" },
        ...(options as object),
      });
    expect(create).toThrow(expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }));
  });
});
