import { EXIT } from '@deckhand/terminal';
import type { Command, Option } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram } from './program.ts';

const PAGE = join(import.meta.dirname, '../../../docs/cli.md');
const START =
  '<!-- Generated from the commands: CLI_ACCEPT=1 npm run test:unit -- --testPathPatterns cli/src/program -->';

const environment = { url: undefined, apiKey: undefined, workspace: undefined, profile: undefined, profilesPath: '' };
const program = createProgram(environment);

/** Returns the commands that act, with those above them in their names. */
function leaves(
  command: Command,
  names: readonly string[] = [],
): { readonly name: string; readonly command: Command }[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((inner) => {
      if (inner.name() === 'help') return [];
      const path = [...names, inner.name()];
      return inner.commands.length > 0 ? leaves(inner, path) : [{ name: path.join(' '), command: inner }];
    });
}

function section({ name, command }: { readonly name: string; readonly command: Command }): string {
  const args = command.registeredArguments.map((one) => [usageOf(one), one.description, one.argChoices] as const);
  const options = command.options.map((one) => [one.flags, one.description, one.argChoices] as const);
  const rows = [...args, ...options].map(([flags, text, choices]) => {
    const meaning = [text, choices && !text ? `one of ${choices.join(', ')}` : choices && `: ${choices.join(', ')}`];
    return `| \`${flags}\` | ${meaning.filter((part) => part !== undefined && part !== '').join('')} |`;
  });
  const summary = command.summary();
  return [
    `### deckhand ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...(command.description() === '' ? [] : [command.description()]),
    ...(rows.length === 0 ? [] : [['| argument or option | meaning |', '| --- | --- |', ...rows].join('\n')]),
  ].join('\n\n');
}

function usageOf(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

const globalRows = (options: readonly Option[]): string =>
  [
    '| option | meaning |',
    '| --- | --- |',
    ...options.map(({ flags, description }) => `| \`${flags}\` | ${description} |`),
  ].join('\n');

describe('docs/cli.md', () => {
  it('has every command, argument and option', async () => {
    const page = await readFile(PAGE, 'utf8');
    const [written = ''] = page.split(START);
    const reference = [globalRows(program.options), ...leaves(program).map(section)].join('\n\n');
    const expected = `${written}${START}\n\n${reference}\n`;
    if (process.env.CLI_ACCEPT !== undefined) await writeFile(PAGE, expected);
    else expect(page).toBe(expected);
  });

  it('explains every exit code', async () => {
    const page = await readFile(PAGE, 'utf8');
    const explained = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(explained).toEqual(Object.values(EXIT));
  });
});

describe('the commands', () => {
  it('never redefine an option that all commands have', () => {
    const shared = new Set(program.options.flatMap(({ long, short }) => [long, short]));
    const own = leaves(program).flatMap(({ command }) => command.options.flatMap(({ long, short }) => [long, short]));
    expect(own.filter((flag) => flag !== undefined && shared.has(flag))).toEqual([]);
  });

  it('all have a summary', () => {
    expect(leaves(program).filter(({ command }) => command.summary() === '')).toEqual([]);
  });
});
