import { mkdirSync, writeFileSync } from "node:fs";
import { Agent, request as sendRequest } from "node:http";
import { join } from "node:path";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import type { AttackedServer } from "./attacked-server.ts";
import { type AttackRequest, buildRequest } from "./build-request.ts";
import type { Operation } from "./operations.ts";

/** Requests at the same time: few, so that a stall can be attributed to the requests that were answered then. */
const CONCURRENCY = 4;
/** Time for which a stream is read. */
const READ_MS = 300;
const ANSWER_MS = 20_000;
const MAX_READ_BYTES = 256 * 1024;
const SHOWN_LENGTH = 1000;
/** Statuses for what is missing, for overload, and for a run that took longer than its request allows. */
const ALLOWED = new Set([501, 503, 504]);

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** An answer that reports a failure of the server, and the command that repeats the request. */
interface FailedAnswer extends Answer {
  readonly curl: string;
}

export interface AttackReport {
  readonly sent: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** A fault that was found, with a command that repeats it. */
  readonly faults: readonly string[];
  /** Stalls that did not occur again when their requests were repeated: garbage collection and compilation. */
  readonly passingStalls: number;
}

interface NumberedRequest {
  readonly request: AttackRequest;
  readonly number: number;
}

/** A stall that a request causes occurs again when it is repeated. */
const REPEATS = 3;

/** Sends generated requests to all operations in turn until the time is over. The same seed gives the same requests. */
export async function attack(
  server: AttackedServer,
  operations: readonly Operation[],
  { seed, milliseconds }: { readonly seed: number; readonly milliseconds: number },
): Promise<AttackReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const until = performance.now() + milliseconds;
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const failed: FailedAnswer[] = [];
  const recent: NumberedRequest[] = [];
  const active = new Set<NumberedRequest>();
  const stalls: (readonly NumberedRequest[])[] = [];
  const suspects = (): readonly NumberedRequest[] => [...new Set([...active, ...recent])];
  const curls = (requests: readonly NumberedRequest[]): string =>
    requests.map(({ request, number }) => toCurl(server, request, number)).join("\n");
  let sent = 0;
  let seen = server.stalls.length;
  const work = async (): Promise<void> => {
    while (performance.now() < until && server.end === undefined) {
      const number = sent;
      sent += 1;
      const operation = operations[number % operations.length];
      if (operation === undefined) return;
      // Each request has random numbers of its own, which depend on its position only, not on concurrent requests.
      const random = new SeededRandom(seed).fork(String(number));
      const request = buildRequest(operation, random, random.pick([0, 0.15, 0.4]));
      const one = { request, number };
      active.add(one);
      recent.push(one);
      if (recent.length > 3 * CONCURRENCY) recent.shift();
      const answer = await send(server.url, request, agent);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const isFault = answer.status >= 500 && !ALLOWED.has(answer.status) && !operation.declared.has(answer.status);
      if (isFault) failed.push({ ...answer, curl: toCurl(server, request, number) });
      for (; seen < server.stalls.length; seen += 1) stalls.push(suspects());
      active.delete(one);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  let passingStalls = 0;
  for (const requests of stalls) {
    const cpuMs = await stallAgain(server, requests, agent);
    if (cpuMs === undefined) passingStalls += 1;
    else faults.push(`a stall of ${Math.round(cpuMs)} ms, by one of:\n${curls(requests)}`);
  }
  agent.destroy();
  // After all requests, so that the log has all errors of failed ones.
  faults.push(...failed.map((answer) => describeFailure(server, answer)));
  if (server.end !== undefined) {
    faults.push(`${server.end}\nafter one of:\n${curls(suspects())}`);
  }
  return { sent, statuses, faults, passingStalls };
}

/**
 * The processor time of a stall that occurs again when the requests are repeated one by one; undefined if none does.
 */
async function stallAgain(
  server: AttackedServer,
  requests: readonly NumberedRequest[],
  agent: Agent,
): Promise<number | undefined> {
  const before = server.stalls.length;
  for (let time = 0; time < REPEATS; time += 1) {
    for (const { request } of requests) if (server.end === undefined) await send(server.url, request, agent);
  }
  return server.stalls[before]?.cpuMs;
}

/** Status 0 stands for a connection that ended without an answer, and for a request that was not answered in time. */
async function send(url: URL, { operation, path, headers, body }: AttackRequest, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const options = {
      host: url.hostname,
      port: url.port,
      agent,
      method: operation.method,
      path,
      headers: { ...headers },
    };
    const request = sendRequest(
      { ...options, headers: { ...headers, ...(body !== undefined && { "content-length": body.length }) } },
      (response) => {
        let text = "";
        const finish = (): void => {
          clearTimeout(timer);
          response.destroy();
          resolve({ status: response.statusCode ?? 0, text });
        };
        const timer = setTimeout(finish, READ_MS);
        response.setEncoding("utf8").on("data", (chunk: string) => {
          if (text.length < MAX_READ_BYTES) text += chunk;
        });
        response.once("end", finish).once("error", finish);
      },
    );
    request.setTimeout(ANSWER_MS, () => request.destroy());
    request.once("error", () => resolve({ status: 0, text: "" }));
    request.end(body);
  });
}

function describeFailure(server: AttackedServer, { status, text, curl }: FailedAnswer): string {
  const requestId = /details of request ([\w-]+)/.exec(text)?.[1];
  const logged = requestId === undefined ? [] : server.errorsWith(requestId);
  return [`${status} ${text.slice(0, 300)}`, ...logged, curl].join("\n");
}

/** The request as a command. A long one becomes a script, and a long body a file, in a folder that is kept. */
function toCurl(server: AttackedServer, { operation, path, headers, body }: AttackRequest, number: number): string {
  const parts = ["curl", "-sS", "-i", "--path-as-is", "-X", operation.method];
  for (const [name, value] of Object.entries(headers)) parts.push("-H", quote(`${name}: ${value}`));
  if (body !== undefined && body.length > SHOWN_LENGTH) {
    parts.push("--data-binary", quote(`@${keep(server, `${number}.body`, body)}`));
  } else if (body !== undefined) {
    parts.push("--data-binary", quote(body.toString()));
  }
  const command = [...parts, quote(server.url.origin + path)].join(" ");
  if (command.length <= SHOWN_LENGTH) return command;
  return `sh ${keep(server, `${number}.sh`, command)}   # ${operation.method} ${operation.path}`;
}

function keep(server: AttackedServer, name: string, content: string | Buffer): string {
  const folder = `${server.folder}-requests`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
