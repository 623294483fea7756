import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuthorizationServer } from "../servers/authorization-server.ts";
import { startModernServer } from "./modern-server.ts";

/** A server of the protocol behind an authorization server: requests without a valid token get 401 and where to sign in. */
export async function startGuardedServer(
  authorization: AuthorizationServer,
  tools: Parameters<typeof startModernServer>[0]["tools"],
) {
  const inner = await startModernServer({ tools, call: () => ({ content: [{ type: "text", text: "the files" }] }) });
  let refusals = 0;
  let isOpen = false;
  const server = createServer(async (request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url?.startsWith("/.well-known/oauth-protected-resource") === true) {
      const metadata = { resource: `${origin}/mcp`, authorization_servers: [authorization.url] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
      return;
    }
    const { authorization: header = "" } = request.headers;
    const checked = await fetch(`${authorization.url}/api`, { headers: { authorization: header } });
    if (checked.status !== 200 && !isOpen) {
      refusals += 1;
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      const scope =
        checked.status === 403 ? `, error="insufficient_scope", scope="${authorization.requiredScope}"` : "";
      response.writeHead(checked.status, { "www-authenticate": challenge + scope }).end();
      return;
    }
    const body = Buffer.concat(await Array.fromAsync(request));
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" && !["host", "content-length", "connection"].includes(name) ? [[name, value]] : [],
    );
    const answer = await fetch(inner.url, { method: request.method ?? "POST", headers, body });
    response
      .writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" })
      .end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has such an address.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/mcp`,
    host,
    inner,
    refusals: () => refusals,
    /** From now on, requests need no token. */
    open: () => {
      isOpen = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await inner[Symbol.asyncDispose]();
    },
  };
}
