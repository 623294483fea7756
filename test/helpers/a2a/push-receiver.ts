import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

export interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** The body as it was sent. */
  readonly text: string;
}

/** Answers, or keeps the caller waiting. */
type Behaviour = (answer: ServerResponse, push: ReceivedPush, count: number) => void;

/** A server that takes push notifications, and answers 204 unless a test sets another behaviour. */
export async function startPushReceiver(behave: Behaviour = (answer) => answer.writeHead(204).end()) {
  /** Each call, and those that were answered with a status of success. */
  const calls: ReceivedPush[] = [];
  const taken: ReceivedPush[] = [];
  const server = createServer(async (request, answer) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const push = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text) as JsonObject, text };
    calls.push(push);
    behave(answer, push, calls.length);
    if (answer.headersSent && answer.statusCode < 300) taken.push(push);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens has a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    calls,
    taken,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** An update in a word: a state, or the text of an artifact. */
export function wordOf({ body }: ReceivedPush): string {
  const { statusUpdate, artifactUpdate } = body;
  if (isJsonObject(statusUpdate)) {
    const { status } = statusUpdate;
    return isJsonObject(status) ? String(status["state"]).replace("TASK_STATE_", "") : "";
  }
  const artifact = isJsonObject(artifactUpdate) ? artifactUpdate["artifact"] : undefined;
  const parts = isJsonObject(artifact) ? artifact["parts"] : undefined;
  const [part] = Array.isArray(parts) ? parts : [];
  return isJsonObject(part) ? String(part["text"]) : "";
}
