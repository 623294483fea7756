import { startWireServer, type WireAnswer, type WireServer } from "#test/helpers/servers/wire-server.ts";
import type { ProviderFormat, Said } from "./provider-format.ts";

/** A provider on loopback that checks each request against its published format, and says these things in turn. */
export async function startProvider(format: ProviderFormat, ...said: readonly [Said, ...Said[]]): Promise<WireServer> {
  const server: { current?: WireServer } = {};
  const answers = said.map((one): WireAnswer => {
    return (response) => {
      const request = server.current?.requests.at(-1);
      const problem = request === undefined ? "no request" : format.problemOf(request);
      if (problem !== undefined || request === undefined) {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: problem, type: "invalid_request_error" }, message: problem }));
        return;
      }
      if (!format.isStreamed(request)) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(format.whole(one)));
        return;
      }
      response.writeHead(200, { "content-type": format.streamType });
      for (const chunk of format.stream(one)) response.write(chunk);
      response.end();
    };
  });
  const [first, ...others] = answers;
  if (first === undefined) throw new Error("A provider has something to say.");
  server.current = await startWireServer(first, ...others);
  return server.current;
}
