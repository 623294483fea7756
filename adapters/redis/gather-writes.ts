import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

type Socket = Redis["stream"];

/**
 * Sends the commands of one turn of the event loop in one system call, which is the most expensive part of a small
 * command. Unlike a pipeline it keeps the commands separate, so that it also works for subscriptions and in a cluster.
 */
export function gatherWrites(client: RedisClient): void {
  if (client instanceof Cluster) client.on("+node", gatherWritesOfNode);
  else gatherWritesOfNode(client);
}

function gatherWritesOfNode(node: Redis): void {
  // Each connection has a socket of its own.
  node.on("connect", () => gather(node.stream));
}

function gather(socket: Socket): void {
  const write = socket.write.bind(socket);
  let isCorked = false;
  const release = (): void => {
    isCorked = false;
    socket.uncork();
  };
  const gathered = (...args: Parameters<typeof write>): boolean => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      setImmediate(release);
    }
    return write(...args);
  };
  // `write` has several overloads; `gathered` passes the arguments of each on.
  socket.write = gathered as Socket["write"];
}
