import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { parse } from 'content-type';
import type { HmacSignature } from '@deckhand/contracts';
import { foreignCharset, runInTimeSlices } from '@deckhand/runtime';

/** The signature that the requests to a trigger must have. */
export interface SignatureSettings {
  /** A scheme of `WEBHOOK_SIGNATURES`. Any other, which a later version may have saved, refuses all requests. */
  readonly scheme: string;
  readonly toleranceSeconds: number;
  /** What the scheme `hmac` needs. */
  readonly hmac: HmacSignature | undefined;
}

/** The parts of a request that signatures are made of, except for its body. */
export interface SignedRequest {
  readonly method: string;
  /** The URL to which it was sent, with its query as it was sent. */
  readonly url: string;
  /** The values of each header, in lower case. */
  readonly headers: IncomingMessage['headersDistinct'];
}

/** Returns true if a body, with the rest of its request, was signed with one of these secrets. */
export type VerifyBody = (body: Buffer, secrets: readonly string[]) => Promise<boolean>;

/** Maximum length of a header that is part of a signature, in characters. */
const MAX_HEADER_LENGTH = 4_096;
/** Maximum number of signatures of a request. Senders that change their secrets send two. */
const MAX_SIGNATURES = 10;
/** Number of bytes that are hashed in one step. */
const STEP_BYTES = 262_144;

/**
 * Reads the signature of a request.
 * @param nowMs the time, in ms since the epoch.
 * @returns a function that checks the body; undefined if no body could make the request genuine: a header is missing,
 * sent twice, too long or malformed, or the signed time is too far from now.
 */
export function readSignature(
  request: SignedRequest,
  { scheme, toleranceSeconds, hmac }: SignatureSettings,
  nowMs: number,
): VerifyBody | undefined {
  const isTimely = (time: string | undefined): time is string => isRecent(time, { toleranceSeconds, nowMs });
  switch (scheme) {
    case 'standardWebhooks':
      return readStandardWebhooks(request, isTimely);
    case 'stripe':
      return readStripe(request, isTimely);
    case 'github':
      return readHmac(request, { header: 'x-hub-signature-256', prefix: 'sha256=' }, isTimely);
    case 'slack':
      return readHmac(request, SLACK, isTimely);
    case 'shopify':
      return readHmac(request, { header: 'x-shopify-hmac-sha256', encoding: 'base64' }, isTimely);
    case 'twilio':
      return readTwilio(request);
    case 'hmac':
      return hmac && readHmac(request, hmac, isTimely);
    default:
      return undefined;
  }
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
const SLACK: HmacSignature = {
  header: 'x-slack-signature',
  prefix: 'v0=',
  signedText: 'v0:{timestamp}:{body}',
  timestampHeader: 'x-slack-request-timestamp',
};

type IsTimely = (time: string | undefined) => time is string;

/** From this number on, a time is in milliseconds: in seconds, it would be in the year 5138. */
const FIRST_MS = 100_000_000_000;

function isRecent(
  time: string | undefined,
  { toleranceSeconds, nowMs }: { toleranceSeconds: number; nowMs: number },
): boolean {
  if (time === undefined || !/^\d{1,13}$/.test(time)) return false;
  const ms = Number(time) < FIRST_MS ? Number(time) * 1_000 : Number(time);
  return Math.abs(nowMs - ms) <= toleranceSeconds * 1_000;
}

/** Returns the value of a header that was sent once and has a fit length. */
function readHeader({ headers }: SignedRequest, name: string): string | undefined {
  const [value, ...others] = headers[name.toLowerCase()] ?? [];
  return others.length > 0 || value === undefined || value.length > MAX_HEADER_LENGTH ? undefined : value;
}

/** Parts of a signed text, one after the other. */
type Parts = readonly (string | Buffer)[];

/** Signatures by HMAC, of which one has to be that of one of the texts. */
interface HmacCheck {
  readonly algorithm: string;
  readonly signatures: readonly Buffer[];
  /** Texts of which one was signed; none if the body cannot be the signed one. */
  readonly textsOf: (body: Buffer) => readonly Parts[] | Promise<readonly Parts[]>;
}

/** Compares all signatures with those of all keys, so that the time does not reveal which one matched. */
async function isSigned(body: Buffer, keys: readonly Buffer[], check: HmacCheck): Promise<boolean> {
  const texts = await check.textsOf(body);
  let isGenuine = false;
  for (const key of keys) {
    for (const parts of texts) {
      const expected = await runInTimeSlices(digestInSteps(createHmac(check.algorithm, key), parts));
      for (const signature of check.signatures) if (isSame(signature, expected)) isGenuine = true;
    }
  }
  return isGenuine;
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

interface Digest {
  update(bytes: Uint8Array): unknown;
  digest(): Buffer;
}

function* digestInSteps(digest: Digest, parts: Parts): Generator<undefined, Buffer> {
  for (const part of parts) {
    const bytes = Buffer.from(part);
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      digest.update(bytes.subarray(at, at + STEP_BYTES));
      yield;
    }
  }
  return digest.digest();
}

const ENCODINGS = {
  hex: /^(?:[\da-f]{2})+$/i,
  base64: /^[A-Za-z\d+/]+={0,2}$/,
  base64url: /^[A-Za-z\d_-]+={0,2}$/,
};

/** Decodes those signatures that are well-formed; undefined without any, and for more than a sender has. */
function decodeAll(texts: readonly string[], encoding: keyof typeof ENCODINGS): readonly Buffer[] | undefined {
  const signatures = texts.filter((text) => ENCODINGS[encoding].test(text)).map((text) => Buffer.from(text, encoding));
  return signatures.length === 0 || signatures.length > MAX_SIGNATURES ? undefined : signatures;
}

const textKey = (secret: string): Buffer => Buffer.from(secret);

/** Reads a signature whose parts have headers of their own. */
function readHmac(request: SignedRequest, settings: HmacSignature, isTimely: IsTimely): VerifyBody | undefined {
  const { algorithm = 'sha256', encoding = 'hex', prefix = '', signedText = '{body}' } = settings;
  const value = readHeader(request, settings.header);
  const timestamp = settings.timestampHeader && readHeader(request, settings.timestampHeader);
  const id = settings.idHeader && readHeader(request, settings.idHeader);
  if (value === undefined || (settings.timestampHeader !== undefined && !isTimely(timestamp))) return undefined;
  if (settings.idHeader !== undefined && id === undefined) return undefined;
  const texts = /[\s,]/.test(prefix) ? [value] : value.split(/[\s,]+/);
  const own = texts.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length));
  const signatures = decodeAll(own, encoding);
  if (!signatures) return undefined;
  const values = new Map([
    ['{timestamp}', timestamp],
    ['{id}', id],
    ['{method}', request.method],
    ['{url}', request.url],
  ]);
  const parts = signedText.split(/(\{(?:body|timestamp|id|method|url)\})/);
  const textsOf = (body: Buffer) => [parts.map((part) => (part === '{body}' ? body : (values.get(part) ?? part)))];
  return (body, secrets) => isSigned(body, secrets.map(textKey), { algorithm, signatures, textsOf });
}

