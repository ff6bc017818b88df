import { pagesByOffset } from '@deckhand/sdk';
import { createVariable, listVariables, updateVariable, type VariableResponse } from '@deckhand/sdk/operations';
import { readStandardInput, table } from '@deckhand/terminal';
import { Command } from 'commander';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { take } from '../take.ts';
import { timeText } from '../format.ts';

/** Creates `variables`, which sets what nodes read as `$vars`. */
export function variablesCommand(context: Context): Command {
  return new Command('variables')
    .summary('list and set the variables that nodes read as $vars')
    .addCommand(
      new Command('list').summary('names and values').action(async () => {
        const entries = await readAll(await context.connect());
        context.output.result(entries, () =>
          table(
            ['name', 'value', 'updated'],
            entries.map(({ name, value, updatedAt }) => [name, value, timeText(updatedAt)]),
            'No variables.',
          ),
        );
      }),
    )
    .addCommand(
      new Command('set')
        .summary('create a variable, or change its value')
        .description(
          'Variables are not secrets: every member of the workspace can read them. For these, use "secrets set".',
        )
        .argument('<name>', 'the name, as in $vars.name')
        .argument('<value>', 'the value; - for the standard input')
        .action(async (name: string, given: string) => {
          const value = given === '-' ? await readStandardInput('The value') : given;
          const connection = await context.connect();
          const { client } = connection.deckhand;
          // Names are unique in a workspace.
          const existing = (await readAll(connection)).find((entry) => entry.name === name);
          const { data } = existing
            ? await updateVariable({ client, path: { id: existing.id }, body: { value }, throwOnError: true })
            : await createVariable({
                client,
                body: { workspaceId: await connection.workspaceId(), name, value },
                throwOnError: true,
              });
          context.output.result(data, () => [`${existing ? 'Changed' : 'Created'} variable ${name}.`]);
        }),
    );
}

async function readAll(connection: Connection): Promise<readonly VariableResponse[]> {
  const { client } = connection.deckhand;
  const workspaceId = await connection.workspaceId();
  const pages = pagesByOffset(async (position) => {
    return (await listVariables({ client, query: { workspaceId, ...position }, throwOnError: true })).data;
  });
  return take(pages);
}
