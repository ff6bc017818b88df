import { DeckhandError } from '@deckhand/sdk';
import {
  createWorkflow,
  type Definition,
  saveVersion,
  updateWorkflow,
  type WorkflowEntry,
} from '@deckhand/sdk/operations';
import { EXIT, fields, misused, readJson, table } from '@deckhand/terminal';
import { Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { issuesOf } from '../describe-error.ts';
import { isObject } from '../json.ts';
import { type Amount, pageSize, takeAmount, withAmount } from '../take.ts';
import { statusText, timeText } from '../format.ts';

interface ListOptions extends Amount {
  readonly status?: WorkflowEntry['status'];
  readonly search?: string;
}

interface ValidateOptions {
  readonly workflow?: string;
  readonly strict?: boolean;
}

interface SetOptions {
  readonly slug?: string;
  readonly managed?: boolean;
}

const WORKFLOW = 'its id, exact name or slug';

/** Creates `workflows`, which reads, checks and activates workflows. */
export function workflowsCommand(context: Context): Command {
  return new Command('workflows')
    .summary('list, read, check and activate workflows')
    .addCommand(
      withAmount(
        new Command('list')
          .summary('workflows of a workspace')
          .addOption(
            new Option('--status <status>', 'only those with a status').choices(['draft', 'active', 'inactive']),
          )
          .option('--search <text>', 'only those with a text in their name or description'),
        100,
      ).action((options: ListOptions) => listWorkflows(context, options)),
    )
    .addCommand(
      new Command('get')
        .summary('a workflow, with its latest definition')
        .argument('<workflow>', WORKFLOW)
        .option('--definition', 'print the definition alone, as JSON')
        .action((name: string, { definition }: { definition?: boolean }) => getWorkflow(context, name, definition)),
    )
    .addCommand(
      new Command('validate')
        .summary('check a definition without saving it')
        .description('Exits with 0 if it is valid, otherwise with 1 and a line for each issue.')
        .argument(
          '<file>',
          'a JSON file with a definition, or with a workflow as "workflows get --json" prints it; - for the standard input',
        )
        .option('--workflow <workflow>', 'check it as the next version of a workflow, by its id, exact name or slug')
        .option('--strict', 'fail on warnings')
        .action((file: string, options: ValidateOptions) => validate(context, file, options)),
    )
    .addCommand(
      new Command('set')
        .summary('change the slug of a workflow, or whether files define it')
        .argument('<workflow>', WORKFLOW)
        .option('--slug <slug>', 'its name in files: lower-case letters, digits and hyphens')
        .option('--managed', 'files define it: the console does not change it')
        .option('--no-managed', 'the console changes it again')
        .action((name: string, options: SetOptions) => setWorkflow(context, name, options)),
    )
    .addCommand(
      new Command('activate')
        .summary('activate a version, so that webhooks and schedules start it')
        .argument('<workflow>', WORKFLOW)
        .option('--workflow-version <id>', 'the id of the version; the latest by default')
        .action((name: string, { workflowVersion }: { workflowVersion?: string }) =>
          activate(context, name, workflowVersion),
        ),
    );
}

async function listWorkflows({ output, ...context }: Context, options: ListOptions): Promise<void> {
  const { status, search } = options;
  const connection = await context.connect();
  const found = connection.deckhand.workflows.list({
    workspaceId: await connection.workspaceId(),
    limit: pageSize(options),
    ...(status !== undefined && { status }),
    ...(search !== undefined && { search }),
  });
  const entries = await takeAmount(found, options, output);
  output.result(entries, () =>
    table(
      ['id', 'name', 'status', 'updated'],
      entries.map(({ id, name, status, updatedAt }) => [id, name, statusText(status), timeText(updatedAt)]),
      'No workflow matches.',
    ),
  );
}

async function getWorkflow({ output, ...context }: Context, name: string, isAlone = false): Promise<void> {
  const connection = await context.connect();
  const workflow = await connection.deckhand.workflows.get(await connection.workflowId(name));
  if (isAlone) {
    output.json(workflow.definition);
    return;
  }
  output.result(workflow, () => [
    ...fields([
      ['id', workflow.id],
      ['name', workflow.name],
      ['description', workflow.description || null],
      ['status', statusText(workflow.status)],
      ['latest version', workflow.latestVersionId],
      ['active version', workflow.activeVersionId],
      ['updated', timeText(workflow.updatedAt)],
      ...workflow.webhooks.map(({ method, url }) => ['webhook', `${method} ${url}`] as const),
      ...workflow.schedules.map(
        ({ cron, timezone, nextFireAt }) =>
          ['schedule', `${cron} (${timezone}), next ${timeText(nextFireAt)}`] as const,
      ),
    ]),
    '',
    ...table(
      ['node', 'type', 'name'],
      (workflow.definition?.nodes ?? []).map(({ id, type, name }) => [id, type, name ?? '']),
      'It has no saved version.',
    ),
  ]);
}

async function validate(
  { output, ...context }: Context,
  file: string,
  { workflow: name, strict = false }: ValidateOptions,
): Promise<void> {
  const definition = toDefinition(await readJson(file, 'The definition'));
  const connection = await context.connect();
  const { client } = connection.deckhand;
  const query = { dryRun: true };
  try {
    const { data } =
      name === undefined
        ? await createWorkflow({
            client,
            query,
            body: { workspaceId: await connection.workspaceId(), name: 'deckhand validate', definition },
            throwOnError: true,
          })
        : await saveVersion({
            client,
            query,
            path: { id: await connection.workflowId(name) },
            body: { definition },
            throwOnError: true,
          });
    output.result(data, () => [{ text: 'The definition is valid.', style: 'green' }]);
    for (const text of issuesOf(data.warnings)) output.message({ text: `Warning: ${text}`, style: 'yellow' });
    if (strict && data.warnings.length > 0) process.exitCode = EXIT.failed;
  } catch (error) {
    if (!(error instanceof DeckhandError) || error.code !== 'VALIDATION_FAILED') throw error;
    const details = error.body?.details;
    const isTruncated = error.body?.truncated === true;
    output.result({ valid: false, details, truncated: isTruncated }, () => [
      { text: 'The definition is not valid.', style: 'red' },
      ...issuesOf(details),
      ...(isTruncated ? ['There may be more.'] : []),
    ]);
    process.exitCode = EXIT.failed;
  }
}

async function setWorkflow(
  { output, ...context }: Context,
  name: string,
  { slug, managed }: SetOptions,
): Promise<void> {
  if (slug === undefined && managed === undefined)
    throw misused('Say what to change: --slug, --managed or --no-managed.');
  const connection = await context.connect();
  const { data } = await updateWorkflow({
    client: connection.deckhand.client,
    path: { id: await connection.workflowId(name) },
    body: { ...(slug !== undefined && { slug }), ...(managed !== undefined && { managed }) },
    throwOnError: true,
  });
  output.result(data, () => [
    `${data.name} has the slug ${data.slug ?? '–'} and is ${data.managed ? '' : 'not '}managed.`,
  ]);
}

/** The API checks all of it; here is only made sure that there is something to check. */
function toDefinition(content: unknown): Definition {
  const definition = isObject(content) && 'definition' in content ? content.definition : content;
  if (isDefinition(definition)) return definition;
  throw misused('The file has no definition: an object with the lists "nodes" and "edges".');
}

function isDefinition(value: unknown): value is Definition {
  return isObject(value) && Array.isArray(value.nodes) && Array.isArray(value.edges);
}

async function activate({ output, ...context }: Context, name: string, version: string | undefined): Promise<void> {
  const connection = await context.connect();
  const { data } = await updateWorkflow({
    client: connection.deckhand.client,
    path: { id: await connection.workflowId(name) },
    body: { status: 'active', ...(version !== undefined && { activeVersionId: version }) },
    throwOnError: true,
  });
  output.result(data, () => [`${data.name} is active with version ${data.activeVersionId ?? '–'}.`]);
}
