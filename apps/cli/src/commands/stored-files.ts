import { ExitError } from '@deckhand/terminal';
import { Command } from 'commander';
import { createWriteStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../context.ts';

interface UploadOptions {
  readonly name?: string;
  readonly type?: string;
}

/** Creates `files`, which exchanges files with runs. */
export function filesCommand(context: Context): Command {
  return new Command('files')
    .summary('upload files for runs, and download those of runs')
    .addCommand(
      new Command('upload')
        .summary('upload a file for the input of a run')
        .description(
          'Prints the file as JSON, to be used in the input of a run that starts within 24 hours. The file is never held in memory ' +
            'as a whole.',
        )
        .argument('<workflow>', 'the workflow that will run: its id, exact name or slug')
        .argument('<path>', 'the file')
        .option('--name <name>', 'its name; by default that of the path')
        .option('--type <type>', 'its content type, such as application/pdf')
        .action((workflow: string, path: string, options: UploadOptions) => upload(context, workflow, path, options)),
    )
    .addCommand(
      new Command('download')
        .summary('download a file that a run names')
        .argument('<run>', 'the id of the run')
        .argument('<file>', 'the id of the file')
        .option('-o, --output <path>', 'write it to this path, which must not exist; the standard output by default')
        .action((run: string, file: string, options: { readonly output?: string }) =>
          download(context, run, file, options),
        ),
    )
    .addCommand(
      new Command('link')
        .summary('create a link to a file of a run, for people without a key')
        .argument('<run>', 'the id of the run')
        .argument('<file>', 'the id of the file')
        .option('--days <days>', 'for how long it is valid, up to 30', '7')
        .option('--name <name>', 'what a browser saves the file as')
        .action((run: string, file: string, options: LinkOptions) => link(context, run, file, options)),
    );
}

interface LinkOptions {
  readonly days: string;
  readonly name?: string;
}

async function link(context: Context, run: string, file: string, { days, name }: LinkOptions): Promise<void> {
  const expiresInSeconds = Math.round(Number(days) * 86_400);
  if (!Number.isFinite(expiresInSeconds)) throw new ExitError('--days takes a number');
  const { deckhand } = await context.connect();
  context.output.json(await deckhand.files.link(run, file, { expiresInSeconds, ...(name !== undefined && { name }) }));
}

async function upload(
  context: Context,
  workflow: string,
  path: string,
  { name = basename(path), type }: UploadOptions,
): Promise<void> {
  const content = await openFile(path);
  const connection = await context.connect();
  const workflowId = await connection.workflowId(workflow);
  const options = { name, ...(type !== undefined && { contentType: type }) };
  context.output.json(await connection.deckhand.files.upload(workflowId, content, options));
}

/** @throws ExitError */
async function openFile(path: string): Promise<Blob> {
  try {
    // Some versions of Node.js throw at once, although it returns a promise.
    return await openAsBlob(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

async function download(
  context: Context,
  run: string,
  file: string,
  { output }: { readonly output?: string },
): Promise<void> {
  const { deckhand } = await context.connect();
  const content = Readable.fromWeb(await deckhand.files.download(run, file));
  if (output === undefined) {
    await pipeline(content, process.stdout, { end: false });
    return;
  }
  const target = createWriteStream(output, { flags: 'wx' });
  target.once('error', () => content.destroy());
  await pipeline(content, target).catch((error: unknown) => {
    throw isSystemError(error) ? unusable(output, error) : error;
  });
  context.output.message(`Wrote ${output}.`);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function unusable(path: string, error: unknown): ExitError {
  return new ExitError(`${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
}