/** https://docs.stripe.com/webhooks/signature */
function readStripe(request: SignedRequest, isTimely: IsTimely): VerifyBody | undefined {
  const items = (readHeader(request, 'stripe-signature') ?? '').split(',').map((item) => item.trim());
  const valuesOf = (name: string): string[] =>
    items.filter((item) => item.startsWith(`${name}=`)).map((item) => item.slice(name.length + 1));
  const [timestamp, ...others] = valuesOf('t');
  const signatures = decodeAll(valuesOf('v1'), 'hex');
  if (!isTimely(timestamp) || others.length > 0 || !signatures) return undefined;
  const textsOf = (body: Buffer) => [[`${timestamp}.`, body]];
  return (body, secrets) => isSigned(body, secrets.map(textKey), { algorithm: 'sha256', signatures, textsOf });
}

const PUBLIC_KEY_PREFIX = 'whpk_';
/** On a thread of Node.js, since it hashes the whole body. */
const verifyOnThread = promisify(verify);

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function readStandardWebhooks(request: SignedRequest, isTimely: IsTimely): VerifyBody | undefined {
  const id = readHeader(request, 'webhook-id');
  const timestamp = readHeader(request, 'webhook-timestamp');
  const sent = (readHeader(request, 'webhook-signature') ?? '').split(' ');
  if (id === undefined || id === '' || !isTimely(timestamp)) return undefined;
  const ofVersion = (version: string) =>
    decodeAll(
      sent.filter((text) => text.startsWith(`${version},`)).map((text) => text.slice(version.length + 1)),
      'base64',
    ) ?? [];
  const [symmetric, asymmetric] = [ofVersion('v1'), ofVersion('v1a')];
  if (symmetric.length + asymmetric.length === 0) return undefined;
  const before = `${id}.${timestamp}.`;
  return async (body, secrets) => {
    const keys = secrets.filter((secret) => !secret.startsWith(PUBLIC_KEY_PREFIX)).flatMap(standardKey);
    const textsOf = () => [[before, body]];
    if (await isSigned(body, keys, { algorithm: 'sha256', signatures: symmetric, textsOf })) return true;
    if (asymmetric.length === 0) return false;
    const text = Buffer.concat([Buffer.from(before), body]);
    const publicKeys = secrets.filter((secret) => secret.startsWith(PUBLIC_KEY_PREFIX)).flatMap(publicKey);
    const pairs = publicKeys.flatMap((key) => asymmetric.map((signature) => [key, signature] as const));
    for (const [key, signature] of pairs) if (await verifyOnThread(null, text, key, signature)) return true;
    return false;
  };
}

