import { X509Certificate } from "node:crypto";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createSessionServer } from "#services/session/server.ts";
import { CallerCheck } from "#shared/grpc/caller-check.ts";
import type { ServiceName } from "#shared/security/call-graph.ts";
import { Certificates } from "#shared/security/certificates.ts";
import { KEY } from "#test/contract/sessions/session-world.ts";
import { CertificateAuthority } from "#test/helpers/security/certificate-authority.ts";
import { peerAt, SecurityFiles, tokenOf } from "#test/helpers/security/security-files.ts";

let files: SecurityFiles;
let authority: CertificateAuthority;
let stranger: CertificateAuthority;

beforeAll(() => {
  files = new SecurityFiles();
  const at = (name: string) => files.path(name);
  authority = new CertificateAuthority("authority", at);
  stranger = new CertificateAuthority("stranger", at);
  authority.issue("session", "session", "session.default.svc");
  authority.issue("gateway", "fairlead-gateway", "gateway");
  authority.issue("runner");
  authority.issue("eval", "eval");
  authority.issue("nobody", "somebody.example");
  stranger.issue("forged", "gateway");
});

afterAll(() => files[Symbol.dispose]());

/** A process with the certificate of that file. */
function withCertificate(self: ServiceName, file: string, more = {}) {
  const [TLS_CERT_FILE, TLS_KEY_FILE] = [files.path(`${file}.crt`), files.path(`${file}.key`)];
  return files.open(self, { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE: authority.certificateFile, ...more });
}

