import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { QueuedRow } from "./analytics-row.ts";

const SECOND_MS = 1000;

/**
 * Writes rows as lines of JSON, with their JSON columns as values. The members are joined, because all but a few are
 * JSON texts already.
 */
export class JsonLineWriter {
  #second = Number.NaN;
  #timeOfSecond = "";

  toLine({ row, idsJson }: QueuedRow): string {
    const { timestamp, event_type, agent, span_id, parent_span_id, content_parts, status, error_message } = row;
    const { is_truncated, content = null, attributes, latency_ms = null } = row;
    const parent = parent_span_id === undefined ? "" : `"parent_span_id":"${parent_span_id}",`;
    const parts = content_parts.length === 0 ? "[]" : JSON.stringify(content_parts);
    const error = error_message === undefined ? "" : `"error_message":${JSON.stringify(error_message)},`;
    return (
      `{"timestamp":"${this.#time(timestamp)}","event_type":"${event_type}","agent":${JSON.stringify(agent)},` +
      `${idsJson},"span_id":"${span_id}",${parent}"content_parts":${parts},"status":"${status}",${error}` +
      `"is_truncated":${is_truncated},"content":${content},"attributes":${attributes},"latency_ms":${latency_ms}}\n`
    );
  }

  /** ISO 8601 with milliseconds; formatted once for each second. */
  #time(timestamp: number): string {
    const second = Math.floor(timestamp / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#timeOfSecond = toIsoTime(second * SECOND_MS).slice(0, -"000Z".length);
    }
    const milliseconds = String(timestamp - second * SECOND_MS);
    return `${this.#timeOfSecond}${milliseconds.padStart(3, "0")}Z`;
  }
}
