import { styleText } from "node:util";

/** Where the bar is drawn: standard error, so that a report on standard output stays whole. */
export interface BarOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** How far an evaluation is. */
export interface Progress {
  readonly total: number;
  readonly done: number;
  /** How many of the done cases did not pass. */
  readonly failed: number;
}

const BAR_WIDTH = 30;
/** Goes to the start of the line and clears it. */
const CLEAR = "\r\u001B[K";

/** A bar of the cases that are done, on one line of a terminal. Writes nothing elsewhere. */
export class ProgressBar implements Disposable {
  readonly #output: BarOutput & NodeJS.WritableStream;

  constructor(output: BarOutput & NodeJS.WritableStream = process.stderr) {
    this.#output = output;
  }

  show({ total, done, failed }: Progress): void {
    if (this.#output.isTTY !== true) return;
    const share = total === 0 ? 1 : Math.min(done / total, 1);
    const filled = Math.round(BAR_WIDTH * share);
    const text = ` ${done} of ${total} cases`;
    // Some terminals report a width of 0.
    const room = (this.#output.columns || 80) - 1;
    const bar = BAR_WIDTH + text.length <= room ? "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled) : "";
    const failures = failed > 0 ? `, ${failed} not passed` : "";
    const isShort = bar.length + text.length + failures.length > room;
    this.#output.write(
      CLEAR + this.#colour("green", bar) + text.slice(0, room) + (isShort ? "" : this.#colour("red", failures)),
    );
  }

  /** Removes the bar. */
  [Symbol.dispose](): void {
    if (this.#output.isTTY === true) this.#output.write(CLEAR);
  }

  /** Plain text if NO_COLOR is set. */
  #colour(style: "green" | "red", text: string): string {
    return text === "" ? "" : styleText(style, text, { stream: this.#output });
  }
}
