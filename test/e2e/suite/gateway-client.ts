export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

export interface RunRecord {
  readonly runId: string;
  readonly status: string;
  readonly createdTime: number;
  readonly startedTime?: number;
  readonly endedTime?: number;
}

/** The fields of an event that these tests use. */
export interface WireEvent {
  readonly id: string;
  readonly author: string;
  readonly partial?: boolean;
  readonly content?: { readonly role?: string; readonly parts?: readonly { readonly text?: string }[] };
}

export interface Talk {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

const RECONNECT_MS = 200;

/** A client of any gateway, as a user's own program. It needs nothing but Node, and so runs inside a cluster too. */
export class GatewayClient {
  readonly url: string;
  readonly #fetch: typeof fetch;

  constructor(url: string, fetchFunction: typeof fetch = fetch) {
    this.url = url.replace(/\/$/, "");
    this.#fetch = fetchFunction;
  }

  send(method: string, path: string, body?: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    return this.#fetch(this.url + path, {
      ...init,
      method,
      headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** The parsed answer of a request that has to succeed. The caller names its form. */
  async json<Answer>(method: string, path: string, body?: unknown, init: RequestInit = {}): Promise<Answer> {
    const response = await this.send(method, path, body, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  async newTalk(appName: string, userId: string): Promise<Talk> {
    const { id } = await this.json<{ id: string }>("POST", `/apps/${appName}/users/${userId}/sessions`, {});
    return { appName, userId, sessionId: id };
  }

  startRun(talk: Talk, text: string, more: object = {}, init: RequestInit = {}): Promise<RunRecord> {
    return this.json("POST", "/v1/runs", { ...messageOf(talk, text), streaming: true, ...more }, init);
  }

  run(runId: string): Promise<RunRecord> {
    return this.json("GET", `/v1/runs/${encodeURIComponent(runId)}`);
  }

  async events({ appName, userId, sessionId }: Talk): Promise<readonly WireEvent[]> {
    const path = `/apps/${appName}/users/${userId}/sessions/${sessionId}`;
    return (await this.json<{ events: readonly WireEvent[] }>("GET", path)).events;
  }

  /** The frames of a run's stream; ends when the connection ends, throws when it breaks. */
  async *stream(runId: string, after?: string, signal?: AbortSignal): AsyncGenerator<Frame> {
    const headers = { ...(after !== undefined && { "last-event-id": after }) };
    const path = `/v1/runs/${encodeURIComponent(runId)}/stream`;
    const response = await this.send("GET", path, undefined, { headers, ...(signal && { signal }) });
    if (!response.ok) throw new Error(`The stream answered ${response.status}.`);
    yield* framesOf(response);
  }

  /** Reads a run to its end as a browser does: reconnects from the last position whenever the connection breaks. */
  async follow(
    runId: string,
    deadlineMs: number,
  ): Promise<{ readonly frames: readonly Frame[]; readonly reconnects: number }> {
    const signal = AbortSignal.timeout(deadlineMs);
    const frames: Frame[] = [];
    for (let reconnects = 0; ; reconnects += 1) {
      try {
        const after = frames.findLast(({ id }) => id !== undefined)?.id;
        for await (const frame of this.stream(runId, after, signal)) {
          frames.push(frame);
          if (frame.event === "end") return { frames, reconnects };
        }
      } catch (error) {
        if (signal.aborted) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }
}

export function messageOf({ appName, userId, sessionId }: Talk, text: string): object {
  return { appName, userId, sessionId, newMessage: { role: "user", parts: [{ text }] } };
}

export async function* framesOf(response: Response): AsyncGenerator<Frame> {
  let buffer = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    buffer += chunk;
    const texts = buffer.split("\n\n");
    buffer = texts.pop() ?? "";
    for (const text of texts) {
      const lines = text.split("\n").map((line) => /^(\w*): ?(.*)$/.exec(line) ?? []);
      const fields: Readonly<Record<string, string>> = Object.fromEntries(
        lines.map(([, name, value]) => [name, value]),
      );
      const { data, id, event } = fields;
      // Comments keep the connection alive and are not frames.
      if (data !== undefined) yield { data, ...(id !== undefined && { id }), ...(event !== undefined && { event }) };
    }
  }
}

export function eventOf({ data }: Frame): WireEvent {
  return JSON.parse(data);
}

export function textOf({ content }: WireEvent): string {
  return content?.parts?.map(({ text }) => text ?? "").join("") ?? "";
}
