import { pagesByOffset } from '@deckhand/sdk';
import {
  createCredential,
  type CreateCredentialBody,
  type CredentialResponse,
  listCredentials,
  updateCredential,
} from '@deckhand/sdk/operations';
import { members, misused, readSecret, table } from '@deckhand/terminal';
import { Command, Option } from 'commander';
import { type Connection, only } from '../connection.ts';
import type { Context } from '../context.ts';
import { take } from '../take.ts';
import { timeText } from '../format.ts';

/** A type whose secret has one member that is secret. */
type Type = Exclude<CreateCredentialBody['type'], 'oauth2'>;

interface SetOptions {
  readonly type?: Type;
  readonly field?: ReadonlyMap<string, string>;
}

/** The member of each type's secret that is secret. The others are names, hosts and the like. */
const SECRET_MEMBERS: Readonly<Record<Type, string>> = {
  apiKey: 'value',
  basic: 'password',
  bearer: 'token',
  header: 'value',
  model: 'apiKey',
  postgres: 'connectionString',
  s3: 'secretAccessKey',
  sftp: 'password',
  smtp: 'password',
};

/** Creates `secrets`, which sets the credentials that nodes use. */
export function secretsCommand(context: Context): Command {
  return new Command('secrets')
    .summary('list and set the credentials that nodes use')
    .addCommand(
      new Command('list').summary('names and types; secrets cannot be read').action(async () => {
        const connection = await context.connect();
        const entries = await readAll(connection);
        context.output.result(entries, () =>
          table(
            ['id', 'name', 'type', 'visibility', 'updated'],
            entries.map(({ id, name, type, visibility, updatedAt }) => [
              id,
              name,
              type,
              visibility,
              timeText(updatedAt),
            ]),
            'No credentials.',
          ),
        );
      }),
    )
    .addCommand(
      new Command('set')
        .summary('create a credential, or replace its secret')
        .description(
          'The secret (the token, password, value or connection string) is read from the standard input, or asked for on a ' +
            'terminal. It is never an argument, which other users of the machine could see. ' +
            'Credentials of the type oauth2 are created and connected in the console, or by the API.',
        )
        .argument('<name>', 'the name of the credential')
        .addOption(new Option('--type <type>', 'needed for a new one').choices(Object.keys(SECRET_MEMBERS)))
        .option(
          '--field <name=value>',
          'another member, such as username=ada or header=X-Token; may be given several times',
          members,
        )
        .addHelpText(
          'after',
          '\nExamples:\n' +
            '  deckhand secrets set crm --type bearer < token.txt\n' +
            '  deckhand secrets set mail --type smtp --field host=mail.example.com --field port=587 --field username=ada < password.txt',
        )
        .action((name: string, options: SetOptions) => setSecret(context, name, options)),
    );
}

async function readAll(connection: Connection): Promise<readonly CredentialResponse[]> {
  const { client } = connection.deckhand;
  const workspaceId = await connection.workspaceId();
  const pages = pagesByOffset(async (position) => {
    return (await listCredentials({ client, query: { workspaceId, ...position }, throwOnError: true })).data;
  });
  return take(pages);
}

async function setSecret({ output, ...context }: Context, name: string, { type, field }: SetOptions): Promise<void> {
  const connection = await context.connect();
  const existing = (await readAll(connection)).filter((entry) => entry.name === name);
  const id = existing.length === 0 ? undefined : only(name, existing, 'credential', 'deckhand secrets list');
  const known = existing[0]?.type;
  const chosen = known ?? type;
  if (chosen === undefined) throw misused(`There is no credential ${name} yet: pass its type with --type.`);
  if (type !== undefined && type !== chosen)
    throw misused(`The credential ${name} has the type ${chosen}, not ${type}.`);
  if (chosen === 'oauth2')
    throw misused(`The credential ${name} has the type oauth2: change it in the console, or by the API.`);
  const secretMember = SECRET_MEMBERS[chosen];
  if (field?.has(secretMember)) {
    throw misused(`${secretMember} is secret: pipe it to the standard input, or type it when asked.`);
  }
  const secret = { ...toMembers(chosen, field ?? new Map()), [secretMember]: await readSecret(secretMember) };
  const { client } = connection.deckhand;
  const { data } =
    id === undefined
      ? await createCredential({
          client,
          body: { workspaceId: await connection.workspaceId(), name, type: chosen, secret },
          throwOnError: true,
        })
      : await updateCredential({ client, path: { id }, body: { secret }, throwOnError: true });
  output.result(data, () => [
    `${id === undefined ? 'Created' : 'Replaced the secret of'} credential ${name} (${data.id}).`,
  ]);
}

/** Returns the members that are not secret, with the types that the API expects. */
function toMembers(type: Type, field: ReadonlyMap<string, string>): Record<string, unknown> {
  const typed = (name: string, value: string): string | number | boolean => {
    if ((type === 'smtp' || type === 'sftp') && name === 'port') return Number(value);
    const isBoolean = (type === 'smtp' && name === 'secure') || (type === 's3' && name === 'pathStyle');
    return isBoolean ? value === 'true' : value;
  };
  return Object.fromEntries([...field].map(([name, value]) => [name, typed(name, value)]));
}
