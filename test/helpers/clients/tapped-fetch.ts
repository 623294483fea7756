import { vi } from "vitest";

/** `fetch` whose answers a test can read too while a client reads them, and cut. */
export class TappedFetch implements Disposable {
  /** What has arrived of the newest answer. */
  text = "";
  /** The `Last-Event-ID` of each request. */
  readonly requests: (string | undefined)[] = [];
  readonly #send = globalThis.fetch;
  #cut = (): void => {};

  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    this.text = "";
    this.requests.push(new Headers(init.headers).get("last-event-id") ?? undefined);
    const answer = await this.#send(input, init);
    const decoder = new TextDecoder();
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        this.#cut = () => controller.error(new TypeError("terminated"));
      },
      transform: (chunk, controller) => {
        this.text += decoder.decode(chunk, { stream: true });
        controller.enqueue(chunk);
      },
    });
    const { status, headers } = answer;
    return new Response(answer.body?.pipeThrough(tap) ?? null, { status, headers });
  };

  /** Closes the connection of the newest answer. */
  cut(): void {
    this.#cut();
  }

  [Symbol.dispose](): void {
    vi.unstubAllGlobals();
  }
}
