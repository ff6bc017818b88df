import { type Credential, isJsonObject, type JsonValue, secretTexts } from '@deckhand/contracts';
import { replaceAllText } from '../find-text.ts';
import type { NodeFailure } from '../node-failure.ts';
import type { Outcome } from '../outcome.ts';

const MASK = '********';
/** Shorter texts occur by chance: masking them would damage outputs and hide nothing. */
const SECRET_LENGTH_MIN = 8;

/**
 * Returns an outcome with `********` in place of every secret of the credentials that its node opened: a server may
 * send back what it received.
 */
export function maskSecrets(outcome: Outcome, opened: readonly Credential[]): Outcome {
  const texts = opened.flatMap(secretTexts).filter(({ length }) => length >= SECRET_LENGTH_MIN);
  // Longest first: a connection string contains its password.
  const secrets = [...new Set(texts.flatMap(spellings))].sort((a, b) => b.length - a.length);
  return secrets.length === 0 ? outcome : maskOutcome(outcome, secrets);
}

function maskOutcome(outcome: Outcome, secrets: readonly string[]): Outcome {
  switch (outcome.kind) {
    case 'output':
      return { ...outcome, output: maskValue(outcome.output, secrets) };
    case 'failure':
      return { ...outcome, failure: maskFailure(outcome.failure, secrets) };
    default:
      return outcome;
  }
}

function maskFailure({ details, ...failure }: NodeFailure, secrets: readonly string[]): NodeFailure {
  const message = maskMessage(failure.message, secrets);
  const masked = details && maskValue(details, secrets);
  return { ...failure, message, ...(masked !== undefined && isJsonObject(masked) ? { details: masked } : {}) };
}

function maskValue(value: JsonValue, secrets: readonly string[]): JsonValue {
  if (typeof value === 'string') return maskText(value, secrets);
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
      maskText(name, secrets),
      maskValue(member, secrets),
    ]);
    return Object.fromEntries(members);
  }
  if (!Array.isArray(value)) return value;
  const elements: readonly JsonValue[] = value;
  return elements.map((element) => maskValue(element, secrets));
}

/** Returns a text in the forms in which it may occur: plain, in JSON and in URLs. */
function spellings(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
}

/** A message may quote a response and end in the middle of a secret. */
function maskMessage(message: string, secrets: readonly string[]): string {
  const masked = maskText(message, secrets);
  const text = masked.replace(/…$/, '');
  if (text === masked) return masked;
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= SECRET_LENGTH_MIN; length -= 1) {
      if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}${MASK}…`;
    }
  }
  return masked;
}

function maskText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => replaceAllText(masked, secret, MASK), text);
}
