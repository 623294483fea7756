import { describe, expect, it } from "vitest";
import { offeredSeries } from "#test/helpers/offered-metrics.ts";
import { at, find, isMap, type KubernetesObject, listAt, render, tools } from "./render.ts";

const MONITORED = {
  monitoring: {
    serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
    prometheusRule: { enabled: true },
    dashboards: { enabled: true },
  },
};
/** Metrics of Prometheus itself, and those of the chart's own rules. */
const NOT_OURS = new Set([
  "up",
  "fairlead:http_errors:ratio",
  "fairlead:append_misses:ratio",
  "fairlead:redis_errors:ratio",
  "fairlead:postgres_lost:ratio",
]);

/** Names of series in a query: words that are followed by a selector or a range. */
function seriesIn(query: string): readonly string[] {
  return [...query.matchAll(/([a-z_:][a-z0-9_:]*)\s*\{/g)].map(([, name = ""]) => name.replace(/_(5m|30m|1h|6h)$/, ""));
}

function dashboardsOf(objects: readonly KubernetesObject[]): readonly unknown[] {
  return objects
    .filter(({ kind, metadata }) => kind === "ConfigMap" && metadata.labels?.["grafana_dashboard"] === "1")
    .flatMap((config) =>
      Object.values(isMap(config["data"]) ? config["data"] : {}).map((text): unknown => JSON.parse(String(text))),
    );
}

function rulesOf(objects: readonly KubernetesObject[]): readonly unknown[] {
  const rule = find(objects, "PrometheusRule", "agents-fairlead-alerts");
  return listAt(rule, "spec.groups").flatMap((group) => listAt(group, "rules"));
}

describe.skipIf(tools.helm === undefined)("monitoring", () => {
  it("changes labels of targets and metrics, and limits the time of a reading", async () => {
    const relabelings = [{ action: "replace", targetLabel: "cluster", replacement: "eu" }];
    const metricRelabelings = [{ action: "drop", sourceLabels: ["__name__"], regex: "nodejs_.*" }];
    const serviceMonitor = { enabled: true, scrapeTimeout: "10s", relabelings, metricRelabelings };
    const monitor = find(await render({ monitoring: { serviceMonitor } }), "ServiceMonitor", "agents-fairlead-metrics");
    for (const endpoint of listAt(monitor, "spec.endpoints"))
      expect(endpoint).toMatchObject({ scrapeTimeout: "10s", relabelings, metricRelabelings });
  });

  it("reads the metrics of all services", async () => {
    const monitor = find(await render(MONITORED), "ServiceMonitor", "agents-fairlead-metrics");
    expect(monitor.metadata.labels).toMatchObject({ release: "prometheus" });
    expect(listAt(monitor, "spec.endpoints").map((endpoint) => at(endpoint, "port"))).toEqual(["http", "admin"]);
    expect(at(monitor, "spec.selector.matchExpressions.0.values")).toEqual([
      "artifact",
      "eval",
      "gateway",
      "memory",
      "runner",
      "session",
    ]);
  });

  it("shows and watches only what services measure", async () => {
    const objects = await render(MONITORED);
    const queries = [
      ...dashboardsOf(objects).flatMap((board) =>
        listAt(board, "panels").flatMap((panel) => listAt(panel, "targets").map((target) => at(target, "expr"))),
      ),
      ...rulesOf(objects).map((rule) => at(rule, "expr")),
    ];
    expect(queries.length).toBeGreaterThan(30);
    const offered = offeredSeries();
    const unknown = queries
      .flatMap((query) => seriesIn(String(query)))
      .filter((name) => !offered.has(name) && !NOT_OURS.has(name));
    expect(unknown).toEqual([]);
  });

  it("scales by what services measure", async () => {
    const autoscaling = { enabled: true, targetQueueAgeSeconds: 5 };
    const objects = await render({ gateway: { autoscaling: { enabled: true } }, runner: { autoscaling } });
    const names = objects
      .filter(({ kind }) => kind === "HorizontalPodAutoscaler")
      .flatMap((scaler) => listAt(scaler, "spec.metrics").map((metric) => at(metric, "pods.metric.name")))
      .filter((name) => name !== undefined);
    expect(names).toHaveLength(3);
    expect([...offeredSeries()]).toEqual(expect.arrayContaining(names));
  });

  it("has dashboards that Grafana finds, in every namespace that one looks at", async () => {
    const boards = dashboardsOf(await render(MONITORED));
    expect(boards.map((board) => at(board, "uid")).sort()).toEqual([
      "fairlead-gateway",
      "fairlead-runs",
      "fairlead-stores",
    ]);
    for (const board of boards) {
      for (const panel of listAt(board, "panels")) {
        for (const target of listAt(panel, "targets")) expect(at(target, "expr")).toContain('namespace="$namespace"');
      }
    }
  });

  it("warns of a budget that burns, with a runbook for each alert", async () => {
    const rules = rulesOf(
      await render({
        monitoring: { prometheusRule: { enabled: true, errorBudget: 0.01, runbookBaseUrl: "https://r/" } },
      }),
    );
    const alerts = rules.filter((rule) => at(rule, "alert") !== undefined);
    expect(String(at(alerts[0], "expr"))).toContain("> 0.144");
    for (const alert of alerts) {
      expect(at(alert, "annotations")).toEqual({
        summary: expect.stringMatching(/\.$/),
        runbook_url: `https://r/${String(at(alert, "alert"))}.md`,
      });
    }
  });

  it("names the service that is unavailable, also when no instance of it is left to be asked", async () => {
    const rules = rulesOf(await render(MONITORED));
    const query = String(
      at(
        rules.find((rule) => at(rule, "alert") === "FairleadServiceAway"),
        "expr",
      ),
    );
    expect(query.split("\n").map((line) => line.trim())).toEqual([
      'max by (namespace, service) (up{namespace="team",service=~"agents-fairlead-(artifact|eval|gateway|memory|runner|session)"}) == 0',
      ...["artifact", "eval", "gateway", "memory", "runner", "session"].map(
        (service) => `or absent(up{namespace="team",service="agents-fairlead-${service}"})`,
      ),
    ]);
  });
});
