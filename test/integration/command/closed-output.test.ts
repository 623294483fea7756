import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { freePort } from "#tooling/free-ports.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

it.each(["json", "pretty"])(
  "a server whose output nobody reads serves, and ends in good order (%s)",
  async (format) => {
    verifies("platform:output");
    const folder = mkdtempSync(join(tmpdir(), "closed-output-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const port = await freePort();
    const args = ["serve", "agents", "--port", String(port), "--data-dir", folder];
    await using server = new CliProcess(args, {
      environment: { DEV_UI: "false", LOG_FORMAT: format, LOG_LEVEL: "debug" },
    });
    await server.until(/is ready: http/);
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    // Each request is a line of the log.
    for (let request = 0; request < 3; request += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/list-apps`);
      expect(answer.status).toBe(200);
      await answer.text();
    }
    expect(await server.end("SIGTERM")).toBe(0);
  },
);
