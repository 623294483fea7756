import { setTimeout as pause } from "node:timers/promises";
import type { ChaosRig } from "./rig/rig.ts";

/** The longest wait of a client. */
const PATIENCE_MS = 170_000;
const RETRY_PAUSE_MS = 150;
const REQUEST_MS = 20_000;

/** An evaluation, as routes answer it. */
export interface WireJob {
  readonly jobId: string;
  readonly status: string;
  readonly counts: { readonly total: number; readonly done: number; readonly passed: number; readonly failed: number };
  readonly attempts: number;
  readonly sequence: number;
  readonly evalResultId?: string;
  readonly error?: { readonly reason: string; readonly message: string };
}

export interface WireCase {
  readonly index: number;
  readonly evalId: string;
  readonly status: string;
  readonly attempts: number;
  readonly sequence: number;
  readonly sessionId?: string;
  readonly finalEvalStatus?: number;
}

/** What a reader of an evaluation's stream got, in order. */
export type EvalFrame =
  | { readonly kind: "connect"; readonly after: string | undefined }
  | { readonly kind: "case"; readonly id: number; readonly case: WireCase }
  | { readonly kind: "job"; readonly id: number; readonly job: WireJob };

/** A client of evaluations with a retry policy, which records what it reads. */
export class EvalClient {
  readonly #rig: ChaosRig;

  constructor(rig: ChaosRig) {
    this.#rig = rig;
  }

  /** Repeats the request, at one gateway after the other, until it is answered. Throws for a refusal. */
  async call<Answer>(path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const init = body === undefined ? { headers } : post(body, headers);
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let attempt = 0; ; attempt += 1) {
      let problem: string;
      try {
        const response = await this.#fetch(path, attempt, init);
        const text = await response.text();
        // The answer of the route.
        if (response.ok) return JSON.parse(text) as Answer;
        problem = `${path}: ${response.status} ${text}`;
        if (![429, 502, 503, 504].includes(response.status)) throw new Error(problem);
      } catch (error) {
        problem = String(error);
        if (error instanceof Error && error.message.startsWith(path)) throw error;
      }
      if (performance.now() > giveUpAt) throw new Error(problem);
      await pause(RETRY_PAUSE_MS);
    }
  }

  /** A repeat finds what the first request made if its answer was lost. */
  async create(path: string, body: object): Promise<void> {
    await this.call(path, body).catch((error: unknown) => {
      if (!String(error).includes("ALREADY_EXISTS")) throw error;
    });
  }

  start(body: object, idempotencyKey: string): Promise<WireJob> {
    return this.call<WireJob>("/v1/evals", body, { "idempotency-key": idempotencyKey });
  }

  read(jobId: string): Promise<WireJob> {
    return this.call<WireJob>(`/v1/evals/${jobId}`);
  }

  /** Reads the stream to the job's end, on any gateway that answers, each time from the last position. */
  async follow(jobId: string, frames: EvalFrame[]): Promise<WireJob> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let attempt = 0; performance.now() < giveUpAt; attempt += 1) {
      const newest = frames.findLast((frame) => frame.kind !== "connect");
      const after = newest === undefined ? undefined : String(newest.id);
      frames.push({ kind: "connect", after });
      const headers = after === undefined ? {} : { "last-event-id": after };
      const signal = AbortSignal.timeout(Math.ceil(Math.max(giveUpAt - performance.now(), 1)));
      try {
        const response = await this.#fetch(`/v1/evals/${jobId}/stream`, attempt, { headers, signal });
        if (response.ok && response.body !== null) {
          let rest = "";
          for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
            const blocks = (rest + chunk).split("\n\n");
            rest = blocks.pop() ?? "";
            for (const block of blocks) addFrame(frames, block);
          }
        }
      } catch {
        // The gateway is lost: the next one continues.
      }
      const last = frames.findLast((frame) => frame.kind === "job");
      if (last !== undefined && !["queued", "running"].includes(last.job.status)) return last.job;
      await pause(RETRY_PAUSE_MS);
    }
    throw new Error(`The stream of ${jobId} has no end: ${JSON.stringify(frames.at(-1))}`);
  }

  #fetch(path: string, attempt: number, init: RequestInit): Promise<Response> {
    return fetch(this.#rig.gatewayUrl(attempt % 2) + path, { signal: AbortSignal.timeout(REQUEST_MS), ...init });
  }
}

function post(body: object, headers: Readonly<Record<string, string>>): RequestInit {
  return { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

function addFrame(frames: EvalFrame[], block: string): void {
  const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]));
  const [data, event, id] = [fields.get("data"), fields.get("event"), Number(fields.get("id"))];
  if (data === undefined) return;
  const value = JSON.parse(data);
  if (event === "case") frames.push({ kind: "case", id, case: value });
  if (event === "job") frames.push({ kind: "job", id, job: value });
}
