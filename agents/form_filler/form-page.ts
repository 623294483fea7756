import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Plugin } from "fairlead/kit";

/** A page with a form, on this machine. As a plugin of the app it is closed with the app. */
export interface FormPage extends Plugin {
  /** `127.0.0.1` and the port. */
  readonly host: string;
}

const FORM = `<!doctype html>
<title>Tour</title>
<style>
  body { font: 20px sans-serif; margin: 0 }
  label, input, button { position: absolute; width: 400px; height: 40px; box-sizing: border-box; font: inherit }
</style>
<form action="/registered">
  <label style="left: 100px; top: 60px">Name</label><input name="name" style="left: 100px; top: 100px">
  <label style="left: 100px; top: 160px">Seats</label><input name="seats" value="1" style="left: 100px; top: 200px">
  <button style="left: 100px; top: 300px">Register</button>
</form>`;

/** Serves the form on a free port, and does not keep the process alive. */
export async function openFormPage(): Promise<FormPage> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    response.setHeader("content-type", "text/html");
    response.end(pathname === "/" ? FORM : "<!doctype html><title>Tour</title><h1>Thank you.</h1>");
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  server.unref();
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    name: "form_page",
    host: `127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
