import { expect, it } from "vitest";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { McpToolset } from "../mcp-toolset.ts";

it("asks for each user's own credentials once, and serves no user with another's", async () => {
  verifies("tools:mcp:sign-in");
  await using server = await startModernServer({ tools: [{ name: "add", inputSchema: { type: "object" } }] });
  const asked: string[] = [];
  const toolset = new McpToolset({
    // The run's own way out refuses servers on loopback.
    fetch: (input, init) => fetch(input, init),
    connectionParams: { kind: "streamable-http", url: server.url },
    authProvider: ({ userId }) => {
      asked.push(userId);
      return { token: async () => `token of ${userId}` };
    },
  });
  for (const userId of ["ada", "eve", "ada"]) {
    const invocation = createInvocation();
    Object.assign(invocation.session, { userId });
    await toolset.getTools(new ReadonlyContext(invocation));
  }
  expect([asked, toolset.openConnections]).toEqual([["ada", "eve"], 2]);
  const lists = server.received.filter(({ method }) => method === "tools/list");
  expect(lists.map(({ headers }) => headers.authorization)).toEqual([
    ...["Bearer token of ada", "Bearer token of eve", "Bearer token of ada"],
  ]);
  await toolset.close();
});

it("forgets the user who was served longest ago beyond 1,000 users", async () => {
  const asked: string[] = [];
  const toolset = new McpToolset({
    connectionParams: { kind: "streamable-http", url: "http://127.0.0.1:1/mcp" },
    authProvider: ({ userId }) => {
      asked.push(userId);
      return {};
    },
  });
  // Nothing is sent for a run that has ended.
  const serve = (userId: string) =>
    toolset.listPrompts(
      new ReadonlyContext(createInvocation({ owner: { userId }, signal: AbortSignal.abort(new Error("ended")) })),
    );
  const users = Array.from({ length: 1000 }, (_, index) => `user ${index}`);
  for (const user of [...users, "user 0", "one more", "user 0", "user 1"])
    await expect(serve(user)).rejects.toThrow("ended");
  expect(asked).toEqual([...users, "one more", "user 1"]);
});
