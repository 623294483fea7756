import type { PostgresLoad } from "#adapters/postgres/database/postgres-database.ts";
import type { PostgresSignals } from "#adapters/postgres/streams/signals.ts";
import { addReadMetric, addReadMetrics, type MetricRegistry } from "../metrics/metric-registry.ts";

export interface PostgresParts {
  readonly database: { readonly load: PostgresLoad };
  readonly signals: Pick<PostgresSignals, "counts">;
}

/** Metrics of a process whose streams are in Postgres: its pool and its signals. */
export function addPostgresMetrics(registry: MetricRegistry, { database, signals }: PostgresParts): void {
  addReadMetrics("gauge", {
    name: "fairlead_postgres_connections",
    help: "Connections of the pool by state; `waiting` are calls that wait for one.",
    labelNames: ["state"],
    registry,
    read: () => {
      const { busy, idle, waiting } = database.load;
      return valuesOf("state", { busy, idle, waiting });
    },
  });
  addReadMetrics("counter", {
    name: "fairlead_postgres_statements_total",
    help: "Statements of the pool by outcome; `lost` ones had no answer.",
    labelNames: ["outcome"],
    registry,
    read: () => {
      const { statements, refused, lost } = database.load;
      return valuesOf("outcome", { done: statements - refused - lost, refused, lost });
    },
  });
  addReadMetrics("counter", {
    name: "fairlead_postgres_signals_total",
    help: "Signals between processes by direction.",
    labelNames: ["direction"],
    registry,
    read: () => {
      const { sent, received } = signals.counts;
      return valuesOf("direction", { sent, received });
    },
  });
  addReadMetric("counter", {
    name: "fairlead_postgres_signal_losses_total",
    help: "How often signals of other processes stopped to arrive, so that readers had to look.",
    registry,
    read: () => signals.counts.losses,
  });
}

function valuesOf<Label extends string>(label: Label, values: Readonly<Record<string, number>>) {
  // The object has this one label.
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name } as Record<Label, string>, value }));
}
