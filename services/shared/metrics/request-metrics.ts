import { createHistogram, createValue, type MetricRegistry, resolveOnce } from "./metric-registry.ts";

/** Observes each HTTP request. Routes are templates, so that their number is bounded. */
export interface RequestObserver {
  requestStarted(route: string): void;
  requestEnded(request: EndedRequest): void;
}

interface EndedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** Absent if no traces are exported. */
  readonly traceId?: string;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Metrics of requests by route and status, and of those in progress by route, which for streaming routes are the open
 * streams.
 */
export function createRequestMetrics(registry: MetricRegistry): RequestObserver {
  const requests = createValue("counter", {
    name: "fairlead_http_requests_total",
    help: "HTTP requests that have ended; status 499 for those whose client left.",
    labelNames: ["method", "route", "status"],
    registry,
  });
  const inFlight = createValue("gauge", {
    name: "fairlead_http_requests_in_flight",
    help: "HTTP requests being answered; on streaming routes, open streams.",
    labelNames: ["route"],
    registry,
  });
  const duration = createHistogram({
    name: "fairlead_http_request_duration_seconds",
    help: "Time from a request to the last byte of its answer.",
    labelNames: ["route"],
    buckets: SECONDS,
    registry,
  });
  const routes = resolveOnce((route) => ({
    inFlight: inFlight({ route }),
    duration: duration({ route }),
    methods: resolveOnce((method) => resolveOnce((status) => requests({ method, route, status }))),
  }));

  return {
    requestStarted: (route) => routes(route).inFlight.add(1),
    requestEnded: ({ method, route, status, durationMs, traceId }) => {
      const known = routes(route);
      known.inFlight.add(-1);
      known.duration.observe(durationMs / 1000, traceId);
      known.methods(method)(String(status)).add(1);
    },
  };
}
