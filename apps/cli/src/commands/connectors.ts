import { pagesByOffset } from '@deckhand/sdk';
import {
  type ConnectorResponse,
  createConnector,
  deleteConnector,
  listConnectors,
  type CreateConnectorBody,
} from '@deckhand/sdk/operations';
import { misused, table } from '@deckhand/terminal';
import { Command } from 'commander';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { take } from '../take.ts';

interface PushOptions {
  readonly name?: string;
  readonly version?: string;
}

const PACK = /^pack\.(ya?ml|json)$/;
const DOCUMENT = /^(openapi|swagger)\.(ya?ml|json)$/;
const SOURCE = [
  '<path>',
  'a folder with pack.yaml and openapi.yaml (or .json), or an OpenAPI document alone, all of whose operations are shown',
] as const;
const NAME = ['--name <name>', 'of a document alone: the name of its connector'] as const;
const VERSION = [
  '--connector-version <version>',
  'of a document alone: the version of its connector, such as 1.0.0',
] as const;

/** Creates `connectors`, which manages the services whose operations nodes call. */
export function connectorsCommand(context: Context): Command {
  return new Command('connectors')
    .summary('list, check and publish connectors')
    .addCommand(listCommand(context))
    .addCommand(
      new Command('check')
        .summary('have the instance check a connector')
        .description('Lists the operations that the connector would have. It changes nothing.')
        .argument(...SOURCE)
        .option(...NAME)
        .option(...VERSION)
        .action(async (path: string, { name, connectorVersion }: Given) => {
          const { client, body } = await prepare(context, path, { name, version: connectorVersion });
          const { data } = await createConnector({ client, body, query: { dryRun: true }, throwOnError: true });
          context.output.result(data, () =>
            table(
              ['operation', 'title'],
              ('operations' in data ? data.operations : []).map(({ id, title }) => [id, title]),
              'No operations.',
            ),
          );
        }),
    )
    .addCommand(
      new Command('push')
        .summary('create a version of a connector')
        .description('A version never changes: after a change, give the pack another one.')
        .argument(...SOURCE)
        .option(...NAME)
        .option(...VERSION)
        .action(async (path: string, { name, connectorVersion }: Given) => {
          const { client, body } = await prepare(context, path, { name, version: connectorVersion });
          const { data } = await createConnector({ client, body, throwOnError: true });
          const created = 'connector' in data ? data.connector : data;
          context.output.result(data, () => [
            `Created connector ${created.name} ${created.version} with ${countOf(created.operationCount)}.`,
          ]);
        }),
    )
    .addCommand(
      new Command('delete')
        .summary('delete a version of a connector')
        .description('Nodes that call its operations fail from then on.')
        .argument('<name>', 'the name of the connector')
        .argument('<version>', 'its version')
        .action(async (name: string, version: string) => {
          const connection = await context.connect();
          const { client } = connection.deckhand;
          const query = { workspaceId: await connection.workspaceId() };
          await deleteConnector({ client, path: { name, version }, query, throwOnError: true });
          context.output.result({ name, version }, () => [`Deleted connector ${name} ${version}.`]);
        }),
    );
}

interface Given {
  readonly name?: string;
  readonly connectorVersion?: string;
}

function listCommand(context: Context): Command {
  return new Command('list').summary('names and versions, those of the workspace first').action(async () => {
    const connection = await context.connect();
    const { client } = connection.deckhand;
    const workspaceId = await connection.workspaceId();
    const entries: readonly ConnectorResponse[] = await take(
      pagesByOffset(async (position) => {
        return (await listConnectors({ client, query: { workspaceId, ...position }, throwOnError: true })).data;
      }),
    );
    context.output.result(entries, () =>
      table(
        ['name', 'version', 'title', 'operations', 'built in'],
        entries.map(({ name, version, title, operationCount, isBuiltIn }) => [
          ...[name, version, title, String(operationCount), isBuiltIn ? 'yes' : 'no'],
        ]),
        'No connectors.',
      ),
    );
  });
}

function countOf(operations: number): string {
  return operations === 1 ? '1 operation' : `${operations} operations`;
}

async function prepare(context: Context, path: string, options: PushOptions) {
  const files = await readSource(path, options);
  const connection = await context.connect();
  const body: CreateConnectorBody = { workspaceId: await connection.workspaceId(), ...files };
  return { client: connection.deckhand.client, body };
}

/** Reads a pack and its document, or a document alone. @throws ExitError for other paths. */
async function readSource(
  path: string,
  { name, version }: PushOptions,
): Promise<Omit<CreateConnectorBody, 'workspaceId'>> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
  if (isFolder === undefined) throw misused(`${path} does not exist.`);
  if (!isFolder) {
    if (name === undefined || version === undefined)
      throw misused('A document alone needs --name and --connector-version.');
    return { document: await readFile(path, 'utf8'), name, version };
  }
  // The pack of a folder has both: they would be ignored.
  if (name !== undefined || version !== undefined)
    throw misused('--name and --connector-version are for a document alone: pack.yaml has both for a folder.');
  const files = await readdir(path);
  const [pack, document] = [PACK, DOCUMENT].map((pattern) => files.find((file) => pattern.test(file)));
  if (pack === undefined || document === undefined)
    throw misused(`${path} needs a pack.yaml, and an openapi.yaml or openapi.json.`);
  return { pack: await readFile(join(path, pack), 'utf8'), document: await readFile(join(path, document), 'utf8') };
}
