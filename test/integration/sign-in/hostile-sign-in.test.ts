import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
import { exampleRequest } from "#test/helpers/openapi-examples.ts";
import { operationsOf } from "#test/helpers/openapi-operations.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";

const SESSIONS = "/apps/app/users/ada/sessions";
const sources = { clock: systemClock, ids: new UuidV7Generator() };

/** A server with AUTH=api-key,oidc that listens, and a key of the user `ada`. */
async function startServer() {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "sign-in-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const issuer = stack.use(await TestIssuer.start());
  const config = loadConfig(standaloneConfigSchema, {
    ...{ PORT: "0", DATA_DIR: folder, AUTH: "api-key,oidc", CONSOLE: "true", MCP_APPS: "app" },
    ...{ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: issuer.audience, OIDC_CLIENT_ID: "pages" },
  });
  const logger = new RecordingLogger();
  const agentLoader = new StaticAgentLoader([
    new LlmAgent({ name: "app", model: new ScriptedModel(["well"], { repeatLast: true }) }),
  ]);
  const server = stack.use(await createStandalone({ config, agentLoader, logger }));
  const store = await openKeyStore({ config, stack });
  const { record, text } = createKey(
    { name: "ada", userId: "ada", scopes: ["sessions:read", "sessions:write"] },
    sources,
  );
  await store.create(record);
  return {
    url: server.url,
    gateway: server.gateway,
    key: text,
    logger,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Sent {
  readonly status: number;
  readonly location: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends the path as it is written, as a page of this server unless the headers say otherwise. */
function send(path: string, { method = "GET", headers = {}, body = "" }: SendOptions = {}): Promise<Sent> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const own = { "sec-fetch-site": "same-origin", ...headers };
    const sending = request({ hostname, port, path, method, headers: own }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const { statusCode: status = 0, headers: answered } = answer;
      answer.on("end", () => resolve({ status, text, headers: answered, location: answered.location }));
    });
    sending.on("error", reject).end(body);
  });
}

async function signIn(): Promise<string> {
  const body = JSON.stringify({ key: server.key });
  const headers = { "content-type": "application/json" };
  const { status, headers: answered } = await send("/auth/login", { method: "POST", headers, body });
  expect(status).toBe(204);
  return String(answered["set-cookie"]?.[0]).split(";", 1)[0] ?? "";
}

async function startFlow(): Promise<{ readonly cookie: string; readonly state: string }> {
  const { headers, location = "" } = await send("/auth/start?provider=0&next=/console");
  const cookie = String(headers["set-cookie"]?.[0]).split(";", 1)[0] ?? "";
  return { cookie, state: new URL(location).searchParams.get("state") ?? "" };
}

/** Texts of 10 KB that are the worst for those who parse or show them. */
const WORST: Readonly<Record<string, string>> = {
  letters: "a".repeat(10_000),
  markup: '"><script>alert(1)</script>'.repeat(350),
  "a key without end": `fl_${"0".repeat(5000)}_${"A".repeat(5000)}`,
  slashes: "/".repeat(10_000),
  "broken percents": "%00%0d%0aset-cookie:a=b".repeat(400),
  quotes: "'\"\\".repeat(3300),
};

