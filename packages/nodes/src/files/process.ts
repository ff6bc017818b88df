/** The process that does one job with one file: input, output and error output, and the result on the fourth pipe. */
import { writeFileSync, writeSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
import { FileFailure, type FileJob, MAX_PROCESS_BYTES, MEMORY_MARK, parseOwn } from './file-job.ts';

/** How often memory is measured, in ms: a process allocates some 100 MB in this time. */
const WATCH_MS = 25;
const [ERRORS, RESULTS] = [2, 3];

/** Ends the process when it takes too much memory, or when nobody waits for it. Runs on a thread that no job blocks. */
function watch(): void {
  const parent = process.ppid;
  setInterval(() => {
    const isTooLarge = process.memoryUsage.rss() > MAX_PROCESS_BYTES;
    if (isTooLarge) writeSync(ERRORS, MEMORY_MARK);
    if (isTooLarge || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, WATCH_MS);
}

async function work(job: FileJob): Promise<unknown> {
  switch (job.kind) {
    case 'documentText': {
      const { documentText } = await import('./document-text.ts');
      return documentText(await readInput(), job.format);
    }
    case 'readSheet': {
      const { readSheet } = await import('./sheets.ts');
      return readSheet(await readInput(), job, process.stdout);
    }
    case 'writeSheet': {
      const { writeSheet } = await import('./sheets.ts');
      return writeSheet(await readInput(), job, process.stdout);
    }
    case 'image': {
      const { convertImage } = await import('./image.ts').catch(requireSharp);
      return convertImage(await readInput(), job, process.stdout);
    }
    case 'connector': {
      const { composeTexts } = await import('../connectors/compose-texts.ts');
      const input = await readInput();
      const [pack, document] = [input.subarray(0, job.packBytes), input.subarray(job.packBytes)];
      const [name, nameOfDocument] = job.names;
      const composed = composeTexts({
        pack: { name, text: pack.toString() },
        document: { name: nameOfDocument, text: document.toString() },
      });
      process.stdout.write(JSON.stringify(composed));
      return null;
    }
  }
}

/** Packages of clients leave sharp to those who need it, because of its size. */
function requireSharp(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
  throw new FileFailure(
    'FILE_INVALID',
    'the file cannot be read: images need the package sharp beside this program (npm install sharp), or give the node a mock',
  );
}

async function readInput(): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns why a job has failed. What libraries throw is about the file. */
function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof FileFailure) return { code: error.code, message: error.message };
  return { code: 'FILE_INVALID', message: `the file cannot be read: ${error instanceof Error ? error.message : ''}` };
}

async function run(job: FileJob): Promise<void> {
  const answer = await work(job).then((result) => ({ result }), failureOf);
  writeFileSync(RESULTS, JSON.stringify(answer));
  // The bytes that the job wrote are on their way.
  process.stdout.end(() => process.exit());
}

if (isMainThread) {
  new Worker(new URL(import.meta.url)).unref();
  await run(parseOwn(process.argv[2] ?? ''));
} else {
  watch();
}
