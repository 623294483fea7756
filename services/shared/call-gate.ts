import { CALL_HEADERS } from "#adapters/grpc/call-interceptor.ts";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { type CallScope, inCallScope } from "./call-scope.ts";
import type { CallSpan, CallTracer } from "./call-tracer.ts";
import type { CallContext, IncomingCall } from "./grpc-handlers.ts";
import type { OwnerRulesByPath } from "./security/owner-rules.ts";
import { type Owner, type Principal, reachesAll } from "./security/principal.ts";
import { parseTraceParent } from "./trace-context.ts";

export interface CallGateOptions {
  /** Throws when the caller may not make the call. */
  readonly authorize?: (call: IncomingCall) => void;
  /** For whom the call is made; throws when it does not say. Principals are not demanded when absent. */
  readonly principalOf?: (call: IncomingCall) => Principal;
  /** Whose data the messages name. */
  readonly owners?: OwnerRulesByPath;
  /** Makes a span of each call that comes with a trace. */
  readonly tracer?: CallTracer;
  /** Whether what the handlers start makes calls of its own, which take the principal and the trace along. */
  readonly passesOn?: boolean;
}

interface Passing<Result> {
  readonly context: CallContext & { principal: Principal | undefined };
  /** Absent when the messages come later. */
  readonly request: unknown;
  readonly work: (context: CallContext) => Promise<Result>;
}

/** What stands before every handler: who calls, for whom, and in which trace. Costs a few comparisons where none of it is on. */
export class CallGate {
  readonly #options: CallGateOptions;
  readonly #isPlain: boolean;

  constructor(options: CallGateOptions) {
    this.#options = options;
    this.#isPlain = options.principalOf === undefined && options.tracer === undefined;
  }

  pass<Result>({ context, request, work }: Passing<Result>): Promise<Result> {
    const { authorize, principalOf } = this.#options;
    authorize?.(context);
    if (this.#isPlain) return work(context);
    if (principalOf !== undefined) context.principal = principalOf(context);
    const owner = request === undefined ? undefined : this.#check(context, request);
    const span = this.#startSpan(context);
    const answer = this.#inScope({ principal: narrowed(context.principal, owner), span }, () => work(context));
    return span === undefined ? answer : observed(answer, span);
  }

  /** The messages of a stream, each checked for whose data it names. */
  checked<Message>(messages: AsyncIterable<Message>, context: CallContext): AsyncIterable<Message> {
    return context.principal === undefined || reachesAll(context.principal)
      ? messages
      : this.#checkEach(messages, context);
  }

  async *#checkEach<Message>(messages: AsyncIterable<Message>, context: CallContext): AsyncIterable<Message> {
    for await (const message of messages) {
      this.#check(context, message);
      yield message;
    }
  }

  /** Throws `FOREIGN_OWNER`. */
  #check(context: CallContext, message: unknown): Owner | undefined {
    if (context.principal === undefined) return undefined;
    const rule = this.#options.owners?.get(context.path);
    if (rule === undefined) throw new TypeError(`${context.path} has no rule that says whose data it names.`);
    const owner = typeof rule === "function" ? rule(message) : undefined;
    if (owner === undefined || context.mayReach(owner)) return owner;
    throw new PlatformError("FOREIGN_OWNER", "There is nothing of that name for the user that the call is made for.");
  }

  #startSpan({ path, metadata }: CallContext): CallSpan | undefined {
    const { tracer } = this.#options;
    if (tracer === undefined) return undefined;
    // Upkeep and shared streams belong to no request, and come without.
    const parent = parseTraceParent(metadata.get(CALL_HEADERS.traceParent)[0]);
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

/** What is done for one user's data reaches no further, whatever else the caller could reach. */
function narrowed(principal: Principal | undefined, owner: Owner | undefined): Principal | undefined {
  if (principal === undefined || owner?.appName === undefined || owner.userId === undefined) return principal;
  return { appName: owner.appName, userId: owner.userId, scopes: [] };
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
