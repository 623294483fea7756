import { type ReceivedSpan, startOtlpReceiver } from "#test/fakes/otlp-receiver.ts";

/** A span as a collector gets it, with the name of the service that sent it. */
export interface CollectedSpan extends ReceivedSpan {
  readonly service: string;
}

/** A collector on loopback, by its address for traces. */
export async function startTraceCollector() {
  const receiver = await startOtlpReceiver();
  return {
    get spans(): readonly CollectedSpan[] {
      return receiver.spans.map((span) => ({ ...span, service: String(span.resource["service.name"]) }));
    },
    url: `${receiver.url}/v1/traces`,
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}
