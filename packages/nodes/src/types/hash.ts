import type { ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, type Outcome, output } from '@deckhand/engine';
import { nextSlice } from '@deckhand/runtime';
import { createHash } from 'node:crypto';
import Type from 'typebox';
import { fileSource, FileParameter } from '../files/file-source.ts';
import { AlgorithmParameter, dataParameters, digestInSteps, EncodingParameter } from '../text/digest.ts';
import { runInSlices, type Steps } from '../work/slices.ts';

export default defineNodeType({
  type: 'hash',
  title: 'Hash',
  description:
    'Returns `{ hash }`: the digest of a text, of bytes or of a file of any size. It shows whether two values are the same; to prove who sent a value, use the `hmac` node.',
  keywords: ['sha256', 'md5', 'checksum', 'digest', 'fingerprint'],
  category: 'data',
  icon: 'hash',
  hasEffects: false,
  parameters: Type.Object(
    {
      ...dataParameters,
      data: Type.Optional(dataParameters.data),
      file: Type.Optional(FileParameter('What it is made of, instead of `data`')),
      algorithm: AlgorithmParameter,
      encoding: EncodingParameter,
    },
    { additionalProperties: false },
  ),
  form: { inputs: { file: 'expression' } },
  check({ data, file }): ValidationIssue[] {
    return data === undefined && file === undefined ? [{ path: 'data', message: 'is required' }] : [];
  },
  errors: ['FILE_NOT_FOUND', 'NODE_BUDGET'],
  async run({ data, file, dataEncoding = 'utf8', algorithm = 'sha256', encoding = 'hex' }, { signal, files }) {
    if (data === undefined) {
      const hash = createHash(algorithm);
      const { content } = await fileSource(file, files, file === undefined ? 'data' : 'file').open();
      for await (const piece of content) {
        hash.update(piece);
        await nextSlice(signal());
      }
      return output({ hash: hash.digest(encoding) });
    }
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
