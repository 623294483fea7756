import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";

/** A `fetch` for a host name that DNS does not resolve; Node's own does not let callers set the `host` header. */
export function fetchByHost(host: string): typeof fetch {
  return async (input, init = {}) => {
    const headers = { ...Object.fromEntries(new Headers(init.headers)), host };
    const { method = "GET", signal, body } = init;
    const call = request(String(input), { method, headers, ...(signal && { signal }) });
    call.end(typeof body === "string" ? body : undefined);
    // The event's only argument.
    const [answer] = (await once(call, "response")) as [IncomingMessage];
    const fields = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(Readable.toWeb(answer), { status: answer.statusCode ?? 0, headers: fields });
  };
}
