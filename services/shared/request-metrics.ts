import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Told of each HTTP request. Routes are templates, so that their number is bounded. */
export interface RequestObserver {
  requestStarted(route: string): void;
  requestEnded(request: EndedRequest): void;
}

export interface EndedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface RouteMetrics {
  readonly inFlight: Gauge.Internal<"route">;
  readonly duration: Histogram.Internal<"route">;
  readonly requests: Map<string, Counter.Internal>;
}

/** Requests by route and status; those in flight by route, which for streaming routes are the streams that are open. */
export function createRequestMetrics(registry: Registry): RequestObserver {
  const registers = [registry];
  const requests = new Counter({
    name: "agentplane_http_requests_total",
    help: "HTTP requests that have ended; status 499 for those whose client left.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const inFlight = new Gauge({
    name: "agentplane_http_requests_in_flight",
    help: "HTTP requests being answered; on streaming routes, open streams.",
    labelNames: ["route"],
    registers,
  });
  const duration = new Histogram({
    name: "agentplane_http_request_duration_seconds",
    help: "Time from a request to the last byte of its answer.",
    labelNames: ["route"],
    buckets: SECONDS,
    registers,
  });

  // Looking a child up by its labels costs more than the count itself: each is resolved once.
  const routes = new Map<string, RouteMetrics>();
  const metricsOf = (route: string): RouteMetrics => {
    let known = routes.get(route);
    if (known === undefined) {
      known = { inFlight: inFlight.labels(route), duration: duration.labels(route), requests: new Map() };
      routes.set(route, known);
    }
    return known;
  };

  return {
    requestStarted: (route) => metricsOf(route).inFlight.inc(),
    requestEnded: ({ method, route, status, durationMs }) => {
      const known = metricsOf(route);
      known.inFlight.dec();
      known.duration.observe(durationMs / 1000);
      const key = `${method} ${status}`;
      let counter = known.requests.get(key);
      if (counter === undefined) {
        counter = requests.labels(method, route, String(status));
        known.requests.set(key, counter);
      }
      counter.inc();
    },
  };
}
