/** A gateway that tests can reach, and what has to be closed behind it. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  /** On each request, such as the `host` of an Ingress. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `false` where it is known that there is no developer UI. */
  readonly hasUi?: boolean;
}

export function urlTarget(url: string, headers: Readonly<Record<string, string>> = {}): Target {
  return { url, headers, [Symbol.asyncDispose]: async () => {} };
}
