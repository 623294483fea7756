import { once } from "node:events";
import { type IncomingMessage, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import { Readable } from "node:stream";

/**
 * A `fetch` for a host name that DNS does not resolve; Node's own does not let callers set the `host` header. `ca` is the
 * authority of its certificate.
 */
export function fetchByHost(host: string, { ca }: { readonly ca?: string } = {}): typeof fetch {
  return async (input, init = {}) => {
    const headers = { ...Object.fromEntries(new Headers(init.headers)), host };
    const { method = "GET", signal, body } = init;
    const request = String(input).startsWith("https:") ? requestByHttps : requestByHttp;
    const options = { method, headers, servername: host, ...(ca !== undefined && { ca }), ...(signal && { signal }) };
    const call = request(String(input), options);
    call.end(typeof body === "string" ? body : undefined);
    // The event's only argument.
    const [answer] = (await once(call, "response")) as [IncomingMessage];
    const fields = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(Readable.toWeb(answer), { status: answer.statusCode ?? 0, headers: fields });
  };
}
