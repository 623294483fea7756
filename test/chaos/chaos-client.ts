import { setTimeout as pause } from "node:timers/promises";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ScriptStep } from "#test/fixtures/chaos-agents/chaos/script.ts";
import type { Observation, Recorder, WireEvent } from "./checks/recorder.ts";
import type { ChaosRig } from "./rig/rig.ts";
import { SseFrames } from "./sse-frames.ts";

/** The longest wait of a client. */
const PATIENCE_MS = 45_000;
const MAX_TRIES = 60;
const RETRY_PAUSE_MS = 150;

export interface RunOptions {
  /** The gateway that is called first; retries call the others too. */
  readonly gateway?: number;
  readonly policy?: "enqueue" | "reject" | "interrupt" | "rollback";
  readonly idempotencyKey?: string;
  readonly onDisconnect?: "cancel" | "continue";
  readonly stateDelta?: Readonly<Record<string, unknown>>;
  readonly appName?: string;
  /** Identifies a message that is sent more than once. */
  readonly tag?: string;
  /** The call of `adk_request_input` that the message answers, with the script as the note. */
  readonly answerTo?: string;
  /** Aborted when the client leaves. */
  readonly signal?: AbortSignal;
}

interface RunAnswer {
  readonly runId?: string;
  readonly reason?: string;
  readonly events?: readonly WireEvent[];
}

/** A user of the chaos app, who records requests and answers. Requests are bounded in number and time. */
export class ChaosClient {
  readonly user: string;
  readonly #rig: ChaosRig;
  readonly #recorder: Recorder;
  #messages = 0;
  #sessions = 0;

  constructor(rig: ChaosRig, recorder: Recorder, user: string) {
    this.#rig = rig;
    this.#recorder = recorder;
    this.user = user;
  }

  /** Text that must not reach any other user. */
  get secret(): string {
    return `secret-of-${this.user}.`;
  }

