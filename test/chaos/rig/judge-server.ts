import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Mark of a case in its messages, and so in each question about it. */
export function caseMark(name: string, index: number): string {
  return `<<${name}-${index}>>`;
}

const MARK = /<<[\w-]+>>/;

/**
 * A judge model behind OpenAI's protocol, in the process of the test. Each question is written to a file with its case
 * before it is answered, so that the file has what was asked whichever process is killed.
 */
export class JudgeServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #logFile: string;
  /** Delay of the judge's answers, in milliseconds. */
  thinkMs = 0;
  /** The replica that has asked the newest question. */
  newestReplica = 0;

  private constructor(server: Server, logFile: string) {
    this.#server = server;
    this.#logFile = logFile;
  }

  static async start(logFile: string): Promise<JudgeServer> {
    writeFileSync(logFile, "");
    const server = createServer();
    const judge = new JudgeServer(server, logFile);
    server.on("request", async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const mark = MARK.exec(body)?.[0] ?? "unknown";
      judge.newestReplica = Number(/replica-(\d)/.exec(request.url ?? "")?.[1]);
      appendFileSync(logFile, `${mark}\n`);
      await pause(judge.thinkMs);
      const content = `{"reasoning": "The same.", "is_the_agent_response_valid": "valid"}`;
      const message = { role: "assistant", content };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return judge;
  }

  /** The address for one replica of the evaluation service. */
  urlFor(replica: number): string {
    // The address of a server that listens on a port is not a path.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/replica-${replica}`;
  }

  /** How often the judge was asked about each case, by the case's mark. */
  questions(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const mark of readFileSync(this.#logFile, "utf8").split("\n").slice(0, -1))
      counts.set(mark, (counts.get(mark) ?? 0) + 1);
    return counts;
  }

  /** How many connections are open. One of a killed process is open until all that it has sent was read. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
