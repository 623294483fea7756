import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { find, render, tools } from "./render.ts";

const NAMESPACE = "team";
const RUNBOOKS = "https://runbooks/";
/** Values of series from the first minute on, in promtool's notation: `0+6x60` grows by 6 in each of 60 minutes. */
type Series = Readonly<Record<string, string>>;

interface ExpectedAlert {
  readonly severity: string;
  readonly summary: string;
  /** Labels besides the severity. */
  readonly labels?: Readonly<Record<string, string>>;
}

interface Case {
  readonly series: Series;
  readonly at: string;
  readonly alert: string;
  /** The alerts that fire then. */
  readonly fires: readonly ExpectedAlert[];
}

let rules: unknown;

/** promtool's check of the rules, and of cases if there are any. Rejects with the faults. */
async function promtool(verb: "check" | "test", cases: readonly Case[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rules-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "rules.yaml");
  await writeFile(path, stringify(rules));
  const testPath = join(folder, "cases.yaml");
  const tests = cases.map((given) => ({
    interval: "1m",
    input_series: Object.entries(given.series).map(([series, values]) => ({ series, values })),
    alert_rule_test: [{ eval_time: given.at, alertname: given.alert, exp_alerts: given.fires.map(toPromtool(given)) }],
  }));
  await writeFile(testPath, stringify({ rule_files: [path], evaluation_interval: "1m", tests }));
  const args = [verb, "rules", verb === "check" ? path : testPath];
  const { stdout } = await promisify(execFile)(tools.promtool ?? "", args);
  return stdout;
}

function toPromtool({ alert }: Case) {
  return ({ severity, summary, labels }: ExpectedAlert) => ({
    exp_labels: { severity, ...labels },
    exp_annotations: { summary, runbook_url: `${RUNBOOKS}${alert}.md` },
  });
}

const runner = `namespace="${NAMESPACE}",pod="agents-fairlead-runner-1"`;
const gateway = `namespace="${NAMESPACE}",pod="agents-fairlead-gateway-1"`;
const recorded = { namespace: NAMESPACE, release: "agents" };

/** 100 appends a minute over the time, so many of which took a second. */
function appends(slow: number, minutes: number): Series {
  const labels = `${runner},operation="append",outcome="ok"`;
  return {
    [`fairlead_append_duration_seconds_bucket{${labels},le="0.25"}`]: `0+${100 - slow}x${minutes}`,
    [`fairlead_append_duration_seconds_bucket{${labels},le="+Inf"}`]: `0+100x${minutes}`,
    [`fairlead_append_duration_seconds_count{${labels}}`]: `0+100x${minutes}`,
  };
}

const APPEND_SUMMARY = "Events are stored late or not at all more often than the budget of 1 % allows.";

