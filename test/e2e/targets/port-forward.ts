import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Target } from "./target.ts";

export interface ForwardedService {
  readonly namespace: string;
  readonly service: string;
  /** Port of the Service; 80 if absent. */
  readonly port?: number;
}

/** A Service of the cluster of KUBECONFIG on a free port of loopback. The connection is to one pod and ends with it. */
export async function forwardPort({ namespace, service, port = 80 }: ForwardedService): Promise<Target> {
  const args = ["port-forward", "--namespace", namespace, `service/${service}`, `:${port}`];
  const child = spawn("kubectl", args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  let output = "";
  const url = Promise.withResolvers<string>();
  const read = (text: string): void => {
    output += text;
    const match = /127\.0\.0\.1:(\d+) ->/.exec(output);
    if (match !== null) url.resolve(`http://127.0.0.1:${match[1]}`);
    // Its log of connections is not used, but has to be read so that its writes do not block.
    output = output.slice(-2000);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read);
  child.once("error", url.reject);
  child.once("close", () => url.reject(new Error(`kubectl port-forward has ended: ${output}`)));
  return {
    url: await url.promise,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}
