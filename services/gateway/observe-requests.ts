import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { RequestObserver } from "#shared/request-metrics.ts";

/** A client that left before its answer was complete, as proxies write it. */
const CLIENT_LEFT = 499;

/** Reports each request, and logs it where details are on, under its route's template, streams and aborted ones included. */
export function observeRequests(observer: RequestObserver, clock: Clock, logger: Logger) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const route = request.routeOptions.url ?? "unknown";
    const startedAt = clock.monotonic();
    observer.requestStarted(route);
    // Comes once for every response, whether it was finished, hijacked or cut off.
    reply.raw.once("close", () => {
      const { id, method } = request;
      const status = reply.raw.writableFinished ? reply.raw.statusCode : CLIENT_LEFT;
      const durationMs = clock.monotonic() - startedAt;
      observer.requestEnded({ method, route, status, durationMs });
      logger.debug({ requestId: id, method, route, status, durationMs }, "request ended");
    });
    done();
  };
}
