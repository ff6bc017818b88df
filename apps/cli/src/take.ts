import type { Output } from '@deckhand/terminal';
import { wholeNumber } from '@deckhand/terminal';
import { type Command, Option } from 'commander';

/** How many entries of a list are printed. */
export interface Amount {
  readonly limit: number;
  readonly all?: boolean;
}

/** The largest page of the API. */
export const MAX_PAGE = 500;

/** Adds the options of an `Amount` to a command. @param usual how many entries are printed without them. */
export function withAmount(command: Command, usual: number): Command {
  return command
    .addOption(new Option('--limit <count>', 'how many at most').argParser(wholeNumber).default(usual).conflicts('all'))
    .option('--all', 'all of them, page by page');
}

/** Returns the size of the pages for an amount: one entry more shows whether others follow. */
export function pageSize({ limit, all = false }: Amount): number {
  return all ? MAX_PAGE : Math.min(limit + 1, MAX_PAGE);
}

/** Collects the items of a list that comes in pages. @param limit of items; pages after it are not fetched. */
export async function take<T>(items: AsyncIterable<T>, limit = Infinity): Promise<readonly T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= limit) break;
  }
  return taken;
}

/** Collects an amount of items, and prints a message if there are more. */
export async function takeAmount<T>(
  items: AsyncIterable<T>,
  { limit, all = false }: Amount,
  output: Pick<Output, 'message'>,
): Promise<readonly T[]> {
  if (all) return take(items);
  const taken = await take(items, limit + 1);
  if (taken.length > limit) output.message(`There are more than ${limit}: --all prints all of them.`);
  return taken.slice(0, limit);
}
