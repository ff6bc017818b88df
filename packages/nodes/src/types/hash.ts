import { defineNodeType, type Outcome, output } from '@deckhand/engine';
import { createHash } from 'node:crypto';
import Type from 'typebox';
import { AlgorithmParameter, dataParameters, digestInSteps, EncodingParameter } from '../text/digest.ts';
import { runInSlices, type Steps } from '../work/slices.ts';

export default defineNodeType({
  type: 'hash',
  title: 'Hash',
  description:
    'Returns `{ hash }`: the digest of a text or of bytes. It shows whether two values are the same; to prove who sent a value, use the `hmac` node.',
  keywords: ['sha256', 'md5', 'checksum', 'digest', 'fingerprint'],
  category: 'data',
  icon: 'hash',
  hasEffects: false,
  parameters: Type.Object(
    { ...dataParameters, algorithm: AlgorithmParameter, encoding: EncodingParameter },
    { additionalProperties: false },
  ),
  errors: ['NODE_BUDGET'],
  run({ data, dataEncoding = 'utf8', algorithm = 'sha256', encoding = 'hex' }, { signal }) {
    return runInSlices(signal, function* (work): Steps<Outcome> {
      const hash = yield* digestInSteps(createHash(algorithm), { data, encoding: dataEncoding, work });
      return output({ hash: hash.digest(encoding) });
    });
  },
  example: {
    trigger: { text: 'abc' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'hash', type: 'hash', parameters: { data: '{{ $trigger.text }}' } },
      ],
      edges: [{ source: 'start', target: 'hash' }],
    },
    outputs: { hash: { hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' } },
  },
});
