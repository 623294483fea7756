import { Type } from "#kit/schema/shape.ts";

/** Settings that every process has. */
export const processConfigSchema = Type.Object({
  LOG_LEVEL: Type.Union(
    [Type.Literal("debug"), Type.Literal("info"), Type.Literal("warn"), Type.Literal("error"), Type.Literal("silent")],
    { default: "info", description: "The lowest level that is logged." },
  ),
  LOG_FORMAT: Type.Union([Type.Literal("auto"), Type.Literal("json"), Type.Literal("pretty")], {
    default: "auto",
    description: "How logs are written: `auto` is readable on a terminal and JSON elsewhere.",
  }),
  METRICS_EXEMPLARS: Type.Boolean({
    default: false,
    description: "Whether `/metrics` names traces beside histograms' buckets, for scrapers that ask for OpenMetrics.",
  }),
  LOOP_STALL_MS: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      "End the process when its event loop has stood for so long, in ms, because code of an agent computes without end: others then recover its runs, and whatever supervises the process starts it again. 0 lets it stand.",
  }),
  CONNECT_TIMEOUT_MS: Type.Integer({
    default: 3000,
    minimum: 100,
    description:
      "How long an attempt to connect to another process or host may take, in ms. The address of a lost machine answers nothing, and is looked up again after that.",
  }),
  SHUTDOWN_GRACE_MS: Type.Integer({
    default: 0,
    minimum: 0,
    description: "How long to keep serving after a signal, until load balancers have noticed, in ms.",
  }),
  SHUTDOWN_DRAIN_MS: Type.Integer({
    default: 5000,
    minimum: 0,
    description: "How long active runs and calls may take to end by themselves, in ms.",
  }),
});
