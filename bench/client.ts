import { Agent, request } from "node:http";

export type Headers = Readonly<Record<string, string>>;

/** A client with a fixed number of kept-alive connections. */
export class Client implements Disposable {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #headers: Headers;

  /** The headers are sent with each request. */
  constructor(url: string, connections: number, headers: Headers = {}) {
    this.#url = new URL(url);
    this.#headers = headers;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
  }

  /**
   * Sends the request and reads the whole answer; `onChunk` gets the raw bytes as they arrive. Throws for any status
   * but 200.
   */
  send(method: string, path: string, body: unknown, onChunk?: (chunk: Buffer) => void): Promise<number> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent: this.#agent,
          host: this.#url.hostname,
          port: this.#url.port,
          method,
          path,
          headers: {
            ...this.#headers,
            ...(payload !== undefined && {
              "content-type": "application/json",
              "content-length": Buffer.byteLength(payload),
            }),
          },
        },
        (response) => {
          let bytes = 0;
          response.on("data", (chunk: Buffer) => {
            bytes += chunk.length;
            onChunk?.(chunk);
          });
          response.on("end", () => {
            const status = response.statusCode ?? 0;
            // A delete may be answered 204.
            if (status === 200 || status === 204) resolve(bytes);
            else reject(new Error(`${method} ${path}: ${status}`));
          });
          response.on("error", reject);
        },
      );
      outgoing.on("error", reject);
      outgoing.end(payload);
    });
  }

  createSession(id: string): Promise<number> {
    return this.send("POST", `/apps/bench/users/u/sessions/${id}`, {});
  }

  deleteSession(id: string): Promise<number> {
    return this.send("DELETE", `/apps/bench/users/u/sessions/${id}`, undefined);
  }

  run(sessionId: string, words: string, onChunk?: (chunk: Buffer) => void): Promise<number> {
    return this.send("POST", "/run", runBody(sessionId, words, false), onChunk);
  }

  /** A short turn; its time in ms. */
  async timedRun(sessionId: string): Promise<number> {
    const sent = performance.now();
    await this.run(sessionId, "small=1");
    return performance.now() - sent;
  }

  runSse(sessionId: string, words: string, onChunk?: (chunk: Buffer) => void): Promise<number> {
    return this.send("POST", "/run_sse", runBody(sessionId, words, true), onChunk);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function runBody(sessionId: string, words: string, streaming: boolean): unknown {
  return {
    appName: "bench",
    userId: "u",
    sessionId,
    newMessage: { role: "user", parts: [{ text: words }] },
    streaming,
  };
}

/** Runs the jobs 0 … count-1, so many at a time. */
export async function inParallel(
  count: number,
  width: number,
  job: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await job(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((first, second) => first - second);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
