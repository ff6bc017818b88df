// oxlint-disable-next-line typescript/triple-slash-reference -- projects that import this file do not list its types
/// <reference path="./bcrypt-pbkdf.d.ts" />
import { NodeError } from '@deckhand/engine';
import { hash as blowfish } from 'bcrypt-pbkdf';
import { createDecipheriv, createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { createFairSemaphore } from '../code/fair-semaphore.ts';

/** Encloses a private key in the format of OpenSSH (PROTOCOL.key of its sources). */
const ARMOR = /^-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END OPENSSH PRIVATE KEY-----\s*$/;
const MAGIC = 'openssh-key-v1\0';
/** Maximum number of rounds of a passphrase: `ssh-keygen` takes 16 or 24 unless it is asked for others. */
const MAX_ROUNDS = 256;
/** One derivation of this process at a time: each takes some 14 ms of every turn of the event loop. */
const derivations = createFairSemaphore(1);
/** Length of a block of the derived key, in bytes. */
const BLOCK_BYTES = 32;

/** Ciphers of private keys by the names of OpenSSH, and the lengths of their keys in bytes. */
const CIPHERS: ReadonlyMap<string, { readonly name: string; readonly keyBytes: number }> = new Map([
  ['aes128-ctr', { name: 'aes-128-ctr', keyBytes: 16 }],
  ['aes192-ctr', { name: 'aes-192-ctr', keyBytes: 24 }],
  ['aes256-ctr', { name: 'aes-256-ctr', keyBytes: 32 }],
  ['aes256-cbc', { name: 'aes-256-cbc', keyBytes: 32 }],
]);
/** Length of their initial vectors, and of their blocks, in bytes. */
const IV_BYTES = 16;

/** A private key as the library takes it. Only keys in other formats than that of OpenSSH still have a passphrase. */
export interface PrivateKey {
  readonly privateKey: string;
  readonly passphrase?: string;
}

/** Who needs a private key, and until when. */
export interface KeyUser {
  readonly workspaceId: string;
  readonly signal: AbortSignal;
  /** Maximum number of rounds of the passphrase; 256 by default. */
  readonly maxRounds?: number | undefined;
}

/**
 * Decrypts a private key. Deriving the cipher's key takes a second or more, so other work runs in between. Keys in
 * other formats are returned as they are. @throws NodeError CREDENTIAL_UNSUITABLE; the signal's reason.
 */
export async function openPrivateKey(
  pem: string,
  passphrase: string | undefined,
  { workspaceId, signal, maxRounds = MAX_ROUNDS }: KeyUser,
): Promise<PrivateKey> {
  const [, base64] = ARMOR.exec(pem.trim()) ?? [];
  if (base64 === undefined) {
    // The library decodes more than ARMOR, and derives for as many rounds as the key asks for, in one go.
    if (pem.includes('BEGIN OPENSSH')) throw unsuitable('is not in the format of OpenSSH');
    return { privateKey: pem, ...(passphrase !== undefined && { passphrase }) };
  }
  const reader = createReader(Buffer.from(base64, 'base64'));
  if (!reader.skip(MAGIC)) throw unsuitable('is not in the format of OpenSSH');
  const cipher = reader.text();
  const derivation = reader.text();
  const options = createReader(reader.bytes());
  if (cipher === 'none') return { privateKey: pem };
  const known = CIPHERS.get(cipher);
  if (known === undefined || derivation !== 'bcrypt')
    throw unsuitable(`is encrypted with ${cipher}, which is not supported`);
  if (passphrase === undefined) throw unsuitable('needs a passphrase');
  const salt = options.bytes();
  const rounds = options.number();
  if (rounds > maxRounds) throw unsuitable(`has more than ${maxRounds} rounds of its passphrase`);
  const count = reader.number();
  if (count !== 1) throw unsuitable('is not a single key');
  const publicKey = reader.bytes();
  const encrypted = reader.bytes();
  // Ciphers of blocks take whole blocks alone, and every key is padded to them.
  if (encrypted.length === 0 || encrypted.length % IV_BYTES !== 0) throw unsuitable('ends too early');
  const release = await derivations.acquire(workspaceId, signal);
  const length = known.keyBytes + IV_BYTES;
  const derived = await deriveKey(passphrase, { salt, rounds, length, signal }).finally(release);
  const decipher = createDecipheriv(known.name, derived.subarray(0, known.keyBytes), derived.subarray(known.keyBytes));
  const opened = Buffer.concat([decipher.setAutoPadding(false).update(encrypted), decipher.final()]);
  // Both numbers are the same random one.
  if (opened.readUInt32BE(0) !== opened.readUInt32BE(4)) throw unsuitable('has another passphrase');
  const none = Buffer.from('none');
  const parts = [field(none), field(none), field(Buffer.alloc(0)), number(1), field(publicKey), field(opened)];
  const lines = Buffer.concat([Buffer.from(MAGIC), ...parts])
    .toString('base64')
    .replace(/.{70}/g, '$&\n');
  return { privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n` };
}

/** What a key is derived from, beside the passphrase. */
interface Derivation {
  readonly salt: Uint8Array;
  readonly rounds: number;
  /** Length of the key, in bytes. */
  readonly length: number;
  readonly signal: AbortSignal;
}

/** Derives a key as bcrypt_pbkdf of OpenBSD does, one hash at a time. @throws the signal's reason. */
async function deriveKey(passphrase: string, { salt, rounds, length, signal }: Derivation): Promise<Buffer> {
  const hashed = sha512(Buffer.from(passphrase));
  const blocks = Math.ceil(length / BLOCK_BYTES);
  const key = Buffer.alloc(length);
  for (let block = 1; block <= blocks; block += 1) {
    let input = sha512(Buffer.concat([salt, number(block)]));
    const sum = Buffer.alloc(BLOCK_BYTES);
    for (let round = 0; round < rounds; round += 1) {
      const output = Buffer.alloc(BLOCK_BYTES);
      blowfish(hashed, input, output);
      for (const [at, byte] of output.entries()) sum[at] = (sum[at] ?? 0) ^ byte;
      input = sha512(output);
      await setImmediate();
      signal.throwIfAborted();
    }
    // Bytes of a block are spread over the key.
    for (let at = 0; at < BLOCK_BYTES; at += 1) {
      const to = at * blocks + block - 1;
      if (to < length) key[to] = sum[at] ?? 0;
    }
  }
  return key;
}

function sha512(bytes: Uint8Array): Buffer {
  return createHash('sha512').update(bytes).digest();
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function field(bytes: Uint8Array): Buffer {
  return Buffer.concat([number(bytes.length), bytes]);
}

/** Reads the fields of a key, one after the other. */
function createReader(data: Buffer) {
  let at = 0;
  function take(length: number): Buffer {
    if (at + length > data.length) throw unsuitable('ends too early');
    at += length;
    return data.subarray(at - length, at);
  }
  const readNumber = (): number => take(4).readUInt32BE();
  const bytes = (): Buffer => take(readNumber());
  return {
    skip: (text: string): boolean => take(Math.min(text.length, data.length)).toString('latin1') === text,
    number: readNumber,
    bytes,
    text: (): string => bytes().toString('latin1'),
  };
}

function unsuitable(reason: string): NodeError {
  return new NodeError('CREDENTIAL_UNSUITABLE', `the private key ${reason}`, { isRetryable: false });
}
