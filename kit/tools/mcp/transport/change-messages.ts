import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

type Change = <Message extends JSONRPCMessage>(message: Message) => Message;

/** Passes each message that a transport receives through `change`. Call it once, before the transport is connected. */
export function changeMessages(transport: Transport, change: Change): void {
  let receive = transport.onmessage;
  const changed: NonNullable<Transport["onmessage"]> = (message, extra) => receive?.(change(message), extra);
  Object.defineProperty(transport, "onmessage", {
    get: () => (receive === undefined ? undefined : changed),
    set: (given: Transport["onmessage"]) => {
      receive = given;
    },
  });
}
