import { getMe, listWorkspaces } from '@deckhand/sdk/operations';
import { askChoice, askText, canAsk, EXIT, ExitError, misused, readSecret, table } from '@deckhand/terminal';
import { Command } from 'commander';
import { checkKey, createClient, isId, LOCAL_URL, only, parseUrl } from '../connection.ts';
import type { Context } from '../context.ts';
import { signInByBrowser } from '../sign-in-by-browser.ts';
import { checkProfileName, DEFAULT_PROFILE, readProfiles, writeProfiles } from '../profiles.ts';

/** Creates `login`, which saves a key as a profile. */
export function loginCommand(context: Context): Command {
  return new Command('login')
    .summary('save the URL of an instance and a key as a profile')
    .description(
      'Asks for an API key, or reads it from the standard input, checks it, and saves it for the next commands in a file that ' +
        'only you can read. Create the key in the console, under API keys, or get one with --browser. --profile names the ' +
        'profile, if you have several instances or keys; --workspace chooses the workspace of commands that name none.',
    )
    .option('--browser', 'get a key for one workspace, for 90 days: you allow it in the console')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  deckhand login --url https://deckhand.example.com --browser\n' +
        '  deckhand login --url https://deckhand.example.com < key.txt',
    )
    .action((given: LoginOptions) => login(context, given));
}

interface LoginOptions {
  readonly browser?: boolean;
}

async function login({ environment, output, options }: Context, { browser }: LoginOptions): Promise<void> {
  const { profile, url: urlOption, workspace } = options();
  const name = checkProfileName(profile ?? environment.profile ?? DEFAULT_PROFILE);
  const { byName } = await readProfiles(environment.profilesPath);
  const known = urlOption ?? environment.url ?? byName.get(name)?.url;
  if (known === undefined && !canAsk()) throw misused('Name the instance with --url.');
  const url = parseUrl(known ?? (await askText('URL of the instance', LOCAL_URL)));
  const apiKey = browser ? await signInByBrowser(url) : checkKey((await readSecret(`API key for ${url}`)).trim());
  const { client } = createClient({ url, apiKey });
  const { data: me } = await getMe({ client, throwOnError: true });
  if (!('apiKey' in me)) throw new ExitError('This is not an API key.', EXIT.refused);
  const workspaceId = me.apiKey.workspaceId ?? (await chooseWorkspace());
  // Read again: another command may have changed them while this one asked.
  const { byName: latest } = await readProfiles(environment.profilesPath);
  await writeProfiles(environment.profilesPath, {
    current: name,
    byName: new Map([...latest, [name, { url, apiKey, ...(workspaceId !== undefined && { workspaceId }) }]]),
  });
  const { apiKey: key } = me;
  output.result({ profile: name, url, key, workspaceId: workspaceId ?? null }, () => [
    { text: `Signed in to ${url} with the key ${key.name}.`, style: 'green' },
    `Profile ${name}, saved in ${environment.profilesPath}.`,
    ...(workspaceId === undefined ? ['No workspace is chosen: commands need --workspace.'] : []),
  ]);

  async function chooseWorkspace(): Promise<string | undefined> {
    if (workspace !== undefined && isId(workspace)) return workspace;
    const { data } = await listWorkspaces({ client, query: { limit: 500 }, throwOnError: true });
    if (workspace !== undefined) return only(workspace, data.data, 'workspace', 'deckhand doctor');
    const [first] = data.data;
    if (data.data.length < 2 || !canAsk()) return data.data.length === 1 ? first?.id : undefined;
    return askChoice(
      'Workspace of commands that name none',
      data.data.map(({ id, name: label }) => ({ value: id, label })),
    );
  }
}

/** Creates `logout`, which removes a profile. */
export function logoutCommand({ environment, output, options }: Context): Command {
  return new Command('logout')
    .summary('remove a profile, with its key')
    .description('The key stays valid: revoke it in the console if nobody else uses it.')
    .action(async () => {
      const { current, byName } = await readProfiles(environment.profilesPath);
      const name = options().profile ?? environment.profile ?? current;
      if (!byName.has(name)) throw misused(`There is no profile ${name}.`);
      const left = new Map([...byName].filter(([other]) => other !== name));
      const next = name === current ? ([...left.keys()][0] ?? DEFAULT_PROFILE) : current;
      await writeProfiles(environment.profilesPath, { current: next, byName: left });
      output.result({ profile: name, removed: true }, () => [`Removed profile ${name}.`]);
    });
}

/** Creates `profiles`, which lists and changes the profiles. */
export function profilesCommand({ environment, output }: Context): Command {
  return new Command('profiles')
    .summary('list the profiles, and choose the current one')
    .addCommand(
      new Command('list').summary('names and URLs; the current one is marked').action(async () => {
        const { current, byName } = await readProfiles(environment.profilesPath);
        const entries = [...byName].map(([name, { url, workspaceId }]) => ({
          name,
          url,
          workspaceId: workspaceId ?? null,
          isCurrent: name === current,
        }));
        output.result(entries, () =>
          table(
            ['', 'profile', 'url', 'workspace'],
            entries.map(({ name, url, workspaceId, isCurrent }) => [
              isCurrent ? '*' : '',
              name,
              url,
              workspaceId ?? '–',
            ]),
            'No profiles. "deckhand login" creates one.',
          ),
        );
      }),
    )
    .addCommand(
      new Command('use')
        .summary('choose the profile of the next commands')
        .argument('<profile>', 'its name')
        .action(async (name: string) => {
          const { byName } = await readProfiles(environment.profilesPath);
          if (!byName.has(name)) throw misused(`There is no profile ${name}: see "deckhand profiles list".`);
          await writeProfiles(environment.profilesPath, { current: name, byName });
          output.result({ profile: name }, () => [`Commands use profile ${name} now.`]);
        }),
    );
}
