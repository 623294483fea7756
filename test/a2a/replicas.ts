import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, request } from "node:http";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "#tooling/free-ports.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";
import { CARDS } from "./fixture-server.ts";

export interface Replicas extends AsyncDisposable {
  readonly world: PlatformWorld;
}

/**
 * The six services as processes with the fixture agent, several gateways and runners, and a round-robin in front of the
 * gateways: each request of HTTP goes to the next one, and each connection of gRPC.
 */
export async function startReplicas({
  port,
  replicas,
}: {
  readonly port: number;
  readonly replicas: number;
}): Promise<Replicas> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "a2a-replicas-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cards = join(folder, "cards.yaml");
  writeFileSync(cards, CARDS);
  const world = stack.use(
    await PlatformWorld.create({
      replicas: { gateway: replicas, runner: replicas },
      settings: {
        AGENTS_DIR: fileURLToPath(new URL("agents", import.meta.url)),
        ...{ DEFAULT_APP_NAME: "fixture", A2A_APPS: "*", A2A_CARDS_FILE: cards },
        A2A_GRPC_ADDRESS: `127.0.0.1:${port + 1}`,
        // The gateways share a folder. The kit receives notifications on a port of its own.
        ...{ A2A_PUSH: "sqlite", OUTBOUND_ALLOWED_HOSTS: "127.0.0.1,localhost" },
      },
    }),
  );
  const grpcPorts = await freePorts(replicas);
  for (const service of ["session", "artifact", "memory", "eval"] as const) world.start(service);
  for (let replica = 0; replica < replicas; replica += 1) {
    world.start("runner", replica);
    world.start("gateway", replica, { A2A_GRPC_PORT: String(grpcPorts[replica]) });
  }
  await world.untilReady();
  const urls = Array.from({ length: replicas }, (_, replica) => world.urlOf(replica));
  stack.use(await listen(roundRobinOfRequests(urls), port));
  stack.use(await listen(roundRobinOfConnections(grpcPorts), port + 1));
  const owned = stack.move();
  return { world, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function roundRobinOfRequests(urls: readonly string[]): Server {
  let count = 0;
  return createHttpServer((incoming, answer) => {
    const target = new URL(incoming.url ?? "/", urls[count % urls.length]);
    count += 1;
    const { method, headers } = incoming;
    const outgoing = request(target, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
    });
    outgoing.on("error", () => answer.destroy());
    answer.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
}

function roundRobinOfConnections(ports: readonly number[]): Server {
  let count = 0;
  return createServer((near) => {
    const far = connect(ports[count % ports.length] ?? 0, "127.0.0.1");
    count += 1;
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
}

async function listen(server: Server, port: number): Promise<AsyncDisposable> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    [Symbol.asyncDispose]: async () => {
      if ("closeAllConnections" in server && typeof server.closeAllConnections === "function")
        server.closeAllConnections();
      server.close();
    },
  };
}
