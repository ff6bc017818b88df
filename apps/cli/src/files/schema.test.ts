import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSchema } from './schema.js';

const PUBLISHED = join(import.meta.dirname, '../../../../docs/workflow-file.schema.json');

describe('the JSON Schema of files', () => {
  it('is published (CLI_ACCEPT=1 writes it)', async () => {
    const text = `${JSON.stringify(fileSchema([]), null, 2)}\n`;
    if (process.env.CLI_ACCEPT !== undefined) await writeFile(PUBLISHED, text);
    else expect(await readFile(PUBLISHED, 'utf8')).toBe(text);
  });
});
