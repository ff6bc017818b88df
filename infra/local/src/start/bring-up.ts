import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Execution } from '@deckhand/contracts';
import { applyMigrations } from '@deckhand/db';
import { Listr, PRESET_TIMER, type ListrTask } from 'listr2';
import { REPOSITORY } from '../repository.ts';
import { createApiClient } from './api-client.ts';
import { ensureAccess, type Access } from './owner.ts';
import { PlainRenderer } from './plain-renderer.ts';
import { appEnvironment, runApi, runWorkers } from './processes.ts';
import { startReceiver } from './receiver.ts';
import { runToEnd } from './run-sample.ts';
import { importSamples, readSamples, type Sample } from './samples.ts';
import { loadSecrets, saveSecrets } from './secrets.ts';
import type { StartSettings } from './settings.ts';
import type { Stack } from './stack.ts';
import { ensurePostgres, ensureRedis } from './stores.ts';

/** The sample that every start runs if it can reach the receiver. */
const DEFAULT_SAMPLE = 'order-triage';

/** The results of the steps of a start, in their order. */
export interface BroughtUp {
  databaseUrl: string;
  dataPath: string | undefined;
  redisUrl: string;
  receiverUrl: string;
  owner: { email: string; password: string };
  access: Access;
  sample: Sample;
  execution: Execution;
}

/** Starts everything, adds it to `stack`, and runs a sample to its end. Each step is a line on the terminal. */
export async function bringUp(settings: StartSettings, stack: Stack): Promise<BroughtUp> {
  const secretsPath = join(settings.folder, 'secrets.json');
  const secrets = loadSecrets(secretsPath);
  // Saved before first use: after a crash, data that was encrypted with a lost key would be lost.
  saveSecrets(secretsPath, secrets);
  const client = createApiClient(`http://127.0.0.1:${settings.port}`);
  // Known only to this start and its API, so that nobody else can create the owner.
  const setupToken = randomBytes(24).toString('base64url');
  const owner = { email: settings.ownerEmail, password: settings.ownerPassword ?? secrets.ownerPassword };

  const environment = (found: BroughtUp): Record<string, string> =>
    appEnvironment(settings, {
      ...found,
      encryptionKey: settings.encryptionKey ?? secrets.encryptionKey,
      setupToken,
    });

  const stores: ListrTask<BroughtUp>[] = [
    {
      title: settings.databaseUrl === undefined ? 'Start PostgreSQL' : 'Use the PostgreSQL of DATABASE_URL',
      task: async (found) => {
        ({ url: found.databaseUrl, dataPath: found.dataPath } = await ensurePostgres(settings, stack));
      },
    },
    {
      title: settings.redisUrl === undefined ? 'Start Redis' : 'Use the Redis of REDIS_URL',
      task: async (found, task) => {
        found.redisUrl = (await ensureRedis(settings, stack, (line) => (task.output = line))).url;
      },
    },
  ];
  const processes: ListrTask<BroughtUp>[] = [
    {
      title: 'Start the API',
      task: async (found) => runApi(settings, environment(found), stack),
    },
    {
      title: settings.workers === 1 ? 'Start a worker' : `Start ${settings.workers} workers`,
      task: async (found) => runWorkers(settings, environment(found), stack),
    },
    {
      title: 'Start a receiver for the samples',
      task: async (found) => {
        const receiver = await startReceiver(settings.port + 1);
        stack.add('receiver', () => receiver.close());
        found.receiverUrl = receiver.url;
      },
    },
  ];
  const steps: ListrTask<BroughtUp>[] = [
    { title: 'Stores', task: (_, task) => task.newListr(stores, { concurrent: true }) },
    {
      title: 'Migrate the database',
      task: async (found, task) => {
        const databaseUrl = settings.directDatabaseUrl ?? found.databaseUrl;
        await applyMigrations({ databaseUrl, report: (line) => (task.output = line) });
      },
    },
    { title: 'Processes', task: (_, task) => task.newListr(processes, { concurrent: true }) },
    {
      title: 'Create the owner and an API key',
      task: async (found) => {
        found.owner = owner;
        found.access = await ensureAccess(client, { ...owner, setupToken }, secrets.apiKey);
        saveSecrets(secretsPath, { ...secrets, apiKey: found.access.apiKey });
      },
    },
    {
      title: 'Run a sample',
      task: async (found, task) => {
        const samples = await readSamples(join(REPOSITORY, 'examples'), found.receiverUrl);
        const workflowIds = await importSamples(client, found.access, samples);
        found.sample = chooseSample(samples, settings.allowPrivate ?? true);
        task.title = `Run the sample "${found.sample.name}"`;
        found.execution = await runToEnd(client, {
          apiKey: found.access.apiKey,
          workflowId: workflowIds.get(found.sample.id) ?? '',
          input: found.sample.input,
          onProgress: ({ status, currentNodeId }) => (task.output = `${status} ${currentNodeId ?? ''}`),
        });
      },
    },
  ];
  return new Listr(steps, {
    ctx: {} as BroughtUp,
    // Signals are handled by the caller, which stops the parts in order.
    registerSignalListeners: false,
    rendererOptions: { timer: PRESET_TIMER, collapseSubtasks: false, showErrorMessage: false },
    fallbackRenderer: PlainRenderer,
    // A terminal of unknown width gets plain lines, too.
    fallbackRendererCondition: () => !process.stdout.columns,
  }).run();
}

function chooseSample(samples: readonly Sample[], mayCallReceiver: boolean): Sample {
  const usable = samples.filter((sample) => mayCallReceiver || !sample.needsReceiver);
  const sample = usable.find(({ id }) => id === DEFAULT_SAMPLE) ?? usable[0];
  if (sample === undefined) throw new Error('there is no sample in examples/');
  return sample;
}
