import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority } from "#test/helpers/security/certificate-authority.ts";
import { apply } from "#tooling/cluster/commands.ts";

/** Certificates of the published hosts, each in a Secret of the host's name, and their authority in the Secret `authority`. */
export class EdgeCertificates {
  readonly authority: string;

  private constructor(authority: string) {
    this.authority = authority;
  }

  static async create(namespace: string, hosts: readonly string[]): Promise<EdgeCertificates> {
    const folder = mkdtempSync(join(tmpdir(), "edge-"));
    try {
      const authority = new CertificateAuthority("edge", (file) => join(folder, file));
      const pem = (path: string): string => readFileSync(path, "utf8");
      const ca = pem(authority.certificateFile);
      const secrets = hosts.map((host) => {
        const { certificateFile, privateKeyFile } = authority.issue(host, host);
        const stringData = { "tls.crt": pem(certificateFile), "tls.key": pem(privateKeyFile) };
        return { apiVersion: "v1", kind: "Secret", metadata: { name: host }, type: "kubernetes.io/tls", stringData };
      });
      const stringData = { "ca.crt": ca };
      await apply(namespace, ...secrets, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "authority" },
        stringData,
      });
      return new EdgeCertificates(ca);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}
