// Node 22 has `Symbol.dispose` and `Symbol.asyncDispose`, and lacks the stacks. The build of the package imports them from
// here wherever a module uses their global names.
type Callback = () => unknown;

/** What both stacks share: the callbacks, in the order in which they were added. */
class Callbacks {
  readonly #class: string;
  #callbacks: Callback[] | undefined = [];

  constructor(name: string) {
    this.#class = name;
  }

  get disposed(): boolean {
    return this.#callbacks === undefined;
  }

  add(callback: Callback): void {
    this.#open().push(callback);
  }

  /** All callbacks, last first. The stack counts as disposed. */
  take(): readonly Callback[] {
    const callbacks = this.#callbacks ?? [];
    this.#callbacks = undefined;
    return callbacks.toReversed();
  }

  /** All callbacks, as the content of another stack. Throws if this stack is disposed. */
  moveTo(target: Callbacks): void {
    target.#callbacks = this.#open();
    this.#callbacks = undefined;
  }

  assertOpen(): void {
    this.#open();
  }

  #open(): Callback[] {
    if (this.#callbacks === undefined) throw new ReferenceError(`This ${this.#class} is disposed.`);
    return this.#callbacks;
  }
}

/** Collects the errors of callbacks: a later one suppresses the earlier one, as `using` does it. */
class Failure {
  #error: { readonly value: unknown } | undefined;

  add(value: unknown): void {
    this.#error = { value: this.#error === undefined ? value : suppress(value, this.#error.value) };
  }

  rethrow(): void {
    if (this.#error !== undefined) throw this.#error.value;
  }
}

function suppress(error: unknown, suppressed: unknown): Error {
  if (typeof SuppressedError === "function") return new SuppressedError(error, suppressed);
  return Object.assign(new Error("An error was suppressed during disposal."), {
    name: "SuppressedError",
    error,
    suppressed,
  });
}

function methodOf(value: object, symbols: readonly symbol[]): Callback {
  for (const symbol of symbols) {
    const method: unknown = Reflect.get(value, symbol);
    if (typeof method === "function") return () => Reflect.apply(method, value, []);
  }
  throw new TypeError("The value has no method to dispose it.");
}

class DisposableStackPonyfill implements DisposableStack {
  readonly #callbacks = new Callbacks("DisposableStack");

  get disposed(): boolean {
    return this.#callbacks.disposed;
  }

  get [Symbol.toStringTag](): "DisposableStack" {
    return "DisposableStack";
  }

  use<Value extends Disposable | null | undefined>(value: Value): Value {
    this.#callbacks.assertOpen();
    if (value !== null && value !== undefined) this.#callbacks.add(methodOf(value, [Symbol.dispose]));
    return value;
  }

  adopt<Value>(value: Value, onDispose: (value: Value) => void): Value {
    this.#callbacks.add(() => onDispose(value));
    return value;
  }

  defer(onDispose: () => void): void {
    this.#callbacks.add(onDispose);
  }

  move(): DisposableStackPonyfill {
    const moved = new DisposableStackPonyfill();
    this.#callbacks.moveTo(moved.#callbacks);
    return moved;
  }

  dispose(): void {
    const failure = new Failure();
    for (const callback of this.#callbacks.take()) {
      try {
        callback();
      } catch (error) {
        failure.add(error);
      }
    }
    failure.rethrow();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

class AsyncDisposableStackPonyfill implements AsyncDisposableStack {
  readonly #callbacks = new Callbacks("AsyncDisposableStack");

  get disposed(): boolean {
    return this.#callbacks.disposed;
  }

  get [Symbol.toStringTag](): "AsyncDisposableStack" {
    return "AsyncDisposableStack";
  }

  use<Value extends AsyncDisposable | Disposable | null | undefined>(value: Value): Value {
    this.#callbacks.assertOpen();
    if (value !== null && value !== undefined) {
      this.#callbacks.add(methodOf(value, [Symbol.asyncDispose, Symbol.dispose]));
    }
    return value;
  }

  adopt<Value>(value: Value, onDisposeAsync: (value: Value) => PromiseLike<void> | void): Value {
    this.#callbacks.add(() => onDisposeAsync(value));
    return value;
  }

  defer(onDisposeAsync: () => PromiseLike<void> | void): void {
    this.#callbacks.add(onDisposeAsync);
  }

  move(): AsyncDisposableStackPonyfill {
    const moved = new AsyncDisposableStackPonyfill();
    this.#callbacks.moveTo(moved.#callbacks);
    return moved;
  }

  async disposeAsync(): Promise<void> {
    const failure = new Failure();
    for (const callback of this.#callbacks.take()) {
      try {
        await callback();
      } catch (error) {
        failure.add(error);
      }
    }
    failure.rethrow();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

const native: { readonly DisposableStack?: unknown; readonly AsyncDisposableStack?: unknown } = globalThis;

export const ponyfills = { DisposableStackPonyfill, AsyncDisposableStackPonyfill };
export const DisposableStack: typeof DisposableStackPonyfill =
  native.DisposableStack === undefined
    ? DisposableStackPonyfill
    : (native.DisposableStack as typeof DisposableStackPonyfill);
export const AsyncDisposableStack: typeof AsyncDisposableStackPonyfill =
  native.AsyncDisposableStack === undefined
    ? AsyncDisposableStackPonyfill
    : (native.AsyncDisposableStack as typeof AsyncDisposableStackPonyfill);
