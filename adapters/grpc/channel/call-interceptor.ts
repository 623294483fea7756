import { InterceptingCall, type Interceptor } from "@grpc/grpc-js";
import type { Clock } from "#kit/platform/clock.ts";

/** Names of what calls between services carry besides their messages. */
export const CALL_HEADERS = {
  /** W3C Trace Context. */
  traceParent: "traceparent",
  /** For whom the call is made, signed by the edge. */
  principal: "x-agentplane-principal",
  /** Which service calls. */
  serviceToken: "x-agentplane-service-token",
} as const;

/** What each call carries besides its message, asked for at each call: tokens are rotated, and a trace belongs to one run. */
export interface CallFacts {
  readonly traceParent?: string;
  readonly principal?: string;
  readonly serviceToken?: string;
}

export interface CallInterceptorOptions {
  readonly clock: Clock;
  /** How long a call may take that does not bring its own deadline. */
  readonly timeoutMs: number;
  /** Asked with the path of the method that is called. */
  readonly facts?: (path: string) => CallFacts;
}

/** Gives each call a deadline and its metadata, so that no call can be made without. */
export function callInterceptor({ clock, timeoutMs, facts = () => ({}) }: CallInterceptorOptions): Interceptor {
  return (options, nextCall) => {
    const deadline = options.deadline ?? clock.now() + timeoutMs;
    return new InterceptingCall(nextCall({ ...options, deadline }), {
      start: (metadata, listener, next) => {
        const given = facts(options.method_definition.path);
        for (const [name, header] of Object.entries(CALL_HEADERS)) {
          // The headers have the names of the facts.
          const value = given[name as keyof CallFacts];
          if (value !== undefined) metadata.set(header, value);
        }
        next(metadata, listener);
      },
    });
  };
}
