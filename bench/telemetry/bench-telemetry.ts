import { join } from "node:path";
import type { BenchOptions } from "../bench-options.ts";
import { inDataDir } from "../bench-servers.ts";
import { Client } from "../client.ts";
import { CONNECTIONS, TURNS_PER_SESSION } from "../scenarios/scenario.ts";
import { ownServer } from "../servers/own-server.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { measureInShortRounds, printCosts, SHORT_ROUNDS_PER_ROUND, type ShortScenario } from "../short-rounds.ts";
import { Sink } from "./sink.ts";

const SCENARIOS: readonly ShortScenario[] = [
  {
    name: "/run, 50 connections",
    requests: 2500,
    sessions: 2500 / TURNS_PER_SESSION,
    send: ({ client }, session) => client.run(session, "small=1"),
  },
  {
    name: "/run_sse, 50 connections, 100 chunks",
    requests: 300,
    sessions: 300 / TURNS_PER_SESSION,
    send: ({ client }, session) => client.runSse(session, "n=100"),
  },
];

/**
 * The cost of telemetry: this server without any, with analytics in files, and with exports by OTLP, all running at the
 * same time and measured in turn.
 */
export async function benchTelemetry({ rounds, only }: BenchOptions): Promise<void> {
  await inDataDir(async (dataDir) => {
    await using stack = new AsyncDisposableStack();
    const sink = stack.use(await Sink.start());
    const all = { OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp", OTEL_METRIC_EXPORT_INTERVAL: "10000" };
    const http = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url };
    const settings: readonly (readonly [name: string, settings: Readonly<Record<string, string>>])[] = [
      ["none", {}],
      ["none again", {}],
      ["analytics", { ANALYTICS_DIR: join(dataDir, "analytics") }],
      ["otlp traces", http],
      ["otlp all", { ...http, ...all }],
      ["otlp grpc", { OTEL_EXPORTER_OTLP_ENDPOINT: sink.grpcUrl, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", ...all }],
    ];
    const servers = [];
    for (const [name, given] of settings) {
      const server = stack.use(await ServerProcess.start(ownServer(dataDir, given)));
      servers.push({ name, server, client: stack.use(new Client(server.url, CONNECTIONS)) });
    }
    for (const scenario of SCENARIOS) {
      if (only !== undefined && !scenario.name.includes(only)) continue;
      process.stdout.write(`\n${scenario.name}\n`);
      printCosts(await measureInShortRounds(servers, scenario, rounds * SHORT_ROUNDS_PER_ROUND));
    }
    process.stdout.write(`\n  requests at the collector: ${sink.requests}\n`);
  });
}
