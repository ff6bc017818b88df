import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import writeWorkbook from 'write-excel-file/universal';
import { type ArchiveParts, pdf, wordParts } from '../../../../tests/harness/documents.ts';
import type { FileJob } from './file-job.ts';
import { createFileProcesses, NODE_OPTIONS, workOnFile } from './file-process.ts';
import { once } from './file-source.ts';
import { writeZip } from './zip-writer.ts';

const processes = createFileProcesses(2);

/** Does a job on bytes. @returns its result, and what it wrote. */
async function work(
  job: FileJob,
  bytes: Uint8Array | string,
  { maxMs, signal = new AbortController().signal }: { maxMs?: number; signal?: AbortSignal } = {},
): Promise<{ result: JsonValue; written: Buffer }> {
  const pieces: Uint8Array[] = [];
  const { result } = await workOnFile({
    processes,
    workspaceId: 'workspace',
    executionId: 'run',
    job,
    content: once(Buffer.from(bytes)),
    async save(content) {
      for await (const piece of content) pieces.push(piece);
      return null;
    },
    ...(maxMs !== undefined && { maxMs }),
    signal,
  });
  return { result, written: Buffer.concat(pieces) };
}

async function zip(parts: ArchiveParts): Promise<Buffer> {
  const files = Object.entries(parts).map(([name, text]) => {
    const bytes = Buffer.from(text);
    return { name, bytes: bytes.length, open: () => Promise.resolve(once(bytes)) };
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of writeZip(files, new Date(0))) pieces.push(piece);
  return Buffer.concat(pieces);
}

const HTML: FileJob = { kind: 'documentText', format: 'html' };
const PDF: FileJob = { kind: 'documentText', format: 'pdf' };
const DOCX: FileJob = { kind: 'documentText', format: 'docx' };
const SHEET: FileJob = { kind: 'readSheet', sheet: 1, to: 'rows' };
const IMAGE: FileJob = { kind: 'image', format: 'png', fit: 'inside', enlarge: false };

describe('files in a process of their own', () => {
  it('have their text read', async () => {
    expect((await work(HTML, '<h1>Hi</h1><p>a <b>b</b><script>x</script>')).result).toMatchObject({
      text: 'Hi\n\na b',
    });
    expect((await work(PDF, pdf('BT /F1 24 Tf 50 100 Td (Hello World) Tj ET'))).result).toEqual({
      text: 'Hello World',
      pages: 1,
    });
    const document = await zip(wordParts('<w:p><w:r><w:t>Grüße</w:t></w:r></w:p>'));
    expect((await work(DOCX, document)).result).toEqual({ text: 'Grüße\n\n', pages: null });
  });

  it('are workbooks that are written and read', async () => {
    const rows = [
      ['id', 'text', 'is'],
      [1, '=1+1', true],
      [null, 'a,"b"', null],
    ];
    const { written } = await work({ kind: 'writeSheet', sheet: 'S' }, JSON.stringify(rows));
    expect((await work(SHEET, written)).result).toEqual({ rows });
    expect((await work({ ...SHEET, to: 'csv' }, written)).written.toString()).toBe(
      'id,text,is\n1,=1+1,true\n,"a,""b""",\n',
    );
    expect((await work({ ...SHEET, sheet: 'S' }, written)).result).toEqual({ rows });
  });

  it('are workbooks whose sheets have a name before they have a number', async () => {
    const rows = [[1]];
    const { written } = await work({ kind: 'writeSheet', sheet: '2024' }, JSON.stringify(rows));
    for (const sheet of ['2024', '1']) expect((await work({ ...SHEET, sheet }, written)).result).toEqual({ rows });
    await expect(work({ ...SHEET, sheet: '2' }, written)).rejects.toMatchObject({ code: 'FILE_INVALID' });
  });

  it('have dates without a time zone', async () => {
    const dates = [new Date('2026-11-27T00:00:00Z'), new Date('2026-11-27T10:30:00Z')];
    const blob = await writeWorkbook([dates], { dateFormat: 'yyyy-mm-dd' }).toBlob();
    const { result } = await work(SHEET, new Uint8Array(await blob.arrayBuffer()));
    expect(result).toEqual({ rows: [['2026-11-27', '2026-11-27T10:30:00']] });
  });

  it('are images that are turned upright, scaled and converted', async () => {
    const create = { width: 40, height: 20, channels: 3, background: 'red' } as const;
    const photo = await sharp({ create }).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { written } = await work({ ...IMAGE, format: 'webp', width: 10 }, photo);
    expect(await sharp(written).metadata()).toMatchObject({ format: 'webp', width: 10, height: 20 });
  });
});

describe('a process', () => {
  it.each(['/proc/self/environ', '/etc/hostname', process.execPath])('cannot read %s', (path) => {
    const code = `console.log(process.permission.has('fs.read', ${JSON.stringify(path)}))`;
    const { stdout } = spawnSync(process.execPath, [...NODE_OPTIONS, '-e', code], { env: {}, encoding: 'utf8' });
    expect(stdout).toBe('false\n');
  });

  it('that takes too long ends with its node', async () => {
    await expect(work(HTML, '<p>', { maxMs: 1 })).rejects.toMatchObject({ code: 'FILE_LIMIT', isRetryable: false });
  });

  it('of a stopped run ends at once, also while it waits for its turn', async () => {
    for (const when of [() => undefined, () => new Promise((resolve) => setImmediate(resolve))]) {
      const abort = new AbortController();
      const working = work(HTML, '<p>', { signal: abort.signal });
      await when();
      abort.abort(new Error('stopped'));
      await expect(working).rejects.toThrow('stopped');
    }
  });

  it('ends with the error of its content, and of what stores its bytes', async () => {
    const given = { processes, workspaceId: 'w', executionId: 'r', job: HTML, signal: new AbortController().signal };
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('<p>');
      await Promise.resolve();
      throw new Error('no more');
    }
    await expect(workOnFile({ ...given, content: broken() })).rejects.toThrow('no more');
    const save = (): Promise<never> => Promise.reject(new Error('full'));
    await expect(workOnFile({ ...given, content: once(Buffer.from('<p>')), save })).rejects.toThrow('full');
  });

  it('that the system refuses to start leaves the worker running, and its turn to the next one', async () => {
    const alone = createFileProcesses(1);
    const signal = new AbortController().signal;
    const given = { processes: alone, workspaceId: 'w', executionId: 'r', signal };
    // Longer than Linux allows for an argument: the refusal is thrown.
    const job: FileJob = { kind: 'writeSheet', sheet: 'x'.repeat(200_000) };
    const refused = workOnFile({ ...given, job, content: once(Buffer.from('[]')) });
    await expect(refused).rejects.toMatchObject({ code: 'MEMORY_EXCEEDED', isRetryable: true });
    const { result } = await workOnFile({ ...given, job: HTML, content: once(Buffer.from('<p>a')) });
    expect(result).toMatchObject({ text: 'a' });
  });

  it('that finds no free file descriptor leaves the worker running', () => {
    // The refusal is an event, in a process that may open few files.
    const script = `
      import { closeSync, openSync } from 'node:fs';
      import { createFileProcesses, workOnFile } from ${JSON.stringify(import.meta.resolve('./file-process.ts'))};
      const work = () => workOnFile({
        processes, workspaceId: 'w', executionId: 'r', job: ${JSON.stringify(HTML)},
        content: (async function* () { yield Buffer.from('<p>a'); })(), signal: new AbortController().signal,
      });
      const processes = createFileProcesses(1);
      const open = [];
      try {
        while (true) open.push(openSync('/dev/null'));
      } catch {}
      const failed = await work().catch(({ code, isRetryable }) => ({ code, isRetryable }));
      open.forEach((one) => closeSync(one));
      console.log(JSON.stringify([failed, (await work()).result.text]));`;
    const limited = `ulimit -n 128; exec "$0" --input-type=module -e "$1"`;
    const { stdout, stderr } = spawnSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' });
    expect({ stdout, stderr }).toMatchObject({ stdout: '[{"code":"MEMORY_EXCEEDED","isRetryable":true},"a"]\n' });
  });

  it('that fails leaves nothing stored', async () => {
    let isStored = false;
    async function save(content: AsyncIterable<Uint8Array>): Promise<null> {
      for await (const _ of content);
      isStored = true;
      return null;
    }
    const signal = new AbortController().signal;
    const given = {
      processes,
      workspaceId: 'w',
      executionId: 'r',
      job: IMAGE,
      content: once(Buffer.from('hello')),
      save,
      signal,
    };
    await expect(workOnFile(given)).rejects.toMatchObject({ code: 'FILE_INVALID' });
    expect(isStored).toBe(false);
  });

  it('says that a file is of another format, or has no such sheet', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>';
    const sheet = (await work({ kind: 'writeSheet', sheet: 'S' }, '[[1]]')).written;
    const jobs: readonly (readonly [FileJob, Buffer | string])[] = [
      [PDF, 'hello'],
      [DOCX, 'hello'],
      [SHEET, 'hello'],
      [IMAGE, svg],
      [{ ...SHEET, sheet: 'T' }, sheet],
    ];
    for (const [job, bytes] of jobs)
      await expect(work(job, bytes)).rejects.toMatchObject({ code: 'FILE_INVALID', isRetryable: false });
  });
});
