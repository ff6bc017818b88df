import { EXIT, members, misused } from '@deckhand/terminal';
import { Command } from 'commander';
import { connect, resolveTarget } from '../connection.ts';
import type { Context } from '../context.ts';
import { plan } from '../files/plan.ts';
import { credentialNames, mapCredentials } from '../files/translate.ts';
import { openWorkspace, readAll, selectWorkflows } from '../files/workspace.ts';
import { applyPlan } from './files.ts';

interface PromoteOptions {
  readonly toProfile?: string;
  readonly toWorkspace?: string;
  readonly credential?: ReadonlyMap<string, string>;
  readonly yes?: boolean;
}

/** Creates `promote`, which copies workflows to another workspace or instance. */
export function promoteCommand(context: Context): Command {
  return new Command('promote')
    .summary('bring workflows to another workspace or instance')
    .description(
      'Reads workflows that have a slug, and applies them as "apply" does where --to-profile and --to-workspace say: those with the same ' +
        'slug are changed there, others are created. Credentials and folders are found by their names there; --credential ' +
        'names another credential. Nothing is deleted. Secrets in parameters do not travel: those that are there are kept, and a new ' +
        'workflow that needs one is refused.',
    )
    .argument('[workflow...]', 'slugs, exact names or ids; all workflows with a slug by default')
    .option('--to-profile <name>', 'the profile of the other instance; the same instance by default')
    .option('--to-workspace <workspace>', 'the id or exact name of the other workspace')
    .option('--credential <from=to>', 'use another credential there; may be given several times', members)
    .option('-y, --yes', 'do not ask')
    .action((names: readonly string[], options: PromoteOptions) => promote(context, names, options));
}

async function promote(context: Context, names: readonly string[], options: PromoteOptions): Promise<void> {
  const { toProfile, toWorkspace, credential = new Map<string, string>(), yes = false } = options;
  if (toProfile === undefined && toWorkspace === undefined) {
    throw misused('Say where to: with --to-profile, --to-workspace, or both.');
  }
  const source = await openWorkspace(await context.connect());
  const { profile, url } = context.options();
  const target = await resolveTarget(
    {
      ...(toProfile === undefined ? { profile, url } : { profile: toProfile }),
      ...(toWorkspace !== undefined && { workspace: toWorkspace }),
    },
    context.environment,
  );
  const destination = await openWorkspace(connect(target));
  if (source.id === destination.id && source.connection.url === destination.connection.url) {
    throw misused('This is the same workspace.');
  }
  const chosen = selectWorkflows(source, names).filter(({ slug, name }) => {
    if (slug === null && names.length > 0)
      throw misused(`${name} has no slug: give it one with "deckhand workflows set".`);
    return slug !== null;
  });
  const remotes = await readAll(
    source,
    chosen.map(({ id }) => id),
  );
  const [issue] = remotes.flatMap(({ document, issues }) => issues.map((text) => `${document.slug}: ${text}`));
  if (issue !== undefined) throw misused(`${issue}.`);
  const used = new Set(remotes.flatMap(({ document }) => credentialNames(document)));
  const unknown = [...credential.keys()].find((name) => !used.has(name));
  if (unknown !== undefined) throw misused(`No workflow that is promoted uses the credential ${unknown}.`);
  const wanted = remotes.map(({ document }) => mapCredentials(document, credential));
  if (wanted.length === 0) {
    context.output.result([], () => ['No workflow has a slug.']);
    process.exitCode = EXIT.notFound;
    return;
  }
  await applyPlan(context.output, destination, await plan(destination, wanted, { prune: false }), { yes });
}
