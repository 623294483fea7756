import { generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
import { FolderApps } from "#kit/definitions/loaders/folder-apps.ts";
import { functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { lazy } from "#kit/platform/lazy.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import type { McpConnectionParams } from "#kit/tools/mcp/connection-params.ts";
import { ListCache } from "#kit/tools/mcp/list-cache.ts";
import { McpToolset } from "#kit/tools/mcp/mcp-toolset.ts";
import { SigningKeys } from "#services/gateway/identity/oidc/signing-keys.ts";
import { startSessionServer } from "#test/helpers/mcp/session-server.ts";
import { STUCK_SERVER } from "#test/helpers/mcp/stuck-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** What a call gives before the fault, at it, and afterwards. */
type Lives = readonly [before: unknown, atFault: unknown, after: unknown];

/** Each thing that is kept for later uses, and that has failed once. */
const REMEMBERED: Readonly<Record<string, () => Promise<Lives>>> = {
  "a session of an MCP server": async () => {
    await using server = await startSessionServer(() => ({ status: 404 }));
    await using used = await toolWorld({ kind: "streamable-http", url: server.url });
    const before = await used.call("add");
    server.restart();
    return [before, await used.call("add"), await used.call("add")];
  },
  "a process of an MCP server that was killed": async () => {
    await using used = await toolWorld(STUCK_SERVER);
    const first = await used.call("get_id");
    process.kill(Number(first), "SIGKILL");
    // Whether the end of the process is known by then decides whether this call fails.
    const atFault = await used.call("get_id");
    const after = await used.call("get_id");
    return [first === "", atFault === first, Number(after) > 0 && after !== first];
  },
  "a process of an MCP server that is stuck": async () => {
    await using used = await toolWorld(STUCK_SERVER);
    const first = await used.call("get_id");
    const stuck = await used.call("get_stuck");
    return [first === "", stuck, (await used.call("get_id")) !== first];
  },
  "a process of an MCP server that was slow, and keeps its state": async () => {
    await using used = await toolWorld(STUCK_SERVER);
    const first = await used.call("get_id");
    return [first === "", await used.call("be_slow"), (await used.call("get_id")) === first];
  },
  "a list of an MCP server": async () => {
    const list = new ListCache<string>(new FixedClock(), 0);
    const read = (load: () => Promise<{ items: readonly string[] }>) => list.read(load).catch(messageOf);
    const good = async () => ({ items: ["a"] });
    return [await read(good), await read(() => Promise.reject(new Error("down"))), await read(good)];
  },
  "a token of a service account that its server refuses": async () => {
    let tokens = 0;
    const outbound = { fetch: async () => Response.json({ access_token: `token-${(tokens += 1)}`, expires_in: 3600 }) };
    const manager = new CredentialManager({
      authScheme: { type: "http", scheme: "bearer" },
      rawAuthCredential: { authType: "serviceAccount", serviceAccount: { serviceAccountCredential: serviceKey() } },
    });
    // Tokens of the app's own account need nothing else of a run.
    const context = {
      credentialScope: { clock: new FixedClock(), outbound, signal: new AbortController().signal } as never,
    };
    const tokenOf = async (work: Promise<unknown>) => JSON.stringify(await work).match(/token-\d/)?.[0];
    const before = await tokenOf(manager.getAuthCredential(context));
    return [before, await tokenOf(manager.replaceRefused(context)), await tokenOf(manager.getAuthCredential(context))];
  },
  "the keys of an identity provider": async () => {
    const clock = new FixedClock();
    let isDown = false;
    const fetchKeys = async () => {
      if (isDown) throw new Error("down");
      return { keys: [] };
    };
    const jose = await import("jose");
    const keys = new SigningKeys({ issuer: "i", fetchKeys, jose, clock, logger: silentLogger });
    const find = () =>
      keys.keyFor({ alg: "RS256", kid: "k" }, {} as never).catch((error) => error.reason ?? error.code);
    const before = await find();
    isDown = true;
    clock.advance(11 * 60_000);
    const atFault = await find();
    isDown = false;
    clock.advance(11_000);
    return [before, atFault, await find()];
  },
  "a value that is loaded on first use": async () => {
    let attempts = 0;
    const load = lazy(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("down");
      return attempts;
    });
    return [attempts, await load().catch(messageOf), await load()];
  },
  "a connection of the network that is kept open": async () => {
    const first = await listen(0, "first");
    await using outbound = createOutboundAccess({ allowedHosts: [`127.0.0.1:${first.port}`] });
    const ask = async () => (await outbound.fetch(`http://127.0.0.1:${first.port}/`)).text();
    const before = await ask();
    await first.stop();
    const atFault = await ask().catch((error) => error.reason);
    const second = await listen(first.port, "second");
    const after = await ask();
    await second.stop();
    return [before, atFault, after];
  },
  "the first look into the folder of agents": async () => {
    let looks = 0;
    const apps = new FolderApps({
      root: "/agents",
      find: async () => {
        looks += 1;
        if (looks === 1) throw new Error("down");
        return { apps: new Map(), unreadable: [] };
      },
      load: async ({ name }) => createApp({ name, rootAgent: new LlmAgent({ name: "helper" }) }),
      hotReload: false,
      logger: silentLogger,
    });
    return [looks, await apps.listAgents().catch(messageOf), await apps.listAgents()];
  },
};

const TIMED_OUT = expect.stringContaining("did not answer within 300 ms");
const EXPECTED: Readonly<Record<keyof typeof REMEMBERED, Lives>> = {
  "a session of an MCP server": ["call 1", "call 2", "call 3"],
  "a process of an MCP server that was killed": [false, false, true],
  "a process of an MCP server that is stuck": [false, TIMED_OUT, true],
  "a process of an MCP server that was slow, and keeps its state": [false, TIMED_OUT, true],
  "a list of an MCP server": [["a"], "down", ["a"]],
  "a token of a service account that its server refuses": ["token-1", "token-2", "token-2"],
  "the keys of an identity provider": ["ERR_JWKS_NO_MATCHING_KEY", "IDENTITY_UNAVAILABLE", "ERR_JWKS_NO_MATCHING_KEY"],
  "a value that is loaded on first use": [0, "down", 2],
  "a connection of the network that is kept open": ["first", "OUTBOUND_FAILED", "second"],
  "the first look into the folder of agents": [0, "down", []],
};

/** Things whose tests need a part of their own, such as Redis or a browser, and the test that fails them once. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, title: string]>> = {
  "all forms of a lost MCP session": [
    "kit/tools/mcp/lost-session.test.ts",
    "is opened again, and the call is sent again",
  ],
  "an MCP stream of events": ["test/integration/mcp/restarted-server.test.ts", "continues over server-sent events"],
  "a remembered version of MCP": ["test/integration/mcp/restarted-server.test.ts", "is used by its new protocol"],
  "a page of a browser": [
    "kit/tools/computer-use/playwright/playwright-computer.test.ts",
    "has another page after one has crashed",
  ],
  "a subscription in Redis": ["test/integration/stores/redis-run-channels.test.ts", "reconnect"],
  "data keys of a key service": ["ports/encryption/content-keys.test.ts", "refus"],
  "an app whose files could not be read": ["kit/definitions/loaders/file-faults.test.ts", "leaves nothing broken"],
};

describe("what has failed once", () => {
  it.each(Object.keys(REMEMBERED))("lives again: %s", async (name) => {
    verifies("tools:mcp:lost-session");
    expect(await REMEMBERED[name]?.()).toEqual(EXPECTED[name]);
  });

  it.each(Object.entries(ELSEWHERE))("lives again in a test of its own: %s", async (_, [file, title]) => {
    expect(await readFile(new URL(`../../../${file}`, import.meta.url), "utf8")).toContain(title);
  });
});

async function toolWorld(connectionParams: McpConnectionParams) {
  const toolset = new McpToolset({ connectionParams, fetch: (input, init) => fetch(input, init) });
  let next = "";
  const model = new ScriptedModel(
    Array.from({ length: 4 }, () => [() => functionCallResponse(next, {}), "Done."]).flat(),
  );
  const world = await createAgentWorld(new LlmAgent({ name: "a", model, tools: [toolset] }));
  return {
    /** The text of the result, or its error. */
    call: async (name: string): Promise<unknown> => {
      next = name;
      const [response] = (await world.run("go")).flatMap(functionResponses);
      const { error, content } = response?.response as { error?: string; content?: { text: string }[] };
      return error ?? content?.[0]?.text;
    },
    [Symbol.asyncDispose]: () => world.runner.close(),
  };
}

async function listen(port: number, answer: string) {
  const server = createServer((_, response) => void response.end(answer));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    // A server that listens on TCP has such an address.
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serviceKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    ...{ type: "service_account" as const, client_email: "robot@p.example" },
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function messageOf(error: Error): string {
  return error.message;
}
