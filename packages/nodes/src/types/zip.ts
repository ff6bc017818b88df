import {
  type FileValue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ValidationIssue,
  mediaTypeFor,
} from '@deckhand/contracts';
import { defineNodeType, type NodeFiles, output } from '@deckhand/engine';
import { nextSlice } from '@deckhand/runtime';
import { posix } from 'node:path';
import Type from 'typebox';
import { FileNameParameter, FileParameter, fileSource, limitReached } from '../files/file-source.ts';
import { readZip } from '../files/zip-reader.ts';
import { writeZip, type ZippedFile } from '../files/zip-writer.ts';
import { checkResultLength } from '../text/limit.ts';

/** Maximum number of files that are extracted or packed: each is a value in the output or the input. */
const MAX_FILES = 1_000;
/** Default limit of what is extracted, in bytes. */
const MAX_BYTES = 1_073_741_824;
/** How many entries are listed before other work runs. */
const ENTRIES_PER_SLICE = 500;

export default defineNodeType({
  type: 'zip',
  title: 'ZIP archive',
  description:
    'Lists the files of a zip archive, extracts them or makes one. `list` returns `{ entries }`: names, sizes and times. `extract` returns `{ files, names }`: all files, or those with given names, and their names with folders. `create` returns the archive as a file. An archive with a name that leads out of it, such as ../a, is refused. Archives of any size are read piece by piece; more than 20,000 entries fail.',
  keywords: ['unzip', 'archive', 'compress', 'extract', 'pack', 'unpack'],
  category: 'data',
  icon: 'folder',
  summary: '{operation}',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['list', 'extract', 'create'], { description: 'What to do' }),
      file: Type.Optional(FileParameter('For `list` and `extract`: the archive')),
      names: Type.Optional(
        Type.Array(Type.String({ maxLength: 1_000 }), {
          maxItems: MAX_FILES,
          description: 'For `extract`: the names of the files; all files without it',
        }),
      ),
      maxBytes: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_099_511_627_776,
          default: MAX_BYTES,
          description: 'For `extract`: more bytes in total fail the node',
        }),
      ),
      files: Type.Optional(
        Type.Unsafe<readonly JsonValue[]>({
          type: 'array',
          maxItems: MAX_FILES,
          description:
            'For `create`: at most 1,000 files; one with a `name` beside its `file` has that name, which may have folders',
        }),
      ),
      fileName: FileNameParameter('archive.zip'),
    },
    { additionalProperties: false },
  ),
  form: {
    inputs: { file: 'expression', files: 'expression' },
    shownFor: {
      file: { operation: ['list', 'extract'] },
      names: { operation: ['extract'] },
      maxBytes: { operation: ['extract'] },
      files: { operation: ['create'] },
      fileName: { operation: ['create'] },
    },
  },
  check({ operation, file, files }): ValidationIssue[] {
    if (operation === 'create') return files === undefined ? [{ path: 'files', message: 'is required by create' }] : [];
    return file === undefined ? [{ path: 'file', message: 'is required' }] : [];
  },
  errors: [
    'FILE_INVALID',
    'FILE_LIMIT',
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'MEMORY_EXCEEDED',
    'RESULT_TOO_LARGE',
    'STORAGE_FULL',
  ],
  async run(parameters, { files, now, signal }) {
    const { operation, file, names, maxBytes = MAX_BYTES } = parameters;
    switch (operation) {
      case 'list':
        return output({ entries: await list(file, files, signal) });
      case 'extract':
        return output(await extract(file, files, { names: names && new Set(names), maxBytes, signal }));
      case 'create': {
        const packed: ZippedFile[] = [];
        for (const [index, value] of (parameters.files ?? []).entries())
          packed.push(await toZipped(value, index, files));
        const name = parameters.fileName ?? 'archive.zip';
        const archive = writeZip(withoutDoubles(packed), new Date(now()));
        return output(await files.save(archive, { name, contentType: 'application/zip' }));
      }
    }
  },
  example: {
    trigger: { file: { base64: 'aGVsbG8=', contentType: 'text/plain', filename: 'hello.txt' } },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'pack', type: 'zip', parameters: { operation: 'create', files: ['{{ $trigger.file }}'] } },
        { id: 'unpack', type: 'zip', parameters: { operation: 'extract', file: '{{ $input }}' } },
      ],
      edges: [
        { source: 'start', target: 'pack' },
        { source: 'pack', target: 'unpack' },
      ],
    },
    outputs: {
      unpack: {
        files: [
          {
            file: {
              id: '00000000-0000-7000-8000-000000000002',
              name: 'hello.txt',
              contentType: 'text/plain',
              bytes: 5,
              sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
            },
          },
        ],
        names: ['hello.txt'],
      },
    },
  },
});

