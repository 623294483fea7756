/** A gateway that tests can reach, and the resources to close afterwards. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  /** Replaces `fetch` where it is not sufficient. */
  readonly fetch?: typeof fetch;
  /** `false` if it has no developer UI. */
  readonly hasUi?: boolean;
}

export function urlTarget(url: string, fetchFunction: typeof fetch = fetch): Target {
  return { url, fetch: fetchFunction, [Symbol.asyncDispose]: async () => {} };
}
