import type { FastifyRequest } from "fastify";

const FOREIGN = Symbol("foreign");

type MarkedMessage = FastifyRequest["raw"] & { [FOREIGN]?: true };

/** Notes that the request asks for something out of its caller's reach: it is answered like one for something absent. */
export function markForeign({ raw }: Pick<FastifyRequest, "raw">): void {
  (raw as MarkedMessage)[FOREIGN] = true;
}

export function isForeign({ raw }: Pick<FastifyRequest, "raw">): boolean {
  return (raw as MarkedMessage)[FOREIGN] === true;
}
