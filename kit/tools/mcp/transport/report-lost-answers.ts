import type { Transport, TransportSendOptions } from "@modelcontextprotocol/client";

/** Of JSON-RPC: for errors that the protocol's own codes do not have. */
const LOST = -32_000;
export const LOST_ANSWER = "The server ended its stream without an answer.";

/**
 * Makes an error of a stream that ends without the answer to its request, such as that of a server that was stopped: the
 * SDK would wait for the time limit. Streams that can be resumed are the SDK's. Call it before the transport is connected.
 */
export function reportLostAnswers(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    // The SDK watches the end of streams of notices itself.
    const isRequest = "method" in message && "id" in message && options?.onRequestStreamEnd === undefined;
    if (!isRequest) return send(message, options);
    const { id } = message;
    const onRequestStreamEnd = (): void => {
      // The SDK ignores a second answer to a request.
      const error = { code: LOST, message: LOST_ANSWER };
      transport.onmessage?.({ jsonrpc: "2.0", id, error });
    };
    const added: TransportSendOptions = { ...options, onRequestStreamEnd };
    return send(message, added);
  };
}
