/** A gateway that tests can reach, and what has to be closed behind it. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  /** How it is asked, where plain `fetch` does not do. */
  readonly fetch?: typeof fetch;
  /** `false` where it is known that there is no developer UI. */
  readonly hasUi?: boolean;
}

export function urlTarget(url: string, fetchFunction: typeof fetch = fetch): Target {
  return { url, fetch: fetchFunction, [Symbol.asyncDispose]: async () => {} };
}
