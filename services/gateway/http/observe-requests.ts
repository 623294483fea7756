import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { RequestObserver } from "#shared/metrics/request-metrics.ts";
import type { RequestTraces } from "./request-scope.ts";

/** The status, as proxies log it, of a request whose client left before the answer was complete. */
const CLIENT_LEFT = 499;

/**
 * Reports each request under its route's template and logs it at debug level, streams and aborted requests included.
 */
export function observeRequests(observer: RequestObserver, clock: Clock, logger: Logger, traces?: RequestTraces) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const route = request.routeOptions.url ?? "unknown";
    const startedAt = clock.monotonic();
    observer.requestStarted(route);
    // Only these values are kept: otherwise a stream that stays open for days would keep the framework's objects in
    // memory.
    const { id, method } = request;
    const { raw } = reply;
    // Emitted once for every response: finished, hijacked or cut off.
    raw.once("close", () => {
      const status = raw.writableFinished ? raw.statusCode : CLIENT_LEFT;
      const durationMs = clock.monotonic() - startedAt;
      const traceId = traces?.get(raw.req);
      const ended = { method, route, status, durationMs, traceId };
      observer.requestEnded(ended);
      logger.debug({ requestId: id, ...ended }, "request ended");
    });
    done();
  };
}
