import { updateWorkflow, type WorkflowEntry } from '@deckhand/sdk/operations';
import { askChoice, canAsk, EXIT, ExitError, isConfirmed, misused, type Output, type Text } from '@deckhand/terminal';
import { Command } from 'commander';
import { mkdir } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { describeError } from '../describe-error.ts';
import { applySteps, checkSteps, type Result } from '../files/apply.ts';
import { type FileDocument, toSlug, withoutValuesOf } from '../files/document.ts';
import { isCommitted } from '../files/git-copy.ts';
import { diffLines, inContext } from '../files/line-diff.ts';
import { changedMembers, plan, sidesOf, type Step } from '../files/plan.ts';
import { writeSchema } from '../files/schema.ts';
import { openWorkspace, readAll, selectWorkflows, type Workspace } from '../files/workspace.ts';
import { type LocalFile, readFiles, writeFileOf } from '../files/yaml-file.ts';

interface FileOptions {
  readonly dir: string;
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly strict?: boolean;
}

const DIR = ['--dir <folder>', 'the folder of the files', 'workflows'] as const;
const SLUGS = ['[slug...]', 'only these workflows; all files by default'] as const;
const STRICT = ['--strict', 'fail on warnings'] as const;
const PRUNE = ['--prune', 'delete managed workflows that have no file'] as const;

/** Creates `pull`, which writes workflows to files. */
export function pullCommand(context: Context): Command {
  return new Command('pull')
    .summary('write workflows to files')
    .description(
      'Writes a YAML file for each workflow, named by its slug, without ids and secrets. Files that exist keep their comments and ' +
        'their tests, and stay as they are if nothing changed. A workflow without a slug gets one from its name. Also writes ' +
        'workflow.schema.json, by which editors check the files. A file that differs from its workflow is overwritten if Git has its ' +
        'content; otherwise, the command asks on a terminal, and leaves the file elsewhere and exits with 1.',
    )
    .argument('[workflow...]', 'slugs, exact names or ids; all workflows of the workspace by default')
    .option(...DIR)
    .option('-y, --yes', 'overwrite files without a prompt, although Git has no copy of them')
    .action((names: readonly string[], options: FileOptions) => pull(context, names, options));
}

/** Creates `diff`, which shows what `apply` would change. */
export function diffCommand(context: Context): Command {
  return new Command('diff')
    .summary('compare files with the workspace, line by line')
    .description('Exits with 0 if no content differs, otherwise with 1. It changes nothing.')
    .argument(...SLUGS)
    .option(...DIR)
    .option(...PRUNE)
    .action(async (slugs: readonly string[], options: FileOptions) => {
      const { steps } = await planFiles(context, slugs, options);
      const changed = steps.filter(hasOtherContent);
      context.output.result(
        changed.map((step) => ({ slug: step.slug, action: step.action, ...sidesOf(step) })),
        () => (changed.length === 0 ? ['Nothing differs.'] : changed.flatMap(diffOf)),
      );
      if (changed.length > 0) process.exitCode = EXIT.failed;
    });
}

/** Whether a step changes more than who manages the workflow. After `pull`, no file differs from its workflow. */
function hasOtherContent({ action, changes }: Step): boolean {
  return action === 'update' ? changes.some((member) => member !== 'managed') : action !== 'unchanged';
}

/** Creates `plan`, which lists and checks what `apply` would do. */
export function planCommand(context: Context): Command {
  return new Command('plan')
    .summary('list and check what "apply" would do')
    .description(
      'Compares the files with the workspace, and has the instance check each workflow that would change. Exits with 0, or with 1 if ' +
        'one of them would be refused. It changes nothing.',
    )
    .argument(...SLUGS)
    .option(...DIR)
    .option(...PRUNE)
    .option(...STRICT)
    .action(async (slugs: readonly string[], options: FileOptions) => {
      const { workspace, steps } = await planFiles(context, slugs, options);
      const checked = await checkSteps(workspace, steps);
      const refused = checked.filter(({ failure }) => failure);
      const checkOf = new Map(checked.map((result) => [result.slug, result]));
      context.output.result(
        steps.map(({ slug, action, changes }) => {
          const { failure, warnings } = checkOf.get(slug) ?? {};
          return { slug, action, changes, failure, ...(warnings && { warnings }) };
        }),
        () => [...stepLines(steps), ...refused.map(failureLine)],
      );
      for (const line of checked.flatMap(warningLines)) context.output.message(line);
      if (refused.length > 0 || (options.strict && checked.some(hasWarnings))) process.exitCode = EXIT.failed;
    });
}