async function startWorld({ file = "session", more = {} } = {}) {
  const stack = new AsyncDisposableStack();
  const store = new InMemorySessionStore();
  await store.createSession(KEY);
  const { server: shell } = withCertificate("session", file, more);
  const server = stack.use(createSessionServer({ ...shell, sessions: store, journal: store, logger: silentLogger }));
  const port = await server.listen("127.0.0.1:0");
  const sessionsFor = (security: ReturnType<typeof withCertificate>) =>
    stack.use(new RemoteSessionService(peerAt(port, security, "session")));
  return { port, sessionsFor, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe("services that know each other by certificates", () => {
  it("answer declared callers, by a DNS name or the common name of their certificate", async () => {
    await using world = await startWorld();
    for (const name of ["gateway", "runner"] as const)
      expect(await world.sessionsFor(withCertificate(name, name)).listEventRecords(KEY)).toEqual({ events: [] });
  });

  it("refuse callers that are not declared, or that a certificate names as no service", async () => {
    await using world = await startWorld();
    await expect(world.sessionsFor(withCertificate("eval", "eval")).getSession(KEY)).rejects.toMatchObject({
      reason: "CALLER_NOT_ALLOWED",
      details: { caller: "eval" },
    });
    await expect(world.sessionsFor(withCertificate("gateway", "nobody")).getSession(KEY)).rejects.toMatchObject({
      reason: "CALLER_UNKNOWN",
    });
  });

  it("do not connect to who has no certificate, or one of another authority", async () => {
    await using world = await startWorld();
    const unreachable = { reason: "SERVICE_UNAVAILABLE" };
    await expect(world.sessionsFor(files.open("gateway", {})).getSession(KEY)).rejects.toMatchObject(unreachable);
    const forged = world.sessionsFor(withCertificate("gateway", "forged"));
    await expect(forged.getSession(KEY)).rejects.toMatchObject(unreachable);
  });

  it("do not speak to a server whose certificate names another service", async () => {
    await using world = await startWorld({ file: "eval" });
    const gateway = world.sessionsFor(withCertificate("gateway", "gateway"));
    await expect(gateway.getSession(KEY)).rejects.toMatchObject({
      reason: "SERVICE_UNAVAILABLE",
      cause: { details: expect.stringContaining("The certificate does not name the session service.") },
    });
  });

  it("may demand a token besides, which has to name the same service", async () => {
    files.issueTokens("gateway", "runner");
    await using world = await startWorld({ more: { SERVICE_TOKENS_DIR: files.path("accepted") } });
    const withToken = (name: ServiceName) => {
      const SERVICE_TOKEN_FILE = files.write(`${name}.token`, tokenOf(name));
      return world.sessionsFor(withCertificate("gateway", "gateway", { SERVICE_TOKEN_FILE }));
    };
    expect(await withToken("gateway").getSession(KEY)).toMatchObject(KEY);
    for (const caller of [withToken("runner"), world.sessionsFor(withCertificate("gateway", "gateway"))])
      await expect(caller.getSession(KEY)).rejects.toMatchObject({ reason: "CALLER_UNKNOWN" });
  });
});

describe("certificates that are replaced", () => {
  it("are used by new connections, without a restart; those that stay are not cut off", async () => {
    using certificates = openCopy("session");
    const store = new InMemorySessionStore();
    await store.createSession(KEY);
    const check = new CallerCheck({ self: "session", tokens: undefined, certificates: true });
    await using server = createSessionServer({
      sessions: store,
      journal: store,
      logger: silentLogger,
      credentials: certificates.serverCredentials(),
      authorize: check.authorize,
    });
    const port = await server.listen("127.0.0.1:0");
    await using early = new RemoteSessionService(peerAt(port, withCertificate("gateway", "gateway"), "session"));
    expect(await early.getSession(KEY)).toMatchObject(KEY);
    const before = await serialShownAt(port);
    expect(before).toBe(serialOf("copy"));

    authority.issue("next", "session");
    copy("next");
    certificates.refresh();
    expect(serialOf("copy")).not.toBe(before);
    expect(await serialShownAt(port)).toBe(serialOf("copy"));
    expect(await early.getSession(KEY)).toMatchObject(KEY);
    await using late = new RemoteSessionService(peerAt(port, withCertificate("runner", "runner"), "session"));
    expect(await late.listEventRecords(KEY)).toEqual({ events: [] });
  });

  it("are shown by callers, too, when they connect anew", async () => {
    await using world = await startWorld();
    using certificates = openCopy("nobody");
    const sessions = () =>
      new RemoteSessionService({
        ...peerAt(world.port, files.open("gateway", {}), "session"),
        credentials: certificates.channelCredentials("session"),
        serverName: "session",
      });
    {
      await using former = sessions();
      await expect(former.getSession(KEY)).rejects.toMatchObject({ reason: "CALLER_UNKNOWN" });
    }
    copy("gateway");
    certificates.refresh();
    await using fresh = sessions();
    expect(await fresh.getSession(KEY)).toMatchObject(KEY);
  });

  it("are left alone while they do not fit together", async () => {
    using certificates = openCopy("session");
    const before = serialOf("copy");
    const shown: string[] = [];
    certificates.addIdentityCertificateListener((material) => {
      if (material !== null) shown.push(new X509Certificate(material.certificate).serialNumber);
    });
    copyFileSync(files.path("gateway.crt"), files.path("copy.crt"));
    certificates.refresh();
    writeFileSync(files.path("copy.crt"), "half a certif");
    certificates.refresh();
    await new Promise(process.nextTick);
    expect(shown).toEqual([before]);
    copy("gateway");
    certificates.refresh();
    expect(shown).toEqual([before, serialOf("gateway")]);
  });

  it("are refused at the start, by the names of their settings", () => {
    expect(() => withCertificate("session", "none")).toThrow("The file of TLS_CERT_FILE cannot be read.");
    const TLS_KEY_FILE = files.path("gateway.key");
    expect(() => withCertificate("session", "session", { TLS_KEY_FILE })).toThrow(
      expect.objectContaining({
        reason: "CONFIGURATION",
        message: expect.stringContaining("TLS_CERT_FILE, TLS_KEY_FILE"),
      }),
    );
  });
});

it("certificates that are disposed of no longer look at their files", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const certificates = openCopy("session");
  expect(vi.getTimerCount()).toBe(1);
  certificates[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
});

function copy(file: string): void {
  for (const end of ["crt", "key"]) copyFileSync(files.path(`${file}.${end}`), files.path(`copy.${end}`));
}

function openCopy(file: string): Certificates {
  copy(file);
  const [certificateFile, privateKeyFile] = [files.path("copy.crt"), files.path("copy.key")];
  return new Certificates({ certificateFile, privateKeyFile, authorityFile: authority.certificateFile }, silentLogger);
}

function serialOf(file: string): string {
  return new X509Certificate(readFileSync(files.path(`${file}.crt`))).serialNumber;
}

/** The serial number of the server's certificate on a new connection. */
function serialShownAt(port: number): Promise<string> {
  const ca = readFileSync(authority.certificateFile);
  const [cert, key] = [readFileSync(files.path("gateway.crt")), readFileSync(files.path("gateway.key"))];
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, ca, cert, key, ALPNProtocols: ["h2"], servername: "session" };
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    }).once("error", reject);
  });
}
