import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, type PeerCertificate } from "node:tls";
import { type ChannelCredentials, experimental, type ServerCredentials } from "@grpc/grpc-js";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { isServiceName, type ServiceName } from "./call-graph.ts";

export interface CertificateFiles {
  readonly certificateFile: string;
  readonly privateKeyFile: string;
  readonly authorityFile: string;
}

interface Material {
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
  readonly caCertificate: Buffer;
}

type Listener = (material: Material | null) => void;

/**
 * The certificate of this process and the authority that it trusts, from files that may be replaced while it runs; new
 * connections use the new ones. Files that do not fit together, for example during a replacement, are not used.
 */
export class Certificates implements experimental.CertificateProvider, Disposable {
  readonly #files: CertificateFiles;
  readonly #logger: Logger;
  readonly #listeners = new Set<Listener>();
  // Channels share connections only if their credentials are the same object.
  readonly #channelCredentials = new Map<ServiceName, ChannelCredentials>();
  readonly #timer: NodeJS.Timeout;
  #material: Material;
  #failing = false;

  /** Throws `CONFIGURATION` when the files cannot be used. */
  constructor(files: CertificateFiles, logger: Logger, lookEveryMs = 10_000) {
    this.#files = files;
    this.#logger = logger;
    this.#material = read(files);
    this.#timer = setInterval(() => this.refresh(), lookEveryMs).unref();
  }

  /** Checks whether the files have changed. */
  refresh(): void {
    try {
      const material = read(this.#files);
      this.#failing = false;
      if (isSame(material, this.#material)) return;
      this.#material = material;
      for (const listener of this.#listeners) listener(material);
      this.#logger.info({ validUntil: new X509Certificate(material.certificate).validTo }, "certificates loaded anew");
    } catch (error) {
      if (!this.#failing) this.#logger.warn({ error }, "changed certificates cannot be used; the former ones stay");
      this.#failing = true;
    }
  }

  /** Callers must have a certificate of the authority. */
  serverCredentials(): ServerCredentials {
    return experimental.createCertificateProviderServerCredentials(this, this, true);
  }

  /**
   * The certificate must name the service. Its address is not checked: pods are replaced, and the authority names only
   * services.
   */
  channelCredentials(name: ServiceName): ChannelCredentials {
    const made = this.#channelCredentials.get(name);
    if (made !== undefined) return made;
    const checkServerIdentity = (_: string, certificate: PeerCertificate): Error | undefined =>
      namesOf(certificate).includes(name) ? undefined : new Error(`The certificate does not name the ${name} service.`);
    const credentials = experimental.createCertificateProviderChannelCredentials(this, this, { checkServerIdentity });
    this.#channelCredentials.set(name, credentials);
    return credentials;
  }

  addCaCertificateListener(listener: Listener): void {
    this.#add(listener);
  }

  removeCaCertificateListener(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  addIdentityCertificateListener(listener: Listener): void {
    this.#add(listener);
  }

  removeIdentityCertificateListener(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #add(listener: Listener): void {
    this.#listeners.add(listener);
    // The library expects the call after this function has returned.
    process.nextTick(() => {
      if (this.#listeners.has(listener)) listener(this.#material);
    });
  }
}

/** The service that a certificate names: the first of its DNS names that is one. */
export function serviceOf(certificate: PeerCertificate): ServiceName | undefined {
  return namesOf(certificate).find(isServiceName);
}

/** The DNS names; the common name is used where there are none. */
function namesOf({ subject, subjectaltname }: PeerCertificate): readonly string[] {
  if (subjectaltname === undefined) return [subject.CN ?? []].flat();
  return subjectaltname
    .split(", ")
    .filter((name) => name.startsWith("DNS:"))
    .map((name) => name.slice("DNS:".length));
}

function read({ certificateFile, privateKeyFile, authorityFile }: CertificateFiles): Material {
  const material = {
    certificate: readPem(certificateFile, "TLS_CERT_FILE"),
    privateKey: readPem(privateKeyFile, "TLS_KEY_FILE"),
    caCertificate: readPem(authorityFile, "TLS_CA_FILE"),
  };
  const { certificate, privateKey, caCertificate } = material;
  try {
    // Refuses text that is not PEM, and a key of another certificate.
    createSecureContext({ cert: certificate, key: privateKey, ca: caCertificate });
  } catch (error) {
    throw new PlatformError(
      "CONFIGURATION",
      "TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE do not hold a certificate, its key and an authority as PEM.",
      { cause: error },
    );
  }
  return material;
}

function readPem(path: string, setting: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new PlatformError("CONFIGURATION", `The file of ${setting} cannot be read.`, { cause: error });
  }
}

function isSame(one: Material, other: Material): boolean {
  return (
    one.certificate.equals(other.certificate) &&
    one.privateKey.equals(other.privateKey) &&
    one.caCertificate.equals(other.caCertificate)
  );
}
