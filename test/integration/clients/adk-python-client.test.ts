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
  it.each([
    { name: "without authentication", options: {}, anonymous: 200 },
    { name: "with an API key", options: { userId: "python" }, anonymous: 401 },
  ])(
    "runs agents, answers their questions, and manages sessions and artifacts, $name",
    async ({ options, anonymous }) => {
      await using server = await ClientServer.start(options);
      expect((await fetch(`${server.url}/list-apps`)).status).toBe(anonymous);
      const words = [PROGRAM, server.url, ...(server.apiKey === "" ? [] : [server.apiKey])];
      const { stdout } = await promisify(execFile)(python ?? "", words, { timeout: TIMEOUT_MS });
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
    },
    TIMEOUT_MS,
  );
});
