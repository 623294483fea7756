import { expect, it } from "vitest";
import { MetricRegistry } from "./metric-registry.ts";
import { prometheusText } from "./metrics-text.ts";
import { createRequestMetrics } from "./request-metrics.ts";

it("counts requests by route template and status, and those in flight", async () => {
  const registry = new MetricRegistry();
  const observer = createRequestMetrics(registry);
  observer.requestStarted("/run_sse");
  observer.requestStarted("/run_sse");
  observer.requestEnded({ method: "POST", route: "/run_sse", status: 200, durationMs: 12 });
  observer.requestStarted("/health");
  observer.requestEnded({ method: "GET", route: "/health", status: 200, durationMs: 1 });
  const lines = prometheusText(registry).split("\n");
  expect(lines.filter((line) => /^fairlead_http_requests_(total|in_flight)\{/.test(line)).sort()).toEqual([
    'fairlead_http_requests_in_flight{route="/health"} 0',
    'fairlead_http_requests_in_flight{route="/run_sse"} 1',
    'fairlead_http_requests_total{method="GET",route="/health",status="200"} 1',
    'fairlead_http_requests_total{method="POST",route="/run_sse",status="200"} 1',
  ]);
  expect(lines).toContain('fairlead_http_request_duration_seconds_bucket{le="0.025",route="/run_sse"} 1');
  expect(lines).toContain('fairlead_http_request_duration_seconds_bucket{le="0.01",route="/run_sse"} 0');
});
