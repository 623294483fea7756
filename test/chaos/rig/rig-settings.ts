import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FaultProxy } from "#tooling/processes/fault-proxy.ts";
import { writeCredentialKeys } from "#tooling/service-secrets.ts";
import type { AskingServer } from "./asking-server.ts";
import type { JudgeServer } from "./judge-server.ts";
import type { RemotePeer } from "./remote-peer.ts";
import { carriesStreams, type Edge, EVAL_LEASE_MS, isDatabase, LEASE_MS, type RigOptions } from "./rig-options.ts";
import type { ChaosService } from "./service-place.ts";

export const AGENTS = fileURLToPath(new URL("../../fixtures/chaos-agents", import.meta.url));

export interface Ports {
  readonly service: ChaosService;
  readonly index: number;
  readonly grpc: number;
  readonly admin: number;
}

interface Wiring {
  readonly options: RigOptions;
  readonly ports: readonly Ports[];
  readonly links: ReadonlyMap<Edge, readonly FaultProxy[]>;
  readonly folder: string;
  readonly asking: AskingServer;
  readonly judge: JudgeServer;
  readonly peer: RemotePeer;
}

/** A runner's folder of agents, where each has its own. */
export function agentsFolderOf(folder: string, index: number): string {
  return join(folder, `agents-${index}`);
}

/** The settings of one process. */
export function settingsOf(place: Ports, wiring: Wiring): Readonly<Record<string, string>> {
  const { options, links, folder, asking, judge, peer } = wiring;
  const { service, grpc, admin } = place;
  const direct = (called: ChaosService): string => {
    const found = wiring.ports.filter((each) => each.service === called).map((each) => `127.0.0.1:${each.grpc}`);
    // A service that no test of the rig needs.
    return `ipv4:${found.length > 0 ? found.join(",") : "127.0.0.1:1"}`;
  };
  const ports = (edge: Edge): readonly number[] => links.get(edge)?.map(({ port }) => port) ?? [];
  const target = (edge: Edge): string =>
    `ipv4:${ports(edge)
      .map((port) => `127.0.0.1:${port}`)
      .join(",")}`;
  const caller = service === "gateway" ? "gateway" : "runner";
  return {
    AGENTS_DIR: options.ownAgents === true && service === "runner" ? agentsFolderOf(folder, place.index) : AGENTS,
    DATA_DIR: join(folder, service),
    GRPC_PORT: String(grpc),
    ADMIN_PORT: String(admin),
    PORT: String(admin),
    RUNNER_SERVICE_ADDRESS: target("gateway-runner"),
    SESSION_SERVICE_ADDRESS: target(`${caller}-session`),
    ARTIFACT_SERVICE_ADDRESS: target("to-artifact"),
    MEMORY_SERVICE_ADDRESS: direct("memory"),
    EVAL_SERVICE_ADDRESS: direct("eval"),
    EVAL_STORE: isDatabase(options.store) ? options.store : "files",
    EVAL_JUDGE_MODELS: "openai/judge",
    EVAL_LEASE_MS: String(EVAL_LEASE_MS),
    OPENAI_BASE_URL: judge.urlFor(place.index),
    OPENAI_API_KEY: "none",
    REDIS_URL: `redis://127.0.0.1:${ports(`${caller}-transport`)[0]}`,
    SESSION_STORE: options.store,
    ...(isDatabase(options.store) && {
      // There are two session services, and only one can have a folder of SQLite files.
      CREDENTIAL_STORE: options.store,
      CREDENTIAL_KEYS_FILE: writeCredentialKeys(join(folder, "keys")),
      MEMORY_STORE: options.store,
    }),
    ...(options.store === "firestore" && {
      FIRESTORE_PROJECT_ID: "chaos",
      FIRESTORE_EMULATOR_HOST: `127.0.0.1:${ports("to-database")[0]}`,
    }),
    ...(options.store === "postgres" && {
      DATABASE_URL: `postgresql://postgres@127.0.0.1:${ports("to-database")[0]}/postgres`,
      DATABASE_POOL_SIZE: "5",
      // Streams and notifications have a link of their own.
      ...(carriesStreams(options) && {
        DATABASE_DIRECT_URL: `postgresql://postgres@127.0.0.1:${ports(`${caller}-transport`)[0]}/postgres`,
      }),
    }),
    LEASE_MS: String(LEASE_MS),
    // On a busy machine runs lose a lease this short without any fault.
    MAX_RUN_ATTEMPTS: "10",
    MAX_LLM_CALLS: "30",
    // Answers that are larger than a reader that has stalled may keep.
    MAX_ANSWER_CHARACTERS: "64000000",
    MAX_QUEUED_RUNS: "64",
    PEER_CHECK_MS: "200",
    CALL_TIMEOUT_MS: "5000",
    SSE_HEARTBEAT_MS: "500",
    SSE_STALL_MS: "1500",
    SHUTDOWN_DRAIN_MS: "2000",
    CHAOS_MCP_URL: asking.url,
    CHAOS_A2A_URL: peer.url,
    // The MCP server, the remote agent and receivers of notifications.
    OUTBOUND_ALLOWED_HOSTS: "127.0.0.1",
    A2A_APPS: "chaos",
    // The gateways share their folder.
    A2A_PUSH: options.store === "postgres" ? "postgres" : "sqlite",
    SCHEDULES: options.store === "postgres" ? "postgres" : "sqlite",
    WEBHOOKS: options.store === "postgres" ? "postgres" : "sqlite",
    DEV_UI: "false",
    LOG_LEVEL: "warn",
    LOG_FORMAT: "json",
    ...options.settings,
  };
}