async function list(
  file: JsonValue | undefined,
  files: NodeFiles,
  signal: () => AbortSignal,
): Promise<readonly JsonObject[]> {
  const entries: JsonObject[] = [];
  let length = 0;
  for await (const { name, bytes, compressedBytes, modifiedAt } of readZip(fileSource(file, files))) {
    length += name.length + 100;
    checkResultLength(length);
    entries.push({ name, bytes, compressedBytes, modifiedAt: modifiedAt.toISOString() });
    if (entries.length % ENTRIES_PER_SLICE === 0) await nextSlice(signal());
  }
  return entries;
}

interface Extraction {
  readonly names: ReadonlySet<string> | undefined;
  readonly maxBytes: number;
  readonly signal: () => AbortSignal;
}

/** Stores the files of an archive under their names without folders. @returns them, and their names with folders. */
async function extract(
  file: JsonValue | undefined,
  files: NodeFiles,
  { names, maxBytes, signal }: Extraction,
): Promise<{ files: FileValue[]; names: string[] }> {
  const extracted: FileValue[] = [];
  const extractedNames: string[] = [];
  let left = maxBytes;
  /** Counts what is really there: sizes in archives may be wrong. */
  async function* counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of content) {
      left -= piece.byteLength;
      if (left < 0) throw limitReached(`has more than ${maxBytes} bytes in its files`);
      signal().throwIfAborted();
      yield piece;
    }
  }
  let seen = 0;
  for await (const { name, open } of readZip(fileSource(file, files))) {
    seen += 1;
    if (seen % ENTRIES_PER_SLICE === 0) await nextSlice(signal());
    if (name.endsWith('/') || names?.has(name) === false) continue;
    if (extracted.length === MAX_FILES) throw limitReached(`has more than ${MAX_FILES} files: name some of them`);
    const about = { name: posix.basename(name), contentType: mediaTypeFor(name) };
    extracted.push(await files.save(counted(await open()), about));
    extractedNames.push(name);
  }
  return { files: extracted, names: extractedNames };
}

/** Returns a file to pack, and the name that it gets in the archive. */
async function toZipped(value: JsonValue, index: number, files: NodeFiles): Promise<ZippedFile> {
  const { name, file } = isJsonObject(value) ? value : {};
  const isNamed = typeof name === 'string' && file !== undefined;
  const source = fileSource(isNamed ? { file } : value, files, `files[${index}]`);
  const ownName = source.name === '' ? `file-${index + 1}` : source.name;
  const { bytes } = await source.open();
  return { name: isNamed ? name : ownName, bytes, open: async () => (await source.open()).content };
}

/** Returns files with names that differ: the second `a.txt` becomes `a (2).txt`. */
function withoutDoubles(packed: readonly ZippedFile[]): readonly ZippedFile[] {
  const taken = new Set<string>();
  return packed.map((file) => {
    const { dir, name: base, ext } = posix.parse(file.name);
    let name = file.name;
    for (let number = 2; taken.has(name); number += 1) name = posix.join(dir, `${base} (${number})${ext}`);
    taken.add(name);
    return { ...file, name };
  });
}
