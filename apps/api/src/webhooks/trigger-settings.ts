import { compileCheck, HmacSignature, isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import type { SavedTrigger } from '@deckhand/db';
import type { CompiledTemplate } from '@deckhand/engine';
import { compileTriggerExpression } from '@deckhand/engine';
import { compileTriggerOptions } from '@deckhand/nodes';
import type { RateLimit } from '@deckhand/queue';
import type { SecretBox } from '@deckhand/runtime';
import type { SignatureSettings } from './signature.ts';

const PAYLOAD_TYPES = ['auto', 'json', 'form', 'text', 'binary'] as const;
const AUTHENTICATIONS = ['none', 'basic', 'bearer', 'apiKey'] as const;
const RESPONSE_MODES = ['immediately', 'onCompletion'] as const;

export type PayloadType = (typeof PAYLOAD_TYPES)[number];

/** Parameters of a webhook trigger, with defaults filled in. */
export interface TriggerSettings {
  readonly method: string;
  /** A disabled trigger takes no requests. */
  readonly isDisabled: boolean;
  /** Any of them is accepted. Empty if no secret is required. */
  readonly secrets: readonly string[];
  readonly payloadType: PayloadType;
  readonly keepsRawBody: boolean;
  /** Whether binary bodies, and files of forms, are stored as files. */
  readonly storesFiles: boolean;
  readonly responseMode: (typeof RESPONSE_MODES)[number];
  readonly responseCode: number;
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly authentication: (typeof AUTHENTICATIONS)[number];
  readonly credentialId: string | undefined;
  /** The signature that requests must have, made with a token of the credential; undefined if they need none. */
  readonly signature: SignatureSettings | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly timeoutMs: number;
  /** Returns the serialised `StartOptions` of a run with the given trigger data. */
  readonly optionsFor: (readTrigger: () => JsonValue) => string | undefined;
  /** The sender's id of a request, as an expression. */
  readonly idempotencyKey: CompiledTemplate | undefined;
  /** Whether that id is free again once its run has failed without a response. */
  readonly freesFailedKeys: boolean;
  /** The event that a request sends, instead of starting a run; undefined if it starts one. */
  readonly signal: Signal | undefined;
}

/** Name and key of an event, as expressions over the request. */
export interface Signal {
  readonly name: CompiledTemplate;
  readonly key: CompiledTemplate | undefined;
}

/**
 * Reads the webhook trigger of a version.
 * @returns undefined if the node is not a webhook trigger in this version.
 * @throws SecretBoxError if its secret was sealed with another key.
 */
export async function readTriggerSettings(
  { node, rateLimit, sealedSecrets, timeoutMs }: SavedTrigger,
  secretBox: SecretBox,
): Promise<TriggerSettings | undefined> {
  if (!isJsonObject(node) || node.type !== 'trigger.webhook') return undefined;
  const parameters: JsonObject = isJsonObject(node.parameters) ? node.parameters : {};
  const { secret, nextSecret }: JsonObject = isJsonObject(sealedSecrets) ? sealedSecrets : {};
  const sealed = [secret, nextSecret].filter((each) => typeof each === 'string');
  const method = typeof parameters.method === 'string' ? parameters.method : 'POST';
  const options = parameters.options !== undefined && isJsonObject(parameters.options) ? parameters.options : undefined;
  return {
    method,
    isDisabled: node.disabled === true,
    secrets: await Promise.all(sealed.map((each) => secretBox.open(each))),
    payloadType: oneOf(PAYLOAD_TYPES, parameters.payloadType),
    keepsRawBody: parameters.rawBody === true,
    storesFiles: parameters.files === 'stored',
    responseMode: oneOf(RESPONSE_MODES, parameters.responseMode),
    responseCode: typeof parameters.responseCode === 'number' ? parameters.responseCode : 200,
    allowedOrigins: texts(parameters.allowedOrigins) ?? ['*'],
    allowedMethods: texts(parameters.allowedMethods) ?? [method, 'OPTIONS'],
    authentication: oneOf(AUTHENTICATIONS, parameters.authentication),
    credentialId: typeof node.credentialId === 'string' ? node.credentialId : undefined,
    signature: toSignature(parameters),
    rateLimit: toRateLimit(rateLimit),
    timeoutMs: typeof options?.timeoutSeconds === 'number' ? options.timeoutSeconds * 1_000 : timeoutMs,
    optionsFor: compileTriggerOptions(options && JSON.stringify(options)),
    idempotencyKey: toExpression(parameters.idempotencyKey),
    freesFailedKeys: parameters.idempotencyKeyUsedUp !== 'whenAccepted',
    signal: toSignal(parameters),
  };
}

const checkHmac = compileCheck(HmacSignature);

function toSignature({ signature, signatureToleranceSeconds, hmac }: JsonObject): SignatureSettings | undefined {
  if (typeof signature !== 'string' || signature === 'none') return undefined;
  const checked = checkHmac(hmac);
  return {
    scheme: signature,
    toleranceSeconds: typeof signatureToleranceSeconds === 'number' ? signatureToleranceSeconds : 300,
    hmac: 'issues' in checked ? undefined : checked.value,
  };
}

function toSignal({ mode, event }: JsonObject): Signal | undefined {
  if (mode !== 'signal' || event === undefined || !isJsonObject(event)) return undefined;
  const name = toExpression(event.name);
  return name && { name, key: toExpression(event.key) };
}

/** Compiles an expression of the trigger. Those of saved versions have no issues. */
function toExpression(text: unknown): CompiledTemplate | undefined {
  if (typeof text !== 'string') return undefined;
  const compiled = compileTriggerExpression(text);
  return 'template' in compiled ? compiled.template : undefined;
}

/** Returns the value if it is in the list, otherwise the first entry of the list, which is the default. */
function oneOf<T extends string>(values: readonly [T, ...T[]], value: unknown): T {
  return values.find((known) => known === value) ?? values[0];
}

function texts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : undefined;
}

/** Returns the limit of requests that a definition has; undefined without one. */
export function toRateLimit(value: unknown): RateLimit | undefined {
  if (!isJsonObject(value)) return undefined;
  const { max, windowSeconds } = value;
  return typeof max === 'number' && typeof windowSeconds === 'number' ? { max, windowSeconds } : undefined;
}
