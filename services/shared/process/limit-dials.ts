import { channel } from "node:diagnostics_channel";
import type { Socket } from "node:net";

const CREATED = "net.client.socket";

/**
 * Ends each attempt of this process to connect that takes longer, with `ETIMEDOUT`. The packets to the address of a lost
 * machine go nowhere, and the system alone gives up after two minutes; until then its caller does not look up where the
 * successor is. Node announces the sockets of all clients, so this holds for services, stores, models and tools alike.
 */
export function limitDials(limitMs: number): Disposable {
  const limit = (message: unknown): void => {
    // What Node publishes.
    const { socket } = message as { readonly socket: Socket };
    const timer = setTimeout(() => {
      const error = new Error(`There was no connection within ${limitMs} ms (CONNECT_TIMEOUT_MS).`);
      socket.destroy(Object.assign(error, { code: "ETIMEDOUT", syscall: "connect" }));
    }, limitMs).unref();
    const stop = (): void => clearTimeout(timer);
    socket.once("connect", stop).once("close", stop);
  };
  channel(CREATED).subscribe(limit);
  return { [Symbol.dispose]: () => void channel(CREATED).unsubscribe(limit) };
}
