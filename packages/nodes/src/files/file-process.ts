import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { type FileProcesses, NodeError } from '@deckhand/engine';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFairSemaphore } from '../code/fair-semaphore.ts';
import { parseForeignJson } from '../text/limit.ts';
import { FILE_FAILURES, type FileJob, MAX_PROCESS_BYTES, MEMORY_MARK } from './file-job.ts';
import { limitReached } from './file-source.ts';

/** Maximum duration of a process in ms. */
const MAX_MS = 60_000;
/** Size of V8's heap in a process, in MiB; buffers and native code take the rest of its memory. */
const HEAP_MIB = 320;
/** Maximum length of a result, in bytes. Its characters are counted when it is parsed. */
const MAX_RESULT_BYTES = 64 * 1_048_576;
/** How much of the error output of a process is kept, in bytes. */
const MAX_ERROR_BYTES = 8_192;

const PROCESS = fileURLToPath(import.meta.resolve('#file-process'));

/**
 * Returns the options that allow a program to read its own package, and the folders that Node.js looks for others in:
 * not the environment of other processes in /proc, nor anything else.
 */
function readingOf(program: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  const own = folders.find((folder) => existsSync(join(folder, 'package.json'))) ?? dirname(program);
  const modules = folders.map((folder) => join(folder, 'node_modules')).filter((folder) => existsSync(folder));
  return [own, ...modules].map((folder) => `--allow-fs-read=${join(folder, '*')}`);
}

/** Packages of the workspace that the process uses. In a bundle, they are parts of its own package. */
function readingOfWorkspace(): string[] {
  return ['@deckhand/connectors', '@deckhand/contracts'].flatMap((name) => {
    try {
      return readingOf(fileURLToPath(import.meta.resolve(name)));
    } catch {
      return [];
    }
  });
}

/**
 * Options of the processes. They get no environment, read nothing but programs, write no file and start no program. The
 * permissions of Node.js cover neither the network nor native code: what a file makes of a library could still open a
 * connection.
 */
export const NODE_OPTIONS = [
  '--no-warnings',
  '--permission',
  ...new Set([...readingOf(PROCESS), ...readingOfWorkspace()]),
  '--allow-worker',
  '--allow-addons',
  `--max-old-space-size=${HEAP_MIB}`,
];

/** Text becomes code in the process of connectors alone: checks of schemas are compiled. */
const NO_CODE = '--disallow-code-generation-from-strings';

/** Creates the processes that read files of others. @param count how many run at the same time. */
export function createFileProcesses(count: number): FileProcesses {
  return createFairSemaphore(count);
}

/** Work on a file whose author chooses what reading it costs. */
export interface FileWork {
  readonly processes: FileProcesses;
  /** Whose files share the processes fairly with those of others. */
  readonly workspaceId: string;
  readonly executionId: string;
  readonly job: FileJob;
  readonly content: AsyncIterable<Uint8Array>;
  /** Consumes the bytes that the job writes. Without it, they are dropped. */
  readonly save?: (content: AsyncIterable<Uint8Array>) => Promise<JsonValue>;
  readonly maxMs?: number;
  readonly signal: AbortSignal;
}

/** What the job returned, and what `save` made of the bytes that it wrote. */
export interface FileWorkResult {
  readonly result: JsonValue;
  readonly saved: JsonValue;
}

/**
 * Works on a file in a process of its own, with limits of time and memory. Whatever the file does to the code that
 * reads it ends this process alone, which is never used for another file.
 * @throws NodeError FILE_INVALID, FILE_LIMIT, PARAMETERS_INVALID, RESULT_TOO_LARGE, and MEMORY_EXCEEDED if the system
 * has no process to give, or ended it; the signal's reason; the errors of `content` and `save`.
 */
export async function workOnFile(work: FileWork): Promise<FileWorkResult> {
  const { processes, job, workspaceId, executionId, signal } = work;
  const release = await processes.acquire(workspaceId, signal, executionId);
  try {
    signal.throwIfAborted();
    return await supervise(await start(job), work);
  } finally {
    release();
  }
}

