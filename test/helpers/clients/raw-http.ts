import { connect, type Socket } from "node:net";

/** A connection that sends bytes as given, and collects the answer until the server closes it. */
export interface RawHttp extends AsyncDisposable {
  readonly socket: Socket;
  /** All received text. Settles when the server has closed the connection. */
  readonly closed: Promise<string>;
  /** The received text as soon as it contains the text. Fails if the connection is closed before. */
  until(text: string): Promise<string>;
}

export function openRawHttp(address: string): RawHttp {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let received = "";
  const waiting = new Set<() => void>();
  const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(received)));
  // A server that refuses a request may reset the connection while data are still being sent.
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    for (const look of waiting) look();
  });
  const until = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!received.includes(text)) return;
        waiting.delete(look);
        resolve(received);
      };
      waiting.add(look);
      look();
      void closed.then(() => reject(new Error(`closed without ${text}: ${received.slice(0, 500)}`)));
    });
  return { socket, closed, until, [Symbol.asyncDispose]: async () => void socket.destroy() };
}

/** The statuses of all answers in the received text. */
export function statusesIn(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
