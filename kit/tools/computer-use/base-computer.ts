import type { ToolContext } from "#kit/core/context/tool-context.ts";

/** The kinds of computers that a model can operate. */
export const ComputerEnvironment = {
  ENVIRONMENT_UNSPECIFIED: "ENVIRONMENT_UNSPECIFIED",
  ENVIRONMENT_BROWSER: "ENVIRONMENT_BROWSER",
} as const;
export type ComputerEnvironment = (typeof ComputerEnvironment)[keyof typeof ComputerEnvironment];

/** The side towards which a page is scrolled. */
export type ScrollDirection = "up" | "down" | "left" | "right";

/** The screen of a computer after an action. */
export interface ComputerState {
  /** The screen as a PNG file. */
  readonly screenshot: Uint8Array;
  /** The address of the page, if the computer is a browser. */
  readonly url?: string;
}

/** Width and height in pixels. */
export type ScreenSize = readonly [width: number, height: number];

/** Text to type at a point of the screen. */
export interface TypedText {
  readonly text: string;
  /** Presses Enter afterwards. */
  readonly pressEnter: boolean;
  /** Deletes what the field has before. */
  readonly clearBeforeTyping: boolean;
}

/**
 * A computer that a model operates. Coordinates are pixels from the upper left corner. Each action returns what the
 * screen shows afterwards.
 */
export abstract class BaseComputer {
  /**
   * The computer that a call of this session uses; this one by default. A computer that users share overrides it, so
   * that none sees the pages of another.
   */
  forSession(_context: ToolContext): BaseComputer | Promise<BaseComputer> {
    return this;
  }

  /** Called once before the first action. */
  async initialize(): Promise<void> {}

  /** Closes the computer; called when its agent is closed. */
  async close(): Promise<void> {}

  /** The kind of the computer, which is part of the declaration for the model. */
  abstract environment(): ComputerEnvironment;
  /** The size of the screen in pixels. */
  abstract screenSize(): ScreenSize | Promise<ScreenSize>;
  /** The screen without an action. */
  abstract currentState(): Promise<ComputerState>;
  /** Opens the browser, if it is not open. */
  abstract openWebBrowser(): Promise<ComputerState>;
  abstract clickAt(x: number, y: number): Promise<ComputerState>;
  abstract hoverAt(x: number, y: number): Promise<ComputerState>;
  /** Clicks at the point and types the text. */
  abstract typeTextAt(x: number, y: number, typed: TypedText): Promise<ComputerState>;
  /** Scrolls the page by one screen. */
  abstract scrollDocument(direction: ScrollDirection): Promise<ComputerState>;
  /** Scrolls at the point. `magnitude` is the distance in pixels. */
  abstract scrollAt(x: number, y: number, direction: ScrollDirection, magnitude: number): Promise<ComputerState>;
  /** Waits this many seconds, then returns the screen. */
  abstract wait(seconds: number): Promise<ComputerState>;
  abstract goBack(): Promise<ComputerState>;
  abstract goForward(): Promise<ComputerState>;
  /** Opens the start page of a search engine. */
  abstract search(): Promise<ComputerState>;
  /** Opens the address. */
  abstract navigate(url: string): Promise<ComputerState>;
  /** Presses the keys together, such as `["control", "a"]`. */
  abstract keyCombination(keys: readonly string[]): Promise<ComputerState>;
  /** Drags from the first point to the second one. */
  abstract dragAndDrop(x: number, y: number, destinationX: number, destinationY: number): Promise<ComputerState>;
}
