import { request } from "node:http";
import { expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createKey } from "#services/gateway/identity/keys/create-key.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { cpuGrowth } from "#test/helpers/cpu-growth.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

const USER_HEADER = "x-forwarded-user";
const SESSIONS = "/apps/app/users/ada/sessions";

/** A server that reads every kind of credentials of a header, with a key of the user `ada`. */
async function startServer() {
  const folder = agentsFolder({}).path;
  const stack = new AsyncDisposableStack();
  const config = loadConfig(standaloneConfigSchema, {
    ...{ PORT: "0", DATA_DIR: folder, AUTH: "api-key,proxy", TRUSTED_PROXIES: "127.0.0.1" },
    ...{ PROXY_USER_HEADER: USER_HEADER, PROXY_SCOPE_MAP: "*=sessions:read" },
  });
  const model = new ScriptedModel(["well"], { repeatLast: true });
  const logger = new RecordingLogger();
  const agentLoader = new StaticAgentLoader([new LlmAgent({ name: "app", model })]);
  const server = stack.use(await createStandalone({ config, agentLoader, logger }));
  const store = await openKeyStore({ config, stack });
  const { record, text } = createKey(
    { name: "ada", userId: "ada", scopes: ["runs:write", "sessions:read", "sessions:write"] },
    { clock: systemClock, ids: new UuidV7Generator() },
  );
  await store.create(record);
  return { url: server.url, key: text, model, logger, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
}

/** By a client that sends any bytes in a header. */
function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  { method = "GET", body = "" }: { readonly method?: string; readonly body?: string } = {},
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, text, requestId: String(answer.headers["x-request-id"]) }),
      );
    });
    sending.on("error", reject);
    for (const [name, value] of Object.entries(headers)) sending.setHeader(name, value);
    sending.end(body);
  });
}

/** Texts of 10 KB that are the worst for those who parse a header. */
const WORST: Readonly<Record<string, (length: number) => string>> = {
  spaces: (length) => `Bearer${" ".repeat(length)}x y`,
  "one token": (length) => `Bearer ${"a".repeat(length)}`,
  "a key without end": (length) => `Bearer fl_${"0".repeat(length)}_`,
  "parts of a token": (length) => `Bearer ${"e30.".repeat(length / 4)}`,
  "pairs of a cookie": (length) => "=;".repeat(length / 2),
  "equal cookies": (length) => "__Host-fairlead=a; ".repeat(length / 19),
  commas: (length) => ",".repeat(length),
  "bytes that are not UTF-8": (length) => "\xff\xfe".repeat(length / 2),
  dashes: (length) => `00-${"0".repeat(length)}-`,
  percent: (length) => "%00".repeat(length / 3),
};
const HEADERS = [
  ...["authorization", "x-api-key", "cookie", USER_HEADER, "x-forwarded-for", "x-forwarded-host", "forwarded"],
  ...["x-forwarded-groups", "x-request-id", "idempotency-key", "traceparent", "last-event-id", "ratelimit"],
] as const;
/** Different keys of one request are refused, as a proxy may have checked the other one. */
const KEYS: readonly string[] = ["authorization", "x-api-key"];
/** Of which a bad value means that nobody is known. */
const CREDENTIALS: readonly string[] = ["authorization", "x-api-key", USER_HEADER];
const LENGTH = 10_000;

it("answers 10 KB of anything in each header that identifies, and never as somebody else", async () => {
  verifies("authentication:requests");
  await using server = await startServer();
  const good = { authorization: `Bearer ${server.key}` };
  const before = (await send(server.url + SESSIONS, good)).status;
  expect(before).toBe(200);
  for (const name of HEADERS) {
    for (const [kind, textOf] of Object.entries(WORST)) {
      const text = textOf(LENGTH).trimEnd();
      const alone = await send(server.url + SESSIONS, { [name]: text });
      expect([name, kind, alone.status]).toEqual([name, kind, 401]);
      expect(alone.requestId.length).toBeLessThanOrEqual(128);
      expect(alone.text.length).toBeLessThan(1000);
      const beside = await send(server.url + SESSIONS, { ...good, [name]: text });
      expect([name, kind, beside.status]).toEqual([name, kind, KEYS.includes(name) ? 401 : 200]);
    }
  }
  expect((await send(server.url + SESSIONS, good)).status).toBe(200);
  expect(server.logger.lines.filter((line) => line.level === "error")).toEqual([]);
});

it.each(CREDENTIALS)("reads %s in a time that grows with its length", async (name) => {
  await using server = await startServer();
  for (const textOf of Object.values(WORST)) {
    const work = async (length: number) => {
      for (let call = 0; call < 20; call += 1) await send(server.url + SESSIONS, { [name]: textOf(length).trimEnd() });
    };
    expect(await cpuGrowth(work, 1500, 8)).toBeLessThan(24);
  }
});

it("starts one run, and calls its model once, for parallel requests with one Idempotency-Key", async () => {
  verifies("authentication:requests");
  await using server = await startServer();
  const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json" };
  await send(`${server.url}${SESSIONS}/talk`, headers, { method: "POST", body: "{}" });
  const newMessage = { role: "user", parts: [{ text: "hello" }] };
  const body = JSON.stringify({ appName: "app", userId: "ada", sessionId: "talk", newMessage });
  const sent = Array.from({ length: 20 }, () =>
    send(`${server.url}/run`, { ...headers, "idempotency-key": "once" }, { method: "POST", body }),
  );
  const answers = await Promise.all(sent);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(server.model.callCount).toBe(1);
  const long = { ...headers, "idempotency-key": "k".repeat(LENGTH) };
  const refused = await send(`${server.url}/run`, long, { method: "POST", body });
  expect([refused.status, (JSON.parse(refused.text) as { reason?: string }).reason]).toEqual([
    400,
    "INVALID_IDENTIFIER",
  ]);
});
