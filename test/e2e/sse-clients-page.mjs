/** Clients of streams in a browser; a test bundles them and calls them in a page of the server. */
import { fetchEventSource } from "@microsoft/fetch-event-source";
import { SSE } from "sse.js";

const HEADERS = { "content-type": "application/json" };

/** Each resolves with the data of the messages when the client has ended. */
globalThis.streamClients = {
  async fetchEventSource(path, body) {
    const seen = [];
    const init = body === undefined ? {} : { method: "POST", headers: HEADERS, body: JSON.stringify(body) };
    await fetchEventSource(path, {
      ...init,
      openWhenHidden: true,
      onmessage: ({ data }) => seen.push(JSON.parse(data)),
      onerror: (error) => {
        throw error;
      },
    });
    return seen;
  },

  sse(path, body) {
    const seen = [];
    const init = body === undefined ? {} : { method: "POST", headers: HEADERS, payload: JSON.stringify(body) };
    const source = new SSE(path, init);
    source.addEventListener("message", ({ data }) => seen.push(JSON.parse(data)));
    return new Promise((resolve) => {
      source.addEventListener("readystatechange", ({ readyState }) => readyState === SSE.CLOSED && resolve(seen));
      source.stream();
    });
  },

  eventSource(path) {
    const seen = [];
    const source = new EventSource(path);
    source.addEventListener("message", ({ data }) => seen.push(JSON.parse(data)));
    source.addEventListener("end", ({ data }) => seen.push(JSON.parse(data)));
    return new Promise((resolve) => {
      source.addEventListener("error", () => source.readyState === EventSource.CLOSED && resolve(seen));
    });
  },
};
