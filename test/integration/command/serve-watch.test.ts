import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

/** Answers with a word of another file and with a variable of `.env`; `slow` waits first. */
const AGENT = `import { BaseAgent, modelContent } from "fairlead/kit";
import { word } from "../../lib/word.mjs";
class Reader extends BaseAgent {
  async *runAsyncImpl(context) {
    yield context.createEvent({ content: modelContent("begun"), partial: true });
    if (context.userContent.parts[0].text === "slow") await new Promise((resolve) => setTimeout(resolve, 1500));
    yield context.createEvent({ content: modelContent(word + " " + process.env.FIRST) });
  }
}
export const rootAgent = new Reader({ name: "reader" });
`;

function say(url: string, text: string, path: string): Promise<Response> {
  const newMessage = { role: "user", parts: [{ text }] };
  return fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appName: "reader", userId: "ada", sessionId: "talk", newMessage, streaming: true }),
  });
}

it("restarts at the same address when a source file of the project changes, and lets active runs end", {
  timeout: 60_000,
}, async () => {
  verifies("platform:command:serve:watch");
  const folder = agentsFolder({
    "package.json": "{}",
    ".env": "FIRST=one\n",
    "lib/word.mjs": 'export const word = "old";\n',
    "agents/reader/agent.mjs": AGENT,
  });
  await using server = new CliProcess(["serve", "agents", "--watch", "--port", "0"], { directory: folder.path });
  const [, url = ""] = await server.until(/ready: (http:\S+)\/dev-ui[^]*API docs/);
  await fetch(`${url}/apps/reader/users/ada/sessions/talk`, { method: "POST" });
  expect(await (await say(url, "go", "/run")).text()).toContain("old one");

  const slow = await say(url, "slow", "/run_sse");
  writeFileSync(join(folder.path, "lib/word.mjs"), 'export const word = "new";\n');
  writeFileSync(join(folder.path, ".env"), "FIRST=two\n");
  expect(await slow.text()).toContain("old one");
  await server.until(/restarting\.[^]*ready: [^]*API docs/);
  expect(server.output.match(/ready: (http:\S+)\/dev-ui/g)).toEqual([`ready: ${url}/dev-ui`, `ready: ${url}/dev-ui`]);
  const answer = await (await say(url, "go", "/run")).text();
  expect(answer).toContain("new two");
  expect(await server.end("SIGTERM")).toBe(0);
});

it("ends with the exit code of a server that cannot start", { timeout: 60_000 }, async () => {
  const folder = agentsFolder({ "package.json": readFileSync("package.json", "utf8") });
  await using server = new CliProcess(["serve", "nowhere", "--watch"], { directory: folder.path });
  await server.ended;
  expect([server.child.exitCode, server.output]).toEqual([1, expect.stringContaining('There is no folder "nowhere"')]);
});
