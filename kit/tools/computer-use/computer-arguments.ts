import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ScreenSize, ScrollDirection } from "./base-computer.ts";

const DIRECTIONS: readonly string[] = ["up", "down", "left", "right"] satisfies readonly ScrollDirection[];

/** The arguments of one call. Its methods throw `INVALID_FIELD`, which the model reads, for what is missing or wrong. */
export class ComputerArguments {
  readonly #args: JsonObject;
  readonly #space: ScreenSize;
  readonly #screen: ScreenSize;

  /** `space` is the size of the model's coordinates, and `screen` that of the computer's. */
  constructor(args: JsonObject, space: ScreenSize, screen: ScreenSize) {
    this.#args = args;
    this.#space = space;
    this.#screen = screen;
  }

  /** The pixel that two arguments name, inside the screen. */
  point(xName = "x", yName = "y"): readonly [x: number, y: number] {
    return [this.#pixel(xName, 0), this.#pixel(yName, 1)];
  }

  number(name: string, ...fallback: readonly number[]): number {
    const value = this.#args[name] ?? fallback[0];
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw wrong(name, "a number");
  }

  text(name: string): string {
    const value = this.#args[name];
    if (typeof value === "string") return value;
    throw wrong(name, "a text");
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.#args[name] ?? fallback;
    if (typeof value === "boolean") return value;
    throw wrong(name, "true or false");
  }

  direction(): ScrollDirection {
    const value = this.#args["direction"];
    if (isDirection(value)) return value;
    throw wrong("direction", `one of ${DIRECTIONS.join(", ")}`);
  }

  /** A list of names, or one text with a plus sign between them: `control+a`. */
  keys(): readonly string[] {
    const value = this.#args["keys"];
    const keys = typeof value === "string" ? splitKeys(value) : value;
    if (Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === "string" && key !== "")) {
      // Every member has just been tested.
      return keys as readonly string[];
    }
    throw wrong("keys", 'names of keys, such as "control+a"');
  }

  #pixel(name: string, axis: 0 | 1): number {
    const pixel = Math.trunc((this.number(name) / this.#space[axis]) * this.#screen[axis]);
    return Math.min(Math.max(pixel, 0), this.#screen[axis] - 1);
  }
}

/** A plus sign at the end is a key: `control++`. */
function splitKeys(text: string): readonly string[] {
  return text.endsWith("+") ? [...text.slice(0, -1).split("+").filter(Boolean), "+"] : text.split("+");
}

function isDirection(value: unknown): value is ScrollDirection {
  return typeof value === "string" && DIRECTIONS.includes(value);
}

function wrong(name: string, expected: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `"${name}" should be ${expected}.`, { details: { field: name } });
}
