import { EXECUTION_STATUSES, type ExecutionStatus } from '@deckhand/contracts';
import type { OperatorFilter } from '@deckhand/db';
import { misused, oneOfEach, timeSpan } from '@deckhand/terminal';
import { type Command, Option } from 'commander';
import { id, ids, moment } from '../commands/parse.ts';

/** The options of every command that selects runs, as commander parses them. */
export interface FilterOptions {
  readonly run?: readonly string[];
  readonly workspace?: string;
  readonly workflow?: string;
  readonly status?: readonly ExecutionStatus[];
  readonly olderThan?: number;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly all?: boolean;
}

/** Adds the options that select runs, and those of confirmation and output. */
export function addFilterOptions(command: Command): Command {
  return command
    .optionsGroup('Which runs (all given options must match):')
    .option('--run <id>', 'a run; may be given several times', ids)
    .option('--workspace <id>', 'those of a workspace', id)
    .option('--workflow <id>', 'those of a workflow', id)
    .option('--status <status>', 'those with a status; may be given several times', oneOfEach(EXECUTION_STATUSES))
    .option('--older-than <span>', 'those created longer ago than 90s, 30m, 12h or 7d', timeSpan)
    .option('--created-from <time>', 'those created at or after an ISO 8601 time', moment)
    .addOption(
      new Option('--created-to <time>', 'those created at or before an ISO 8601 time')
        .argParser(moment)
        .conflicts('olderThan'),
    )
    .option('--all', 'without any of these, every run of the instance')
    .optionsGroup('How:')
    .option('--dry-run', 'only show how many match, with a few examples')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print one JSON document');
}

/**
 * Returns the filter of the options, at a time of the database. Runs that are created later never match, so at most the
 * runs that were shown are affected.
 * @throws ExitError if no option selects runs and `--all` is missing.
 */
export function toFilter(options: FilterOptions): (now: Date) => OperatorFilter {
  const { run, workspace, workflow, status, olderThan, createdFrom, createdTo, all } = options;
  const chosen = [run, workspace, workflow, status, olderThan, createdFrom, createdTo];
  const isNarrowed = chosen.some((option) => option !== undefined);
  if (!isNarrowed && !all) throw misused('Select runs by an option such as --workspace, or use --all. See --help.');
  if (isNarrowed && all)
    throw misused('--all selects every run of the instance and cannot be combined with other options.');
  return (now) => ({
    executionIds: run,
    workspaceId: workspace,
    workflowId: workflow,
    statuses: status,
    createdFrom,
    createdTo: olderThan === undefined ? (createdTo ?? now) : new Date(now.getTime() - olderThan),
  });
}
