/** A request that can be sent more than once: its body is in memory. */
export interface ReadyRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** Reads the body of a request. The header `host` is left out: only the address determines the server. */
export async function readyRequest({ method = "GET", headers, body }: RequestInit): Promise<ReadyRequest> {
  const ready = new Headers(headers);
  ready.delete("host");
  if (body === undefined || body === null) return { method: method.toUpperCase(), headers: ready, body: undefined };
  const content = new Response(body);
  const contentType = content.headers.get("content-type");
  if (contentType !== null && !ready.has("content-type")) ready.set("content-type", contentType);
  return { method: method.toUpperCase(), headers: ready, body: new Uint8Array(await content.arrayBuffer()) };
}
