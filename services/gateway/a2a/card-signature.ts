import { createHash } from "node:crypto";
import { type AgentCard, type AgentCardSignature, canonicalizeAgentCard } from "@a2a-js/sdk";
import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { PUBLIC_KEYS_PATH, type ServerSigner } from "../identity/server-signer.ts";

/** Cards differ by app, and by the name of the server in a request. */
const MAX_SIGNATURES = 256;

/** Signs agent cards, each once while its content and the key are the same: anybody may ask for a card. */
export class CardSignatures {
  readonly #signer: ServerSigner;
  readonly #signatures = new BoundedCache<AgentCardSignature>(MAX_SIGNATURES);

  constructor(signer: ServerSigner) {
    this.#signer = signer;
  }

  /**
   * The card with a signature of its canonical form (section 8.4 of the protocol). That form is the SDK's, which leaves
   * empty lists out wherever they stand, as the SDK for Python does. `baseUrl` is the address of the server's routes.
   */
  sign(card: AgentCard, baseUrl: string): AgentCard {
    const text = canonicalizeAgentCard(card);
    const jku = `${baseUrl}${PUBLIC_KEYS_PATH}`;
    const name = createHash("sha256")
      .update(JSON.stringify([this.#signer.keyId, jku, text]))
      .digest("base64url");
    let signature = this.#signatures.get(name);
    if (signature === undefined) {
      const signed = this.#signer.sign(text, { typ: "JOSE", jku });
      signature = { protected: signed.protected, signature: signed.signature, header: undefined };
      this.#signatures.set(name, signature);
    }
    return { ...card, signatures: [signature] };
  }
}
