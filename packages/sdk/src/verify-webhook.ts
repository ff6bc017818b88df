import { SignatureError } from './errors.ts';
import type { ExecutionResponse } from './generated/index.ts';

/** A received message, and how to verify it. */
export interface WebhookMessage {
  /** The body as it was received, before any parsing. */
  readonly payload: string | Uint8Array;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The secret of the endpoint (`whsec_…`) or its public key (`whpk_…`); several while they are rotated. */
  readonly secret: string | readonly string[];
  /** How much the time of the message may differ from now, in seconds. Default: 300. */
  readonly toleranceSeconds?: number;
}

/** An event that Deckhand sends to an event endpoint, or to the `callbackUrl` of a run. */
export interface WebhookEvent {
  readonly type:
    | 'run.started'
    | 'run.succeeded'
    | 'run.failed'
    | 'run.timed_out'
    | 'run.stopped'
    | 'approval.requested'
    | 'approval.decided'
    | 'human_task.requested'
    | 'human_task.completed'
    | 'workflow.activated'
    | 'endpoint.test';
  /** When it happened. */
  readonly timestamp: string;
  readonly data: {
    readonly workspaceId: string;
    readonly workflowId?: string;
    readonly executionId?: string;
    readonly status?: ExecutionResponse['status'];
    /** The node that waits or waited for a person, and its iteration: null outside loops. */
    readonly nodeId?: string;
    readonly iteration?: string | null;
    /** The ETag of the run after the event. */
    readonly etag?: string;
    /** Where to read the run, the workflow or, for a test, the endpoint. */
    readonly link: string;
  };
}

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
const PUBLIC_KEY_PREFIX = 'whpk_';

/**
 * Verifies a message by the Standard Webhooks specification (signatures `v1` and `v1a`), and parses its body.
 * Signatures are compared in constant time. Use the id in `webhook-id` to recognize a repeated message.
 * @returns the body, parsed as JSON. Only its sender is verified: `Payload` is the type of what that one sends, by
 * default an event of Deckhand.
 * @throws SignatureError if a header is missing, no signature fits, or the message is too old or from the future.
 */
export async function verifyWebhook<Payload = WebhookEvent>(message: WebhookMessage): Promise<Payload> {
  const { payload, headers, secret, toleranceSeconds = TOLERANCE_SECONDS } = message;
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    const text = typeof value === 'object' ? value?.[0] : value;
    if (text === undefined) throw new SignatureError(`the header ${name} is missing`);
    return text;
  };
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const ageSeconds = Date.now() / 1_000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds) {
    throw new SignatureError('the timestamp is too old, or in the future');
  }
  const body = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = header('webhook-signature').split(' ');
  for (const key of typeof secret === 'string' ? [secret] : secret) {
    for (const signature of signatures) if (await fits(signature, key, signed)) return JSON.parse(body) as Payload;
  }
  throw new SignatureError('no signature fits');
}

async function fits(signature: string, key: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const [version, encoded = ''] = signature.split(',');
  const given = fromBase64(encoded);
  if (given === undefined) return false;
  if (version === 'v1' && !key.startsWith(PUBLIC_KEY_PREFIX)) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const hmac = await crypto.subtle.importKey('raw', keyBytes(key, SECRET_PREFIX), algorithm, false, ['verify']);
    return crypto.subtle.verify('HMAC', hmac, given, signed);
  }
  if (version === 'v1a' && key.startsWith(PUBLIC_KEY_PREFIX)) {
    const raw = keyBytes(key, PUBLIC_KEY_PREFIX);
    const publicKey = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
    return crypto.subtle.verify('Ed25519', publicKey, given, signed);
  }
  return false;
}

function keyBytes(key: string, prefix: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(key.startsWith(prefix) ? key.slice(prefix.length) : key);
  if (bytes === undefined || bytes.length === 0) throw new SignatureError('the secret is not valid');
  return bytes;
}

/** Returns undefined for a text that is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
