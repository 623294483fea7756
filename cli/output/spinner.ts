import { styleText } from "node:util";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
/** Goes to the start of the line and clears it. */
const CLEAR = "\r\u001B[K";

/** A terminal that the spinner is drawn in: standard error, so that standard output stays whole. */
export type SpinnerOutput = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };

/** Turns on a line of its own while a program waits. Writes nothing outside a terminal. */
export class Spinner implements Disposable {
  readonly #output: SpinnerOutput;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: SpinnerOutput = process.stderr) {
    this.#output = output;
  }

  /** The cursor has to be at the start of a line. */
  show(): void {
    if (this.#output.isTTY !== true || this.#timer !== undefined) return;
    let frame = 0;
    const draw = () => {
      const text = FRAMES[frame % FRAMES.length] ?? "";
      this.#output.write(`\r${styleText("dim", text, { stream: this.#output })}`);
      frame += 1;
    };
    draw();
    this.#timer = setInterval(draw, FRAME_MS);
  }

  hide(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#output.write(CLEAR);
  }

  [Symbol.dispose](): void {
    this.hide();
  }
}
