import { mediaTypeFor } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import { pipeline, Readable, type Transform } from 'node:stream';
import { types } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import Type from 'typebox';
import { FileParameter, fileSource, limitReached } from '../files/file-source.ts';

/** Default limit of what is decompressed, in bytes. */
const MAX_BYTES = 1_073_741_824;

export default defineNodeType({
  type: 'gzip',
  title: 'Gzip',
  description:
    'Compresses a file with gzip, or decompresses one, piece by piece. Both return a file. Its name gets or loses the end `.gz`.',
  keywords: ['gunzip', 'compress', 'decompress', 'gz', 'unpack'],
  category: 'data',
  icon: 'file',
  summary: '{operation}',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['compress', 'decompress'], { description: 'Whether to compress or to decompress' }),
      file: FileParameter('The file'),
      maxBytes: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_099_511_627_776,
          default: MAX_BYTES,
          description: 'For `decompress`: more bytes fail the node',
        }),
      ),
      fileName: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'The name of the new file' })),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { file: 'expression' }, shownFor: { maxBytes: { operation: ['decompress'] } } },
  errors: ['FILE_INVALID', 'FILE_LIMIT', 'FILE_NOT_FOUND', 'FILE_TOO_LARGE', 'MEMORY_EXCEEDED', 'STORAGE_FULL'],
  async run({ operation, file, maxBytes = MAX_BYTES, fileName }, { files }) {
    const source = fileSource(file, files);
    const { content: bytes } = await source.open();
    if (operation === 'compress') {
      const name = fileName ?? `${source.name}.gz`;
      return output(await files.save(through(bytes, createGzip()), { name, contentType: 'application/gzip' }));
    }
    const name = fileName ?? source.name.replace(/\.gz$/i, '').replace(/\.tgz$/i, '.tar');
    const content = limited(through(bytes, createGunzip()), maxBytes);
    return output(await files.save(content, { name, contentType: mediaTypeFor(name) }));
  },
  example: {
    trigger: { file: { base64: 'aGVsbG8=', contentType: 'text/plain', filename: 'hello.txt' } },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'pack', type: 'gzip', parameters: { operation: 'compress', file: '{{ $trigger.file }}' } },
        { id: 'unpack', type: 'gzip', parameters: { operation: 'decompress', file: '{{ $input }}' } },
      ],
      edges: [
        { source: 'start', target: 'pack' },
        { source: 'pack', target: 'unpack' },
      ],
    },
    outputs: {
      unpack: {
        file: {
          id: '00000000-0000-7000-8000-000000000002',
          name: 'hello.txt',
          contentType: 'text/plain',
          bytes: 5,
          sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        },
      },
    },
  },
});

/** Transforms content at the speed of its consumer. @throws NodeError FILE_INVALID; the errors of the content. */
async function* through(
  content: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array, void, undefined> {
  const transformed = pipeline(Readable.from(content, { objectMode: false }), transform, () => undefined);
  try {
    for await (const piece of transformed) if (piece instanceof Uint8Array) yield piece;
  } catch (error) {
    if (!types.isNativeError(error) || !('code' in error) || !String(error.code).startsWith('Z_')) throw error;
    throw new NodeError('FILE_INVALID', `the file is not gzip: ${error.message}`, { isRetryable: false });
  }
}

async function* limited(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = maxBytes;
  for await (const piece of content) {
    left -= piece.byteLength;
    if (left < 0) throw limitReached(`has more than ${maxBytes} bytes`);
    yield piece;
  }
}
