import type { Credential, ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import { createHmac, timingSafeEqual } from 'node:crypto';
import Type from 'typebox';
import { AlgorithmParameter, dataParameters, digestInSteps, EncodingParameter } from '../text/digest.ts';
import { runInSlices } from '../work/slices.ts';

export default defineNodeType({
  type: 'hmac',
  title: 'HMAC',
  description:
    'Signs a text or bytes with a secret (HMAC, RFC 2104), or verifies the signature that came with it: for a webhook, over `{{ $trigger.rawBody }}`. `sign` returns `{ signature }`, `verify` returns `{ valid: true }` or fails with SIGNATURE_INVALID, unless `acceptInvalid` is set. The secret comes from its credential.',
  keywords: ['signature', 'sign', 'verify', 'crypto', 'secret'],
  category: 'data',
  hasEffects: false,
  credential: { types: ['apiKey', 'bearer', 'header'], needed: () => ['apiKey', 'bearer', 'header'] },
  parameters: Type.Object(
    {
      operation: Type.Enum(['sign', 'verify'], { description: 'Whether to sign or to verify' }),
      ...dataParameters,
      signature: Type.Optional(Type.String({ description: 'For `verify`: the signature to check' })),
      prefix: Type.Optional(
        Type.String({ maxLength: 100, default: '', description: 'A prefix of the signature, such as sha256=' }),
      ),
      algorithm: AlgorithmParameter,
      encoding: EncodingParameter,
      acceptInvalid: Type.Optional(
        Type.Boolean({ default: false, description: 'For `verify`: return `{ valid: false }` instead of failing' }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ operation, signature }): ValidationIssue[] {
    if (operation !== 'verify' || signature !== undefined) return [];
    return [{ path: 'signature', message: 'is required by verify' }];
  },
  async run(parameters, { credential, signal: abortSignal }) {
    const { operation, data, dataEncoding = 'utf8', algorithm = 'sha256', encoding = 'hex', prefix = '' } = parameters;
    const begun = createHmac(algorithm, secretOf(await credential()));
    const hmac = await runInSlices(abortSignal, (work) => digestInSteps(begun, { data, encoding: dataEncoding, work }));
    const signature = prefix + hmac.digest(encoding);
    if (operation === 'sign') return output({ signature });
    const isValid = isSame(signature, parameters.signature ?? '');
    if (isValid || parameters.acceptInvalid === true) return output({ valid: isValid });
    throw new NodeError('SIGNATURE_INVALID', 'the signature is not that of the data', { isRetryable: false });
  },
});

function secretOf(credential: Credential | undefined): string {
  switch (credential?.type) {
    case 'apiKey':
    case 'header':
      return credential.secret.value;
    case 'bearer':
      return credential.secret.token;
    default:
      throw new NodeError('CREDENTIAL_UNSUITABLE', 'the node needs a credential of type apiKey, bearer or header', {
        isRetryable: false,
      });
  }
}

/** Compares in constant time, which reveals nothing about how much was right. */
function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
