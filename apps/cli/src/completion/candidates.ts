import type { Command, Option } from 'commander';

/** A word that may be typed next. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/**
 * Returns what may stand at the cursor: commands, options, or the choices of an option or argument. Nothing where a
 * name, a number or a file is expected.
 * @param words the words after the name of the program; the last is the one at the cursor, or empty.
 */
export function candidates(program: Command, words: readonly string[]): readonly Candidate[] {
  const current = words.at(-1) ?? '';
  let command = program;
  let valueOf: Option | undefined;
  let position = 0;
  for (const word of words.slice(0, -1)) {
    if (valueOf) valueOf = undefined;
    else if (word.startsWith('-')) valueOf = takesValue(findOption(program, command, word));
    else {
      const inner = command.commands.find((one) => one.name() === word);
      if (inner) command = inner;
      else position += 1;
    }
  }
  const found = valueOf ? choices(valueOf.argChoices) : open(program, command, current, position);
  return found.filter(({ value }) => value.startsWith(current));
}

function open(program: Command, command: Command, current: string, position: number): readonly Candidate[] {
  if (current.startsWith('-')) {
    return optionsOf(program, command).map(({ long, short, description }) => ({
      value: long ?? short ?? '',
      description: firstLine(description),
    }));
  }
  const inner = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .map((one) => ({ value: one.name(), description: firstLine(one.summary() || one.description()) }));
  return inner.length > 0 ? inner : choices(command.registeredArguments[position]?.argChoices);
}

function optionsOf(program: Command, command: Command): readonly Option[] {
  return [...command.options, ...(command === program ? [] : program.options)].filter(({ hidden }) => !hidden);
}

function findOption(program: Command, command: Command, word: string): Option | undefined {
  return optionsOf(program, command).find(({ long, short }) => word === long || word === short);
}

function takesValue(option: Option | undefined): Option | undefined {
  return option && (option.required || option.optional) ? option : undefined;
}

function choices(values: readonly string[] | undefined): readonly Candidate[] {
  return (values ?? []).map((value) => ({ value, description: '' }));
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
