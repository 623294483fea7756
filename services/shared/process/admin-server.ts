import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Readiness, readinessAnswer } from "../health/readiness.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { listenError } from "./listen-error.ts";

export interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  readonly readMetrics: Metrics["read"];
  readonly readiness: Pick<Readiness, "missing" | "unavailable">;
  /** Reads the answer's `apps` for `/ready?apps`; absent for processes without apps. */
  readonly readApps?: (() => Promise<unknown>) | undefined;
}

/** The HTTP server of a gRPC service, for probes and scrapers only. */
export interface AdminServer extends AsyncDisposable {
  readonly port: number;
}

// An import would load all of node:http's exports, a client of WebSockets among them: 15 MB for each process.
const { createServer } = process.getBuiltinModule("node:http");
const JSON_TYPE = "application/json; charset=utf-8";

export async function openAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const { host, port } = options;
  const server = createServer(answerWith(options));
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw listenError(error, { host, port, hostSetting: "ADMIN_HOST", portSetting: "ADMIN_PORT" });
  }
  // The address of a TCP server is never the name of a pipe.
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerWith({ readMetrics, readiness, readApps }: AdminServerOptions): RequestListener {
  return (request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
    };
    const answerJson = (status: number, body: unknown): void => answer(status, JSON_TYPE, JSON.stringify(body));
    const answerMetrics = (): void => {
      try {
        const { contentType, text } = readMetrics(request.headers.accept);
        answer(200, contentType, text);
      } catch {
        answerJson(500, { status: 500, error: "The metrics could not be collected." });
      }
    };
    if (request.method !== "GET" && request.method !== "HEAD") {
      return answerJson(405, { status: 405, error: "Only GET is answered here." });
    }
    const [path, query] = (request.url ?? "").split("?", 2);
    switch (path) {
      case "/health":
        return answerJson(200, { status: "ok" });
      case "/ready": {
        const asked = new URLSearchParams(query);
        const { code, body } = readinessAnswer(readiness, asked.has("verbose"));
        if (readApps === undefined || !asked.has("apps")) return answerJson(code, body);
        return void readApps().then(
          (apps) => answerJson(code, { ...body, apps }),
          () => answerJson(500, { status: 500, error: "The apps could not be read." }),
        );
      }
      case "/metrics":
        return answerMetrics();
      default:
        return answerJson(404, { status: 404, error: "There is /health, /ready and /metrics." });
    }
  };
}
