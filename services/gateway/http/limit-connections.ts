import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";

/**
 * Connections beyond the limit that still get an answer, as a share of the limit. Connections beyond those are closed
 * without one.
 */
const ANSWERED_SHARE = 0.1;

/** Probes and scrapers must reach a process that has no connection left. */
const EXEMPT: ReadonlySet<string | undefined> = new Set(["/health", "/ready", "/metrics"]);

/** Answers 503 on connections that were opened while `most` were open, and closes them; 0 for no limit. */
export function limitConnections(app: Pick<FastifyInstance, "server" | "addHook">, most: number): void {
  if (most === 0) return;
  const { server } = app;
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
  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    if (!surplus.has(socket) || EXEMPT.has(request.routeOptions.url)) return done();
    if (open <= most) {
      surplus.delete(socket);
      return done();
    }
    reply.header("connection", "close");
    done(tooMany());
  });
}

function tooMany(): PlatformError {
  return new PlatformError("TOO_MANY_CONNECTIONS", "The server has as many connections as it may. Try again soon.", {
    details: { limit: "MAX_CONNECTIONS", retryAfterSeconds: "5" },
  });
}
