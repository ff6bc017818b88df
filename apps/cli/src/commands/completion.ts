import { Argument, Command } from 'commander';
import { candidates } from '../completion/candidates.ts';
import { SCRIPTS, type Shell } from '../completion/scripts.ts';

/** Creates `completion`, which prints the script of a shell. */
export function completionCommand(): Command {
  return new Command('completion')
    .summary('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      '\nInstall it:\n' +
        "  bash  echo 'source <(deckhand completion bash)' >> ~/.bashrc\n" +
        "  zsh   echo 'source <(deckhand completion zsh)' >> ~/.zshrc   (after compinit)\n" +
        '  fish  deckhand completion fish > ~/.config/fish/completions/deckhand.fish',
    )
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell]);
    });
}

/** Creates the hidden `complete`, which the scripts call with the words up to the cursor. */
export function completeCommand(program: Command): Command {
  return new Command('complete').argument('[words...]').action((words: readonly string[]) => {
    const lines = candidates(program, words).map(({ value, description }) => `${value}\t${description}\n`);
    process.stdout.write(lines.join(''));
  });
}
