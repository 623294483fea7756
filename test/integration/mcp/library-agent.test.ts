import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { functionCalls } from "#kit/events/event.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { answer } from "#test/helpers/worlds/pay-world.ts";

it("reserves a book through its server, after the user has answered the server's question", async () => {
  verifies("tools:mcp:elicitation", "tools:mcp-stdio:command");
  const loader = new DirectoryAgentLoader({ directory: join(REPOSITORY_ROOT, "agents"), hotReload: false });
  onTestFinished(() => loader.close());
  const { app } = await loader.loadAgent("library");
  const world = await createAgentWorld(app.rootAgent);
  const events = await world.run("Reserve the book Moby Dick.");
  const question = events.flatMap(functionCalls).at(-1) ?? {};
  expect(question.args?.["message"]).toMatch(/Which card is “.*Moby Dick.*” reserved for\?/);
  const resumed = await world.run(answer(question, { card: "A-7" }, "adk_request_input"));
  expect(brief(resumed[0] ?? expect.unreachable())).toContain("is reserved for card A-7, for 2 weeks.");
  await world.runner.close();
});
