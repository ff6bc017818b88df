import { isJsonObject } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';
import { workOnFile } from '../files/file-process.ts';
import {
  CharsetParameter,
  type FileSource,
  FileParameter,
  fileSource,
  once,
  readBytes,
  readText,
  openWithin,
} from '../files/file-source.ts';

/** Maximum size of a document, in bytes. */
const MAX_BYTES = 52_428_800;
/** Enough to recognise a format by the start of a file. */
const START_BYTES = 1_024;

export default defineNodeType({
  type: 'document',
  title: 'Text of a document',
  description:
    'Returns `{ text, format, pages }` of a PDF, a Word document (.docx) or HTML. Pages of a PDF are separated by a form feed (\\f), and `pages` is their number; otherwise it is null. Pictures of texts are not recognised, and PDFs whose fonts need character maps of Chinese, Japanese or Korean that are not in the file have no text. The file is read by a process of its own, which takes at most 60 s and 512 MiB.',
  keywords: ['pdf', 'word', 'docx', 'html', 'extract text', 'invoice'],
  category: 'data',
  icon: 'search',
  summary: '{format}',
  hasEffects: false,
  parameters: Type.Object(
    {
      file: FileParameter('The document, at most 50 MB'),
      format: Type.Optional(
        Type.Enum(['auto', 'pdf', 'docx', 'html'], {
          default: 'auto',
          description: 'By default, the content and the media type decide',
        }),
      ),
      charset: CharsetParameter,
    },
    { additionalProperties: false },
  ),
  form: { inputs: { file: 'expression' } },
  errors: ['FILE_INVALID', 'FILE_LIMIT', 'FILE_NOT_FOUND', 'MEMORY_EXCEEDED', 'RESULT_TOO_LARGE', 'TEXT_TOO_LARGE'],
  async run({ file, format: given = 'auto', charset }, { files, services, signal, workspaceId, executionId }) {
    const source = fileSource(file, files);
    const format = given === 'auto' ? await formatOf(source) : given;
    // Its charset is that of what received it.
    const content =
      format === 'html' ? once(Buffer.from(await readText(source, charset))) : await openWithin(source, MAX_BYTES);
    const job = { kind: 'documentText', format } as const;
    const own = { processes: services.fileProcesses, workspaceId, executionId, signal: signal() };
    const { result } = await workOnFile({ ...own, job, content });
    return output({ ...(isJsonObject(result) ? result : {}), format });
  },
  example: {
    trigger: { file: { base64: 'PGgxPkhlbGxvPC9oMT48cD5BZGE=', contentType: 'text/html' } },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'read', type: 'document', parameters: { file: '{{ $trigger.file }}' } },
      ],
      edges: [{ source: 'start', target: 'read' }],
    },
    outputs: { read: { text: 'Hello\n\nAda', pages: null, format: 'html' } },
  },
});

/** @throws NodeError FILE_INVALID for a format that cannot be read. */
async function formatOf(source: FileSource): Promise<'pdf' | 'docx' | 'html'> {
  const start = (await readBytes(source, START_BYTES, { from: 0, until: START_BYTES })).toString('latin1');
  // Readers of PDF look for its mark in the first 1,024 bytes.
  if (start.includes('%PDF-')) return 'pdf';
  if (start.startsWith('PK')) return 'docx';
  if (/html/i.test(source.contentType) || /^\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)\b/i.test(start))
    return 'html';
  throw new NodeError('FILE_INVALID', 'the file is neither PDF nor a Word document (.docx) nor HTML', {
    isRetryable: false,
  });
}