/** Starts a process. @throws NodeError MEMORY_EXCEEDED if the system refuses it. */
async function start(job: FileJob): Promise<ChildProcess> {
  try {
    const options = job.kind === 'connector' ? NODE_OPTIONS : [...NODE_OPTIONS, NO_CODE];
    const child = spawn(process.execPath, [...options, PROCESS, JSON.stringify(job)], {
      env: {},
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    // Some refusals are thrown, others are events, which end the worker if nobody listens.
    await once(child, 'spawn');
    return child;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NodeError('MEMORY_EXCEEDED', `the worker cannot start a process to read the file: ${reason}`);
  }
}

/** Has a process work on a file, and ends it with the signal, or when its time is up. */
async function supervise(child: ChildProcess, work: FileWork): Promise<FileWorkResult> {
  const { signal, maxMs = MAX_MS } = work;
  const overdue = new AbortController();
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => {
    overdue.abort(limitReached(`takes more than ${maxMs / 1_000} s to read`));
    kill();
  }, maxMs);
  signal.addEventListener('abort', kill, { once: true });
  try {
    signal.throwIfAborted();
    return await exchange(child, work);
  } catch (error) {
    signal.throwIfAborted();
    overdue.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    kill();
  }
}

/** Feeds a process, and takes what it writes until it ends. */
async function exchange(child: ChildProcess, { content, save }: FileWork): Promise<FileWorkResult> {
  const [input, output, errors, results] = pipesOf(child);
  const closed = once(child, 'close');
  const ended = Promise.all([closed, collect(results, MAX_RESULT_BYTES), collect(errors, MAX_ERROR_BYTES)]).then(
    ([[code, signal], result, errorText]) => {
      if (code !== 0) throw failureOf(signal, errorText.toString());
      return resultOf(result.toString());
    },
  );
  if (!save) output.resume();
  const [result, saved] = await Promise.all([ended, save?.(untilEnded(output, ended)) ?? null, feed(content, input)]);
  return { result, saved };
}

/** The input, the output, the error output and the results of a process. */
function pipesOf({
  stdin,
  stdout,
  stderr,
  stdio: [, , , results],
}: ChildProcess): [Writable, Readable, Readable, Readable] {
  if (!stdin || !stdout || !stderr || !results || !('read' in results)) throw new Error('the process has no pipes');
  return [stdin, stdout, stderr, results];
}

/** Writes all content. A process that reads no more of it, or is gone, says why by itself. */
async function feed(content: AsyncIterable<Uint8Array>, input: Writable): Promise<void> {
  input.on('error', () => undefined);
  for await (const chunk of content) {
    const error = await new Promise((resolve) => input.write(chunk, resolve));
    if (error) return;
  }
  input.end();
}

/** Yields what a process writes. @throws the error of a process that does not end well. */
async function* untilEnded(output: Readable, ended: Promise<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of output) {
    if (chunk instanceof Uint8Array) yield chunk;
  }
  await ended;
}

async function collect(pipe: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of pipe) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the result of a job. @throws NodeError for a job that has failed. */
function resultOf(text: string): JsonValue {
  const answer = parseForeignJson(text, 'the text of the file');
  if (!isJsonObject(answer)) throw new Error('the process returned no object');
  const { code, message, result = null } = answer;
  if (code === undefined) return result;
  const known = FILE_FAILURES.find((failure) => failure === code);
  throw new NodeError(known ?? 'FILE_INVALID', typeof message === 'string' ? message : '', { isRetryable: false });
}

/** Returns why a process has ended without a result. */
function failureOf(signal: unknown, errorText: string): NodeError {
  if (errorText.includes(MEMORY_MARK) || /heap out of memory|allocation failed/i.test(errorText)) {
    return limitReached(`takes more than ${MAX_PROCESS_BYTES / 1_048_576} MiB of memory to read`);
  }
  // Nobody else ends it this way but a system without memory.
  if (signal === 'SIGKILL') return new NodeError('MEMORY_EXCEEDED', 'the worker has no memory to read the file');
  const line = /^\w*Error: .*$/m.exec(errorText)?.[0] ?? String(signal);
  return new NodeError('FILE_INVALID', `the file breaks the program that reads it: ${line}`, { isRetryable: false });
}