/** Returns the key of a secret, which is base64 after its prefix; none for any other text. */
function standardKey(secret: string): Buffer[] {
  const text = secret.replace(/^whsec_/, '');
  const key = Buffer.from(ENCODINGS.base64.test(text) ? text : '', 'base64');
  return key.length === 0 ? [] : [key];
}

/** The beginning of a public key of ed25519 in DER, which its 32 bytes follow (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function publicKey(text: string): KeyObject[] {
  const bytes = Buffer.from(text.slice(PUBLIC_KEY_PREFIX.length), 'base64');
  if (bytes.length !== 32) return [];
  return [createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' })];
}

const TWILIO_ALGORITHMS = new Map([
  ['HMAC_SHA1', 'sha1'],
  ['HMAC_SHA256', 'sha256'],
]);
/** Maximum size of a form from Twilio, in bytes, and number of its fields. Real ones have a few dozen. */
const MAX_FORM_BYTES = 1_048_576;
const MAX_FORM_FIELDS = 1_000;

/**
 * https://www.twilio.com/docs/usage/security#validating-requests: the URL and the sorted fields of a form, or the URL
 * with the SHA-256 of any other body in its query. By Webhooks Rules, another header names another hash.
 */
function readTwilio(request: SignedRequest): VerifyBody | undefined {
  const signatures = decodeAll([readHeader(request, 'x-twilio-signature') ?? ''], 'base64');
  const settings = request.headers['x-twilio-webhooks-signature-settings'];
  const named = /(?:^|,)\s*algorithm=\s*(\w*)/.exec(settings?.[0] ?? '')?.[1] ?? 'HMAC_SHA1';
  const algorithm = TWILIO_ALGORITHMS.get(named.toUpperCase());
  if (!signatures || algorithm === undefined || (settings?.length ?? 0) > 1) return undefined;
  const textsOf = async (body: Buffer): Promise<readonly Parts[]> => {
    const fields = await twilioFields(request, body);
    return fields === undefined ? [] : urlsOf(request.url).map((url) => [url, fields]);
  };
  return (body, secrets) => isSigned(body, secrets.map(textKey), { algorithm, signatures, textsOf });
}

/** Returns the signed text of a body; undefined if the signature says nothing about the body. */
async function twilioFields({ url, headers }: SignedRequest, body: Buffer): Promise<string | undefined> {
  const hash = new URLSearchParams(url.split('?').slice(1).join('?')).get('bodySHA256');
  if (hash !== null) {
    const expected = await runInTimeSlices(digestInSteps(createHash('sha256'), [body]));
    return ENCODINGS.hex.test(hash) && isSame(Buffer.from(hash, 'hex'), expected) ? '' : undefined;
  }
  if (body.length === 0) return '';
  const contentType = headers['content-type']?.[0] ?? '';
  const isForm = parse(contentType, { parameters: false }).type === 'application/x-www-form-urlencoded';
  if (!isForm || foreignCharset(contentType) !== undefined || body.length > MAX_FORM_BYTES) return undefined;
  const fields = [...new URLSearchParams(body.toString('utf8'))];
  if (fields.length > MAX_FORM_FIELDS) return undefined;
  const sorted = [...Map.groupBy(fields, ([name]) => name)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted
    .flatMap(([name, same]) => [...new Set(same.map(([, value]) => value))].toSorted().map((value) => name + value))
    .join('');
}

/** Twilio signs a URL with its port or without, by product. */
function urlsOf(url: string): string[] {
  const [, scheme = '', host = '', port, rest = ''] = /^(https?:\/\/)([^/?#]*?)(:\d+)?([/?#].*)?$/is.exec(url) ?? [];
  const standardPort = scheme.toLowerCase() === 'https://' ? ':443' : ':80';
  return [`${scheme}${host}${rest}`, `${scheme}${host}${port ?? standardPort}${rest}`];
}
