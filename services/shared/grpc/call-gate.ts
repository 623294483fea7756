import { CALL_HEADERS } from "#adapters/grpc/channel/call-interceptor.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { SHARED_STREAMS } from "../security/call-graph.ts";
import { type CallScope, inCallScope } from "../security/call-scope.ts";
import type { OwnerRulesByPath } from "../security/owner-rules.ts";
import { assertReach, type Owner, type Principal } from "../security/principal.ts";
import type { CallSpan, CallTracer } from "../tracing/call-tracer.ts";
import { parseTraceParent } from "../tracing/trace-context.ts";
import type { CallContext, IncomingCall, PipedCall } from "./incoming-call.ts";

export interface CallGateOptions {
  /** Throws when the caller may not make the call. */
  readonly authorize?: (call: IncomingCall) => void;
  /** Returns the principal that the signed text names, or throws. Absent if calls need no principal. */
  readonly verifyPrincipal?: (text: string | undefined) => Principal;
  /** The owners of the data that the messages name. */
  readonly owners?: OwnerRulesByPath;
  /** Creates a span for each call that has a trace. */
  readonly tracer?: CallTracer;
  /** Whether handlers make calls of their own, which pass the principal and the trace on. */
  readonly passesOn?: boolean;
}

interface Passing<Result> {
  readonly context: CallContext & { principal: Principal | undefined };
  /** Absent if the messages arrive later. */
  readonly request: unknown;
  readonly work: (context: CallContext) => Promise<Result>;
}

/** What is checked before work is done. */
interface Visit<Result> {
  readonly path: string;
  readonly principal: Principal | undefined;
  readonly traceParent: string | undefined;
  readonly message: unknown;
  readonly work: () => Promise<Result>;
}

/**
 * Checks every call before its handler: its caller, its principal and the owner of its data; and opens its span. Costs
 * a few comparisons if none of these is configured.
 */
export class CallGate {
  readonly #options: CallGateOptions;
  readonly #isPlain: boolean;

  constructor(options: CallGateOptions) {
    this.#options = options;
    this.#isPlain = options.verifyPrincipal === undefined && options.tracer === undefined;
  }

  pass<Result>({ context, request, work }: Passing<Result>): Promise<Result> {
    const { authorize, verifyPrincipal } = this.#options;
    authorize?.(context);
    if (this.#isPlain) return work(context);
    if (verifyPrincipal !== undefined && !SHARED_STREAMS.has(context.path))
      context.principal = verifyPrincipal(headerOf(context, CALL_HEADERS.principal));
    return this.#enter({
      path: context.path,
      principal: context.principal,
      // Maintenance calls and shared streams belong to no request, and have no principal.
      traceParent: headerOf(context, CALL_HEADERS.traceParent),
      message: request,
      work: () => work(context),
    });
  }

  /**
   * Like `pass`, for a request on a shared stream: the callers that are allowed are those of the call that it
   * represents.
   */
  passPiped<Result>(context: CallContext, call: PipedCall<Result>): Promise<Result> {
    if (this.#isPlain) return call.work();
    return this.#enter({
      ...call,
      path: `${context.path.slice(0, context.path.lastIndexOf("/"))}/${call.method}`,
      principal: this.#options.verifyPrincipal?.(call.principal === "" ? undefined : call.principal),
    });
  }

  #enter<Result>({ path, principal, traceParent, message, work }: Visit<Result>): Promise<Result> {
    const owner = message === undefined ? undefined : this.#check(path, principal, message);
    const span = this.#startSpan(path, traceParent);
    const answer = this.#inScope({ principal: narrowed(principal, owner), span }, work);
    return span === undefined ? answer : observed(answer, span);
  }

  /** The messages of a stream; the owner of each is checked. */
  checked<Message>(messages: AsyncIterable<Message>, context: CallContext): AsyncIterable<Message> {
    return context.principal === undefined ? messages : this.#checkEach(messages, context);
  }

  async *#checkEach<Message>(messages: AsyncIterable<Message>, context: CallContext): AsyncIterable<Message> {
    for await (const message of messages) {
      this.#check(context.path, context.principal, message);
      yield message;
    }
  }

  /** Throws `FOREIGN_OWNER`. */
  #check(path: string, principal: Principal | undefined, message: unknown): Owner | undefined {
    if (principal === undefined) return undefined;
    const rule = this.#options.owners?.get(path);
    if (rule === undefined) throw new TypeError(`${path} has no rule for the owner of its data.`);
    const owner = typeof rule === "function" ? rule(message) : undefined;
    if (owner !== undefined) assertReach(principal, owner);
    return owner;
  }

  #startSpan(path: string, traceParent: string | undefined): CallSpan | undefined {
    const { tracer } = this.#options;
    if (tracer === undefined) return undefined;
    const parent = parseTraceParent(traceParent);
    if (parent === undefined) return undefined;
    const [, service = "", method = ""] = path.split("/");
    return tracer.start(path.slice(1), parent, { "rpc.system": "grpc", "rpc.service": service, "rpc.method": method });
  }

  #inScope<Result>({ principal, span }: Along, work: () => Result): Result {
    if (this.#options.passesOn !== true || (principal === undefined && span === undefined)) return work();
    const scope: CallScope = {
      ...(principal !== undefined && { principal }),
      ...(span !== undefined && { traceParent: span.traceParent }),
    };
    return inCallScope(scope, work);
  }
}

interface Along {
  readonly principal: Principal | undefined;
  readonly span: CallSpan | undefined;
}

/** A call that is allowed for one user's data reaches only that data, even if its principal could reach more. */
function narrowed(principal: Principal | undefined, owner: Owner | undefined): Principal | undefined {
  if (principal === undefined || owner?.appName === undefined || owner.userId === undefined) return principal;
  return { tenantId: principal.tenantId, appName: owner.appName, userId: owner.userId, scopes: [] };
}

function headerOf({ metadata }: IncomingCall, name: string): string | undefined {
  const [text] = metadata.get(name);
  return typeof text === "string" ? text : undefined;
}

async function observed<Result>(answer: Promise<Result>, span: CallSpan): Promise<Result> {
  try {
    const result = await answer;
    span.end();
    return result;
  } catch (error) {
    span.end(toPlatformError(error));
    throw error;
  }
}
