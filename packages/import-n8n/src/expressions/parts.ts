import type { Source } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { lookup } from '../workflow.ts';

/** A part of an expression: its text, and what it is. */
export type Part =
  | { readonly kind: 'data' | 'date' | 'nodes' | 'DateTime'; readonly text: string }
  | { readonly kind: 'item'; readonly text: string; readonly files?: Files }
  | { readonly kind: 'files' | 'file'; readonly text: string }
  | { readonly kind: 'duration'; readonly text: string; readonly unit: string }
  | { readonly kind: 'source'; readonly source: Source; readonly name?: string };

/** The files of an item, and the stub that they come from. */
export type Files = Pick<Source, 'files' | 'filesOf'>;

/** Returns a part that is data. */
export const data = (text: string): Part => ({ kind: 'data', text });
/** Returns a part that is a date. */
export const date = (text: string): Part => ({ kind: 'date', text });

/** Returns the text of a part that is data. */
export function textOf(part: Part): string {
  switch (part.kind) {
    case 'data':
    case 'date':
      return part.text;
    case 'files':
      return `(${part.text} ?? {})`;
    case 'file':
      return `(${part.text} ? { fileName: ${memberOfFile(part.text, 'fileName')}, mimeType: ${memberOfFile(part.text, 'mimeType')} } : undefined)`;
    default:
      return unsupported('an expression returns an item or a node of n8n as a whole');
  }
}

/** What members of files are called here: in a file within the JSON, and in one of the store. */
const FILE_MEMBERS: Readonly<Record<string, readonly [string, string]>> = {
  fileName: ['filename', 'name'],
  mimeType: ['contentType', 'contentType'],
};

/** Returns an expression for a member of a file. @throws UnsupportedError */
export function memberOfFile(file: string, name: string | undefined): string {
  const [within, stored] = lookup(FILE_MEMBERS, name) ?? unsupported(`"${name ?? ''}" of a file has no equivalent`);
  return `(${file}?.${within} ?? ${file}?.file?.${stored})`;
}
