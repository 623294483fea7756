import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

const PROGRAM = `
  const server = require("node:net").createServer();
  server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
    require("node:fs").writeSync(1, String(server.address().port));
    require("node:fs").closeSync(1);
    process.kill(process.pid, "SIGSTOP");
  });
`;
/** More than the queue takes. */
const FILLERS = 8;

/**
 * An address whose packets go nowhere, as with a lost machine: the queue of its listener is full, and its process
 * is stopped, so that the system does not answer who wants to connect.
 */
export class SilentAddress implements Disposable {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #fillers: readonly Socket[];

  private constructor(child: ChildProcess, port: number, fillers: readonly Socket[]) {
    this.#child = child;
    this.port = port;
    this.#fillers = fillers;
  }

  static async open(): Promise<SilentAddress> {
    const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
    const port = Number(await text(child.stdout));
    const fillers = Array.from({ length: FILLERS }, () => connect(port, "127.0.0.1").on("error", () => {}));
    if (fillers[0]?.connecting === true) await once(fillers[0], "connect");
    return new SilentAddress(child, port, fillers);
  }

  [Symbol.dispose](): void {
    for (const filler of this.#fillers) filler.destroy();
    this.#child.kill("SIGKILL");
  }
}
