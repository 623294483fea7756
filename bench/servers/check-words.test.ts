import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkWords } from "./check-words.ts";
import { ownServer } from "./own-server.ts";

/** A server that answers all requests with one event, as a frame or in an array. */
const ONE_EVENT = `require("http").createServer((request, answer) =>
  answer.end(request.url === "/run_sse" ? "data: {}\\n\\n" : "[{}]")).listen(process.argv[1], "127.0.0.1")`;

describe.runIf(process.platform === "linux")("checkWords", () => {
  it("accepts this server", async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "fairlead-words-"));
    await checkWords({ name: "own", command: ownServer(folder.path) });
  });

  it("refuses a server that does not give one frame for each chunk", async () => {
    const args = (port: number): readonly string[] => ["-e", ONE_EVENT, String(port)];
    const command = { command: process.execPath, args, cwd: import.meta.dirname };
    await expect(checkWords({ name: "peer", command })).rejects.toThrow(
      'peer gives 1 frames and 1 events for "n=5 s=20", not 6 and 1',
    );
  });
});
