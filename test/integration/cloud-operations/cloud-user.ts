interface Event {
  readonly content?: {
    readonly parts?: readonly { readonly functionCall?: { readonly id: string; readonly name: string } }[];
  };
}

/** A new user of the server's apps, who has no sessions. */
export class CloudUser {
  readonly #url: string;
  readonly #name: string;
  readonly #app: string;

  constructor(url: string, name: string, app: string) {
    this.#url = url;
    this.#name = name;
    this.#app = app;
  }

  createSession(id: string): Promise<string> {
    return this.#send("POST", `/${id}`, {});
  }

  readSession(id: string): Promise<string> {
    return this.#send("GET", `/${id}`);
  }

  deleteSession(id: string): Promise<string> {
    return this.#send("DELETE", `/${id}`);
  }

  listSessions(): Promise<string> {
    return this.#send("GET", "");
  }

  /** Sends a text or another part, and returns the events of an answer that is not streamed. */
  async run(sessionId: string, part: string | object, streaming = false): Promise<readonly Event[]> {
    const parts = [typeof part === "string" ? { text: part } : part];
    const newMessage = { role: "user", parts };
    const body = { appName: this.#app, userId: this.#name, sessionId, newMessage, streaming };
    const text = await this.#fetch("POST", streaming ? "/run_sse" : "/run", body);
    // The form of the answer of `/run`.
    return streaming ? [] : (JSON.parse(text) as readonly Event[]);
  }

  #send(method: string, path: string, body?: object): Promise<string> {
    return this.#fetch(method, `/apps/${this.#app}/users/${this.#name}/sessions${path}`, body);
  }

  async #fetch(method: string, path: string, body?: object): Promise<string> {
    const response = await fetch(this.#url + path, {
      method,
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }
}
