import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { AuthenticatedFunctionTool } from "#kit/tools/authenticated-function-tool.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { AuthorizationServer } from "#test/helpers/servers/authorization-server.ts";
import { authUriOf, credentialQuestion, oauthConfig, uiAnswer } from "#test/helpers/servers/credential-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

/** A server with an agent whose tool needs a sign-in at another server. */
async function createWorld() {
  const authorization = await AuthorizationServer.start();
  const folder = mkdtempSync(join(tmpdir(), "credentials-"));
  const logger = new RecordingLogger();
  const used: string[] = [];
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true });
    await authorization[Symbol.asyncDispose]();
  });
  const start = async () => {
    const tool = new AuthenticatedFunctionTool({
      name: "read_files",
      description: "Reads files.",
      authConfig: oauthConfig(authorization),
      execute: (_args, { userId }, credential) => {
        used.push(`${userId} ${"oauth2" in credential ? credential.oauth2?.accessToken : "none"}`);
        return { status: "read" };
      },
    });
    const model = new ScriptedModel(
      [
        ({ contents }) =>
          contents.at(-1)?.parts?.[0]?.functionResponse === undefined
            ? functionCallResponse("read_files", {}, `call-${contents.length}`)
            : "Done.",
      ],
      { repeatLast: true },
    );
    const rootAgent = new LlmAgent({ name: "clerk", model, tools: [tool] });
    const config = loadConfig(standaloneConfigSchema, {
      ...{ PORT: "0", DATA_DIR: folder, DEV_UI: "false", ERROR_DETAIL: "full", CAPTURE_CONTENT: "true" },
      OUTBOUND_ALLOWED_HOSTS: authorization.host,
    });
    const agentLoader = new StaticAgentLoader([createApp({ name: "app", rootAgent })]);
    const server = await createStandalone({ config, agentLoader, logger });
    const send = async (method: "GET" | "POST", url: string, payload?: object) => {
      const response = await server.gateway.inject({ method, url, ...(payload !== undefined && { payload }) });
      return { status: response.statusCode, text: response.body };
    };
    const run = async (newMessage: object, { userId = "ada", sessionId = "talk", headers = {} } = {}) => {
      const body = { appName: "app", userId, sessionId, newMessage, streaming: true };
      const response = await server.gateway.inject({ method: "POST", url: "/run_sse", payload: body, headers });
      const events = response.body
        .split("\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line): Event => JSON.parse(line.slice(6)));
      return { status: response.statusCode, text: response.body, events };
    };
    return { server, send, run };
  };
  return { authorization, folder, logger, used, start };
}

const say = (text: string) => ({ role: "user", parts: [{ text }] });
const SESSION = "/apps/app/users/ada/sessions/talk";

describe("a sign-in over HTTP", () => {
  beforeAll(() => import("openid-client"));

  it("is answered once, by its own user in its own session, and leaves no secret behind", async () => {
    verifies("tools:credentials:answers", "tools:credentials:secrets");
    const { authorization, folder, logger, used, start } = await createWorld();
    const world = await start();
    for (const user of ["ada", "eve"]) await world.send("POST", `/apps/app/users/${user}/sessions/talk`);
    await world.send("POST", "/apps/app/users/ada/sessions/other");
    const asked = await world.run(say("my files"));
    const question = credentialQuestion(asked.events);
    const callback = await authorization.consent(authUriOf(question));
    const answer = uiAnswer(question, callback);
    const wrong = await world.run(uiAnswer(question, callback.replace(/state=[^&]*/, "state=other")));
    expect([wrong.status, JSON.parse(wrong.text)]).toMatchObject([400, { reason: "CREDENTIAL_STATE_MISMATCH" }]);
    for (const place of [{ userId: "eve" }, { sessionId: "other" }]) {
      const foreign = await world.run(answer, place);
      expect(foreign.text).toContain("CREDENTIAL_UNKNOWN");
    }
    const resumed = await world.run(answer);
    expect(resumed.events.filter(({ partial }) => partial !== true).map(brief)).toEqual([
      'clerk: read_files -> {"status":"read"}',
      "clerk: Done.",
    ]);
    const replayed = await world.run(answer);
    expect(replayed.text).toContain("CREDENTIAL_ALREADY_USED");
    // Another user has to sign in.
    const other = await world.run(say("my files"), { userId: "eve" });
    expect(functionCalls(other.events.at(-1)!).map(({ name }) => name)).toEqual(["adk_request_credential"]);
    // The same one does not, in whatever session.
    await world.run(say("my files"), { sessionId: "other" });
    expect(used).toEqual([0, 1].map(() => expect.stringMatching(/^ada SECRET-access/)));

    const answers = [asked.text, wrong.text, resumed.text, replayed.text, other.text];
    for (const path of [SESSION, "/metrics", `/debug/trace/session/talk`, "/v1/runs", "/list-apps"])
      answers.push((await world.send("GET", path)).text);
    await world.server[Symbol.asyncDispose]();
    const stored = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, "latin1"));
    const places = [...answers, ...stored, JSON.stringify(logger.lines)];
    expect(places.join("")).toContain("adk_request_credential");
    const planted = ["very-secret", "SECRET-DESCRIPTION", ...authorization.secrets];
    for (const secret of planted) for (const place of places) expect(place.includes(secret)).toBe(false);
  });

  it("may be repeated under an idempotency key", async () => {
    verifies("tools:credentials:secrets");
    const { authorization, used, start } = await createWorld();
    const { server, send, run } = await start();
    await send("POST", SESSION);
    const question = credentialQuestion((await run(say("my files"))).events);
    const answer = uiAnswer(question, await authorization.consent(authUriOf(question)));
    const headers = { "idempotency-key": "once" };
    const [one, two] = [await run(answer, { headers }), await run(answer, { headers })];
    expect([one.status, two.status, used.length]).toEqual([200, 200, 1]);
    await server[Symbol.asyncDispose]();
  });
});
