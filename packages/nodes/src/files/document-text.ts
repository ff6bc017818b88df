import { FileFailure } from './file-job.ts';

/** Maximum length of a text, in characters: what a node may return. */
const MAX_TEXT = 5_000_000;
/** Maximum depth of elements of HTML whose text is read. */
const MAX_DEPTH = 500;

/** The text of a document. */
export interface DocumentText {
  readonly text: string;
  /** Number of pages; null where there are none. */
  readonly pages: number | null;
}

/** Reads the text of a document. HTML is in UTF-8. Runs in a process of its own. */
export async function documentText(bytes: Uint8Array, format: 'pdf' | 'docx' | 'html'): Promise<DocumentText> {
  const read = { pdf: pdfText, docx: docxText, html: htmlText }[format];
  const document = await read(bytes);
  if (document.text.length <= MAX_TEXT) return document;
  throw new FileFailure('RESULT_TOO_LARGE', `the text has more than ${MAX_TEXT} characters`);
}

/** A form feed is between two pages. */
async function pdfText(bytes: Uint8Array): Promise<DocumentText> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const { text, totalPages } = await extractText(pdf, { mergePages: false });
  return { text: text.join('\n\f'), pages: totalPages };
}

async function docxText(bytes: Uint8Array): Promise<DocumentText> {
  const { default: mammoth } = await import('mammoth');
  const { value } = await mammoth.extractRawText({ buffer: Buffer.from(bytes) });
  return { text: value, pages: null };
}

/** Lines are not wrapped; addresses of links and images are left out. */
async function htmlText(bytes: Uint8Array): Promise<DocumentText> {
  const { convert } = await import('html-to-text');
  const text = convert(new TextDecoder().decode(bytes), {
    wordwrap: false,
    limits: { maxInputLength: MAX_TEXT, maxDepth: MAX_DEPTH },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    ],
  });
  return { text, pages: null };
}
