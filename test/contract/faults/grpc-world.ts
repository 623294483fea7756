import type { PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { ERROR_CODES } from "#kit/errors/codes.ts";
import { systemClock } from "#kit/platform/clock.ts";
import type { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { type GrpcFault, GrpcFaults } from "#test/helpers/faults/grpc-faults.ts";
import type { NetworkWorld } from "./network-faults.ts";

const CODES = ["UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL"] as const;

interface NamedFault {
  readonly name: string;
  readonly fault: GrpcFault;
}

/** Each status and a broken connection, before and after the server's work. */
export const GRPC_FAULTS: readonly NamedFault[] = [false, true].flatMap((isDone) => {
  const when = isDone ? "after the work" : "before the work";
  const statuses = CODES.map((code) => ({
    name: `${code} ${when}`,
    fault: { status: ERROR_CODES[code].grpc, isDone },
  }));
  return [...statuses, { name: `a broken connection ${when}`, fault: { isDone } }];
});

/** The errors that a caller gets for these faults. */
export const GRPC_REASONS = ["SERVICE_UNAVAILABLE", "SERVICE_TIMEOUT", "INTERNAL"];

/** A remote store whose network can fail, and its server. */
export async function openGrpcWorld<Store extends AsyncDisposable>(
  server: GrpcServer,
  connect: (options: PeerOptions) => Store,
  stored: () => Promise<unknown>,
): Promise<NetworkWorld<Store, GrpcFault>> {
  const faults = await GrpcFaults.before(await server.listen("127.0.0.1:0"));
  const store = connect({ address: `127.0.0.1:${faults.port}`, clock: systemClock, timeoutMs: 20_000 });
  const dispose = async (): Promise<void> => {
    await store[Symbol.asyncDispose]();
    await faults[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { store, faults, stored, [Symbol.asyncDispose]: dispose };
}
