import { present } from "#kit/platform/members.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type { GatewayClient } from "../gateway/gateway-client.ts";

/** A run as the HTTP API shows it. */
export interface WireRun {
  readonly runId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly status: string;
  readonly answeredBy?: string;
  readonly attempts: number;
  readonly epoch: number;
  readonly holder?: string;
  readonly createdTime: number;
  readonly startedTime?: number;
  readonly finishedTime?: number;
}

export interface RunsQuery {
  readonly appName?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly status?: string;
}

/** The server's largest page. */
const MAX_PAGE = 1000;

/** Calls the run routes of a gateway. Throws as `GatewayClient` does. */
export class RunsClient {
  readonly #client: GatewayClient;

  constructor(client: GatewayClient) {
    this.#client = client;
  }

  /** Newest first. */
  async list(query: RunsQuery, limit: number): Promise<readonly WireRun[]> {
    const runs: WireRun[] = [];
    const pages = allPages(async (place) => {
      const pageSize = String(Math.min(MAX_PAGE, limit - runs.length));
      const search = new URLSearchParams(present({ ...query, pageSize, ...place }));
      // The schema of the route's answer is part of the server's API description.
      return (await this.#client.call(`/v1/runs?${search}`)) as { runs: readonly WireRun[]; nextPageToken?: string };
    });
    for await (const page of pages) {
      runs.push(...page.runs);
      if (runs.length >= limit) break;
    }
    return runs;
  }

  async show(runId: string): Promise<WireRun> {
    return this.#run(runId, "", "GET");
  }

  async cancel(runId: string): Promise<WireRun> {
    return this.#run(runId, "/cancel", "POST");
  }

  async requeue(runId: string): Promise<WireRun> {
    return this.#run(runId, "/requeue", "POST");
  }

  async #run(runId: string, action: string, method: "GET" | "POST"): Promise<WireRun> {
    // The schema of the route's answer is part of the server's API description.
    return (await this.#client.call(`/v1/runs/${encodeURIComponent(runId)}${action}`, method)) as WireRun;
  }
}
