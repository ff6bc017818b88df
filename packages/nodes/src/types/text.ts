import type { JsonValue, ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import { charsetOf } from '@deckhand/runtime';
import type { TextDecoder } from 'node:util';
import Type from 'typebox';
import {
  CharsetParameter,
  decoderFor,
  FileNameParameter,
  FileParameter,
  fileSource,
  readBytes,
  readText,
  saveText,
} from '../files/file-source.ts';

/** Maximum number of files that are joined. */
const MAX_FILES = 10_000;
/** Enough to find the charset that a document declares. */
const START_BYTES = 1_024;

export default defineNodeType({
  type: 'text',
  title: 'Text file',
  description:
    'Makes a text of a file, or a file of a text. `read` returns `{ text }`; `write` returns a file. `convert` returns the file in UTF-8, and `join` one file with the bytes of several: both take files of any size. Charsets have the names of the WHATWG standard. A charset that lacks a character of the text fails the node.',
  keywords: ['charset', 'encoding', 'utf-8', 'convert', 'concatenate', 'append', 'string', 'txt'],
  category: 'data',
  icon: 'file',
  summary: '{operation}',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['read', 'write', 'convert', 'join'], { description: 'What to do' }),
      file: Type.Optional(FileParameter('For `read` and `convert`')),
      text: Type.Optional(Type.String({ description: 'For `write`: the content of the file' })),
      files: Type.Optional(
        Type.Unsafe<readonly JsonValue[]>({
          type: 'array',
          minItems: 1,
          maxItems: MAX_FILES,
          description: 'For `join`: the files, such as the outputs of a loop',
        }),
      ),
      charset: CharsetParameter,
      fileName: FileNameParameter('text.txt'),
      contentType: Type.Optional(
        Type.String({
          pattern: '^[\\w.+-]+/[\\w.+-]+$',
          maxLength: 100,
          default: 'text/plain',
          description: 'For a new file: its media type; that of the first file by default for `convert` and `join`',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  form: {
    inputs: { file: 'expression', files: 'expression' },
    shownFor: {
      file: { operation: ['read', 'convert'] },
      text: { operation: ['write'] },
      files: { operation: ['join'] },
      charset: { operation: ['read', 'write', 'convert'] },
      fileName: { operation: ['write', 'convert', 'join'] },
      contentType: { operation: ['write', 'convert', 'join'] },
    },
  },
  check({ operation, file, files, text }): ValidationIssue[] {
    const required = (path: string, value: JsonValue | undefined): ValidationIssue[] =>
      value === undefined ? [{ path, message: 'is required by this operation' }] : [];
    if (operation === 'write') return required('text', text);
    return operation === 'join' ? required('files', files) : required('file', file);
  },
  errors: ['FILE_NOT_FOUND', 'FILE_TOO_LARGE', 'MEMORY_EXCEEDED', 'STORAGE_FULL', 'TEXT_TOO_LARGE'],
  async run({ operation, file, text = '', files: parts = [], charset, fileName, contentType }, { files }) {
    switch (operation) {
      case 'read':
        return output({ text: await readText(fileSource(file, files), charset) });
      case 'write': {
        const about = { name: fileName ?? 'text.txt', contentType: contentType ?? 'text/plain', charset };
        return output(await saveText(files, text, about));
      }
      case 'convert': {
        const source = fileSource(file, files);
        const start = await readBytes(source, START_BYTES, { from: 0, until: START_BYTES });
        const decoder = decoderFor(charset ?? charsetOf(start, source.contentType));
        const type = contentType ?? source.contentType.replace(/;.*/s, '');
        return output(
          await files.save(inUtf8((await source.open()).content, decoder), {
            name: fileName ?? source.name,
            contentType: type,
          }),
        );
      }
      case 'join': {
        const sources = parts.map((part, index) => fileSource(part, files, `files[${index}]`));
        const [first] = sources;
        const about = { name: fileName ?? first?.name ?? '', contentType: contentType ?? first?.contentType };
        return output(await files.save(joined(sources), about));
      }
    }
  },
  example: {
    trigger: { file: { base64: 'R3LDvMOfZQ==', contentType: 'text/plain', filename: 'hello.txt' } },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'read', type: 'text', parameters: { operation: 'read', file: '{{ $trigger.file }}' } },
        {
          id: 'write',
          type: 'text',
          parameters: { operation: 'write', text: '{{ $input.text }}', charset: 'windows-1252', fileName: 'hello.txt' },
        },
      ],
      edges: [
        { source: 'start', target: 'read' },
        { source: 'read', target: 'write' },
      ],
    },
    outputs: { read: { text: 'Grüße' } },
  },
});

async function* inUtf8(
  content: AsyncIterable<Uint8Array>,
  decoder: TextDecoder,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of content) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* joined(sources: readonly ReturnType<typeof fileSource>[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const source of sources) yield* (await source.open()).content;
}
