import { parseArgs } from "node:util";
import { startFixtureServer } from "./fixture-server.ts";
import { startReplicas } from "./replicas.ts";

/**
 * The server under test of the conformance kit, whose agent does what the ids of messages say: one process, or with
 * `--replicas=2` two gateways and two runners behind a round-robin. The gRPC binding is on the next port.
 */
const { values } = parseArgs({
  options: { port: { type: "string", default: "9999" }, replicas: { type: "string", default: "1" } },
});
const port = Number(values.port);
const replicas = Number(values.replicas);
const server =
  replicas > 1
    ? await startReplicas({ port, replicas })
    : await startFixtureServer({ PORT: String(port), A2A_GRPC_PORT: String(port + 1) });
process.stdout.write(`http://127.0.0.1:${port}\n`);
process.once("SIGTERM", () => void server[Symbol.asyncDispose]());