const CASES: Readonly<Record<string, Case>> = {
  "a fifth of the appends of an hour are slow: the budget burns fast": {
    series: appends(20, 70),
    at: "65m",
    alert: "FairleadAppendBudgetBurnsFast",
    fires: [{ severity: "critical", summary: APPEND_SUMMARY, labels: recorded }],
  },
  "a tenth of them: not fast": {
    series: appends(10, 70),
    at: "65m",
    alert: "FairleadAppendBudgetBurnsFast",
    fires: [],
  },
  "a tenth over six hours: it burns": {
    series: appends(10, 400),
    at: "370m",
    alert: "FairleadAppendBudgetBurns",
    fires: [{ severity: "warning", summary: APPEND_SUMMARY, labels: recorded }],
  },
  "appends that fail immediately are missed too": {
    series: {
      ...appends(0, 70),
      [`fairlead_append_duration_seconds_bucket{${runner},operation="append",outcome="failed",le="0.25"}`]: "0+50x70",
      [`fairlead_append_duration_seconds_count{${runner},operation="append",outcome="failed"}`]: "0+50x70",
    },
    at: "65m",
    alert: "FairleadAppendBudgetBurnsFast",
    fires: [{ severity: "critical", summary: APPEND_SUMMARY, labels: recorded }],
  },
  "no runs: no budget burns": {
    series: appends(0, 0),
    at: "65m",
    alert: "FairleadAppendBudgetBurnsFast",
    fires: [],
  },
  "one in fifty commands fails in Redis": {
    series: {
      [`fairlead_redis_commands_total{${runner}}`]: "0+100x70",
      [`fairlead_redis_errors_total{${runner},operation="publish",reason="timeout"}`]: "0+2x70",
    },
    at: "65m",
    alert: "FairleadRedisFails",
    fires: [
      {
        severity: "warning",
        summary: "Redis fails commands faster than the error budget of 0.1 % allows.",
        labels: recorded,
      },
    ],
  },
  "Redis is back since ten minutes": {
    series: {
      [`fairlead_redis_commands_total{${runner}}`]: "0+100x70",
      [`fairlead_redis_errors_total{${runner},operation="publish",reason="away"}`]: "0+100x50 5000x20",
    },
    at: "65m",
    alert: "FairleadRedisFails",
    fires: [],
  },
  "one in fifty statements gets no answer from Postgres": {
    series: {
      [`fairlead_postgres_statements_total{${runner},outcome="done"}`]: "0+98x70",
      [`fairlead_postgres_statements_total{${runner},outcome="lost"}`]: "0+2x70",
    },
    at: "65m",
    alert: "FairleadPostgresFails",
    fires: [
      {
        severity: "warning",
        summary: "Postgres leaves statements without an answer faster than the error budget of 0.1 % allows.",
        labels: recorded,
      },
    ],
  },
  "Postgres refuses statements, which is no fault of it": {
    series: {
      [`fairlead_postgres_statements_total{${runner},outcome="done"}`]: "0+50x70",
      [`fairlead_postgres_statements_total{${runner},outcome="refused"}`]: "0+50x70",
      [`fairlead_postgres_statements_total{${runner},outcome="lost"}`]: "0x70",
    },
    at: "65m",
    alert: "FairleadPostgresFails",
    fires: [],
  },
  "calls wait for a connection to Postgres for eleven minutes": {
    series: {
      [`fairlead_postgres_connections{${runner},state="waiting"}`]: "0x5 3x20",
      [`fairlead_postgres_connections{${runner},state="busy"}`]: "10x25",
      [`fairlead_postgres_connections{${gateway},state="waiting"}`]: "0x25",
    },
    at: "17m",
    alert: "FairleadPostgresPoolFull",
    fires: [
      {
        severity: "warning",
        summary: "Calls of agents-fairlead-runner-1 wait for a connection to Postgres.",
        labels: { pod: "agents-fairlead-runner-1" },
      },
    ],
  },
  "signals stop to arrive every five minutes": {
    series: { [`fairlead_postgres_signal_losses_total{${gateway}}`]: "0x4 1x4 2x4 3x4 4x4 5x4 6x4 7x4" },
    at: "32m",
    alert: "FairleadSignalsLost",
    fires: [
      {
        severity: "warning",
        summary: "Signals of other processes stop to reach agents-fairlead-gateway-1 again and again.",
        labels: { pod: "agents-fairlead-gateway-1" },
      },
    ],
  },
  "a peer is unavailable for six minutes: for the pod that misses it": {
    series: {
      [`fairlead_peer_up{${gateway},peer="session"}`]: "1x10 0x10",
      [`fairlead_peer_up{${gateway},peer="redis"}`]: "1x20",
      [`fairlead_peer_up{${runner},peer="session"}`]: "1x20",
    },
    at: "17m",
    alert: "FairleadPeerAway",
    fires: [
      {
        severity: "warning",
        summary: "For agents-fairlead-gateway-1, session is unavailable or not ready.",
        labels: { pod: "agents-fairlead-gateway-1", peer: "session" },
      },
    ],
  },
  "a peer is unavailable for four minutes": {
    series: { [`fairlead_peer_up{${gateway},peer="session"}`]: "1x10 0x10" },
    at: "15m",
    alert: "FairleadPeerAway",
    fires: [],
  },
  "the peers of another release are away": {
    series: { [`fairlead_peer_up{namespace="${NAMESPACE}",pod="other-gateway-1",peer="session"}`]: "0x20" },
    at: "17m",
    alert: "FairleadPeerAway",
    fires: [],
  },
};

describe.skipIf(tools.helm === undefined || tools.promtool === undefined)("the alerts", () => {
  beforeAll(async () => {
    const objects = await render({
      monitoring: { prometheusRule: { enabled: true, runbookBaseUrl: RUNBOOKS } },
      telemetry: { otlpEndpoint: "http://c:4318" },
    });
    rules = find(objects, "PrometheusRule", "agents-fairlead-alerts")["spec"];
  });

  it("are rules that Prometheus takes", async () => {
    expect(await promtool("check")).toContain("SUCCESS");
  });

  it.each(Object.keys(CASES))("%s", async (name) => {
    expect(
      await promtool(
        "test",
        Object.entries(CASES).flatMap(([key, value]) => (key === name ? [value] : [])),
      ),
    ).toContain("SUCCESS");
  });

  it("would not pass a case that is not so", async () => {
    const [given] = Object.values(CASES);
    const wrong = given === undefined ? [] : [{ ...given, fires: [] }];
    await expect(promtool("test", wrong)).rejects.toThrow();
  });
});
