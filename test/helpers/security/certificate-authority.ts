import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

/** A certificate authority of the test, made by openssl in a folder. */
export class CertificateAuthority {
  readonly #at: (name: string) => string;
  readonly #name: string;

  constructor(name: string, at: (file: string) => string) {
    this.#name = name;
    this.#at = at;
    openssl(
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
      ...["-subj", `/CN=${name}`, "-keyout", at(`${name}.key`), "-out", this.certificateFile],
    );
  }

  get certificateFile(): string {
    return this.#at(`${this.#name}.crt`);
  }

  /**
   * Writes `<file>.crt` and `<file>.key` for these DNS names; without names, the certificate has a common name only.
   */
  issue(
    file: string,
    ...names: readonly string[]
  ): { readonly certificateFile: string; readonly privateKeyFile: string } {
    const [certificateFile, privateKeyFile, request] = ["crt", "key", "csr"].map((end) =>
      this.#at(`${file}.${end}`),
    ) as [
      // One for each file extension.
      string,
      string,
      string,
    ];
    const extensions = this.#at(`${file}.ext`);
    writeFileSync(
      extensions,
      names.length === 0 ? "" : `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`,
    );
    openssl(
      ...["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-subj", `/CN=${file}`, "-keyout", privateKeyFile, "-out", request],
    );
    openssl(
      ...["x509", "-req", "-in", request, "-days", "2", "-extfile", extensions, "-CAcreateserial"],
      ...["-CA", this.certificateFile, "-CAkey", this.#at(`${this.#name}.key`), "-out", certificateFile],
    );
    return { certificateFile, privateKeyFile };
  }
}

function openssl(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync("openssl", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${error?.message ?? stderr}`);
}
