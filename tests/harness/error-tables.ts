import {
  ERROR_TEXTS,
  type ErrorCode,
  ERRORS,
  ERRORS_OF_CREDENTIALS,
  ERRORS_OF_EVERY_NODE,
  NODE_ERRORS,
  type NodeErrorCode,
  RUN_ERROR_TEXTS,
} from '@deckhand/contracts';
import { cell, code } from './schema-text.ts';

const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] =>
  Object.keys(record).filter((key): key is Key => Object.hasOwn(record, key));

/** Returns the page about errors with its tables as the catalogues have them: tables stand below their headings. */
export function errorsPage(page: string): string {
  const every = new Set<string>([...ERRORS_OF_EVERY_NODE, ...ERRORS_OF_CREDENTIALS]);
  const tables = [
    requestTable(),
    runTable(),
    nodeErrorTable(ERRORS_OF_EVERY_NODE, ''),
    nodeErrorTable(ERRORS_OF_CREDENTIALS, ''),
    nodeErrorTable(
      keysOf(NODE_ERRORS).filter((name) => !every.has(name)),
      '',
    ),
  ];
  return page.replaceAll(/(?:^\|.*\n)+/gm, (table) => {
    const next = tables.shift();
    return next === undefined ? table : `${next}\n`;
  });
}

function requestTable(): string {
  const rows = keysOf<ErrorCode>(ERRORS).map((name) => {
    const { when, retry } = ERROR_TEXTS[name];
    return [String(ERRORS[name].status), code(name), when, retry];
  });
  return tableOf(['status', 'code', 'when', 'try again'], rows);
}

function runTable(): string {
  const rows = keysOf(RUN_ERROR_TEXTS).map((name) => [code(name), RUN_ERROR_TEXTS[name]]);
  return tableOf(['code', 'when'], rows);
}

/** Returns a table of failures of nodes. @param root where the folder of docs is, for links. */
export function nodeErrorTable(codes: readonly NodeErrorCode[], root: string): string {
  const rows = codes.map((name) => {
    const { when, retry } = NODE_ERRORS[name];
    return [code(name), when.replaceAll(/\]\((?=[a-z])/g, `](${root}`), retry];
  });
  return tableOf(['code', 'when', 'tried again by `retry`'], rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
}
