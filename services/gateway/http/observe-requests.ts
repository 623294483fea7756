import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { RequestObserver } from "#shared/metrics/request-metrics.ts";
import type { RequestTraces } from "./request-scope.ts";

/** A client that left before its answer was complete, as proxies write it. */
const CLIENT_LEFT = 499;

/** Reports each request, and logs it where details are on, under its route's template, streams and aborted ones included. */
export function observeRequests(observer: RequestObserver, clock: Clock, logger: Logger, traces?: RequestTraces) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const route = request.routeOptions.url ?? "unknown";
    const startedAt = clock.monotonic();
    observer.requestStarted(route);
    // What is used at the end, and no more: a stream that stays open for days would keep the framework's objects with it.
    const { id, method } = request;
    const { raw } = reply;
    // Comes once for every response, whether it was finished, hijacked or cut off.
    raw.once("close", () => {
      const status = raw.writableFinished ? raw.statusCode : CLIENT_LEFT;
      const durationMs = clock.monotonic() - startedAt;
      const traceId = traces?.get(raw.req);
      const ended = { method, route, status, durationMs, ...(traceId !== undefined && { traceId }) };
      observer.requestEnded(ended);
      logger.debug({ requestId: id, ...ended }, "request ended");
    });
    done();
  };
}