/** Creates `apply`, which makes workflows be as their files say. */
export function applyCommand(context: Context): Command {
  return new Command('apply')
    .summary('make workflows be as their files say')
    .description(
      'Creates and changes workflows, each at once with its definition and its status, or not at all, and makes them managed: the ' +
        'console then shows them, and does not change them. One that was changed since it was read is not overwritten. On a terminal, shows ' +
        'the plan and asks first; elsewhere, it does not ask. Exits with 1 if a workflow could not be applied; the others are.',
    )
    .argument(...SLUGS)
    .option(...DIR)
    .option(...PRUNE)
    .option('--strict', 'apply nothing if there are warnings')
    .option('-y, --yes', 'do not ask; --prune needs it with --json, and where nobody can be asked')
    .action(async (slugs: readonly string[], options: FileOptions) => {
      if (options.prune && !options.yes && !isAsked(context.output)) {
        throw misused('--prune deletes workflows. Pass --yes to delete them without a prompt.');
      }
      const { workspace, steps } = await planFiles(context, slugs, options);
      if (options.strict) await refuseWarnings(context.output, workspace, steps);
      await applyPlan(context.output, workspace, steps, options);
    });
}

async function pull(
  { output, ...context }: Context,
  names: readonly string[],
  { dir, yes = false }: FileOptions,
): Promise<void> {
  const workspace = await openWorkspace(await context.connect());
  const chosen = selectWorkflows(workspace, names);
  const local = await readFiles(dir);
  const results: Pulled[] = [];
  const ids: string[] = [];
  for (const { id, name, slug } of chosen) {
    // One that gets no slug does not keep the others from being written.
    const failure = slug === null ? await giveSlug(workspace, { id, name }) : undefined;
    if (failure === undefined) ids.push(id);
    else results.push({ slug: name, issues: [`it has no slug, and gets none: ${failure}`] });
  }
  const remotes = [...(await readAll(workspace, ids))].sort((a, b) => (a.document.slug < b.document.slug ? -1 : 1));
  await mkdir(dir, { recursive: true });
  await writeSchema(workspace.connection, dir);
  const uncopied: { readonly document: FileDocument; readonly file: LocalFile }[] = [];
  for (const { document: read, issues } of remotes) {
    const { slug } = read;
    const file = local.get(slug);
    const document = withoutValuesOf(file?.document, read);
    if (issues.length > 0) results.push({ slug, issues });
    else if (file && isCurrent(file, document)) results.push({ slug, path: file.path, isWritten: false });
    else if (file && !yes && !(await isCommitted(file.path))) uncopied.push({ document, file });
    else results.push(await write(dir, document, file));
  }
  const paths = uncopied.map(({ file }) => file.path).join(', ');
  const question = `Overwrite ${paths}? The workspace has another content, and Git has no copy of yours.`;
  const mayOverwrite = uncopied.length > 0 && isAsked(output) && (await isConfirmed(question));
  for (const { document, file } of uncopied) {
    results.push(mayOverwrite ? await write(dir, document, file) : refusal(document, file));
  }
  for (const [slug, { path }] of names.length === 0 ? local : []) {
    if (workspace.workflowId(slug) === undefined) results.push({ slug, path, isGone: true });
  }
  output.result(results, () => (results.length === 0 ? ['The workspace has no workflow.'] : results.map(pulledLine)));
  if (results.some(({ issues }) => issues)) process.exitCode = EXIT.failed;
}

/** A file that cannot be written does not keep the others from being written. */
async function write(dir: string, document: FileDocument, file: LocalFile | undefined): Promise<Pulled> {
  const { slug } = document;
  try {
    return { slug, path: await writeFileOf(dir, document, file), isWritten: true };
  } catch (error) {
    return { slug, issues: [issueOf(error)] };
  }
}

function refusal({ slug }: FileDocument, { path }: LocalFile): Pulled {
  const remedy = 'commit it, or pass --yes to overwrite it';
  return { slug, path, issues: [`${path} has another content, and Git has no copy of it: ${remedy}`] };
}

/** Returns a failure as a part of a sentence. */
function issueOf(error: unknown): string {
  return describeError(error).message.replace(/\.$/, '');
}

interface Pulled {
  readonly slug: string;
  readonly path?: string;
  readonly isWritten?: boolean;
  /** Whether the workspace has no such workflow: the file stays, and `apply` would create it. */
  readonly isGone?: boolean;
  readonly issues?: readonly string[];
}

function pulledLine({ slug, path = '', isWritten, isGone, issues }: Pulled): Text {
  if (isGone)
    return { text: `${path} stays, but the workspace has no ${slug}: "apply" would create it.`, style: 'yellow' };
  if (issues) return { text: `${slug} was not written: ${issues.join('; ')}.`, style: 'red' };
  return isWritten ? `Wrote ${path}.` : { text: `${path} is up to date.`, style: 'dim' };
}

function isCurrent({ document }: LocalFile, remote: FileDocument): boolean {
  return changedMembers(document, remote).length === 0;
}