describe("routes by which pages sign in", () => {
  it.each(Object.entries(WORST))("answer 10 KB of %s in each place with a refusal", async (_, text) => {
    verifies("authentication:sign-in:page");
    const json = { "content-type": "application/json" };
    const flow = await startFlow();
    const query = encodeURIComponent(text).slice(0, 12_000).replace(/%.?$/, "");
    const answers = [
      await send("/auth/login", { method: "POST", headers: json, body: JSON.stringify({ key: text }) }),
      await send("/auth/login", { method: "POST", headers: json, body: JSON.stringify({ key: { key: [text] } }) }),
      await send("/auth/login", { method: "POST", headers: json, body: "[".repeat(10_000) }),
      await send("/auth/login", { method: "POST", headers: { "content-type": "text/html" }, body: text }),
      await send(`/auth/start?provider=${query}`),
      await send(`/auth/start?provider=0&provider=1&next=${query}`),
      await send(`/auth/callback?code=${query}&state=x`),
      await send(`/auth/callback?code=x&state=${query}`, { headers: { cookie: flow.cookie } }),
      await send(`/auth/callback?error=${query}&error_description=${query}`.slice(0, 14_000)),
      await send(`/auth/callback?${query}`, { headers: { cookie: flow.cookie } }),
    ];
    for (const [place, answer] of answers.entries()) {
      expect([place, answer.status]).toEqual([place, expect.toSatisfy((status) => status >= 400 && status < 500)]);
      expect(answer.text).not.toContain("<script>alert");
      expect(answer.text.length).toBeLessThan(5000);
      expect(answer.location).toBeUndefined();
    }
    const login = await send(`/auth/login?next=${query}`);
    expect([login.status, login.text.length < 5000, login.text.includes('data-next="/"')]).toEqual([200, true, true]);
    expect(server.logger.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("read no more than 4 KB of a body, so that nobody without credentials uses up the room for bodies", async () => {
    verifies("authentication:sign-in:bodies");
    for (const path of ["/auth/login", "/auth/logout", "/auth/refresh"]) {
      const headers = { "content-type": "application/json" };
      const body = (length: number) => JSON.stringify({ key: "k".repeat(length - 10) });
      expect([path, (await send(path, { method: "POST", headers, body: body(4096) })).status]).not.toEqual([path, 413]);
      // By its announced length, and without one.
      const ways: Record<string, string>[] = [{}, { "transfer-encoding": "chunked" }];
      for (const chunked of ways) {
        const { status, text } = await send(path, {
          method: "POST",
          headers: { ...headers, ...chunked },
          body: body(4097),
        });
        expect([path, status, JSON.parse(text)]).toMatchObject([
          path,
          413,
          { reason: "BODY_TOO_LARGE", message: "The body is over the server's limit of 4096 bytes." },
        ]);
      }
    }
  });

  it("read cookies of 8 KB of any form as none", async () => {
    verifies("authentication:sign-in:cookie");
    const good = await signIn();
    for (const name of ["fairlead", "fairlead-flow", "fairlead-refresh"]) {
      for (const value of [
        "A".repeat(8000),
        "=;".repeat(4000),
        "%".repeat(8000),
        "fairlead=".repeat(880),
        "é".repeat(4000),
      ]) {
        const headers = { cookie: `${name}=${Buffer.from(value).toString("latin1")}` };
        const isSession = name === "fairlead";
        expect((await send(SESSIONS, { headers })).status).toBe(401);
        expect((await send("/auth/callback?code=x&state=y", { headers })).status).toBe(401);
        expect((await send("/console", { headers })).location).toMatch(/^\/auth\/login\?next=/);
        expect([isSession, (await send("/auth/refresh", { method: "POST", headers })).status]).toEqual([
          isSession,
          204,
        ]);
        expect((await send("/auth/logout", { method: "POST", headers })).status).toBe(204);
      }
    }
    // All headers together may have 16 KB; more is refused before any of them is read.
    expect((await send(SESSIONS, { headers: { cookie: `${good}; a=${"b".repeat(20_000)}` } })).status).toBe(431);
    expect((await send(SESSIONS, { headers: { cookie: good } })).status).toBe(200);
  });

  it("lead to no other host, whatever the path and the page that follows", async () => {
    verifies("authentication:sign-in:page");
    const places = [
      "//evil.example/",
      "//evil.example/console/",
      "/\\evil.example/",
      "/%2F/evil.example/",
      "/%5Cevil.example/",
    ];
    const paths = [
      ...places,
      ...places.map((place) => `/docs${place}`),
      ...places.map((place) => `/console${place}`),
      ...places.map((place) => `/auth/login?next=${encodeURIComponent(place)}`),
      ...places.map((place) => `/auth/start?provider=7&next=${encodeURIComponent(place)}`),
      "/?next=//evil.example",
      "/docs/?x=//evil.example",
    ];
    for (const path of paths) {
      const { location = "", text } = await send(path);
      expect([path, new URL(location, `${server.url}${"/docs/"}`).origin]).toEqual([path, server.url]);
      const links = [...text.matchAll(/(?:href|url|data-next)="?=?([^"\s>]+)/g)].map(([, link = ""]) => link);
      for (const link of links.filter((one) => !one.startsWith("data:")))
        expect([path, new URL(link, server.url).origin]).toEqual([path, server.url]);
    }
  });
});

describe("requests that are refused by their headers", () => {
  it("write short lines to the log, however long the headers are", async () => {
    const before = server.logger.lines.length;
    const long = "x".repeat(5000);
    for (const name of ["host", "origin", "forwarded", "x-forwarded-host"])
      await send("/list-apps", { headers: { origin: "https://evil.example", [name]: `http://${long}.example` } });
    const lines = server.logger.lines.slice(before).filter(({ level }) => level === "warn");
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(1200);
  });
});

describe("a thousand wrong keys", () => {
  it("are refused while known ones are served, and no secret of them is in the log", async () => {
    verifies("authentication:requests");
    expect((await send(SESSIONS, { headers: { "x-api-key": server.key } })).status).toBe(200);
    const before = server.logger.lines.length;
    const wrong = Array.from({ length: 1000 }, () => createKey({ name: "no", scopes: [] }, sources).text);
    const statuses = new Set<number>();
    for (let at = 0; at < wrong.length; at += 50) {
      const [known, ...refused] = await Promise.all([
        send(SESSIONS, { headers: { "x-api-key": server.key } }),
        ...wrong.slice(at, at + 50).map((key, index) => {
          if (index % 2 === 0) return send(SESSIONS, { headers: { authorization: `Bearer ${key}` } });
          const headers = { "content-type": "application/json" };
          return send("/auth/login", { method: "POST", headers, body: JSON.stringify({ key }) });
        }),
      ]);
      expect(known?.status).toBe(200);
      for (const { status } of refused) statuses.add(status);
    }
    // 503 for those that were not looked up, because too many were.
    expect([...statuses].toSorted()).toEqual([401, 503]);
    const written = JSON.stringify(server.logger.lines.slice(before));
    for (const text of [...wrong, server.key]) expect(written).not.toContain(text.slice(-50));
    const loud = server.logger.lines.slice(before).filter(({ level }) => level === "error" || level === "warn");
    expect(loud.map(({ level, message }) => [level, message])).toEqual([["error", "request failed"]]);
  });
});

/** As the user of the session: otherwise it redirects. */
const DEV_UI = "/dev-ui/?userId=ada";

describe("requests with the cookie of a page", () => {
  /** What browsers report of pages of other sites, of other ports and subdomains, and of frames without an origin. */
  const FOREIGN: readonly Readonly<Record<string, string>>[] = [
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    { "sec-fetch-site": "same-site", origin: "http://localhost:1" },
    { "sec-fetch-site": "cross-site", origin: "null" },
    { "sec-fetch-site": "same-origin", origin: "null" },
    { "sec-fetch-site": "none", origin: "https://evil.example" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "invented" },
    { "sec-fetch-site": "" },
  ];

  it("change nothing for pages of others, whichever operation they send", async () => {
    verifies("authentication:sign-in:own-pages");
    const cookie = await signIn();
    const operations = operationsOf(JSON.parse((await send("/openapi.json")).text)).filter(
      ({ method }) => method !== "GET",
    );
    expect(operations.length).toBeGreaterThan(40);
    const ids = new Map<string, string>();
    for (const operation of operations) {
      for (const name of ["runId", "jobId", "eventId", "keyId", "scheduleId", "webhookId", "deliveryId"])
        ids.set(`${operation.purpose}.${name}`, "some");
      const { url, method, headers, payload } = await exampleRequest(operation, ids);
      for (const foreign of FOREIGN) {
        const given = { ...(headers as Readonly<Record<string, string>>), cookie, ...foreign };
        const body = payload === undefined ? "" : String(payload);
        const { status } = await send(String(url), { method: String(method), headers: given, body });
        expect([operation.id, foreign, status]).toEqual([operation.id, foreign, expect.toSatisfy(isRefusal)]);
      }
    }
    for (const path of ["/auth/logout", "/auth/refresh", "/auth/login"]) {
      for (const foreign of FOREIGN) {
        const headers = { "content-type": "application/json", cookie, ...foreign };
        const { status } = await send(path, { method: "POST", headers, body: JSON.stringify({ key: server.key }) });
        expect([path, foreign, status]).toEqual([path, foreign, 403]);
      }
    }
    expect((await send(SESSIONS, { headers: { cookie } })).status).toBe(200);
  });

  it("show pages that no page of another site can put into a frame", async () => {
    verifies("authentication:sign-in:page");
    const cookie = await signIn();
    for (const path of ["/auth/login", "/auth/callback", "/console", "/console/evaluations", "/docs", DEV_UI]) {
      const { headers, text } = await send(path, { headers: { cookie } });
      expect([path, text.slice(0, 15).toLowerCase()]).toEqual([path, "<!doctype html>"]);
      const own = path === DEV_UI ? "'self'" : "'none'";
      expect([path, headers["content-security-policy"]]).toEqual([
        path,
        expect.stringContaining(`frame-ancestors ${own}`),
      ]);
      expect([path, headers["x-content-type-options"], headers["cache-control"]]).toEqual([
        path,
        "nosniff",
        expect.stringMatching(/^no-(store|cache)$/),
      ]);
    }
  });
});

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}
