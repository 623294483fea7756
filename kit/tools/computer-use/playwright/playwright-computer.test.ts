import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { browserFor } from "#test/e2e/browser.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { ComputerUseToolset } from "../computer-use-toolset.ts";
import { BrowserPage } from "./browser-page.ts";
import { PlaywrightComputer, type PlaywrightComputerOptions } from "./playwright-computer.ts";

const executablePath = browserFor("PlaywrightComputer");

/** A screenshot takes seconds if the page changes during it. */
const POLL = { timeout: 20_000 };
const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** A page whose fields and buttons are at fixed points. */
const FORM = `<!doctype html><title>Form</title>
<style>body{margin:0} *{position:absolute} #name{left:100px;top:100px;width:300px;height:40px} #send{left:100px;top:200px;width:300px;height:40px}
#drag{left:500px;top:100px;width:50px;height:50px;background:red} #out{left:100px;top:300px}</style>
<form action="/sent"><input id="name" name="name" value="old"><button id="send">Send</button></form>
<div id="drag"></div>
<script>
  const report = (what) => fetch("/report", { method: "POST", body: what });
  const send = document.querySelector("#send");
  send.addEventListener("mouseover", () => report("hover"));
  addEventListener("wheel", (event) => report("wheel " + Math.sign(event.deltaX) + " " + Math.sign(event.deltaY)));
  addEventListener("keydown", (event) => event.key === "F2" && report("F2 " + event.shiftKey));
  document.querySelector("#drag").addEventListener("mousedown", () => {
    addEventListener("mouseup", (event) => report("drop " + event.clientX + " " + event.clientY), { once: true });
  });
</script>`;

interface Site {
  readonly url: string;
  readonly host: string;
  readonly asked: string[];
  readonly reports: string[];
  readonly cookies: (string | undefined)[];
  readonly server: Server;
}