/** Gives a workflow that has none a slug, from its name. @returns why not, as a part of a sentence. */
async function giveSlug(
  workspace: Workspace,
  { id, name }: Pick<WorkflowEntry, 'id' | 'name'>,
): Promise<string | undefined> {
  const { client } = workspace.connection.deckhand;
  const base = toSlug(name);
  let free = base;
  for (let count = 2; workspace.workflowId(free) !== undefined; count += 1) free = `${base}-${count}`;
  try {
    await updateWorkflow({ client, path: { id }, body: { slug: free }, throwOnError: true });
    workspace.add(free, id);
    return undefined;
  } catch (error) {
    return issueOf(error);
  }
}

async function planFiles(
  context: Context,
  slugs: readonly string[],
  { dir, prune = false }: FileOptions,
): Promise<{ readonly workspace: Workspace; readonly steps: readonly Step[] }> {
  const files = await readFiles(dir);
  const unknown = slugs.find((slug) => !files.has(slug));
  if (unknown !== undefined) throw new ExitError(`No file in ${dir} has the slug ${unknown}.`, EXIT.notFound);
  const chosen = slugs.length === 0 ? [...files.keys()] : [...new Set(slugs)];
  if (chosen.length === 0) throw new ExitError(`There is no file in ${dir}: see "deckhand pull".`, EXIT.notFound);
  const wanted = chosen.flatMap((slug) => files.get(slug)?.document ?? []);
  const workspace = await openWorkspace(await context.connect());
  // Others have files, too: with some of them, nothing is surplus.
  const steps = await plan(workspace, wanted, { prune: prune && slugs.length === 0 });
  return { workspace, steps };
}

/** Checks the steps before anything is done. @throws ExitError if there are warnings, after it has shown them. */
async function refuseWarnings(output: Output, workspace: Workspace, steps: readonly Step[]): Promise<void> {
  const doubtful = (await checkSteps(workspace, steps)).filter(hasWarnings);
  if (doubtful.length === 0) return;
  for (const line of doubtful.flatMap(warningLines)) output.message(line);
  throw new ExitError(`Nothing was applied: there are warnings about ${doubtful.map(({ slug }) => slug).join(', ')}.`);
}

function hasWarnings({ warnings = [] }: Result): boolean {
  return warnings.length > 0;
}

/** Whether somebody can be asked before anything is done. */
function isAsked(output: Output): boolean {
  return !output.isJson && canAsk();
}

/** Shows a plan, asks on a terminal, and carries it out. */
export async function applyPlan(
  output: Output,
  workspace: Workspace,
  steps: readonly Step[],
  { yes = false }: Pick<FileOptions, 'yes'>,
): Promise<void> {
  const changed = steps.filter(({ action }) => action !== 'unchanged');
  if (changed.length === 0) {
    output.result([], () => ['Nothing differs.']);
    return;
  }
  if (!yes && isAsked(output)) {
    for (const line of stepLines(steps)) output.message(line);
    const choices = [
      { value: true, label: 'Apply' },
      { value: false, label: 'Do nothing' },
    ];
    if (!(await askChoice(`Apply to ${workspace.connection.url}?`, choices))) return;
  }
  const results = await applySteps(workspace, steps, (result) => {
    if (output.isJson) return;
    output.entry(result, () => resultLine(result));
    for (const line of warningLines(result)) output.message(line);
  });
  if (output.isJson) output.json(results);
  if (results.some(({ failure }) => failure)) process.exitCode = EXIT.failed;
}

const SIGNS = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  delete: ['-', 'red'],
  unchanged: [' ', 'dim'],
} as const;
const DONE = { create: 'created', update: 'changed', delete: 'deleted', unchanged: 'unchanged' } as const;

function stepLines(steps: readonly Step[]): readonly Text[] {
  return steps.map(({ slug, action, changes }) => {
    const [sign, style] = SIGNS[action];
    const detail = changes.length === 0 ? '' : `: ${changes.join(', ')}`;
    return { text: `${sign} ${slug}${action === 'unchanged' ? ' is unchanged' : ''}${detail}`, style };
  });
}

function resultLine(result: Result): Text {
  if (result.failure) return failureLine(result);
  const [sign, style] = SIGNS[result.action];
  return { text: `${sign} ${result.slug} ${DONE[result.action]}`, style };
}

function warningLines({ slug, warnings = [] }: Result): readonly Text[] {
  return warnings.map((text) => ({ text: `  Warning: ${slug}: ${text}`, style: 'yellow' }));
}

function failureLine({ slug, failure }: Result): Text {
  return { text: `✗ ${slug}: ${failure?.message ?? 'failed'}`, style: 'red' };
}

function diffOf(step: Step): readonly Text[] {
  const { before, after } = sidesOf(step);
  const [, style] = SIGNS[step.action];
  return [
    { text: `${step.action} ${step.slug}`, style },
    ...inContext(diffLines(before, after)).map(({ kind, text }): Text => {
      if (kind === 'same') return { text: `  ${text}`, style: 'dim' };
      return kind === 'added' ? { text: `+ ${text}`, style: 'green' } : { text: `- ${text}`, style: 'red' };
    }),
  ];
}
