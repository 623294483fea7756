import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

type Socket = Redis["stream"];

/**
 * Lets the commands of one turn of the event loop leave in one system call, which is the dearest part of a small command. Unlike a pipeline
 * it leaves each command by itself, so that it works for subscriptions and in a cluster too.
 */
export function gatherWrites(client: RedisClient): void {
  if (client instanceof Cluster) client.on("+node", gatherWritesOfNode);
  else gatherWritesOfNode(client);
}

function gatherWritesOfNode(node: Redis): void {
  // Each connection is a socket of its own.
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
  // One of several overloads, which all take what they are given.
  socket.write = gathered as Socket["write"];
}