async function startSite(): Promise<Site> {
  const asked: string[] = [];
  const reports: string[] = [];
  const cookies: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://site");
    if (pathname === "/report") {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      reports.push(body);
      response.end();
      return;
    }
    if (pathname === "/favicon.ico") {
      response.writeHead(404).end();
      return;
    }
    asked.push(request.url ?? "");
    cookies.push(request.headers.cookie);
    if (pathname === "/leave") {
      response.writeHead(302, { location: String(searchParams.get("to")) }).end();
      return;
    }
    response.setHeader("content-type", "text/html");
    response.setHeader("set-cookie", "seen=1");
    response.end(pathname === "/form" ? FORM : `<!doctype html><title>${pathname}</title><h1>${pathname}</h1>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, asked, reports, cookies, server };
}

describe.skipIf(executablePath === undefined)("PlaywrightComputer", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => {
    site.server.close();
  });

  function open(options: PlaywrightComputerOptions = {}): PlaywrightComputer {
    const computer = new PlaywrightComputer({
      executablePath,
      sandbox: process.getuid?.() !== 0,
      allowedHosts: [site.host],
      settleMs: 100,
      ...options,
    });
    onTestFinished(() => computer.close());
    return computer;
  }

  it("does what each operation says, and shows the screen afterwards", async () => {
    verifies(
      "operations:computer:click-at",
      "operations:computer:hover-at",
      "operations:computer:drag-and-drop",
      "operations:computer:go-back",
      "operations:computer:go-forward",
      "operations:computer:key-combination",
      "operations:computer:current-state",
    );
    const computer = open();
    site.asked.length = 0;
    const state = await computer.navigate(`${site.url}/form`);
    expect(state.url).toBe(`${site.url}/form`);
    expect(Buffer.from(state.screenshot).subarray(0, 8)).toEqual(PNG);
    expect(sizeOf(state.screenshot)).toEqual([1280, 800]);

    await computer.hoverAt(200, 220);
    await computer.scrollAt(700, 500, "down", 100);
    await computer.scrollDocument("left");
    await computer.keyCombination(["shift", "F2"]);
    await computer.dragAndDrop(520, 120, 700, 400);
    await expect.poll(() => site.reports).toEqual(["hover", "wheel 0 1", "wheel -1 0", "F2 true", "drop 700 400"]);

    await computer.typeTextAt(150, 120, { text: "Ada", pressEnter: false, clearBeforeTyping: true });
    await computer.typeTextAt(380, 120, { text: " L.", pressEnter: false, clearBeforeTyping: false });
    await computer.clickAt(200, 220);
    await expect.poll(async () => (await computer.currentState()).url, POLL).toBe(`${site.url}/sent?name=Ada+L.`);
    expect((await computer.goBack()).url).toBe(`${site.url}/form`);
    expect((await computer.goForward()).url).toBe(`${site.url}/sent?name=Ada+L.`);
    expect((await computer.wait(0)).url).toBe(`${site.url}/sent?name=Ada+L.`);
    expect(site.asked.slice(0, 2)).toEqual(["/form", "/sent?name=Ada+L."]);
  });

  it("has another page after one has crashed", async () => {
    const { chromium } = await import("playwright-core");
    const browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      chromiumSandbox: process.getuid?.() !== 0,
    });
    onTestFinished(() => browser.close());
    const context = await browser.newContext();
    const settings = { screenSize: [800, 600], searchUrl: site.url, timeoutMs: 5000, settleMs: 0 } as const;
    const computer = new BrowserPage(async () => context, { ...settings, sleep: async () => undefined });
    await computer.navigate(`${site.url}/form`);
    await context
      .pages()[0]
      ?.goto("chrome://crash")
      .catch(() => undefined);
    await expect
      .poll(() => computer.navigate(`${site.url}/form`).then(({ url }) => url, String))
      .toBe(`${site.url}/form`);
  });

  it("presses Enter when that is asked for, and opens its start and search pages", async () => {
    const computer = open({ startUrl: `${site.url}/form`, searchUrl: `${site.url}/search` });
    expect((await computer.openWebBrowser()).url).toBe(`${site.url}/form`);
    await computer.typeTextAt(150, 120, { text: "Bo", pressEnter: true, clearBeforeTyping: true });
    await expect.poll(async () => (await computer.currentState()).url, POLL).toBe(`${site.url}/sent?name=Bo`);
    expect((await computer.search()).url).toBe(`${site.url}/search`);
  });

  it.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "chrome://version",
    "data:text/html,x",
    "view-source:http://example.com",
  ])("does not open %s", async (url) => {
    await expect(async () => open().navigate(url)).rejects.toThrow("begins with http:// or https://");
  });

  it("reaches no inner address: not by a link, a redirect, a frame, a script or a web socket", async () => {
    verifies("platform:computer-use:addresses");
    const inner = await startSite();
    onTestFinished(() => {
      inner.server.close();
    });
    const attempts = `<!doctype html><img src="${inner.url}/image"><iframe src="${inner.url}/frame"></iframe>
<iframe src="http://localhost:${new URL(inner.url).port}/name"></iframe><iframe src="http://169.254.169.254/latest"></iframe>
<script>
  let ended = 0;
  const end = () => { ended += 1; if (ended === 2) fetch("/ended"); };
  fetch("${inner.url}/fetch", { mode: "no-cors" }).then(end, end);
  const socket = new WebSocket("ws://${inner.host}/socket");
  socket.onclose = end;
</script>`;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const attacker = createServer((request, response) => {
      if (request.url === "/ended") end();
      response.writeHead(200, { "content-type": "text/html" }).end(attempts);
    });
    await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      attacker.close();
    });
    const host = `127.0.0.1:${(attacker.address() as AddressInfo).port}`;
    const computer = open({ allowedHosts: [host, site.host] });
    await computer.navigate(`http://${host}/`);
    await ended;
    await computer.navigate(`${site.url}/leave?to=${inner.url}/redirected`);
    await computer.navigate(`${inner.url}/direct`);
    await computer.navigate(`http://localhost:${new URL(inner.url).port}/by-name`);
    expect(inner.asked).toEqual([]);
    const allowed = open({ allowedHosts: [inner.host] });
    await allowed.navigate(`${inner.url}/direct`);
    expect(inner.asked).toEqual(["/direct"]);
  });

  it("gives each session a browser context of its own, and closes those that were not used", async () => {
    verifies("platform:computer-use:contexts");
    const computer = open({ maxSessions: 2 });
    site.cookies.length = 0;
    const visit = async (userId: string, times: number) => {
      const model = new ScriptedModel(
        [...Array(times).fill(functionCallResponse("navigate", { url: `${site.url}/page` })), "Done."],
        { model: "gemini-2.5-computer-use-preview-10-2025" },
      );
      const agent = new LlmAgent({ name: "clerk", model, tools: [new ComputerUseToolset(computer)] });
      const world = await createAgentWorld(agent);
      await world.store.createSession({ appName: "app", userId, id: "own" });
      const newMessage = { role: "user", parts: [{ text: "Go." }] };
      const events = await Array.fromAsync(world.runner.runAsync({ userId, sessionId: "own", newMessage }));
      return events.flatMap(({ content }) => content?.parts?.[0]?.functionResponse?.response ?? []) as JsonObject[];
    };
    await visit("ada", 2);
    expect(site.cookies).toEqual([undefined, "seen=1"]);
    await visit("bob", 1);
    expect(site.cookies.at(-1)).toBeUndefined();
    expect(await visit("eve", 1)).toEqual([{ error: "All browsers of this server are in use: try again later." }]);
  });

  it("starts again after the browser was closed", async () => {
    const computer = open();
    await computer.navigate(`${site.url}/page`);
    await computer.close();
    expect((await computer.navigate(`${site.url}/page`)).url).toBe(`${site.url}/page`);
  });

  it("reports a browser that cannot be started, without the log of the start", async () => {
    const computer = open({ executablePath: "/nowhere/chromium" });
    const message = /^[^\n]*executable doesn't exist at \/nowhere\/chromium[^\n]*$/i;
    await expect(computer.currentState()).rejects.toThrow(message);
  });
});

describe("new PlaywrightComputer", () => {
  it.each([
    [{ screenSize: [100] }, "screenSize must be a width and a height"],
    [{ maxSessions: 0 }, "maxSessions must be an integer of at least 1"],
    [{ allowedHosts: ["http://inner"] }, "http://inner"],
  ])("refuses %j", (options, message) => {
    expect(() => new PlaywrightComputer(options)).toThrow(message);
  });
});

/** Width and height in the header of a PNG file. */
function sizeOf(png: Uint8Array): readonly number[] {
  const view = Buffer.from(png);
  return [view.readUInt32BE(16), view.readUInt32BE(20)];
}
