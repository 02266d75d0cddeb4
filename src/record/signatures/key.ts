/**
 * A public key that may sign statements.
 * Kind `passphrase` is Ed25519, its private half encrypted; `ssh`: any SSH key that signs by `ssh-keygen -Y sign`;
 * `passkey`: WebAuthn, with user verification.
 */
export type PublicKey = {
  /** `SHA256:…` over the public half, as `ssh-keygen -l` prints it for SSH keys. */
  readonly id: string
  /** Its name for people. */
  readonly name: string
} & (
  | {
      readonly kind: 'passphrase'
      /** SubjectPublicKeyInfo, DER, base64url. */
      readonly spki: string
    }
  | {
      readonly kind: 'ssh'
      /** As in an `authorized_keys` file: type, base64. */
      readonly publicKey: string
      /** Whether each signature needs a touch (`sk-` keys). */
      readonly presence: boolean
    }
  | {
      readonly kind: 'passkey'
      /** Credential id, base64url. */
      readonly credential: string
      /** SubjectPublicKeyInfo, DER, base64url. */
      readonly spki: string
      /**
       * The page on which it signs, such as `http://localhost:4775`: signatures of other pages of this machine are
       * invalid.
       */
      readonly origin: string
      /** COSE algorithm: -7 ES256, -8 EdDSA, -257 RS256. */
      readonly algorithm: number
    }
)

/** A signature, by the kind of its key. */
export type Signature = {
  /** Id of the key. */
  readonly key: string
} & (
  | {
      readonly kind: 'passphrase'
      /** base64url. */
      readonly signature: string
    }
  | {
      readonly kind: 'ssh'
      /** The armored SSH signature as `ssh-keygen -Y sign` writes it. */
      readonly signature: string
    }
  | {
      readonly kind: 'passkey'
      /** base64url, all three. */
      readonly authenticatorData: string
      readonly clientDataJson: string
      readonly signature: string
    }
)
