import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { findPythonWithAdk } from "#test/helpers/clients/adk-clients.ts";
import { ClientServer } from "#test/helpers/servers/client-server.ts";

const python = await findPythonWithAdk();
const PROGRAM = fileURLToPath(new URL("../../fixtures/adk-python/converse.py", import.meta.url));
const TIMEOUT_MS = 120_000;

describe.skipIf(python === undefined)("Google's Python client", () => {
  it("runs agents, answers their questions, and manages sessions and artifacts", { timeout: TIMEOUT_MS }, async () => {
    await using server = await ClientServer.start();
    const { stdout } = await promisify(execFile)(python ?? "", [PROGRAM, server.url], { timeout: TIMEOUT_MS });
    expect(JSON.parse(stdout)).toEqual({
      state: { mood: "good" },
      hello: ["~Hello ", "Hello there."],
      tool: ["call look, call look", "answer look, answer look", "~Hello ", "Hello there."],
      asked: ["call pay", "answer pay", "call adk_request_confirmation"],
      confirmed: ["answer pay", "Hello there."],
      answered: ["Hello there."],
      failure: "RuntimeError",
      artifact: [{ source: "desk" }],
      mood: "better",
      complete: true,
      deleted: 404,
    });
  });
});
