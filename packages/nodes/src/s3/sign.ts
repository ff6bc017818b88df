import { createHash, createHmac } from 'node:crypto';

/** Who signs requests, for which region, and when. */
export interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** In ms since the epoch. Servers refuse requests whose time is off by more than 15 minutes. */
  readonly now: number;
}

/** A request to sign. Its headers are all those that the signature covers, beside `host`, by lower-case name. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Stands for the hash of a body that is sent while it is read. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Returns the headers of a request to S3 with its signature (AWS Signature Version 4).
 * @param payloadHash the SHA-256 of the body in hexadecimal digits, or `UNSIGNED_PAYLOAD`.
 */
export function signedHeaders(
  request: UnsignedRequest,
  payloadHash: string,
  signer: Signer,
): Readonly<Record<string, string>> {
  const time = timestamp(signer.now);
  const headers = { ...request.headers, 'x-amz-content-sha256': payloadHash, 'x-amz-date': time };
  const covered = { ...headers, host: request.url.host };
  const names = Object.keys(covered).sort().join(';');
  const signature = signatureOf({ ...request, headers: covered }, payloadHash, { time, signer });
  const credential = `${signer.accessKeyId}/${scopeOf(time, signer)}`;
  return {
    ...headers,
    authorization: `${ALGORITHM} Credential=${credential},SignedHeaders=${names},Signature=${signature}`,
  };
}

/** Returns a URL that gets an object without a key until the time is over. @param seconds at most a week. */
export function presignedUrl(url: URL, seconds: number, signer: Signer): URL {
  const time = timestamp(signer.now);
  const signed = withQuery(url, {
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${signer.accessKeyId}/${scopeOf(time, signer)}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
  });
  const request = { method: 'GET', url: signed, headers: { host: url.host } };
  signed.search += `&X-Amz-Signature=${signatureOf(request, UNSIGNED_PAYLOAD, { time, signer })}`;
  return signed;
}

/** Returns a URL with a query in the form that is signed: sorted, and encoded as RFC 3986 says. */
export function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const sorted = Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
  const changed = new URL(url);
  changed.search = sorted.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return changed;
}

/** Encodes a text for a URL, with the characters that `encodeURIComponent` leaves. */
export function encode(text: string): string {
  const escape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, escape);
}

/** Returns the SHA-256 of bytes in hexadecimal digits. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function signatureOf(
  { method, url, headers }: UnsignedRequest,
  payloadHash: string,
  { time, signer }: { time: string; signer: Signer },
): string {
  const lines = Object.entries(headers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`);
  const names = Object.keys(headers).sort().join(';');
  const canonical = [method, url.pathname, url.search.slice(1), lines.join(''), names, payloadHash].join('\n');
  const text = [ALGORITHM, time, scopeOf(time, signer), sha256(canonical)].join('\n');
  const parts = [time.slice(0, 8), signer.region, 's3', 'aws4_request'];
  const key = parts.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${signer.secretAccessKey}`);
  return hmac(key, text).toString('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function scopeOf(time: string, { region }: Signer): string {
  return `${time.slice(0, 8)}/${region}/s3/aws4_request`;
}

/** Such as 20261128T012300Z. */
function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
}
