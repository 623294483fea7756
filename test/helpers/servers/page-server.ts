import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join } from "node:path";
import { rolldown } from "rolldown";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

const PAGES = join(REPOSITORY_ROOT, "docs/examples");
/** Where the sample's import map looks for the client. */
const CLIENT = "/node_modules/fairlead/dist/client/index.js";
const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };

/** Serves the sample pages with the bundled client, from an origin of their own. */
export class PageServer implements AsyncDisposable {
  /** Texts by their paths. A test may add more. */
  readonly files: Map<string, string>;
  readonly #server: Server;

  static async start(): Promise<PageServer> {
    const files = new Map([[CLIENT, await bundleClient()]]);
    const read = (path: string): string => readFileSync(join(PAGES, path), "utf8");
    for (const name of ["index.html", "chat-page.js"]) files.set(`/${name}`, read(`chat-page/${name}`));
    files.set("/call.html", read("call-page/index.html")).set("/call-page.js", read("call-page/call-page.js"));
    const server = createServer(({ url = "/" }, response) => {
      const { pathname } = new URL(url, "http://page");
      const file = pathname === "/" ? "/index.html" : pathname;
      const text = files.get(file);
      if (text === undefined) response.writeHead(204).end();
      else response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "" }).end(text);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new PageServer(server, files);
  }

  constructor(server: Server, files: Map<string, string>) {
    this.#server = server;
    this.files = files;
  }

  get origin(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The server does not listen.");
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

async function bundleClient(): Promise<string> {
  await using bundle = await rolldown({ input: join(REPOSITORY_ROOT, "client/index.ts"), platform: "browser" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  return output[0].code;
}
