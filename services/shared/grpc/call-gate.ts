import { CALL_HEADERS } from "#adapters/grpc/channel/call-interceptor.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { type Authority, principalOf, UNCHECKED } from "../security/authority.ts";
import type { ArrivedCall } from "../security/call-admission.ts";
import type { ServiceName } from "../security/call-graph.ts";
import { type CallScope, inCallScope } from "../security/call-scope.ts";
import type { OwnerRulesByPath } from "../security/owner-rules.ts";
import { assertReach } from "../security/principal.ts";
import type { CallSpan, CallTracer } from "../tracing/call-tracer.ts";
import { parseTraceParent } from "../tracing/trace-context.ts";
import type { CallContext, IncomingCall, PipedCall } from "./incoming-call.ts";

export interface CallGateOptions {
  /** Returns the calling service. Throws when it may not make the call. */
  readonly authorize?: (call: IncomingCall) => ServiceName;
  /** Returns for whom the call is made, or throws. Absent if principals are not required. */
  readonly admit?: (call: ArrivedCall) => Authority;
  /** The owners of the data that the messages name. */
  readonly owners?: OwnerRulesByPath;
  /** Creates a span for each call that has a trace. */
  readonly tracer?: CallTracer;
  /** Whether handlers make calls of their own, which pass the principal and the trace on. */
  readonly passesOn?: boolean;
}

/** A context whose members the gate sets. */
type GatedContext = CallContext & { authority: Authority; caller: ServiceName | undefined };

interface Passing<Result> {
  readonly context: GatedContext;
  /** Absent if the messages arrive later. */
  readonly request: unknown;
  readonly work: (context: CallContext) => Promise<Result>;
}

/** A call or a piped request: what is checked, and the work to do after the checks. */
interface Visit<Result> {
  readonly path: string;
  readonly authority: Authority;
  /** The signed text of the authority's principal. */
  readonly principal: string | undefined;
  readonly traceParent: string | undefined;
  readonly message: unknown;
  readonly work: () => Promise<Result>;
}

/**
 * Checks every call before its handler: its caller, for whom it is made and the owner of its data; and opens its span.
 * Costs a few comparisons if none of these is configured.
 */
export class CallGate {
  readonly #options: CallGateOptions;
  readonly #isPlain: boolean;

  constructor(options: CallGateOptions) {
    this.#options = options;
    this.#isPlain = options.admit === undefined && options.tracer === undefined;
  }

  pass<Result>({ context, request, work }: Passing<Result>): Promise<Result> {
    const { authorize, admit } = this.#options;
    const caller = authorize?.(context);
    if (this.#isPlain) return work(context);
    const { path } = context;
    const principal = headerOf(context, CALL_HEADERS.principal);
    context.caller = caller;
    if (admit !== undefined)
      context.authority = admit({ path, caller, principal, grant: headerOf(context, CALL_HEADERS.grant) });
    return this.#enter({
      path,
      authority: context.authority,
      principal,
      traceParent: headerOf(context, CALL_HEADERS.traceParent),
      message: request,
      work: () => work(context),
    });
  }

  /**
   * Like `pass`, for a request on a shared stream: the callers that are allowed are those of the call that it
   * represents.
   */
  passPiped<Result>(context: GatedContext, call: PipedCall<Result>): Promise<Result> {
    if (this.#isPlain) return call.work(UNCHECKED);
    const { principal, grant, traceParent, message, work } = call;
    const path = `${context.path.slice(0, context.path.lastIndexOf("/"))}/${call.method}`;
    const authority = this.#options.admit?.({ path, caller: context.caller, principal, grant }) ?? UNCHECKED;
    return this.#enter({ path, authority, principal, traceParent, message, work: () => work(authority) });
  }

  #enter<Result>({ path, authority, principal, traceParent, message, work }: Visit<Result>): Promise<Result> {
    if (message !== undefined) this.#check(path, authority, message);
    const span = this.#startSpan(path, traceParent);
    const passed = authority.kind === "principal" ? principal : undefined;
    const answer = this.#inScope({ principal: passed, span }, work);
    return span === undefined ? answer : observed(answer, span);
  }

  /** The messages of a stream; the owner of each is checked. */
  checked<Message>(messages: AsyncIterable<Message>, context: CallContext): AsyncIterable<Message> {
    return principalOf(context.authority) === undefined ? messages : this.#checkEach(messages, context);
  }

  async *#checkEach<Message>(messages: AsyncIterable<Message>, context: CallContext): AsyncIterable<Message> {
    for await (const message of messages) {
      this.#check(context.path, context.authority, message);
      yield message;
    }
  }

  /** Throws `FOREIGN_OWNER`. What an upkeep call reaches is decided by its handler. */
  #check(path: string, authority: Authority, message: unknown): void {
    const principal = principalOf(authority);
    if (principal === undefined) return;
    const rule = this.#options.owners?.get(path);
    if (rule === undefined) throw new TypeError(`${path} has no rule for the owner of its data.`);
    const owner = typeof rule === "function" ? rule(message) : undefined;
    if (owner !== undefined) assertReach(principal, owner);
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
      credentials: principal === undefined ? undefined : { principal },
      traceParent: span?.traceParent,
    };
    return inCallScope(scope, work);
  }
}

interface Along {
  /** The signed principal that the calls of the handler carry. */
  readonly principal: string | undefined;
  readonly span: CallSpan | undefined;
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
