import type { PasskeyAssertion, PasskeyRegistration } from '@deckhand/contracts';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What an authenticator says in a response, unless a test says otherwise. */
export interface AuthenticatorClaims {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  /** Whether it verified the person, by a PIN or a fingerprint. */
  readonly isVerified?: boolean;
  readonly counter?: number;
  /** Attests the passkey in the format `packed`: by the passkey itself, or by a certificate. */
  readonly attestedBy?: 'itself' | { readonly key: KeyObject; readonly certificate: Buffer };
}

/** An authenticator with one passkey, as a browser passes its responses on (WebAuthn Level 3, ES256). */
export interface TestAuthenticator {
  readonly id: string;
  create(challenge: string, claims?: AuthenticatorClaims): PasskeyRegistration;
  get(challenge: string, claims?: AuthenticatorClaims): PasskeyAssertion;
}

const [PRESENT, VERIFIED, HAS_KEY] = [0x01, 0x04, 0x40];

/** Creates an authenticator for the host and the origin of an address. */
export function createAuthenticator(publicUrl = 'https://deckhand.example'): TestAuthenticator {
  const { origin, hostname } = new URL(publicUrl);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let counter = 0;

  function clientData(type: string, challenge: string, claims: AuthenticatorClaims): Buffer {
    return Buffer.from(JSON.stringify({ type: claims.type ?? type, challenge, origin: claims.origin ?? origin }));
  }

  function authenticatorData(flags: number, claims: AuthenticatorClaims, rest = Buffer.alloc(0)): Buffer {
    counter += 1;
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | ((claims.isVerified ?? true) ? VERIFIED : 0));
    head.writeUInt32BE(claims.counter ?? counter, 1);
    return Buffer.concat([
      createHash('sha256')
        .update(claims.rpId ?? hostname)
        .digest(),
      head,
      rest,
    ]);
  }

  function attestation(signed: Buffer, { attestedBy }: AuthenticatorClaims): { format: string; statement: Buffer } {
    if (attestedBy === undefined) return { format: 'none', statement: Buffer.from([0xa0]) };
    const [key, chain] =
      attestedBy === 'itself'
        ? [privateKey, []]
        : [attestedBy.key, [textOf('x5c'), Buffer.from([0x81]), bytesOf(attestedBy.certificate)]];
    // CBOR: { alg: -7, sig: …, x5c: [certificate] }.
    const head = [Buffer.from([chain.length === 0 ? 0xa2 : 0xa3]), textOf('alg'), Buffer.from([0x26])];
    return {
      format: 'packed',
      statement: Buffer.concat([...head, textOf('sig'), bytesOf(sign('sha256', signed, key)), ...chain]),
    };
  }

  const common = { id, rawId: id, clientExtensionResults: {}, type: 'public-key' } as const;
  return {
    id,
    create(challenge, claims = {}) {
      // COSE: an EC2 key (1: 2) for ES256 (3: -7) on P-256 (-1: 1).
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32]),
        Buffer.from(x, 'base64url'),
        Buffer.from([0x22, 0x58, 32]),
        Buffer.from(y, 'base64url'),
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, key]);
      const data = authenticatorData(PRESENT | HAS_KEY, claims, attested);
      const client = clientData('webauthn.create', challenge, claims);
      const { format, statement } = attestation(Buffer.concat([data, sha256(client)]), claims);
      // CBOR: { fmt: format, attStmt: statement, authData: data }.
      const attestationObject = Buffer.concat([
        ...[Buffer.from([0xa3]), textOf('fmt'), textOf(format), textOf('attStmt'), statement],
        ...[textOf('authData'), bytesOf(data)],
      ]);
      return {
        ...common,
        response: {
          clientDataJSON: client.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get(challenge, claims = {}) {
      const client = clientData('webauthn.get', challenge, claims);
      const data = authenticatorData(PRESENT, claims);
      const signed = Buffer.concat([data, sha256(client)]);
      return {
        ...common,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
        },
      };
    },
  };
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** A text of fewer than 24 bytes, in CBOR. */
function textOf(text: string): Buffer {
  return Buffer.from([0x60 + text.length, ...Buffer.from(text)]);
}

/** Bytes, in CBOR. */
function bytesOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([Buffer.from([0x59]), length, bytes]);
}
