import {
  BaseComputer,
  ComputerEnvironment,
  type ComputerState,
  type ScreenSize,
  type ScrollDirection,
  type TypedText,
} from "#kit/tools/computer-use/base-computer.ts";

export interface RecordingComputerOptions {
  readonly environment?: ComputerEnvironment;
  /** How often it fails to start. */
  readonly failures?: number;
}

/** A computer without a screen: records what it should do, and shows the number of the action. */
export class RecordingComputer extends BaseComputer {
  readonly actions: (readonly unknown[])[] = [];
  readonly #environment: ComputerEnvironment;
  #failures: number;
  #screens = 0;

  constructor(options: RecordingComputerOptions = {}) {
    super();
    this.#environment = options.environment ?? ComputerEnvironment.ENVIRONMENT_BROWSER;
    this.#failures = options.failures ?? 0;
  }

  override async initialize(): Promise<void> {
    this.actions.push(["initialize"]);
    if (this.#failures <= 0) return;
    this.#failures -= 1;
    throw new Error("The computer does not start.");
  }

  override async close(): Promise<void> {
    this.actions.push(["close"]);
  }

  override environment(): ComputerEnvironment {
    return this.#environment;
  }

  override screenSize(): ScreenSize {
    return [1280, 800];
  }

  override currentState(): Promise<ComputerState> {
    return this.#record("currentState");
  }

  override openWebBrowser(): Promise<ComputerState> {
    return this.#record("openWebBrowser");
  }

  override clickAt(x: number, y: number): Promise<ComputerState> {
    return this.#record("clickAt", x, y);
  }

  override hoverAt(x: number, y: number): Promise<ComputerState> {
    return this.#record("hoverAt", x, y);
  }

  override typeTextAt(x: number, y: number, typed: TypedText): Promise<ComputerState> {
    return this.#record("typeTextAt", x, y, typed);
  }

  override scrollDocument(direction: ScrollDirection): Promise<ComputerState> {
    return this.#record("scrollDocument", direction);
  }

  override scrollAt(x: number, y: number, direction: ScrollDirection, magnitude: number): Promise<ComputerState> {
    return this.#record("scrollAt", x, y, direction, magnitude);
  }

  override wait(seconds: number): Promise<ComputerState> {
    return this.#record("wait", seconds);
  }

  override goBack(): Promise<ComputerState> {
    return this.#record("goBack");
  }

  override goForward(): Promise<ComputerState> {
    return this.#record("goForward");
  }

  override search(): Promise<ComputerState> {
    return this.#record("search");
  }

  override navigate(url: string): Promise<ComputerState> {
    return this.#record("navigate", url);
  }

  override keyCombination(keys: readonly string[]): Promise<ComputerState> {
    return this.#record("keyCombination", keys);
  }

  override dragAndDrop(x: number, y: number, destinationX: number, destinationY: number): Promise<ComputerState> {
    return this.#record("dragAndDrop", x, y, destinationX, destinationY);
  }

  async #record(...action: readonly unknown[]): Promise<ComputerState> {
    this.actions.push(action);
    this.#screens += 1;
    return { screenshot: Buffer.from(`screen ${this.#screens}`), url: `https://page.test/${this.#screens}` };
  }
}
