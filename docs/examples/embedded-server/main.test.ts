import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { answerJson, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { messageTo } from "#test/helpers/worlds/mounted-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const ANSWER = {
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "This way." }] }, finishReason: "STOP" }],
};

async function post(url: string, body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  return (await fetch(url, { method: "POST", ...(body && { headers, body: JSON.stringify(body) }) })).json();
}

it("answers below its prefix, keeps sessions in its folder, and ends with the app", async () => {
  verifies("platform:embedded:mounted", "platform:embedded:stores", "platform:embedded:quiet");
  await using gemini = await startWireServer(answerJson(JSON.stringify(ANSWER)));
  const directory = mkdtempSync(join(tmpdir(), "museum-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const environment = { TEAM_KEY: "key-of-the-team", GEMINI_URL: gemini.url, PORT: "0" };
  const script = "docs/examples/embedded-server/main.ts";
  const session = "/agents/apps/guide/users/u/sessions/s";
  const start = async () => {
    const program = new CliProcess([], { script, environment, directory });
    const [, url = ""] = await program.until(/ready: (\S+)/);
    return { program, url: url.replace("[::1]", "localhost") };
  };
  const first = await start();
  await using _first = first.program;
  expect(await (await fetch(first.url)).text()).toBe("The museum is open.");
  await post(first.url + session);
  expect(await post(`${first.url}/agents/run`, messageTo("guide"))).toMatchObject([
    { author: "guide", content: { parts: [{ text: "This way." }] } },
  ]);
  expect(gemini.requests.map(({ headers }) => headers["x-goog-api-key"])).toEqual(["key-of-the-team"]);
  expect(await first.program.end("SIGINT")).toBe(0);
  expect(readdirSync(directory)).toEqual(["data"]);

  const second = await start();
  await using _second = second.program;
  expect(await (await fetch(second.url + session)).json()).toMatchObject({
    events: [{ author: "user" }, { author: "guide" }],
  });
});
