import type { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { listenError } from "#shared/process/listen-error.ts";
import type { Gateway } from "./add-routes.ts";
import type { GatewayDeps } from "./deps.ts";

/** The gRPC servers of gateways that have one. They listen and end with their gateways. */
const SERVERS = new WeakMap<Gateway, { readonly server: GrpcServer; readonly port: number }>();

/** Prepares the port of the Agent2Agent protocol's gRPC binding if A2A_GRPC_PORT names one. */
export async function openGrpcPort(
  gateway: Gateway,
  { config, logger }: Pick<GatewayDeps, "config" | "logger">,
): Promise<void> {
  const { A2A_APPS, A2A_GRPC_PORT: port, DEFAULT_APP_NAME: defaultAppName } = config;
  if (A2A_APPS.length === 0 || port === 0) return;
  // Loaded only by servers with this port.
  const [{ GrpcServer: Server }, { grpcBinding }] = await Promise.all([
    import("#shared/grpc/grpc-server.ts"),
    import("./a2a/grpc-binding.ts"),
  ]);
  const server = new Server({ services: [grpcBinding({ gateway, defaultAppName, logger })] });
  SERVERS.set(gateway, { server, port });
  gateway.addHook("preClose", () => server.stopAccepting());
}

export async function listenForGrpc(gateway: Gateway, host: string): Promise<void> {
  const open = SERVERS.get(gateway);
  if (open === undefined) return;
  const { server, port } = open;
  server.health.set("", true);
  try {
    await server.listen(`${host.includes(":") ? `[${host}]` : host}:${port}`);
  } catch (error) {
    throw listenError(error, { host, port, hostSetting: "HOST", portSetting: "A2A_GRPC_PORT" });
  }
}

/** Cuts off the calls that are still in progress. */
export function abortGrpc(gateway: Gateway): void {
  SERVERS.get(gateway)?.server.abort();
}
