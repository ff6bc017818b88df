import { type Credential, tokensOf, type ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import { createHmac, timingSafeEqual } from 'node:crypto';
import Type from 'typebox';
import { AlgorithmParameter, dataParameters, digestInSteps, EncodingParameter } from '../text/digest.ts';
import { runInSlices } from '../work/slices.ts';

export default defineNodeType({
  type: 'hmac',
  title: 'HMAC',
  description:
    'Signs a text or bytes with a secret (HMAC, RFC 2104), or verifies the signature that came with it. `sign` returns `{ signature }`, `verify` returns `{ valid: true }` or fails with SIGNATURE_INVALID, unless `acceptInvalid` is set. The secret comes from its credential. A webhook trigger verifies signatures itself, before there is a run: see its `signature`.',
  keywords: ['signature', 'sign', 'verify', 'crypto', 'secret'],
  category: 'data',
  icon: 'signature',
  summary: '{operation}',
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
  errors: ['NODE_BUDGET', 'SIGNATURE_INVALID'],
  async run(parameters, { credential, signal: abortSignal }) {
    const { operation, data, dataEncoding = 'utf8', algorithm = 'sha256', encoding = 'hex', prefix = '' } = parameters;
    const [secret, ...nextSecrets] = secretsOf(await credential());
    const sign = async (key: string): Promise<string> => {
      const begun = createHmac(algorithm, key);
      const given = { data, encoding: dataEncoding };
      const hmac = await runInSlices(abortSignal, (work) => digestInSteps(begun, { ...given, work }));
      return prefix + hmac.digest(encoding);
    };
    const signature = await sign(secret);
    if (operation === 'sign') return output({ signature });
    const signatures = [signature, ...(await Promise.all(nextSecrets.map(sign)))];
    const isValid = signatures.filter((expected) => isSame(expected, parameters.signature ?? '')).length > 0;
    if (isValid || parameters.acceptInvalid === true) return output({ valid: isValid });
    throw new NodeError('SIGNATURE_INVALID', 'the signature is not that of the data', { isRetryable: false });
  },
  example: {
    trigger: {
      rawBody: 'Hello, World!',
      headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    },
    credential: { type: 'bearer', secret: { token: "It's a Secret to Everybody" } },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'hmac',
          type: 'hmac',
          parameters: {
            operation: 'verify',
            data: '{{ $trigger.rawBody }}',
            signature: "{{ $trigger.headers['x-hub-signature-256'] }}",
            prefix: 'sha256=',
          },
          credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
        },
      ],
      edges: [{ source: 'start', target: 'hmac' }],
    },
    outputs: { hmac: { valid: true } },
  },
});

/** Returns the secret that signs, and those that signatures may be of besides. */
function secretsOf(credential: Credential | undefined): readonly [string, ...string[]] {
  switch (credential?.type) {
    case 'apiKey':
    case 'header':
      return [credential.secret.value];
    case 'bearer':
      return tokensOf(credential.secret);
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