  async createSession(appName = "chaos"): Promise<SessionKey> {
    this.#sessions += 1;
    const session = { appName, userId: this.user, id: `${this.user}-${this.#sessions}` };
    const path = sessionPath(session);
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const status = await this.#status(path, { method: "POST" }, attempt);
      // A repeat finds what the first request made if its answer was lost.
      if (status === 200 || (status === 409 && attempt > 0)) {
        this.#recorder.addSession(session);
        return session;
      }
      await pause(RETRY_PAUSE_MS);
    }
    throw new Error(`Session ${session.id} could not be created.`);
  }

  async deleteSession(session: SessionKey, gateway = 0): Promise<number> {
    this.#recorder.deleteSession(session);
    return this.#status(sessionPath(session), { method: "DELETE" }, gateway);
  }

  async cancel(runId: string, gateway = 0): Promise<number> {
    return this.#status(`/v1/runs/${runId}/cancel`, json({}), gateway);
  }

  async patchState(session: SessionKey, stateDelta: Readonly<Record<string, unknown>>, gateway = 0): Promise<number> {
    return this.#status(sessionPath(session), { ...json({ stateDelta }), method: "PATCH" }, gateway);
  }

  /** Adds the session to the user's memory, until that is acknowledged. */
  async remember(session: SessionKey): Promise<void> {
    const path = `/apps/${session.appName}/users/${session.userId}/memory`;
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      if ((await this.#status(path, { ...json({ sessionId: session.id }), method: "PATCH" }, attempt)) === 200) return;
      await pause(RETRY_PAUSE_MS);
    }
    throw new Error(`Session ${session.id} could not be added to memory.`);
  }

  async get(path: string, gateway = 0): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await fetch(this.#rig.gatewayUrl(gateway) + path, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return { status: response.status, body: await response.json() };
  }

  /** `/run`, once. */
  async run(session: SessionKey, steps: readonly ScriptStep[], options: RunOptions = {}): Promise<Observation> {
    return this.#post(this.#begin(session, "/run"), steps, options);
  }

  /** `/run` until it is answered, as a client with a retry policy does: with one idempotency key. */
  async runUntilAnswered(
    session: SessionKey,
    steps: readonly ScriptStep[],
    options: RunOptions = {},
  ): Promise<Observation> {
    const observation = this.#begin(session, "/run");
    const first = options.gateway ?? 0;
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const once = { ...options, gateway: first + attempt, idempotencyKey: options.idempotencyKey ?? observation.tag };
      await this.#post(observation, steps, once);
      if (observation.status !== undefined && !isRetryable(observation)) break;
      await pause(RETRY_PAUSE_MS);
    }
    return observation;
  }

  /** `/run_sse`, once. */
  async stream(session: SessionKey, steps: readonly ScriptStep[], options: RunOptions = {}): Promise<Observation> {
    const observation = this.#begin(session, "/run_sse");
    observation.frames.push({ kind: "connect", at: performance.now() });
    try {
      const response = await this.#request(
        "/run_sse?event_ids=true",
        this.#runBody(observation, steps, options),
        options,
      );
      observation.runId = response.headers.get("x-run-id") ?? "";
      await this.#read(observation, response);
    } catch (error) {
      observation.reason = String(error);
    }
    observation.endedAt = performance.now();
    return observation;
  }

  /** Starts a run in the background; repeats the request with the same idempotency key until there is an answer. */
  async background(session: SessionKey, steps: readonly ScriptStep[], options: RunOptions = {}): Promise<Observation> {
    const observation = this.#begin(session, "/v1/runs", options);
    const first = options.gateway ?? 0;
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const once = { ...options, gateway: first + attempt, idempotencyKey: options.idempotencyKey ?? observation.tag };
      await this.#post(observation, steps, once);
      if (observation.runId !== undefined || (observation.status !== undefined && !isRetryable(observation))) break;
      await pause(RETRY_PAUSE_MS);
    }
    return observation;
  }

  /** The same with a single request. */
  async backgroundOnce(session: SessionKey, steps: readonly ScriptStep[], options: RunOptions): Promise<Observation> {
    return this.#post(this.#begin(session, "/v1/runs", options), steps, options);
  }

  /** Another reader of the run, from the beginning. */
  readerOf({ session, path, tag, runId }: Observation): Observation {
    const reader = this.#recorder.begin(session, path, tag);
    if (runId !== undefined) reader.runId = runId;
    return reader;
  }

  /** Reads a run's stream to its end, on any gateway that answers, each time from the last position. */
  async follow(observation: Observation, gateway = 0): Promise<Observation> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    for (let attempt = 0; attempt < MAX_TRIES && !hasEnded(observation) && !patience.aborted; attempt += 1) {
      if (attempt > 0) await pause(RETRY_PAUSE_MS);
      await this.followOnce(observation, gateway + attempt, patience);
    }
    observation.endedAt = performance.now();
    return observation;
  }

  /** One connection, from the reader's position. */
  async followOnce(observation: Observation, gateway: number, signal?: AbortSignal): Promise<void> {
    const after = observation.frames.findLast((frame) => frame.kind === "event" && frame.cursor !== undefined);
    const cursor = after?.kind === "event" ? after.cursor : undefined;
    observation.frames.push({
      kind: "connect",
      at: performance.now(),
      ...(cursor !== undefined && { after: cursor }),
    });
    const headers = cursor === undefined ? {} : { "last-event-id": cursor };
    try {
      const path = `/v1/runs/${observation.runId}/stream`;
      const response = await this.#request(path, { headers }, { gateway, ...(signal !== undefined && { signal }) });
      if (response.ok) await this.#read(observation, response);
      else await this.#fail(observation, response);
    } catch (error) {
      observation.reason = String(error);
    }
  }

  #begin(session: SessionKey, path: string, { tag }: RunOptions = {}): Observation {
    this.#messages += 1;
    return this.#recorder.begin(session, path, tag ?? `${this.user}-message-${this.#messages}`);
  }

  /** The text of a message, whose script controls the model. */
  noteOf({ tag }: Observation, steps: readonly ScriptStep[]): string {
    return JSON.stringify({ tag, log: this.#rig.logFile, steps, secret: this.secret });
  }

  #runBody(observation: Observation, steps: readonly ScriptStep[], options: RunOptions): RequestInit {
    const { session } = observation;
    const note = this.noteOf(observation, steps);
    const { policy, onDisconnect, stateDelta, answerTo } = options;
    const answer = { functionResponse: { id: answerTo, name: "adk_request_input", response: { note } } };
    const body = {
      appName: session.appName,
      userId: session.userId,
      sessionId: session.id,
      newMessage: { role: "user", parts: [answerTo === undefined ? { text: note } : answer] },
      streaming: true,
      ...(policy !== undefined && { policy }),
      ...(onDisconnect !== undefined && { onDisconnect }),
      ...(stateDelta !== undefined && { stateDelta }),
    };
    const init = json(body);
    if (options.idempotencyKey === undefined) return init;
    return { ...init, headers: { ...init.headers, "idempotency-key": options.idempotencyKey } };
  }

  async #post(observation: Observation, steps: readonly ScriptStep[], options: RunOptions): Promise<Observation> {
    delete observation.status;
    delete observation.reason;
    try {
      const response = await this.#request(observation.path, this.#runBody(observation, steps, options), options);
      if (!response.ok) await this.#fail(observation, response);
      else {
        const text = await response.text();
        observation.text += text;
        observation.status = response.status;
        // The server's answer: events, or the record of a run.
        if (observation.path === "/run") observation.answer = JSON.parse(text) as readonly WireEvent[];
        else observation.runId = (JSON.parse(text) as RunAnswer).runId ?? "";
      }
    } catch (error) {
      observation.reason = String(error);
    }
    observation.endedAt = performance.now();
    return observation;
  }

  async #fail(observation: Observation, response: Response): Promise<void> {
    const text = await response.text();
    observation.text += text;
    observation.status = response.status;
    try {
      // The body of an error.
      const { reason, events } = JSON.parse(text) as RunAnswer;
      observation.reason = reason ?? "";
      if (events !== undefined) observation.answer = events;
    } catch {
      observation.reason = "no JSON";
    }
  }

  async #read(observation: Observation, response: Response): Promise<void> {
    observation.status = response.status;
    if (!response.ok || response.body === null) return this.#fail(observation, response);
    const frames = new SseFrames();
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      observation.text += text;
      observation.frames.push(...frames.add(text));
    }
  }

  #request(path: string, init: RequestInit, { gateway = 0, signal }: RunOptions): Promise<Response> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const signals = signal === undefined ? patience : AbortSignal.any([patience, signal]);
    return fetch(this.#rig.gatewayUrl(gateway % 2) + path, { ...init, signal: signals });
  }

  /** 0 if there was no answer. */
  async #status(path: string, init: RequestInit, gateway: number): Promise<number> {
    try {
      const response = await this.#request(path, init, { gateway });
      await response.text();
      return response.status;
    } catch {
      return 0;
    }
  }
}

export function hasEnded({ frames }: Observation): boolean {
  return frames.some(({ kind }) => kind === "end");
}

/** How a stream ended. */
export function endOf({ frames }: Observation): string | undefined {
  const end = frames.findLast(({ kind }) => kind === "end");
  return end?.kind === "end" ? end.status : undefined;
}

/** The last failure in the stream, unless the run was recovered after it. */
export function errorOf({ frames }: Observation): string | undefined {
  const newest = frames.findLast(({ kind }) => kind === "error" || kind === "attempt");
  return newest?.kind === "error" ? newest.reason : undefined;
}

function isRetryable({ status }: Observation): boolean {
  return status === 503 || status === 504 || status === 429;
}

function json(body: unknown) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

export function sessionPath({ appName, userId, id }: SessionKey): string {
  return `/apps/${appName}/users/${userId}/sessions/${id}`;
}
