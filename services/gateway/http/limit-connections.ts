import type { Socket } from "node:net";
import type { FastifyInstance, onRequestHookHandler } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";

/**
 * Connections beyond the limit that still get an answer, as a share of the limit. Connections beyond those are closed
 * without one.
 */
const ANSWERED_SHARE = 0.1;

/** Probes and scrapers must reach a process that has no connection left. */
const EXEMPT: ReadonlySet<string | undefined> = new Set(["/health", "/ready", "/metrics"]);

/**
 * Counts the server's connections. Returns the hook that answers 503 on those that were opened while `most` were open,
 * and closes them; undefined for 0, which is not a limit.
 */
export function limitConnections(
  { server }: Pick<FastifyInstance, "server">,
  most: number,
): onRequestHookHandler | undefined {
  if (most === 0) return undefined;
  const surplus = new WeakSet<Socket>();
  let open = 0;
  server.maxConnections = most + Math.ceil(most * ANSWERED_SHARE);
  server.on("connection", (socket) => {
    open += 1;
    if (open > most) surplus.add(socket);
    socket.once("close", () => {
      open -= 1;
    });
  });
  return (request, reply, done) => {
    const { socket } = request.raw;
    if (!surplus.has(socket) || EXEMPT.has(request.routeOptions.url)) return done();
    if (open <= most) {
      surplus.delete(socket);
      return done();
    }
    reply.header("connection", "close");
    done(tooMany());
  };
}

function tooMany(): PlatformError {
  return new PlatformError("TOO_MANY_CONNECTIONS", "The server has as many connections as it may. Try again soon.", {
    details: { limit: "MAX_CONNECTIONS", retryAfterSeconds: "5" },
  });
}
