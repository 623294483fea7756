import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readWireFile } from "#test/helpers/servers/recorded-server.ts";
import { answerJson, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { emptyFolder, fairlead } from "#test/helpers/worlds/command-world.ts";

const KEY = "a-key-of-the-house-12345";
const ANSWER = { choices: [{ message: { content: "Good day." }, finish_reason: "stop" }] };

it("fairlead run --record-wire writes what a model is sent and answers, and never replaces a file", async () => {
  verifies("providers:record:played-back", "providers:record:new-file");
  await using server = await startWireServer(answerJson(JSON.stringify(ANSWER)));
  const folder = emptyFolder();
  mkdirSync(join(folder, "agents/desk"), { recursive: true });
  writeFileSync(
    join(folder, "agents/desk/root_agent.yaml"),
    "name: desk\nmodel: openai/house\ninstruction: Be kind.\n",
  );
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(
    join(folder, ".env"),
    `OPENAI_API_KEY=${KEY}\nOPENAI_BASE_URL=${server.url}\nCRM_TOKEN=crm-secret-1234\n`,
  );
  const run = () =>
    fairlead(folder, ["run", "agents", "--record-wire", "wire.jsonl"], { input: "Hello crm-secret-1234\n" });
  expect(await run()).toEqual({
    exitCode: 0,
    output: expect.stringContaining(
      "desk: Good day.\nRequests in wire.jsonl: 1. It has the conversation: read it before you share it.",
    ),
  });
  const text = readFileSync(join(folder, "wire.jsonl"), "utf8");
  expect([text.includes(KEY), text.includes("crm-secret-1234"), text.includes("Be kind.")]).toEqual([
    false,
    false,
    true,
  ]);
  expect(readWireFile(join(folder, "wire.jsonl"))).toMatchObject([
    { format: "fairlead-wire" },
    { exchange: 1, request: { url: `${server.url}/chat/completions`, method: "POST" } },
    { exchange: 1, answer: { status: 200, chunks: [JSON.stringify(ANSWER)], end: "whole" } },
  ]);
  expect(await run()).toEqual({
    exitCode: 1,
    output: expect.stringContaining("wire.jsonl exists already. Give a new file."),
  });
  expect(server.requests).toHaveLength(1);
});
