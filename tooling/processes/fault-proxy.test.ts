import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { FaultProxy } from "./fault-proxy.ts";

/** Answers what it receives, in capitals. */
async function openEcho() {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.setNoDelay(true).setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("data", (text: string) => {
      heard.push(text);
      socket.write(text.toUpperCase());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A listening server has a port.");
  const proxy = await FaultProxy.to(address.port);
  return {
    proxy,
    heard,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      server.close();
    },
  };
}

class Caller implements Disposable {
  readonly socket: Socket;
  text = "";
  chunks = 0;
  error: string | undefined;

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1").setNoDelay(true);
    this.socket.setEncoding("utf8").on("data", (text: string) => {
      this.text += text;
      this.chunks += 1;
    });
    this.socket.on("error", (error: NodeJS.ErrnoException) => {
      this.error = error.code;
    });
  }

  async say(text: string): Promise<void> {
    this.socket.write(text);
  }

  async hears(text: string): Promise<void> {
    await expect.poll(() => this.text).toBe(text);
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

describe("FaultProxy", () => {
  it("passes bytes on as they are when nothing is wrong", async () => {
    await using world = await openEcho();
    using caller = new Caller(world.proxy.port);
    await caller.say("hello");
    await caller.hears("HELLO");
    const long = "x".repeat(3_000_000);
    await caller.say(long);
    await caller.hears(`HELLO${long.toUpperCase()}`);
    expect(world.proxy.connections).toBe(1);
    caller.socket.end();
    await expect.poll(() => world.proxy.connections).toBe(0);
  });

  it("delays, and keeps the order", async () => {
    await using world = await openEcho();
    using caller = new Caller(world.proxy.port);
    world.proxy.set({ kind: "latency", ms: 50 });
    const before = performance.now();
    for (const text of ["a", "b", "c"]) await caller.say(text);
    await caller.hears("ABC");
    expect(performance.now() - before).toBeGreaterThanOrEqual(99);
  });

  it("cuts what passes into slices", async () => {
    await using world = await openEcho();
    using caller = new Caller(world.proxy.port);
    world.proxy.set({ kind: "slices", bytes: 1 });
    await caller.say("sliced");
    await caller.hears("SLICED");
    expect([world.heard.join(""), world.heard.length > 1]).toEqual(["sliced", true]);
  });

  it("holds everything back while it drops, and delivers it when healed", async () => {
    await using world = await openEcho();
    using caller = new Caller(world.proxy.port);
    await caller.say("a");
    await caller.hears("A");
    world.proxy.set({ kind: "drop" });
    await caller.say("b");
    using second = new Caller(world.proxy.port);
    await second.say("other");
    await expect.poll(() => world.proxy.connections).toBe(2);
    expect([world.heard, caller.text, second.text]).toEqual([["a"], "A", ""]);
    world.proxy.heal();
    await caller.hears("AB");
    await second.hears("OTHER");
  });

  it("lets requests through and swallows answers on a half-open link, whose connections are dead when it is healed", async () => {
    await using world = await openEcho();
    using caller = new Caller(world.proxy.port);
    world.proxy.set({ kind: "half-open" });
    await caller.say("lost");
    await expect.poll(() => world.heard).toEqual(["lost"]);
    world.proxy.heal();
    await expect.poll(() => [caller.error, caller.text]).toEqual(["ECONNRESET", ""]);
  });

  it("resets connections that are open, and takes new ones", async () => {
    await using world = await openEcho();
    using caller = new Caller(world.proxy.port);
    await caller.say("a");
    await caller.hears("A");
    world.proxy.reset();
    await expect.poll(() => caller.error).toBe("ECONNRESET");
    using second = new Caller(world.proxy.port);
    await second.say("b");
    await second.hears("B");
  });

  it("refuses new connections, and leaves open ones", async () => {
    await using world = await openEcho();
    using caller = new Caller(world.proxy.port);
    await caller.say("a");
    await caller.hears("A");
    world.proxy.set({ kind: "refuse" });
    using refused = new Caller(world.proxy.port);
    await expect.poll(() => refused.error).toBe("ECONNRESET");
    await caller.say("b");
    await caller.hears("AB");
  });

  it("holds the sender back when the receiver takes nothing", async () => {
    await using world = await openEcho();
    using caller = new Caller(world.proxy.port);
    caller.socket.pause();
    const long = Buffer.alloc(32 * 1024 * 1024, "x");
    caller.socket.write(long);
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = before === world.proxy.bytes && before > 0;
          before = world.proxy.bytes;
          return isStill;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(world.proxy.bytes).toBeLessThan(2 * long.length);
    caller.socket.resume();
    await expect.poll(() => caller.text.length, { timeout: 10_000 }).toBe(long.length);
  });
});
