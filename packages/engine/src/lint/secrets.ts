import { isJsonObject } from '@deckhand/contracts';
import type { NodeType } from '../node-type.ts';
import { ENOUGH_FINDINGS, type Finding, type Rule } from './rule.ts';
import { pathText, type TextPath, visitTexts } from './texts.ts';

/** Finds secrets that are written into parameters. Its messages never contain them. */
export const secrets: Rule =
  () =>
  ({ definition: { parameters = {} }, type }) => {
    const findings: Finding[] = [];
    const kept = secretParameters(type);
    visitTexts(parameters, (text, path) => {
      if (findings.length >= ENOUGH_FINDINGS) return;
      const [name = ''] = path;
      const found = kept.has(String(name)) ? undefined : (kindOfSecret(text) ?? kindByName(path.at(-1), text));
      if (found === undefined) return;
      const message = `It contains ${found}: everybody who may read the workflow can read it.`;
      findings.push({ code: 'SECRET_IN_PARAMETERS', path: pathText(path), message });
    });
    return findings;
  };

/** Returns the parameters that are stored apart from the definition, encrypted. */
function secretParameters({ parameters }: NodeType): ReadonlySet<string> {
  const properties: Readonly<Record<string, unknown>> = parameters.properties;
  return new Set(
    Object.entries(properties).flatMap(([name, schema]) =>
      isJsonObject(schema) && schema.writeOnly === true ? [name] : [],
    ),
  );
}

/** What each secret contains. Most texts have none of it, and are not searched any further. */
const HINT = /_live_|_test_|whsec_|gh[opsur]_|github_pat_|xox|AKIA|ASIA|AIza|eyJ|PRIVATE KEY/;
/** A run of the characters that tokens have. It is matched in time proportional to the text. */
const TOKEN = /[\w.-]{20,}/g;

/** The beginnings of tokens, and what follows them at least. The whole token is checked, so nothing backtracks. */
const KNOWN_TOKENS: readonly (readonly [RegExp, string])[] = [
  [/^[sr]k_(?:live|test)_[0-9A-Za-z]{16,}$/, 'a key of Stripe'],
  [/^whsec_[0-9A-Za-z]{16,}$/, 'the secret of a webhook'],
  [/^gh[opsur]_[0-9A-Za-z]{30,}$/, 'a token of GitHub'],
  [/^github_pat_\w{30,}$/, 'a token of GitHub'],
  [/^xox[abeoprs]-[\w-]{16,}$/, 'a token of Slack'],
  [/^(?:AKIA|ASIA)[0-9A-Z]{16}$/, 'an access key of AWS'],
  [/^AIza[\w-]{35}$/, 'an API key of Google'],
  [/^eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}$/, 'a JSON Web Token'],
];
/** Parts of tokens in documentation. */
const PLACEHOLDER = /example|placeholder|your[_-]|x{6}|0{8}|\*{3}|\.{3}/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/;

function kindOfSecret(text: string): string | undefined {
  if (!HINT.test(text)) return undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    const known = KNOWN_TOKENS.find(([pattern]) => pattern.test(token));
    if (known && !PLACEHOLDER.test(token)) return known[1];
  }
  return PRIVATE_KEY.test(text) ? 'a private key' : undefined;
}

/** Names of members whose text is a secret, in lower case without signs between the words. */
const SECRET_NAMES: ReadonlySet<string> = new Set(['password', 'passwd', 'clientsecret', 'apikey', 'accesstoken']);
/** A scheme of HTTP, and what it sends. */
const AUTHORIZATION = /^(?:basic|bearer|token) \S{8,}$/i;
/** Longest name of a member that a message has, in characters. */
const MAX_NAME = 40;
const MIN_LENGTH = 6;
const MAX_LENGTH = 4_096;

/** Returns what a literal text is by the name of its member; undefined if it is not a secret. */
function kindByName(key: TextPath[number] | undefined, text: string): string | undefined {
  if (typeof key !== 'string' || text.length < MIN_LENGTH || text.length > MAX_LENGTH) return undefined;
  if (text.includes('{{') || PLACEHOLDER.test(text) || text.includes('<')) return undefined;
  const name = key.toLowerCase().replaceAll(/[-_ ]/g, '');
  if (name === 'authorization') return AUTHORIZATION.test(text) ? 'the value of an Authorization header' : undefined;
  // A label of a form has the name of its field, or several words.
  const isLabel = /\s/.test(text) || text.toLowerCase().replaceAll(/[-_ ]/g, '').startsWith(name);
  return SECRET_NAMES.has(name) && !isLabel ? `a literal value of "${key.slice(0, MAX_NAME)}"` : undefined;
}
