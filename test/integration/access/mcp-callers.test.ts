import { describe, expect, it, onTestFinished } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { callMcp, FULL_CLIENT } from "#test/helpers/mcp/mcp-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { type CallerName, callerNamed, isNamed, OWNER } from "./matrix-callers.ts";

/** All methods of the stateless revision, each with the scope that it needs. */
const METHODS: Readonly<Record<string, string | undefined>> = {
  "server/discover": undefined,
  "tools/list": undefined,
  "tools/call": "runs:write",
  "tasks/get": "sessions:read",
  "tasks/update": "runs:write",
  "tasks/cancel": "runs:write",
};

const PLANTED = "planted-by-the-owner";
const ASK = { name: "echo", arguments: { request: PLANTED, sessionId: "of-the-owner" } };

async function startWorld() {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  onTestFinished(() => open());
  const world = await startGateway({
    config: { MCP_APPS: ["*"], MCP_TASK_AFTER_MS: 0 },
    script: () => gate,
    deps: {
      authenticators: [
        {
          authenticate: ({ headers: { "x-caller": name } }) => {
            if (name === "expired") throw new PlatformError("UNAUTHENTICATED", "The credentials have expired.");
            return typeof name === "string" && isNamed(name) ? callerNamed(name) : undefined;
          },
        },
      ],
    },
  });
  const as = (caller: CallerName, method: string, params: Readonly<Record<string, unknown>> = {}, meta: object = {}) =>
    callMcp(world.gateway, method, params, { capabilities: FULL_CLIENT, headers: { "x-caller": caller }, meta });
  const { taskId } = (await as("owner", "tools/call", ASK)).result ?? {};
  expect(taskId).toEqual(expect.any(String));
  return { as, world, taskId: String(taskId), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

describe("each method of /mcp", () => {
  it.each(Object.entries(METHODS))("needs credentials and its scope: %s", async (method, scope) => {
    verifies("platform:mcp:access");
    await using rig = await startWorld();
    const params = method === "tools/call" ? ASK : { taskId: rig.taskId, inputResponses: {} };
    for (const caller of ["anonymous", "expired"] as const)
      expect([caller, (await rig.as(caller, method, params)).status]).toEqual([caller, 401]);
    expect((await rig.as("operator", method, params)).status).toBe(scope === undefined ? 200 : 403);
    const without = `without ${scope ?? "ops"}`;
    const { status } = await rig.as(isNamed(without) ? without : "anonymous", method, params);
    expect(status).toBe(scope === undefined ? 200 : 403);
    expect(rig.world.runner.cancelled).toEqual([]);
    expect(rig.world.runner.started).toHaveLength(1);
  });

  it("needs its scope for a call whose progress is streamed", async () => {
    verifies("platform:mcp:access");
    await using rig = await startWorld();
    const streamed = (caller: CallerName) => rig.as(caller, "tools/call", ASK, { progressToken: 1 });
    expect((await streamed("anonymous")).status).toBe(401);
    for (const caller of ["operator", "without runs:write"] as const)
      expect([caller, (await streamed(caller)).status]).toEqual([caller, 403]);
    expect(rig.world.runner.started).toHaveLength(1);
  });

  it.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "answers for the task of others like for none: %s",
    async (method) => {
      verifies("platform:mcp:access");
      await using rig = await startWorld();
      for (const caller of ["eve", "twin", "foreignAdmin"] as const) {
        const ask = (taskId: string) => rig.as(caller, method, { taskId, inputResponses: {} });
        expect([caller, await ask(rig.taskId)]).toEqual([caller, await ask("absent")]);
      }
      expect(rig.world.runner.cancelled).toEqual([]);
    },
  );

  it("continues no call of others by its state, which names the run to its owner", async () => {
    verifies("platform:mcp:access");
    await using rig = await startWorld();
    const resume = (caller: CallerName, runId: string) => {
      const requestState = Buffer.from(JSON.stringify({ runId })).toString("base64url");
      return rig.as(caller, "tools/call", { ...ASK, requestState, inputResponses: {} });
    };
    for (const caller of ["eve", "twin", "foreignAdmin"] as const)
      expect([caller, await resume(caller, rig.taskId)]).toEqual([caller, await resume(caller, "absent")]);
    expect((await resume("owner", rig.taskId)).result).toMatchObject({ resultType: "task", taskId: rig.taskId });
    expect(rig.world.runner.started).toHaveLength(1);
  });

  it("has a session of its own name for each user and tenant", async () => {
    verifies("platform:mcp:access");
    await using rig = await startWorld();
    for (const caller of ["eve", "twin"] as const) {
      const { result } = await rig.as(caller, "tools/call", {
        ...ASK,
        arguments: { ...ASK.arguments, request: "mine" },
      });
      expect(JSON.stringify(result)).not.toContain(PLANTED);
    }
    expect(rig.world.runner.started.map(({ session }) => [session.tenantId ?? "default", session.userId])).toEqual([
      ["default", OWNER],
      ["default", "eve"],
      ["acme", OWNER],
    ]);
  });
});
