import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

// Signatures of the Standard Webhooks specification (https://www.standardwebhooks.com).

const SYMMETRIC = 'whsec_';
const PRIVATE_KEY = 'whsk_';
const PUBLIC_KEY = 'whpk_';
const SECRET_BYTES = 32;
/** Bytes of an ed25519 seed, and of a public key. */
const KEY_BYTES = 32;
/** The beginning of a PKCS #8 private key of ed25519, which the seed follows (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Creates a secret for `v1` signatures: `whsec_` and random bytes in base64. */
export function createSymmetricSecret(): string {
  return SYMMETRIC + randomBytes(SECRET_BYTES).toString('base64');
}

/** Creates a secret for `v1a` signatures: `whsk_` and an ed25519 key (seed and public key) in base64. */
export function createAsymmetricSecret(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  return PRIVATE_KEY + Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64');
}

/** Returns the public key of a `whsk_` secret, as `whpk_` and base64; undefined for a shared secret. */
export function publicKeyOf(secret: string): string | undefined {
  if (!secret.startsWith(PRIVATE_KEY)) return undefined;
  return PUBLIC_KEY + decode(secret, PRIVATE_KEY).subarray(KEY_BYTES).toString('base64');
}

/** Returns the signature of a content, with its version, for the header `webhook-signature`. */
export type Signer = (content: string) => string;

/** Creates the signer of a secret: `v1` for `whsec_`, `v1a` for `whsk_`. @throws RangeError for any other text. */
export function createSigner(secret: string): Signer {
  if (secret.startsWith(PRIVATE_KEY)) {
    const key = toPrivateKey(decode(secret, PRIVATE_KEY));
    return (content) => `v1a,${sign(null, Buffer.from(content), key).toString('base64')}`;
  }
  // A key object: from bytes, each HMAC would create it again, which takes several times as long as the HMAC.
  const key = createSecretKey(decode(secret, SYMMETRIC));
  return (content) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** A message to be signed. */
export interface SignedMessage {
  /** The header `webhook-id`. */
  readonly id: string;
  /** When this attempt is made, in seconds since the epoch. */
  readonly timestamp: number;
  /** The body as it is sent. */
  readonly payload: string;
}

/** Returns the headers of a message, with one signature of each signer. */
export function signMessage({ id, timestamp, payload }: SignedMessage, signers: readonly Signer[]) {
  const content = `${id}.${timestamp}.${payload}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signers.map((signer) => signer(content)).join(' '),
  };
}

function decode(secret: string, prefix: string): Buffer {
  if (!secret.startsWith(prefix)) throw new RangeError('a secret begins with whsec_ or whsk_');
  return Buffer.from(secret.slice(prefix.length), 'base64');
}

function toPrivateKey(bytes: Buffer): KeyObject {
  if (bytes.length !== 2 * KEY_BYTES) throw new RangeError(`a whsk_ secret has ${2 * KEY_BYTES} bytes`);
  const key = Buffer.concat([PKCS8_PREFIX, bytes.subarray(0, KEY_BYTES)]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}
