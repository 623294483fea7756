import { InterceptingCall, type Interceptor } from "@grpc/grpc-js";
import type { Clock } from "#kit/platform/clock.ts";

/** Names of the metadata of calls between services. */
export const CALL_HEADERS = {
  /** W3C Trace Context. */
  traceParent: "traceparent",
  /** The principal for which the call is made, signed by a gateway. */
  principal: "x-fairlead-principal",
  /** The grant of the run for which the call is made, signed by the session service. */
  grant: "x-fairlead-grant",
  /** Identifies the calling service. */
  serviceToken: "x-fairlead-service-token",
} as const;

/** The metadata of a call, determined for each call: tokens are rotated, and a trace belongs to one run. */
export interface CallFacts {
  readonly traceParent?: string;
  readonly principal?: string;
  readonly grant?: string;
  readonly serviceToken?: string;
}

export interface CallInterceptorOptions {
  readonly clock: Clock;
  /** The deadline of a call that has none of its own. */
  readonly timeoutMs: number;
  /** Called with the path of the called method. */
  readonly facts?: (path: string) => CallFacts;
}

/** Adds a deadline and metadata to each call, so that no call can be made without them. */
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
