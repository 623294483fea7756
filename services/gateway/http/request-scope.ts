import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import type { CallSpan, CallTracer } from "#shared/tracing/call-tracer.ts";
import { parseTraceParent } from "#shared/tracing/trace-context.ts";

/** The trace ids of requests, which live as long as the requests. */
export type RequestTraces = WeakMap<IncomingMessage, string>;

export interface RequestScopeOptions {
  /** Present when traces are exported. */
  readonly tracer?: CallTracer;
  /**
   * Whether a request continues the trace that its `traceparent` names; otherwise that trace is an attribute of the
   * request's own.
   */
  readonly trustsTraceParent?: boolean;
  /** Keeps the traces of requests for the metrics and logs that report them. */
  readonly traces?: RequestTraces;
  /** The principal of the request; absent if the other services do not check it. */
  readonly principalOf?: (request: FastifyRequest) => Principal;
  /** Called for a request that asks for something out of its principal's reach that is answered as absent. */
  readonly onForeign?: (request: FastifyRequest) => void;
  /** Called for each run that the request starts. */
  readonly onRun?: (request: FastifyRequest, runId: string) => void;
  /** Called for each evaluation that the request starts. */
  readonly onEvaluation?: (request: FastifyRequest, jobId: string) => void;
}

/**
 * Runs the request in a call scope with its principal and its trace. Added after the body is read, because nothing
 * before that makes a call.
 */
export function enterRequestScope(options: RequestScopeOptions) {
  const { tracer, traces, trustsTraceParent = false, principalOf, onForeign, onRun, onEvaluation } = options;
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const span = tracer === undefined ? undefined : startSpan(tracer, request, reply, trustsTraceParent);
    if (span !== undefined) traces?.set(request.raw, span.traceId);
    const scope = {
      principal: principalOf && principalOf(request),
      traceParent: span?.traceParent,
      onForeign: onForeign && (() => onForeign(request)),
      onRun: onRun && ((runId: string) => onRun(request, runId)),
      onEvaluation: onEvaluation && ((jobId: string) => onEvaluation(request, jobId)),
    };
    inCallScope(scope, done);
  };
}

const CLIENT_TRACE = "fairlead.client.trace_id";
const CLIENT_SPAN = "fairlead.client.span_id";

function startSpan(
  tracer: CallTracer,
  request: FastifyRequest,
  reply: FastifyReply,
  trustsTraceParent: boolean,
): CallSpan {
  const { method, routeOptions, headers } = request;
  const route = routeOptions.url ?? "unknown";
  const client = parseTraceParent(headers["traceparent"]);
  const span = tracer.start(`${method} ${route}`, trustsTraceParent ? client : undefined, {
    "http.request.method": method,
    "http.route": route,
    ...(client !== undefined && !trustsTraceParent && { [CLIENT_TRACE]: client.traceId, [CLIENT_SPAN]: client.spanId }),
  });
  // Emitted once for every response: finished, hijacked or cut off.
  const { raw } = reply;
  raw.once("close", () => {
    span.set("http.response.status_code", raw.statusCode);
    span.end();
  });
  return span;
}
