import { compileLenientCheck, N8nTable } from '@deckhand/contracts';
import { readdirSync, readFileSync } from 'node:fs';
import { parseDocument } from './document.ts';

const FOLDER = new URL('../packs/', import.meta.url);
const FILE = 'n8n.yaml';

const checkTable = compileLenientCheck(N8nTable);
let tables: readonly N8nTable[] | undefined;

/**
 * Returns what the built-in packs do in place of nodes of n8n. The files are part of the service, small, and read once.
 * @throws Error for a file of another form.
 */
export function n8nTables(): readonly N8nTable[] {
  tables ??= readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^[^/\\]+[/\\]n8n\.yaml$/.test(path))
    .toSorted()
    .map(readTable);
  return tables;
}

function readTable(path: string): N8nTable {
  const checked = checkTable(parseDocument(readFileSync(new URL(path, FOLDER), 'utf8')));
  if ('issues' in checked) throw new Error(`${path} is not a table of ${FILE}: ${JSON.stringify(checked.issues)}`);
  return checked.value;
}
