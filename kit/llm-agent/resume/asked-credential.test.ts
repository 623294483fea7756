import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { answerKeyOf } from "#kit/credentials/credential-key.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { AuthorizationServer } from "#test/helpers/servers/authorization-server.ts";
import {
  authUriOf,
  createCredentialWorld,
  credentialAnswer,
  credentialQuestion,
  oauthConfig,
  oauthOf,
  outboundTo,
  READS,
  uiAnswer,
} from "#test/helpers/servers/credential-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";

async function createSignInWorld(steps = [READS, "Done.", READS, "Again."]) {
  const server = await AuthorizationServer.start();
  const outbound = outboundTo(server);
  onTestFinished(async () => {
    await outbound[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const config = oauthConfig(server);
  return { server, outbound, config, ...(await createCredentialWorld(config, { outbound, steps })) };
}

describe("a tool that needs its user's sign-in", () => {
  // The library of OAuth is loaded by the first sign-in.
  beforeAll(() => import("openid-client"));

  it("ends the run with a request in ADK's form, and without the client's secret", async () => {
    verifies("tools:credentials:asks");
    const { server, world } = await createSignInWorld();
    const events = await world.run("my files");
    expect(events.map(brief)).toEqual([
      "clerk: read_files({})",
      'clerk: read_files -> {"status":"pending"}',
      expect.stringContaining("clerk: adk_request_credential("),
    ]);
    const question = credentialQuestion(events);
    const authUri = new URL(authUriOf(question));
    const state = authUri.searchParams.get("state");
    const { authScheme } = oauthConfig(server);
    const method = { clientId: "cid", tokenEndpointAuthMethod: "client_secret_basic" };
    const authConfig = {
      authScheme,
      rawAuthCredential: { authType: "oauth2", oauth2: method },
      exchangedAuthCredential: { authType: "oauth2", oauth2: { ...method, authUri: authUri.href, state } },
      credentialKey: expect.stringMatching(/^adk_oauth2_[0-9a-f]{16}_oauth2_[0-9a-f]{16}$/),
    };
    expect(question.args).toEqual({ functionCallId: "call-1", authConfig });
    expect(events[1]?.actions.requestedAuthConfigs).toEqual({ "call-1": authConfig });
    expect(events[2]?.longRunningToolIds).toEqual([question.id]);
    expect(Object.fromEntries(authUri.searchParams)).toEqual({
      ...{ response_type: "code", client_id: "cid", scope: "read", access_type: "offline", prompt: "consent" },
      ...{ state: expect.stringMatching(/^[\w-]{43}$/), code_challenge: expect.stringMatching(/^[\w-]{43}$/) },
      code_challenge_method: "S256",
    });
  });

  it("runs again with the tokens when the user has signed in, and keeps them for later", async () => {
    verifies("tools:credentials:answers");
    const { server, world, used, credentials } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    const callback = await server.consent(authUriOf(question));
    const resumed = await world.run(uiAnswer(question, callback));
    expect(resumed.map(brief)).toEqual(['clerk: read_files -> {"status":"read"}', "clerk: Done."]);
    // The code can no longer be used.
    const answer = answerKeyOf(question.id ?? "");
    expect(await credentials.loadCredential({ appName: "app", userId: "ada" }, answer)).toBeUndefined();
    expect((await world.run("again")).map(brief).at(-1)).toBe("clerk: Again.");
    expect(used).toMatchObject([
      { authType: "oauth2", oauth2: { accessToken: expect.stringMatching(/^SECRET-access/), clientId: "cid" } },
      { oauth2: { accessToken: expect.stringMatching(/^SECRET-access/) } },
    ]);
    expect([server.tokenRequests.length, server.refusals]).toEqual([1, []]);
  });

  it("leaves no secret in the session, its runs and spans", async () => {
    verifies("tools:credentials:secrets");
    const { server, world, model } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    const callback = await server.consent(authUriOf(question));
    await world.run(uiAnswer(question, callback));
    await world.run("again");
    const places = [await world.session(), await world.store.list({}), world.spans, model.requests];
    const written = JSON.stringify(places);
    expect(written).toContain("adk_request_credential");
    for (const secret of ["very-secret", "code_verifier", ...server.secrets]) expect(written).not.toContain(secret);
  });

  it("refuses the answer of another sign-in, and the right one still counts", async () => {
    verifies("tools:credentials:state");
    const { server, world, used } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    const callback = await server.consent(authUriOf(question));
    const foreign = new URL(callback);
    foreign.searchParams.set("state", "of-another");
    const before = (await world.session()).events.length;
    await expect(world.run(uiAnswer(question, foreign.href))).rejects.toMatchObject({
      reason: "CREDENTIAL_STATE_MISMATCH",
    });
    expect((await world.session()).events).toHaveLength(before);
    await world.run(uiAnswer(question, callback));
    expect(used).toHaveLength(1);
  });

  it("does not run again for a second answer", async () => {
    verifies("tools:credentials:answers");
    const { server, world, used } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    const answer = uiAnswer(question, await server.consent(authUriOf(question)));
    await world.run(answer);
    await expect(world.run(answer)).rejects.toMatchObject({ reason: "RUN_FAILED" });
    expect((await world.session()).events.at(-1)?.errorCode).toBe("CREDENTIAL_ALREADY_USED");
    expect([used.length, server.tokenRequests.length]).toEqual([1, 1]);
  });

  it.each([
    ["an answer without a value", {}, "CREDENTIAL_MALFORMED"],
    [
      "a value of a wrong type",
      { exchangedAuthCredential: { oauth2: { authResponseUri: 1 } } },
      "CREDENTIAL_MALFORMED",
    ],
    [
      "an address that is none",
      { exchangedAuthCredential: { oauth2: { authResponseUri: "SECRET" } } },
      "CREDENTIAL_MALFORMED",
    ],
    [
      "a value that is too long",
      { exchangedAuthCredential: { oauth2: { accessToken: "x".repeat(20_000) } } },
      "CREDENTIAL_MALFORMED",
    ],
    [
      "a code without its state",
      { exchangedAuthCredential: { oauth2: { authCode: "SECRET" } } },
      "CREDENTIAL_STATE_MISMATCH",
    ],
  ])("refuses %s before anything is stored", async (_, response, reason) => {
    const { world } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    const before = (await world.session()).events.length;
    const answered = world.run(credentialAnswer(question, response));
    await expect(answered).rejects.toMatchObject({ reason });
    await expect(answered).rejects.not.toMatchObject({ message: expect.stringContaining("SECRET") });
    expect((await world.session()).events).toHaveLength(before);
  });

  it("refuses an answer under another name, which would be stored as it is", async () => {
    verifies("tools:credentials:secrets");
    const { world } = await createSignInWorld();
    const { id = "" } = credentialQuestion(await world.run("my files"));
    for (const name of [undefined, "read_files", "adk_request_confirmation"]) {
      const functionResponse = { id, response: { accessToken: "SECRET" }, ...(name !== undefined && { name }) };
      await expect(world.run({ role: "user", parts: [{ functionResponse }] as never })).rejects.toMatchObject({
        reason: "INVALID_MESSAGE",
      });
    }
  });

  it("redacts an answer to a request that was never made", async () => {
    const { world } = await createSignInWorld();
    await world.run("my files");
    const response = { exchangedAuthCredential: { oauth2: { accessToken: "SECRET", clientId: "cid" } } };
    await expect(world.run(credentialAnswer({ id: "adk-made-up" }, response))).rejects.toMatchObject({
      reason: "RUN_FAILED",
    });
    const { events } = await world.session();
    expect(events.at(-1)?.errorCode).toBe("CREDENTIAL_UNKNOWN");
    expect(JSON.stringify(events)).not.toContain("SECRET");
  });

  it("reports to the model that the user has refused, and does not ask again by itself", async () => {
    const { server, world, used } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    server.signInError = "access_denied";
    const resumed = await world.run(uiAnswer(question, await server.consent(authUriOf(question))));
    expect(resumed.map(brief)).toEqual([
      expect.stringMatching(/read_files -> .*ended without consent: access_denied/),
      "clerk: Done.",
    ]);
    expect(used).toEqual([]);
  });

  it("accepts an access token of a client that has exchanged the code by itself", async () => {
    const { world, used } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    const exchangedAuthCredential = { authType: "oauth2", oauth2: { accessToken: "given", refreshToken: "ignored" } };
    await world.run(credentialAnswer(question, { exchangedAuthCredential }));
    expect(used).toEqual([{ authType: "oauth2", oauth2: { accessToken: "given" } }]);
  });

  it("stores the answer and the call's response in ADK's form, without what the user gave", async () => {
    verifies("tools:credentials:answers", "tools:credentials:secrets");
    const { world } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    const asked = question.args?.["authConfig"] as JsonObject;
    const { state = null } = oauthOf(asked);
    const given = { clientId: "cid", accessToken: "SECRET-1", refreshToken: "SECRET-2", authCode: "", state };
    const raw = { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "SECRET-3" } };
    const answer = { ...asked, rawAuthCredential: raw, exchangedAuthCredential: { authType: "oauth2", oauth2: given } };
    await world.run(credentialAnswer(question, { ...answer, custom: "SECRET-4" }));
    const { events } = await world.session();
    const { exchangedAuthCredential: _, ...kept } = asked;
    const response = {
      ...kept,
      rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "cid" } },
      exchangedAuthCredential: { authType: "oauth2", oauth2: { clientId: "cid", state } },
    };
    expect(events.slice(4, 6).map(({ author, content }) => ({ author, ...content }))).toEqual([
      { author: "user", ...credentialAnswer(question, response) },
      {
        author: "clerk",
        role: "user",
        parts: [{ functionResponse: { id: "call-1", name: "read_files", response: { status: "read" } } }],
      },
    ]);
    expect(events[5]?.actions.requestedAuthConfigs).toEqual({});
  });

  it("names the server that cannot be reached for the tokens", async () => {
    const { server, world, used } = await createSignInWorld();
    const { host } = server;
    const question = credentialQuestion(await world.run("my files"));
    const callback = await server.consent(authUriOf(question));
    await server[Symbol.asyncDispose]();
    const resumed = await world.run(uiAnswer(question, callback));
    expect(resumed.map(brief)[0]).toContain(`No token was obtained from ${host}: The address cannot be reached`);
    expect(used).toEqual([]);
  });

  it("is answered on another runner, after the first was lost", async () => {
    verifies("tools:credentials:answers");
    const { server, world, credentials, outbound, config } = await createSignInWorld();
    const question = credentialQuestion(await world.run("my files"));
    await world.runner.close();
    const other = await createCredentialWorld(config, {
      ...{ outbound, steps: ["Done."], store: world.store, credentials },
    });
    const resumed = await other.world.run(uiAnswer(question, await server.consent(authUriOf(question))));
    expect(resumed.map(brief)).toEqual(['clerk: read_files -> {"status":"read"}', "clerk: Done."]);
    expect(other.used).toHaveLength(1);
  });

  it("runs all calls of one answer that wait for the same sign-in", async () => {
    verifies("tools:credentials:answers");
    const calls = ["call-1", "call-2"].map((id) => ({ functionCall: { id, name: "read_files", args: {} } }));
    const { server, world, used } = await createSignInWorld([{ content: { role: "model", parts: calls } }, "Done."]);
    const question = credentialQuestion(await world.run("my files"));
    const resumed = await world.run(uiAnswer(question, await server.consent(authUriOf(question))));
    expect(resumed[0]?.content?.parts?.map(({ functionResponse }) => functionResponse?.id).sort()).toEqual([
      "call-1",
      "call-2",
    ]);
    expect([used.length, server.tokenRequests.length]).toEqual([2, 1]);
  });
});
